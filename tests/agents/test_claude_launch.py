"""Claude Code's command lines, its files about itself, and the status line command that tells its window."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from agentsup.agents import claude_options
from agentsup.agents.adapter import ARGUMENT_MOST, Conversation, Place
from agentsup.agents.claude import AGENT_VIEW, Claude
from agentsup.agents.claude_settings import STATUS_FILE
from agentsup.core import events as ev

ID = "3e216304-af10-4794-815b-6bffcb900a76"
OTHER = "97c119b1-af10-4794-815b-6bffcb900a76"
DATA = Path(__file__).parent.parent / "data" / "claude"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    for folder in ("home", "project", "session"):
        (tmp_path / folder).mkdir()
    environment = {"CLAUDE_CONFIG_DIR": str(tmp_path / "home"), "PATH": os.environ["PATH"]}
    return Place("claude", (), environment, tmp_path / "project", tmp_path / "session")


def launched(place: Place, *arguments: str, status_line: str = "off") -> list[str]:
    return Claude().launch(
        Place(place.program, arguments, place.environment, place.project, place.session_folder, status_line)
    )


def settings_of(argv: list[str]) -> dict[str, Any]:
    assert argv.count("--settings") == 1
    found = json.loads(argv[argv.index("--settings") + 1])
    assert isinstance(found, dict)
    return found


def test_a_conversation_of_our_own_choice_unless_the_person_chooses_one(place: Place) -> None:
    argv = launched(place, "fix it")
    assert argv[0::3] == ["claude", "fix it"]
    assert argv[1] == "--session-id"
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", argv[2])
    assert launched(place, "fix it")[2] != argv[2]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--resume", ID], ["-r"], ["--resume=x"], ["-c"], ["--continue", "go"], ["--session-id", ID],
        ["--resume", ID, "--fork-session"], ["-p", "say hi"], ["-r" + ID], ["-cp", "go"],
        ["daemon"], ["remote-control"], ["mcp", "list"], ["--version"], ["update"],
        ["--model", "opus", "doctor"],
    ],
)  # fmt: skip
def test_what_is_left_as_it_is(place: Place, arguments: list[str]) -> None:
    assert launched(place, *arguments) == ["claude", *arguments]


def test_a_word_that_is_an_options_value_is_no_command(place: Place) -> None:
    assert launched(place, "--model", "update")[1] == "--session-id"
    assert launched(place, "--add-dir", "a", "mcp")[1] == "--session-id"


def test_a_cold_restart_keeps_the_options_only(place: Place) -> None:
    arguments = ("--model", "opus", "-r", ID, "--add-dir", "a", "b", "--verbose", "an old prompt")
    fresh = Claude().fresh_launch(Place("claude", arguments, place.environment, status_line="off"), "P")
    assert fresh[1] == "--session-id"
    assert fresh[3:] == ["--model", "opus", "--add-dir", "a", "b", "--verbose", "--", "P"]


def test_our_status_line_comes_only_where_the_person_has_none(place: Place) -> None:
    ours = settings_of(launched(place, status_line="auto"))["statusLine"]
    assert ours["type"] == "command"
    assert str(place.session_folder / STATUS_FILE) in ours["command"]
    for path in (
        place.project / ".claude" / "settings.json", place.project / ".claude" / "settings.local.json",
        Path(place.environment["CLAUDE_CONFIG_DIR"]) / "settings.json",
    ):  # fmt: skip
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"statusLine": {"type": "command", "command": "echo mine"}}))
        assert "--settings" not in launched(place, status_line="auto")
        path.unlink()
    assert "--settings" not in launched(place, status_line="off")


def test_the_persons_own_settings_are_merged_and_never_written(place: Place) -> None:
    file = place.project / "mine.json"
    file.write_text('{"model": "opus", "hooks": {"Stop": []}}')
    before = {path: path.read_bytes() for path in place.project.parent.rglob("*") if path.is_file()}
    for given in (["--settings", file.read_text()], [f"--settings={file.read_text()}"]):
        argv = launched(place, *given, "go", status_line="auto")
        found = settings_of(argv)
        assert (found["model"], found["hooks"]) == ("opus", {"Stop": []})
        assert "statusLine" in found
        assert argv[-1] == "go"
    # A file stays one: its paths count from its folder, and its secrets stay in it. What Claude Code itself will
    # refuse is left for it to say.
    for given in (["--settings", "mine.json"], ["--settings", "missing.json"], ["--settings", "{broken"]):
        assert launched(place, *given, status_line="auto")[-2:] == given
    assert {path: path.read_bytes() for path in place.project.parent.rglob("*") if path.is_file()} == before


def test_settings_that_are_not_read_have_no_say(place: Place) -> None:
    path = place.project / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"statusLine": {"type": "command", "command": "echo project"}}))
    argv = launched(place, "--setting-sources", "user", status_line="chain")
    assert "echo project" not in settings_of(argv)["statusLine"]["command"]
    argv = launched(place, "--setting-sources", "user,project", status_line="chain")
    assert "echo project" in settings_of(argv)["statusLine"]["command"]


def test_the_agents_view_is_switched_off_unless_the_person_has_decided(place: Place) -> None:
    assert Claude().environment({}) == {AGENT_VIEW: "1"}
    assert Claude().environment({AGENT_VIEW: "0"}) == {}


def test_the_persons_status_line_is_chained_where_they_want_that(place: Place) -> None:
    own = {"type": "command", "command": 'echo "it\'s mine"; exit 3', "padding": 2}
    given = json.dumps({"statusLine": own})
    assert settings_of(launched(place, "--settings", given, status_line="auto")) == {"statusLine": own}
    chained = settings_of(launched(place, "--settings", given, status_line="chain"))["statusLine"]
    assert (chained["type"], chained["padding"]) == ("command", 2)
    told = (DATA / "status_line" / "mid.json").read_bytes()
    done = subprocess.run(["/bin/sh", "-c", chained["command"]], input=told, capture_output=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (b"it's mine\n", b"", 3)
    kept = place.session_folder / STATUS_FILE
    assert kept.read_bytes() == told
    assert kept.stat().st_mode & 0o777 == 0o600


def test_the_status_line_command_fails_open(place: Place, tmp_path: Path) -> None:
    script = Path(sys.modules[Claude.__module__].__file__ or "").with_name("claude_status_line.py")
    words = [sys.executable, "-I", "-S", str(script), str(tmp_path / "missing" / "file"), "cat"]
    done = subprocess.run(words, input=b"{}", capture_output=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (b"{}", b"", 0)
    assert list(tmp_path.glob("missing*")) == []


def test_on_a_full_disk_what_was_kept_before_stays(place: Place) -> None:
    script = Path(sys.modules[Claude.__module__].__file__ or "").with_name("claude_status_line.py")
    kept = place.session_folder / STATUS_FILE
    kept.write_text("{}")
    words = shlex.join([sys.executable, "-I", "-S", str(script), str(kept)])
    limited = f"trap '' XFSZ; ulimit -f 1; {words}"  # files of at most 512 or 1,024 bytes
    done = subprocess.run(["/bin/sh", "-c", limited], input=b"x" * 5000, capture_output=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (b"", b"", 0)
    assert [(path.name, path.read_text()) for path in place.session_folder.iterdir()] == [(STATUS_FILE, "{}")]


@dataclass(frozen=True)
class Running:
    pid: int
    argv: tuple[str, ...] = ("claude",)

    def written_files(self, *endings: str) -> list[str]:
        return []

    def arguments(self) -> list[str]:
        return list(self.argv)


def say(place: Place, pid: int, **fields: object) -> Path:
    file = Path(place.environment["CLAUDE_CONFIG_DIR"]) / "sessions" / f"{pid}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"pid": pid, "sessionId": ID, **fields}))
    return file


def transcript(place: Place, folder: str, id: str = ID) -> str:
    path = Path(place.environment["CLAUDE_CONFIG_DIR"]) / "projects" / folder / f"{id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return str(path)


def test_the_conversation_is_the_one_that_the_process_names(place: Place) -> None:
    claude, me = Claude(), Running(os.getpid(), ("claude", "--session-id", OTHER))
    (Path(place.environment["CLAUDE_CONFIG_DIR"]) / "sessions").mkdir()
    assert claude.conversation(me, place) is None  # still at its first question
    transcript(place, "newest", OTHER)
    say(place, me.pid)
    assert claude.conversation(me, place) is None  # without a state the id is not settled yet
    say(place, me.pid, status="idle")
    assert claude.conversation(me, place) == Conversation(ID)
    log = transcript(place, "-somewhere-else")
    assert claude.conversation(me, place) == Conversation(ID)  # all folders are not searched at every look
    assert Claude().conversation(me, place) == Conversation(ID, log)


def test_a_project_whose_path_is_too_long_for_a_file_name_has_a_log_all_the_same(place: Place) -> None:
    deep = Path("/" + "/".join(["x" * 50] * 8))
    say(place, os.getpid(), status="idle")
    log = transcript(place, "cut-and-hashed")
    long = Place("claude", (), place.environment, deep, place.session_folder)
    assert Claude().conversation(Running(os.getpid()), long) == Conversation(ID, log)


def test_a_file_that_a_killed_process_left_behind_is_none(place: Place) -> None:
    say(place, os.getpid(), status="idle", procStart="1")
    assert Claude().conversation(Running(os.getpid()), place) is None
    with open("/proc/self/stat", "rb") as file:
        start = file.read().rpartition(b")")[2].split()[19].decode()
    say(place, os.getpid(), status="idle", procStart=start)
    assert Claude().conversation(Running(os.getpid()), place) == Conversation(ID)


def test_without_such_a_file_it_is_the_one_that_was_chosen(place: Place) -> None:
    claude = Claude()
    assert claude.conversation(Running(1, ("claude", "--session-id", ID)), place) == Conversation(ID)
    assert claude.conversation(Running(1, ("claude", "--resume", ID)), place) is None
    assert claude.conversation(Running(1, ("claude", "--session-id", "../../etc")), place) is None


@pytest.mark.parametrize(
    ("says", "state"),
    [
        ({"status": "idle"}, ("idle", "")), ({"status": "busy"}, ("working", "")),
        ({"status": "waiting", "waitingFor": "permission prompt"}, ("blocked", "permission prompt")),
        ({"status": "shell"}, ("idle", "")), ({"status": "new word"}, ("unknown", "")),
        ({}, None), ({"status": 7}, None), ([], None),
    ],
)  # fmt: skip
def test_the_state_in_its_own_file(place: Place, says: object, state: tuple[str, str] | None) -> None:
    path = Claude().status_files(7, place)[0]
    events = Claude().read_status(path, json.dumps(says).encode(), 5.0)
    expected = () if state is None else (ev.AgentStateReported(5.0, state[0], state[1], "status-file"),)  # type: ignore[arg-type]
    assert events == expected
    assert Claude().read_status(path, b'{"status":"id', 5.0) == ()


def test_the_status_line_tells_a_change_that_is_in_no_transcript(place: Place) -> None:
    claude = Claude()
    path = claude.status_files(os.getpid(), place)[1]
    (place.session_folder.parent / "home" / "sessions").mkdir()
    say(place, os.getpid(), status="idle")

    def told(used: int, id: str = ID) -> tuple[ev.Event, ...]:
        usage = {"input_tokens": 3, "cache_creation_input_tokens": 0, "cache_read_input_tokens": used - 3}
        says = {"session_id": id, "context_window": {"context_window_size": 1_000_000, "current_usage": usage}}
        return claude.read_status(path, json.dumps(says).encode(), 5.0)[1:]

    assert told(21_000) == ()  # nobody knows yet which conversation it is in
    claude.conversation(Running(os.getpid()), place)
    assert told(301_000) == (ev.TokensReported(5.0, 301_000, None),)
    assert told(301_000) == ()  # said before, perhaps before a compaction
    assert told(21_000) == (ev.TokensReported(5.0, 21_000, None),)
    assert told(90_000, OTHER) == ()


@pytest.mark.parametrize("name", ["startup", "mid", "after-manual-compact"])
def test_the_window_is_what_the_status_line_is_told(place: Place, name: str) -> None:
    data = (DATA / "status_line" / f"{name}.json").read_bytes()
    path = Claude().status_files(7, place)[1]
    assert Claude().read_status(path, data, 5.0) == (ev.WindowReported(5.0, 1_000_000),)  # it is in no conversation yet


@pytest.mark.parametrize(
    ("window", "arguments", "environment", "expected"),
    [
        (1_000_000, (), {}, 967_000),
        (1_000_000, ("--autocompact", "100k"), {}, 67_000),
        (1_000_000, ("--autocompact=auto",), {}, 967_000),
        (1_000_000, (), {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "30"}, 24_000),
        (1_000_000, (), {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "50000"}, 67_000),
        (1_000_000, (), {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "100"}, 967_000),
        (1_000_000, (), {"DISABLE_AUTO_COMPACT": "1"}, None),
        (200_000, (), {}, None),
        (1_000_000, ("--settings", '{"autoCompactWindow": 100000}'), {}, 67_000),
        (1_000_000, ("--settings", '{"autoCompactEnabled": false}', "--autocompact", "100k"), {}, None),
        (1_000_000, ("--settings", '{"env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}}'), {}, 67_000),
        (1_000_000, ("--settings", '{"env": {"DISABLE_AUTO_COMPACT": "1"}}'), {}, None),
    ],
)
def test_where_it_compacts_by_itself(
    window: int, arguments: tuple[str, ...], environment: dict[str, str], expected: int | None
) -> None:
    assert Claude().compacts_at(window, Place("claude", arguments, environment)) == expected


def test_the_title_says_what_it_does() -> None:
    claude = Claude()
    assert claude.title_state("✳ Claude Code", 1.0) == ev.AgentStateReported(1.0, "idle", by="title")
    assert claude.title_state("◐ Fix it", 1.0) == ev.AgentStateReported(1.0, "working", by="title")
    assert claude.title_state("vim", 1.0) is None


@pytest.mark.parametrize(
    "arguments",
    [
        ["--model", "opus", "-r", "x", "go", "on"], ["--add-dir", "a", "b", "--", "-p", "x"], ["-d", "--verbose"],
        ["--settings={}", "-", "x"], ["--debug", "hooks", "prompt"], [],
    ],
)  # fmt: skip
def test_a_command_line_is_read_without_loss(arguments: list[str]) -> None:
    assert claude_options.words(claude_options.parse(arguments)) == arguments


OURS = 'End a turn with an engram.\n\n"Quoted".'
APPENDED = "--append-system-prompt"


def told(place: Place, *arguments: str, instructions: str = OURS) -> list[str]:
    """Return the command line with instructions, without the id that is another one each time."""
    argv = Claude().launch(replace(place, arguments=arguments, status_line="off", instructions=instructions))
    return [word for n, word in enumerate(argv) if "--session-id" not in argv[max(0, n - 1) : n + 1]]


def test_the_instructions_are_appended_to_the_system_prompt(place: Place) -> None:
    assert told(place) == ["claude", APPENDED, OURS]
    assert told(place, "--resume", ID) == ["claude", APPENDED, OURS, "--resume", ID]
    assert told(place, "--", "-x") == ["claude", APPENDED, OURS, "--", "-x"]
    assert told(place, instructions="") == ["claude"]


@pytest.mark.parametrize("arguments", [("-p", "say hi"), ("mcp", "list"), ("--version",), ("--bg", "go")])
def test_a_claude_without_its_interface_is_told_nothing(place: Place, arguments: tuple[str, ...]) -> None:
    assert told(place, *arguments) == ["claude", *arguments]


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        ((APPENDED, "Mine.", "go"), ["go"]),
        ((f"{APPENDED}=Mine.", "go"), ["go"]),
        (("--model", "opus", APPENDED, "not these", APPENDED, "Mine."), ["--model", "opus"]),
        ((APPENDED, "Mine.\n", "--append-system-prompt-file", "f"), ["--append-system-prompt-file", "f"]),
    ],
)
def test_the_persons_own_stand_before_ours_in_one_text(
    place: Place, arguments: tuple[str, ...], left: list[str]
) -> None:
    assert told(place, *arguments) == ["claude", APPENDED, f"Mine.\n\n{OURS}", *left]


def test_a_file_of_the_persons_stays_one(place: Place) -> None:
    own = ("--append-system-prompt-file", "missing.txt")
    assert told(place, *own) == ["claude", APPENDED, OURS, *own]


def test_an_option_without_its_value_is_left_for_claude_to_name(place: Place) -> None:
    assert told(place, APPENDED) == ["claude", APPENDED]


def test_a_cold_restart_has_them_too(place: Place) -> None:
    arguments = (APPENDED, "Mine.", "--resume", ID, "an old prompt")
    fresh = Claude().fresh_launch(replace(place, arguments=arguments, status_line="off", instructions=OURS), "P")
    assert fresh[1] == "--session-id"
    assert fresh[3:] == [APPENDED, f"Mine.\n\n{OURS}", "--", "P"]


def test_too_long_together_for_one_word_of_a_command_line_they_are_left_out(place: Place) -> None:
    room = ARGUMENT_MOST - len(OURS.encode()) - 2
    for own, fits in (("x" * room, True), ("x" * (room - 1) + "é", False)):
        argv = told(place, APPENDED, own)
        assert argv == ["claude", APPENDED, f"{own}\n\n{OURS}" if fits else own]
        given = replace(place, arguments=(APPENDED, own), instructions=OURS)
        assert Claude().without_instructions(given) == ("" if fits else "instructions.too-long")
        assert subprocess.run(["true", *argv[1:]], check=False).returncode == 0
    without_interface = replace(place, arguments=("-p", "hi", APPENDED, "x" * ARGUMENT_MOST), instructions=OURS)
    assert Claude().without_instructions(without_interface) == ""
