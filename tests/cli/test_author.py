"""Who is asking: by the process tree of a session, or by the environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentsup.cli.author import Author, author
from agentsup.core.memory.decisions import read_decisions
from tests.end_to_end.place import Place


def record(folder: Path, session: str, keeper: int, agent: int, name: str = "codex") -> None:
    (folder / "agentsup" / session).mkdir(parents=True)
    text = json.dumps({"session": session, "agent": name, "keeper_pid": keeper, "agent_pid": agent})
    (folder / "agentsup" / session / "session.json").write_text(text)


def test_without_a_session_it_is_a_person(tmp_path: Path) -> None:
    assert author({"XDG_RUNTIME_DIR": str(tmp_path)}) == Author("person")
    assert not list(tmp_path.iterdir())


ASK = (
    "import sys; from agentsup.cli.author import author; found = author({'XDG_RUNTIME_DIR': sys.argv[1]}); "
    "print(found.kind, found.session, found.agent)"
)


def asked_below(runtime: Path, *words: str, session: str = "", records: Callable[[int], None]) -> str:
    """Return who asks below a process whose command line ends so; its number is recorded before."""
    code = (
        "import subprocess, sys; sys.stdin.readline(); "
        "subprocess.run([sys.executable, '-P', '-c', sys.argv[1], sys.argv[2]], check=True)"
    )
    environment = {**os.environ, **({"AGENTSUP_SESSION": session} if session else {})}
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", code, ASK, str(runtime), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, env=environment,
    )  # fmt: skip
    records(process.pid)
    return process.communicate("go\n", timeout=60)[0].strip()


def test_what_descends_from_a_keeper_is_its_sessions_agent(tmp_path: Path) -> None:
    def records(pid: int) -> None:
        record(tmp_path, "other", 0, 2**22 + 1)
        record(tmp_path, "bcdfg", pid, 2**22 + 2)

    assert asked_below(tmp_path, "-m", "agentsup.keeper", records=records) == "agent bcdfg codex"
    assert Author("agent", "bcdfg", "codex").source == "agent codex, session bcdfg"


def test_what_descends_from_an_agent_is_one_though_the_keeper_is_gone(tmp_path: Path) -> None:
    found = asked_below(tmp_path, session="bcdfg", records=lambda pid: record(tmp_path, "bcdfg", 2**22 + 1, pid))
    assert found == "agent bcdfg codex"


@pytest.mark.parametrize("which", ["keeper", "agent"])
def test_a_record_that_names_a_persons_shell_makes_it_no_agent(tmp_path: Path, which: str) -> None:
    pids = {"keeper": (os.getppid(), 2**22 + 2), "agent": (os.getpid(), os.getppid())}[which]
    record(tmp_path, "zzzzz", *pids)
    assert author({"XDG_RUNTIME_DIR": str(tmp_path)}) == Author("person")


def test_the_environment_says_it_where_the_ancestors_can_not_be_seen(tmp_path: Path) -> None:
    record(tmp_path, "bcdfg", 2**22 + 1, 2**22 + 2)
    environment = {"XDG_RUNTIME_DIR": str(tmp_path), "AGENTSUP_SESSION": "bcdfg"}
    assert author(environment) == Author("agent", "bcdfg", "codex")
    assert author(environment | {"AGENTSUP_SESSION": "gone"}) == Author("agent", "gone")


@pytest.mark.parametrize("text", ["", "no json", "[]", "{}", '{"session": "a", "agent": "b", "keeper_pid": "x"}'])
def test_a_damaged_record_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "agentsup" / "x").mkdir(parents=True)
    (tmp_path / "agentsup" / "x" / "session.json").write_text(text)
    assert author({"XDG_RUNTIME_DIR": str(tmp_path)}) == Author("person")


def test_the_first_process_is_nobodys_agent(tmp_path: Path) -> None:
    record(tmp_path, "bcdfg", 1, 0)
    assert author({"XDG_RUNTIME_DIR": str(tmp_path)}) == Author("person")


def test_in_a_session_the_agent_is_told_from_the_person_whatever_its_environment_says(tmp_path: Path) -> None:
    place = Place(tmp_path)
    try:
        terminal = place.open("--", "sh", size=(120, 40))
        terminal.wait_for("ready$")
        me = f"env -u AGENTSUP_SESSION -u AGENTSUP_SOCKET {sys.executable} -m agentsup"
        terminal.type(f"clear; (setsid {me} decide 'Write TOML' --why 'people edit it'; echo co''de $?) & wait")
        terminal.key("Enter")
        terminal.wait_for("code 0")
        assert place.run("decide", "Write YAML", "--why", "nobody can write it", "--rejected").returncode == 0
        found = read_decisions((place.work / ".agent" / "DECISIONS.md").read_text()).decisions
        assert [(each.confidence, each.source) for each in found] == [
            ("TENTATIVE", f"agent sh, session {place.status()['session']}"), ("SOFT", "person")
        ]  # fmt: skip
    finally:
        place.close()
