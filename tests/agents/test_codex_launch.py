"""The command lines for Codex: the person's arguments win, a cold restart keeps the options only."""

from __future__ import annotations

import os
import subprocess
import tomllib
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.agents import codex_config
from agentsup.agents.adapter import ARGUMENT_MOST, Conversation, Place
from agentsup.agents.codex import Codex


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["codex", "--no-daemon"]),
        (["fix it"], ["codex", "--no-daemon", "fix it"]),
        (
            ["-m", "gpt-5.5", "resume", "--last"],
            ["codex", "--no-daemon", "-m", "gpt-5.5", "resume", "--last"],
        ),
        (["--no-daemon", "x"], ["codex", "--no-daemon", "x"]),
        (["--remote", "unix://"], ["codex", "--remote", "unix://"]),
        (["exec", "do it"], ["codex", "exec", "do it"]),
        (["--version"], ["codex", "--version"]),
        (["-m", "exec"], ["codex", "--no-daemon", "-m", "exec"]),
    ],
)
def test_launch(arguments: list[str], expected: list[str]) -> None:
    assert Codex().launch(Place("codex", tuple(arguments))) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["codex", "--no-daemon", "--", "P"]),
        (["an old prompt"], ["codex", "--no-daemon", "--", "P"]),
        (["resume", "--last", "-m", "gpt-5.5"], ["codex", "--no-daemon", "-m", "gpt-5.5", "--", "P"]),
        (["-c", 'model="x"', "resume", "01a2"], ["codex", "--no-daemon", "-c", 'model="x"', "--", "P"]),
        (["--model=x", "--", "resume"], ["codex", "--no-daemon", "--model=x", "--", "P"]),
    ],
)
def test_cold_restart(arguments: list[str], expected: list[str]) -> None:
    assert Codex().fresh_launch(Place("codex", tuple(arguments)), "P") == expected


def test_a_cold_restart_without_memory_has_no_prompt() -> None:
    assert Codex().fresh_launch(Place("codex", ("hello",)), "") == ["codex", "--no-daemon"]


LOCK = "/h/.codex/thread-writer-locks/01a22968-4cf7-7000-8000-00000000000{}.lock"
ROLLOUT = "/h/.codex/sessions/2026/11/30/rollout-2026-11-30T00-00-00-01a22968-4cf7-7000-8000-00000000000{}.jsonl"
THREAD = "01a22968-4cf7-7000-8000-00000000000{}"


@dataclass(frozen=True)
class Holding:
    """A process that holds these files open."""

    files: tuple[str, ...]
    pid: int = 1

    def written_files(self, *endings: str) -> list[str]:
        return list(self.files)

    def arguments(self) -> list[str]:
        return []


def test_the_newest_thread_is_the_conversation() -> None:
    def found(*files: str) -> Conversation | None:
        return Codex().conversation(Holding(files), Place("codex"))

    assert found("/dev/null", "/h/.codex/state_5.sqlite") is None
    assert found(LOCK.format(1)) == Conversation(THREAD.format(1))
    files = [LOCK.format(1), ROLLOUT.format(1)]
    assert found(*files) == Conversation(THREAD.format(1), ROLLOUT.format(1))
    assert found(LOCK.format(2), *files) == Conversation(THREAD.format(2))
    files = [ROLLOUT.format(2), LOCK.format(2), *files]
    assert found(*files) == Conversation(THREAD.format(2), ROLLOUT.format(2))


@pytest.mark.parametrize(
    ("arguments", "config", "expected"),
    [
        ((), "", 36_000),
        ((), "model_auto_compact_token_limit = 20000\n", 20_000),
        ((), "model_auto_compact_token_limit = 39500\n", 36_000),
        (("-c", "model_auto_compact_token_limit=15000"), "model_auto_compact_token_limit = 20000\n", 15_000),
        (("--config=model_auto_compact_token_limit=15000", "go"), "", 15_000),
        (("-p", "small"), "[profiles.small]\nmodel_auto_compact_token_limit = 9000\n", 9_000),
        ((), 'profile = "small"\n[profiles.small]\nmodel_auto_compact_token_limit = 9000\n', 9_000),
        (("-c", "model_auto_compact_token_limit=15000", "--config=model_auto_compact_token_limit=14000"), "", 14_000),
        (("--config=model_auto_compact_token_limit=14000", "-cmodel_auto_compact_token_limit=15000"), "", 15_000),
        ((), "no toml at all", 36_000),
        (("-c", "model_auto_compact_token_limit=soon"), "", 36_000),
    ],
)
def test_where_codex_compacts_by_itself(tmp_path: Path, arguments: tuple[str, ...], config: str, expected: int) -> None:
    (tmp_path / "config.toml").write_text(config)
    place = Place("codex", arguments, {"CODEX_HOME": str(tmp_path)})
    assert Codex().compacts_at(38_000, place) == expected


def test_state_reports() -> None:
    codex = Codex()
    report = codex.state({"state": "blocked", "app": "codex", "kind": "permission"}, 5.0)
    assert report is not None
    assert (report.state, report.kind, report.time) == ("blocked", "permission", 5.0)
    assert codex.state({"state": "clear"}, 5.0) is None


OURS = 'End a turn with an engram.\n\n"Quoted", C:\\\\path, 记忆, \t.'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A Codex whose home and project are empty; `instructions` are ours."""
    for folder in ("home", "project"):
        (tmp_path / folder).mkdir()
    return Place("codex", (), {"CODEX_HOME": str(tmp_path / "home")}, tmp_path / "project", instructions=OURS)


def configure(place: Place, text: str, name: str = "config.toml") -> None:
    (Path(place.environment["CODEX_HOME"]) / name).write_text(text)


def of_project(folder: Path, text: str) -> None:
    (folder / ".codex").mkdir(parents=True)
    (folder / ".codex" / "config.toml").write_text(text)


def trust(folder: Path, level: str) -> str:
    return f'[projects."{folder.resolve()}"]\ntrust_level = "{level}"\n'


def told(place: Place, *arguments: str) -> str | None:
    """Return what Codex takes for its instructions: the last -c, read as TOML."""
    argv = Codex().launch(replace(place, arguments=arguments))
    end = argv.index("--") if "--" in argv else len(argv)
    settings = [after for word, after in pairwise(argv[:end]) if word == "-c"]
    own = [setting.partition("=")[2] for setting in settings if setting.startswith("developer_instructions=")]
    if not own:
        return None
    found = tomllib.loads(f"value = {own[-1]}")["value"]
    assert isinstance(found, str)
    return found


def problem(place: Place, *arguments: str) -> str:
    return Codex().without_instructions(replace(place, arguments=arguments))


def test_the_instructions_come_last_of_all_options(place: Place) -> None:
    for arguments, at in (
        ((), 0), (("fix it",), 1), (("resume", "--last"), 2), (("-m", "x", "fork", "01a2", "go on"), 5),
        (("-m", "x", "--", "-c is", "text"), 2), (("-m", "--", "--", "text"), 2), (("-m",), 1),
    ):  # fmt: skip
        argv = Codex().launch(replace(place, arguments=arguments))
        assert argv[: 2 + at] == ["codex", "--no-daemon", *arguments[:at]]
        assert argv[2 + at] == "-c"
        assert argv[3 + at].startswith("developer_instructions=")
        assert argv[4 + at :] == list(arguments[at:])
    assert told(place) == OURS
    assert problem(place) == ""


@pytest.mark.parametrize(
    "arguments",
    [("exec", "do it"), ("review",), ("mcp", "list"), ("--remote", "unix://x"), ("--remote=unix://x", "go")],
)
def test_nothing_is_added_where_there_is_no_interface_of_its_own(place: Place, arguments: tuple[str, ...]) -> None:
    configure(place, "no toml at all")
    assert Codex().launch(replace(place, arguments=arguments)) == ["codex", *arguments]
    assert problem(place, *arguments) == ""


def test_a_cold_restart_has_them_too(place: Place) -> None:
    arguments = ("-c", 'developer_instructions="Mine."', "resume", "01a2", "an old prompt")
    argv = Codex().fresh_launch(replace(place, arguments=arguments), "P")
    assert argv[:4] == ["codex", "--no-daemon", *arguments[:2]]
    assert argv[4:] == ["-c", argv[5], "--", "P"]
    assert argv[5].startswith('developer_instructions="Mine.\\n\\nEnd a turn')


@pytest.mark.parametrize(
    ("arguments", "own"),
    [
        (("-c", 'developer_instructions="Mine."'), "Mine."),
        (("-c", 'developer_instructions=Mine, it\'s "so".'), 'Mine, it\'s "so".'),
        (("-c", "developer_instructions='no TOML's'"), "no TOML's"),
        (("-c", " developer_instructions = 'Mine.' "), "Mine."),
        (("--config", 'developer_instructions="a\\nb"'), "a\nb"),
        (("-cdeveloper_instructions='Mine.'",), "Mine."),
        (("-c=developer_instructions='Mine.'",), "Mine."),
        (("-c", "developer_instructions='1'", "--config=developer_instructions='2'"), "2"),
        (("--config=developer_instructions='1'", "-c", "developer_instructions='2'", "-c", "model='x'"), "2"),
        (("-c", "developer_instructions='Mine.'", "resume", "--last", "-c", "developer_instructions='2'"), "2"),
    ],
)
def test_the_persons_own_of_the_command_line_stand_before_ours(
    place: Place, arguments: tuple[str, ...], own: str
) -> None:
    configure(place, 'developer_instructions = "not these"\n')
    assert told(place, *arguments) == f"{own}\n\n{OURS}"
    argv = Codex().launch(replace(place, arguments=arguments))
    assert tuple(argv[2 : 2 + len(arguments)]) == arguments  # untouched


def test_the_persons_own_of_the_configuration_stand_before_ours(place: Place) -> None:
    configure(place, 'developer_instructions = """\nMine.\n"""\n')
    assert told(place) == f"Mine.\n\n{OURS}"
    configure(place, 'developer_instructions = "Profile."\n', "work.config.toml")
    assert told(place, "-p", "work") == f"Profile.\n\n{OURS}"
    assert told(place, "--profile=work") == f"Profile.\n\n{OURS}"
    assert told(place, "-p", "other") == f"Mine.\n\n{OURS}"
    # Switched off is switched off.
    assert told(place, "-c", 'developer_instructions=""') == OURS


def test_a_profile_of_older_versions_is_read_too(place: Place) -> None:
    table = 'developer_instructions = "Mine."\n[profiles.work]\ndeveloper_instructions = "Profile."\n'
    configure(place, table)
    assert told(place) == f"Mine.\n\n{OURS}"
    assert told(place, "-p", "work") == f"Profile.\n\n{OURS}"
    configure(place, f'profile = "work"\n{table}')
    assert told(place) == f"Profile.\n\n{OURS}"


def test_a_projects_instructions_count_as_the_person_has_said(place: Place) -> None:
    root, deep = place.project, place.project / "sub" / "deep"
    (root / ".git").mkdir()
    deep.mkdir(parents=True)
    of_project(root, 'developer_instructions = "Root."\n')
    here, below = replace(place, project=root), replace(place, project=deep)
    mine = 'developer_instructions = "Mine."\n'
    configure(place, mine)
    assert told(here) is None
    assert problem(here) == "instructions.undecided"
    assert told(here, "-c", "developer_instructions='2'") == f"2\n\n{OURS}"  # which settles it
    configure(place, mine + trust(root, "untrusted"))
    assert told(here) == told(below) == f"Mine.\n\n{OURS}"
    configure(place, mine + trust(root, "trusted"))
    assert told(here) == told(below) == f"Root.\n\n{OURS}"
    of_project(root / "sub", 'developer_instructions = "Sub."\n')
    assert told(below) == f"Sub.\n\n{OURS}"
    assert told(replace(place, project=root.parent), "-C", "project/sub/deep") == f"Sub.\n\n{OURS}"
    configure(place, mine + trust(root, "trusted") + trust(root / "sub", "untrusted"))
    assert told(below) == f"Root.\n\n{OURS}"


def test_a_linked_work_tree_is_trusted_as_the_main_one_is(place: Place) -> None:
    other = place.project.parent / "other"
    git = ["git", "-c", "user.name=T", "-c", "user.email=t@example.invalid"]
    subprocess.run([*git, "init", "-q"], cwd=place.project, check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "start"], cwd=place.project, check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(other)], cwd=place.project, check=True)
    of_project(other, 'developer_instructions = "Theirs."\n')
    assert told(replace(place, project=other)) is None
    configure(place, trust(place.project, "trusted"))
    assert told(replace(place, project=other)) == f"Theirs.\n\n{OURS}"


def test_the_home_of_codex_is_no_projects_folder(place: Place) -> None:
    home = place.project / ".codex"
    of_project(place.project, 'developer_instructions = "Mine."\n')
    assert told(replace(place, environment={"CODEX_HOME": str(home)})) == f"Mine.\n\n{OURS}"


@pytest.mark.parametrize("text", ["no toml at all", "developer_instructions = 5\n", "x = " + "[" * 3000])
def test_where_the_persons_own_can_not_be_read_ours_are_left_out(place: Place, text: str) -> None:
    configure(place, text)
    assert Codex().launch(place) == ["codex", "--no-daemon"]
    assert problem(place) == "instructions.unreadable"
    assert problem(replace(place, instructions="")) == ""
    configure(place, "")
    assert problem(place, "-c", "developer_instructions=5") == "instructions.unreadable"


def test_a_configuration_that_is_no_file_or_endless_does_not_stop_the_start(place: Place) -> None:
    path = Path(place.environment["CODEX_HOME"]) / "config.toml"
    os.mkfifo(path)
    assert problem(place) == "instructions.unreadable"
    path.unlink()
    configure(place, "#" * (2 << 20))
    assert problem(place) == "instructions.unreadable"
    assert codex_config.compaction_limit((), place.environment, place.project) is None


def test_too_long_together_for_one_word_of_a_command_line_they_are_left_out(place: Place) -> None:
    room = ARGUMENT_MOST - len(os.fsencode(Codex().launch(place)[-1])) - len("\\n\\n")
    for extra, fits in ((0, True), (1, False)):
        own = "-c", "developer_instructions=" + "x" * (room + extra)
        argv = Codex().launch(replace(place, arguments=own))
        assert argv[:4] == ["codex", "--no-daemon", *own]
        assert (len(argv) > 4) == fits
        assert problem(place, *own) == ("" if fits else "instructions.too-long")
        # The kernel agrees.
        assert subprocess.run(["true", *argv[1:]], check=False).returncode == 0
        if fits:
            assert len(os.fsencode(argv[-1])) == ARGUMENT_MOST
            with pytest.raises(OSError, match="too long"):
                subprocess.run(["true", f"{argv[-1]}x"], check=False)


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_any_text_of_the_persons_comes_through_as_it_is(own: str) -> None:
    place = Place("codex", (), {"CODEX_HOME": "/nowhere"}, Path("/nowhere"), instructions=OURS)
    # As a person would give it: TOML needs no more than these escapes.
    escaped = "".join(f"\\u{ord(c):04x}" if c in '"\\\x7f' or c < " " else c for c in own)
    assert told(place, "-c", f'developer_instructions="{escaped}"') == (
        f"{own.rstrip()}\n\n{OURS}" if own.strip() else OURS
    )
