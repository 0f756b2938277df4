"""What doctor makes of what it sees, by tables; and that no check can hang it or bring it down."""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from agentsup.agents.adapter import Adapter
from agentsup.agents.claude_settings import STATUS_FILE
from agentsup.agents.codex_log import CodexLog
from agentsup.cli.doctor import agents, folders, project, sessions, system, terminal
from agentsup.cli.doctor.examination import Check, examine, within
from agentsup.cli.doctor.finding import Finding
from agentsup.cli.doctor.folders import Seen
from agentsup.core.continuity import Continuity, Hooks
from agentsup.core.meter import Context
from agentsup.core.problems import UsageProblem
from agentsup.core.session import Agent, Log, Notice, Session
from agentsup.locale import load
from agentsup.store.folders import config_file, data_folder, data_path, runtime_folder, runtime_path

OURS = Seen(is_folder=True, owner=7, mode=0o700, writable=True)
MB = 1 << 20


def short(findings: Iterable[Finding]) -> list[str]:
    """Return the findings as level, check and key; every one of them has its words in the catalogue."""
    told = []
    for finding in findings:
        assert_has_words(finding)
        told.append(f"{finding.level} {finding.check} {finding.key.removeprefix('doctor.')}")
    return told


def assert_has_words(finding: Finding) -> None:
    for language in ("en", "zh-CN"):
        catalogue = load(language)
        assert catalogue.has(f"{finding.key}.what"), finding.key
        assert "{" not in finding.what(catalogue) + finding.todo(catalogue), finding
    assert (finding.level == "ok") == (finding.todo(load("en")) == ""), finding


# --- agents


class Fake(Adapter):
    """An agent that is where the environment says, in the version that it says."""

    def __init__(self, name: str, measured: tuple[str, ...] = ("1.2",), *, has_log: bool = True) -> None:
        self.name, self.measured, self._has_log = name, measured, has_log

    def find(self, environment: Mapping[str, str]) -> str | None:
        return f"/bin/{self.name}" if self.name in environment else None

    def version(self, program: str) -> str:
        return "1.2" if program == "/bin/codex" else ""

    def decoder(self) -> CodexLog:
        return CodexLog() if self._has_log else super().decoder()  # type: ignore[return-value]


KNOWN = [Fake("codex"), Fake("claude", ("1.1", "1.3")), Fake("demo", ()), Fake("qwen", (), has_log=False)]


@pytest.mark.parametrize(
    ("installed", "wanted", "told"),
    [
        ("codex", "", ["ok agents.codex agent-measured", "ok agents.missing agents-missing"]),
        ("claude", "", ["unknown agents.claude agent-version-unknown", "ok agents.missing agents-missing"]),
        ("qwen", "", ["ok agents.qwen agent-found", "ok agents.missing agents-missing"]),
        ("demo", "", ["problem agents.codex agent.codex-missing", "problem agents.claude agent.claude-missing",
                      "ok agents.demo agent-found", "ok agents.missing agents-missing"]),
        ("codex", "claude", ["problem agents.claude agent.claude-missing"]),
        ("codex claude", "codex", ["ok agents.codex agent-measured"]),
        ("codex", "qwen", ["problem agents.qwen agent.qwen-missing"]),
    ],
)  # fmt: skip
def test_agents(installed: str, wanted: str, told: list[str]) -> None:
    assert short(agents.look(KNOWN, dict.fromkeys(installed.split(), ""), wanted)) == told


def test_a_version_that_was_not_measured() -> None:
    finding = agents.judged("codex", "/bin/codex", "0.180.0", ("0.171.0",))
    assert short([finding]) == ["warning agents.codex agent-not-measured"]
    assert finding.what(load("en")) == "codex 0.180.0 is not among those measured (0.171.0): /bin/codex"
    assert "context may show as unknown" in finding.todo(load("en"))


# --- folders


@pytest.mark.parametrize(
    ("seen", "parent", "told"),
    [
        (OURS, OURS, "ok x folder-ok"),
        (replace(OURS, mode=0o755), OURS, "warning x folder-open"),
        (replace(OURS, mode=0o701), OURS, "warning x folder-open"),
        (replace(OURS, owner=8), OURS, "problem x folder.foreign"),
        (replace(OURS, is_folder=False), OURS, "problem x folder.foreign"),
        (replace(OURS, writable=False), OURS, "problem x folder.unusable"),
        (None, OURS, "ok x folder-not-yet"),
        (None, replace(OURS, owner=0), "ok x folder-not-yet"),
        (None, replace(OURS, writable=False), "problem x folder.unusable"),
        (None, replace(OURS, is_folder=False), "problem x folder.unusable"),
    ],
)
def test_a_folder_of_ours(seen: Seen | None, parent: Seen, told: str) -> None:
    assert short([folders.judged("x", Path("/a"), seen, parent, me=7)]) == [told]


def test_a_folder_of_the_persons_may_be_read_by_others_but_not_written() -> None:
    for mode, level in ((0o755, "ok"), (0o775, "warning"), (0o757, "warning")):
        seen = replace(OURS, mode=mode)
        assert folders.judged("x", Path("/a"), seen, OURS, me=7, open_mode=0o022).level == level


@pytest.mark.parametrize(
    ("room", "files", "told"),
    [
        (500 * MB, 9, "ok x-room disk-room"),
        (500 * MB, None, "ok x-room disk-room"),
        (64 * MB - 1, 9, "warning x-room disk-nearly-full"),
        (4 * MB - 1, 9, "problem x-room disk-full"),
        (0, None, "problem x-room disk-full"),
        (500 * MB, 0, "problem x-room no-files-left"),
    ],
)
def test_room(room: int, files: int | None, told: str) -> None:
    assert short([folders.judged_room("x", Path("/a"), room, files)]) == [told]


def test_the_path_of_a_socket() -> None:
    assert short([folders.judged_socket(103)]) == ["ok folders.socket socket-fits"]
    assert short([folders.judged_socket(104)]) == ["problem folders.socket socket-too-long"]


@pytest.mark.parametrize("name", ["run", "r" * 40, "r" * 80, "missing", ""])
def test_the_folders_are_those_that_are_used(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    given = tmp_path / name if name else None
    if given is not None and name != "missing":
        given.mkdir()
    for environment in ({}, {"XDG_RUNTIME_DIR": str(given or ""), "XDG_DATA_HOME": str(given or "")}):
        before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
        path, reason = runtime_path(environment)
        data = data_path(environment)
        found = short((*folders.look_runtime(environment), *folders.look_data(environment)))
        assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
        assert not any(line.startswith("problem") for line in found)
        assert [line for line in found if "runtime-" in line.split()[2]] == (
            [f"warning folders.runtime runtime-{reason}"] if reason else []
        )
        assert path == runtime_folder(environment)
        assert data == data_folder(environment)


def test_a_data_folder_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    environment = {"XDG_DATA_HOME": str(tmp_path / "file")}
    assert short(folders.look_data(environment))[0] == "problem folders.data folder.unusable"
    with pytest.raises(UsageProblem):
        data_folder(environment)


def test_the_config_folder(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert short(folders.look_config(environment)) == ["ok folders.config folder-not-yet"]
    config_file(environment).parent.mkdir(mode=0o755)
    assert short(folders.look_config(environment)) == ["ok folders.config folder-ok"]


def test_the_runtime_folder_is_looked_into_only_where_that_changes_nothing(tmp_path: Path) -> None:
    environment = {"XDG_RUNTIME_DIR": str(tmp_path)}
    folder = runtime_path(environment)[0]
    assert not folders.is_safe(environment)
    folder.mkdir(mode=0o700)
    assert folders.is_safe(environment)
    folder.chmod(0o755)
    assert not folders.is_safe(environment)
    folder.rmdir()
    folder.symlink_to(tmp_path)
    assert not folders.is_safe(environment)


# --- sessions

SESSION = Session(
    "bcdfg", "/p", Agent("codex", 1), phase="idle", phase_by="report", conversation="c", log=Log("/l"),
    context=Context(100, 1000, "exact"),
)  # fmt: skip
ANSWERS = "ok sessions.bcdfg session"
CLAUDE = replace(SESSION, agent=Agent("claude", 1), context=Context(100, None, "exact"))


@pytest.mark.parametrize(
    ("session", "argv", "unreadable", "told"),
    [
        (SESSION, [], "", ["ok -log log-read", "ok -window window"]),
        (replace(SESSION, log=Log("/l", from_middle=True)), [], "", ["ok -log log-from-middle", "ok -window window"]),
        (SESSION, [], "Permission denied", ["problem -log log.unreadable", "ok -window window"]),
        (replace(SESSION, log=Log("/l", unknown_format=True), context=Context()), [], "",
         ["problem -log log-unknown-format", "ok -window window-not-yet"]),
        (replace(SESSION, log=Log("/l", skipped=2, unreadable=3)), [], "",
         ["ok -log log-read", "warning -lines log.unreadable-line", "warning -lines log.line-too-long",
          "ok -window window"]),
        (replace(SESSION, conversation="", log=Log(), context=Context()), [], "",
         ["unknown -log log-not-identified", "ok -window window-not-yet"]),
        (replace(SESSION, log=Log(), context=Context()), [], "", ["ok -log log-not-yet", "ok -window window-not-yet"]),
        (replace(SESSION, context=Context(1100, 1000, "exact")), [], "",
         ["ok -log log-read", "warning -window window-wrong"]),
        (replace(SESSION, phase="exited", phase_by="process"), [], "", ["ok -log log-read"]),
        (replace(SESSION, agent=Agent("sh", 1), conversation="", log=Log()), [], "", ["ok -log log-none"]),
        (replace(SESSION, agent=Agent("qwen", 1), conversation="", log=Log()), [], "", ["ok -log log-none"]),
        (CLAUDE, ["claude", "--settings", f'{{"x": "/s/{STATUS_FILE}"}}'], "",
         ["ok -log log-read", "ok -window window-not-yet"]),
        (CLAUDE, ["claude"], "", ["ok -log log-read", "warning -window window-own-status-line"]),
        (replace(SESSION, notices=(Notice("git.none"), Notice("log.unreadable-line", (("count", "3"),)))), [], "",
         ["ok -log log-read", "ok -window window", "warning -notice git.none", "warning -notice log.unreadable-line"]),
    ],
)  # fmt: skip
def test_a_session(session: Session, argv: list[str], unreadable: str, told: list[str]) -> None:
    whole = [line.replace(" -", " sessions.bcdfg-") for line in told]
    found = short(sessions.judged(session, argv, unreadable))
    assert [line for line in found if "-hooks" not in line] == [ANSWERS, *whole]


@pytest.mark.parametrize(
    ("hooks", "told"),
    [
        (Hooks(), "ok sessions.bcdfg-hooks hooks-off"),
        (Hooks(installed=True), "ok sessions.bcdfg-hooks hooks-not-heard"),
        (Hooks(5.0, installed=True), "ok sessions.bcdfg-hooks hooks-loaded"),
    ],
)
def test_whether_hooks_are_loaded(hooks: Hooks, told: str) -> None:
    for session in (SESSION, CLAUDE, replace(SESSION, agent=Agent("demo", 1))):
        found = list(sessions.judged(replace(session, loop=Continuity(hooks)), [], ""))
        assert short(found)[3] == told
        assert_has_words(found[3])
        assert found[3].what(load("en")).count(session.agent.name) == 1
    for session in (replace(SESSION, phase="exited"), replace(SESSION, agent=Agent("sh", 1))):
        assert not any("-hooks" in line for line in short(sessions.judged(session, [], "")))


def test_the_phase_is_told_in_the_persons_words() -> None:
    finding = next(iter(sessions.judged(SESSION, [], "")))
    assert finding.values["by"] == "report"
    assert finding.what(load("en")) == "codex in session bcdfg answers: idle, known by its own reports."
    assert "它自己的报告" in finding.what(load("zh-CN"))


# --- terminal


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"COLORTERM": "truecolor"}, "ok terminal.colours colours-all"),
        ({"TERM": "xterm-direct"}, "ok terminal.colours colours-all"),
        ({"TERM": "tmux-256color"}, "ok terminal.colours colours-256"),
        ({"TERM": "screen"}, "warning terminal.colours colours-16"),
        ({"COLORTERM": "truecolor", "NO_COLOR": "1"}, "ok terminal.colours colours-none"),
    ],
)
def test_colours(environment: dict[str, str], told: str) -> None:
    assert short([terminal.judged_colours(environment)]) == [told]


@pytest.mark.parametrize(
    ("environment", "level"),
    [
        ({"LANG": "en_GB.UTF-8"}, "ok"),
        ({"LANG": "C.utf8"}, "ok"),
        ({"LANG": "de_DE.UTF-8@euro"}, "ok"),
        ({"LC_ALL": "", "LC_CTYPE": "zh_CN.UTF-8", "LANG": "C"}, "ok"),
        ({"LC_ALL": "C", "LANG": "en_GB.UTF-8"}, "warning"),
        ({"LANG": "zh_CN.GB18030"}, "warning"),
        ({}, "warning"),
    ],
)
def test_the_locale(environment: dict[str, str], level: str) -> None:
    finding = terminal.judged_locale(environment)
    assert finding.level == level
    assert_has_words(finding)


@pytest.mark.parametrize(
    ("environment", "size", "told"),
    [
        ({"TERM": "xterm-kitty"}, (80, 24),
         ["ok terminal.size terminal-size", "ok terminal.term term", "ok terminal.colours colours-256"]),
        ({"TERM": "dumb", "COLORTERM": "24bit"}, (79, 24),
         ["warning terminal.size terminal-small", "problem terminal.term term-dumb",
          "ok terminal.colours colours-all"]),
        ({"COLORTERM": "24bit"}, (80, 23),
         ["warning terminal.size terminal-small", "problem terminal.term term-dumb",
          "ok terminal.colours colours-all"]),
        ({"TERM": "dumb"}, None, ["unknown terminal.size no-terminal"]),
        ({"SSH_CONNECTION": "a", "TMUX": "b", "STY": "c", "AGENTSUP_SESSION": "d"}, None,
         ["unknown terminal.size no-terminal", "ok terminal.ssh ssh", "ok terminal.tmux tmux",
          "ok terminal.nested nested"]),
        ({"STY": "c"}, None, ["unknown terminal.size no-terminal", "warning terminal.screen screen"]),
    ],
)  # fmt: skip
def test_the_terminal(environment: dict[str, str], size: tuple[int, int] | None, told: list[str]) -> None:
    found = short(terminal.look(environment | {"LANG": "C.UTF-8"}, size))
    assert [line for line in found if "locale" not in line] == told


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, []),
        ({"escape-time": "10", "set-clipboard": "on", "focus-events": "on", "extended-keys": "always"}, []),
        ({"escape-time": "500"}, ["escape"]),
        ({"escape-time": "odd", "set-clipboard": "external"}, ["clipboard"]),
        ({"escape-time": "101", "set-clipboard": "off", "focus-events": "off", "extended-keys": "off"},
         ["escape", "clipboard", "focus", "keys"]),
    ],
)  # fmt: skip
def test_tmux(options: dict[str, str], told: list[str]) -> None:
    assert short(terminal.judged_tmux(options)) == [f"warning terminal.tmux-{name} tmux-{name}" for name in told]


# --- project and system


def test_whether_git_ignores_memory() -> None:
    ignored = project.judged_ignored(0, ".gitignore:3:.agent/\t.agent/engram.md\n", "")
    assert short([ignored]) == ["warning project.memory memory-ignored"]
    assert ".gitignore:3:.agent/:" in ignored.what(load("en"))
    assert short([project.judged_ignored(1, "", "")]) == ["ok project.memory memory-kept"]
    failed = project.judged_ignored(128, "", "fatal: detected dubious ownership\nmore\n")
    assert short([failed]) == ["unknown project.memory git-failed"]
    assert failed.values == {"reason": "fatal: detected dubious ownership"}
    assert project.judged_ignored(-9, "", "").values == {"reason": "git: -9"}


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (0, "ok system.inotify inotify"),
        (errno.EMFILE, "problem system.inotify inotify-instances"),
        (errno.ENOSPC, "warning system.inotify inotify-watches"),
        (errno.EACCES, "unknown system.inotify failed"),
    ],
)
def test_inotify(number: int, told: str) -> None:
    assert short([system.judged_inotify(number, os.strerror(number), "128", "9000")]) == [told]


def test_what_is_here_is_well() -> None:
    looks = (
        system.look_python(), system.look_engine(), system.look_tokens(), system.look_pty(),
        system.look_inotify(Path("/tmp")),
    )  # fmt: skip
    assert {finding.level for look in looks for finding in look} == {"ok"}


def test_counting_tokens() -> None:
    digest = hashlib.sha256(b"words").hexdigest()

    def gone() -> bytes:
        raise FileNotFoundError("no such file")

    def judged(read: Callable[[], bytes], *, counts: bool = True) -> list[str]:
        return short([system.judged_tokens(read, digest, lambda: counts)])

    assert judged(lambda: b"words") == ["ok system.tokens tokens"]
    assert judged(lambda: b"words", counts=False) == ["warning system.tokens tokens-no-library"]
    assert judged(lambda: b"word") == ["warning system.tokens tokens-damaged"]
    assert judged(gone) == ["warning system.tokens tokens-missing"]
    assert judged(lambda: gzip.decompress(b"no gzip")) == ["warning system.tokens tokens-missing"]


# --- the examination


def test_a_check_that_hangs_or_fails_stops_nothing() -> None:
    release = threading.Event()

    def hang() -> Iterator[Finding]:
        release.wait()
        yield Finding("late", "ok", "doctor.pty")

    def fail() -> Iterator[Finding]:
        yield Finding("early", "ok", "doctor.pty")
        raise ZeroDivisionError("of nothing")

    def object_to() -> list[Finding]:
        raise UsageProblem("session.silent", name="bcdfg")

    checks = [
        Check("a.hangs", hang, 0.05), Check("a.fails", fail), Check("a.objects", object_to),
        Check("a.works", lambda: [Finding("a.works", "ok", "doctor.pty")]),
    ]  # fmt: skip
    start = time.monotonic()
    found = list(examine(checks))
    release.set()
    assert time.monotonic() - start < 3
    assert short(found) == [
        "unknown a.hangs too-slow", "unknown a.fails failed", "problem a.objects session.silent", "ok a.works pty",
    ]  # fmt: skip
    assert found[1].values == {"reason": "ZeroDivisionError: of nothing"}


def test_within_returns_and_raises() -> None:
    assert within(1, lambda: 3) == 3
    with pytest.raises(TimeoutError):
        within(0.01, threading.Event().wait)
    with pytest.raises(KeyError):
        within(1, lambda: os.environ["NO_SUCH_VARIABLE"])
