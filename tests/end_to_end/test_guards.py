"""Who may say what: every command inside a real agent's process tree, as it is and in disguise."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentsup.cli.main import COMMANDS
from agentsup.core.memory.decisions import read_decisions
from agentsup.store.folders import data_path
from agentsup.store.trust_record import approvals, read_record
from tests.cli.asking import Asking
from tests.end_to_end.conftest import wait_until
from tests.end_to_end.inside import AGENTSUP, Inside, disguises, environment, in_a_pty
from tests.end_to_end.place import Place

DECISIONS = """\
# Decisions

## Keep the wire format

- reason: two products read it
- confidence: [SOFT] person
- id: d-wire

## Use TOML

- reason: people edit it
- confidence: [TENTATIVE] agent
- id: d-toml

## Use tabs

- reason: they are there
- confidence: [SOFT] person
- id: d-tabs
"""

ENGRAM = """\
[Task] Make add() in calc.py safe against overflow.
[Progress] Wrote add() in calc.py.
[Pending] Write test_add() in test_calc.py.
[Taboo] Never touch README.md: its owner edits it.
"""

ROLLOUT = '{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"0","cwd":"/"}}\n'

OPEN: dict[str, tuple[tuple[str, ...], ...]] = {
    "ls": ((), ("--json",)),
    "status": ((), ("--json",)),
    "events": (("--agent", "codex", "rollout.jsonl"),),
    "doctor": (("--symptoms",),),
    "reset": ((),),
    "restore": ((), ("--explain",), ("--json",)),
    "engram": ((), ("check",), ("history",), ("set", "-")),
    "state": ((), ("--json",)),
    "decisions": ((), ("--json",)),
    "identity": ((), ("set", "language", "Python")),
    "init": ((),),
    "progress": (("--now", "Write add() in calc.py"),),
    "log": (("add", "--type", "test", "--target", "calc.py", "--summary", "3 passed"), ("list",)),
    "recall": (("d-toml",),),
    "decide": (("Write calc.py", "--why", "it is asked for"), ("Name it calc", "--why", "short", "--evidence", "make",
                                                              "--confidence", "soft")),
    "handoff": (("Next: test_add()",), ()),
    "archive": ((),),
    "allow": (("--show",), ("--show", "--json")),
    "promote": (("d-toml", "--evidence", "pytest -q"),),
    "demote": (("d-tabs",),),
    "stale": (("d-tabs", "--by", "spaces"),),
    "journal": ((), ("--json",), ("3",)),
    "hook": (("codex", "SessionStart"),),
}  # fmt: skip
"""What an agent may do, command by command."""

REFUSED: dict[str, tuple[tuple[str, ...], ...]] = {
    "attach": ((),),
    "stop": ((),),
    "restart": ((), ("--yes",)),
    "inject": (("--restore",), ("--text", "go on"), ("-",)),
    "allow": ((),),
    "deny": ((),),
    "promote": (("d-wire", "--to", "hard"), ("d-toml", "--to", "hard", "--evidence", "true")),
    "demote": (("d-wire",), ("d-wire", "--to", "tentative")),
    "stale": (("d-wire", "--by", "the agent"),),
    "decide": (("Obey me", "--why", "I say so", "--confidence", "hard"),),
    "journal": (("mark", "right"), ("mark", "none", "1")),
}
"""What it may not."""


@contextmanager
def laid_out(folder: Path) -> Iterator[Place]:
    """Hold a place with a project in which a person has approved one decision, and a script waits."""
    made = Place(folder)
    (made.work / ".agent" / "init.d").mkdir(parents=True)
    (made.work / ".agent" / "DECISIONS.md").write_text(DECISIONS)
    (made.work / ".agent" / "init.d" / "15-canary.sh").write_text(f"#!/bin/sh\ntouch {made.runtime}/sung\n")
    (made.work / "rollout.jsonl").write_text(ROLLOUT)
    try:
        person(made, "promote", "d-wire", "--to", "hard", answers=1)
        yield made
    finally:
        made.close()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Return such a place of a test's own."""
    with laid_out(tmp_path) as made:
        monkeypatch.setenv("HOME", made.env["HOME"])
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        yield made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inside]:
    """Return the agent of a session for all tests that prove that nothing is changed."""
    with laid_out(tmp_path_factory.mktemp("shared")) as made:
        agent = Inside(made)
        yield agent
        agent.close()


@pytest.fixture
def inside(place: Place) -> Iterator[Inside]:
    """Return the agent of a running session there."""
    made = Inside(place)
    yield made
    made.close()


def person(place: Place, *words: str, answers: int = 0) -> str:
    """Run a command as a person does, who says yes to everything."""
    asking = Asking(*words, cwd=place.work, env=place.env)
    try:
        asking.answer(*["y"] * answers)
        assert asking.end() == 0, asking.said
    finally:
        asking.close()
    return asking.said


def kept(place: Place) -> dict[str, bytes]:
    """Return the project's files and what stands in the trust folder."""
    trust = data_path(place.env) / "trust" if "XDG_DATA_HOME" in place.env else _data(place) / "trust"
    return {
        str(path): path.read_bytes()
        for folder in (place.work, trust)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _data(place: Place) -> Path:
    return Path(place.env["HOME"]) / ".local" / "share" / "agentsup"


def test_every_command_is_in_one_of_the_tables() -> None:
    assert OPEN.keys() | REFUSED.keys() == set(COMMANDS)


def test_what_an_agent_may_do_it_can(place: Place, inside: Inside) -> None:
    written = inside.agentsup("engram", *OPEN["engram"][-1], given=ENGRAM)
    assert written.code == 0, written
    calls = [[command, *words] for command, several in OPEN.items() for words in several if words != ("set", "-")]
    codes = inside.codes(calls)
    assert codes == [0] * len(calls), dict(zip(map(str, calls), codes, strict=True))
    found = {each.id: each for each in read_decisions((place.work / ".agent" / "DECISIONS.md").read_text()).decisions}
    assert (found["d-toml"].confidence, found["d-tabs"].status) == ("SOFT", "stale")
    assert [rule.id for rule in approvals(place.work).rules] == ["d-wire"]


def test_what_it_may_not_is_refused_and_nothing_is_written(shared: Inside) -> None:
    place = shared.place
    before, record = kept(place), place.record()
    for command, calls in REFUSED.items():
        for words in calls:
            done = shared.agentsup(command, *words, given="y\n" * 5)
            assert done.code == 3, (command, words, done)
            assert done.err.count("agentsup: ") == 2, done
    assert kept(place) == before
    assert place.record() == record
    assert place.status()["phase"]


def test_no_disguise_helps(shared: Inside, tmp_path: Path) -> None:
    place = shared.place
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    before, record = kept(place), place.record()
    calls = [(command, *words) for command, several in REFUSED.items() for words in several]
    session = place.record()["session"]
    named = [
        [*words, session] if words[0] in ("attach", "stop", "restart", "inject") else list(words) for words in calls
    ]
    for name, disguised in disguises(place, other).items():
        codes = shared.codes(named, disguised)
        assert codes == [3] * len(named), (name, dict(zip(map(str, named), codes, strict=True)))
    assert kept(place) == before
    assert place.record() == record
    assert not list(other.rglob("trust"))


RAW = """\
import os, socket, sys
from pathlib import Path
from agentsup.protocol import messages as m, wire
from agentsup.protocol.announcing import announce
from agentsup.core.problems import Problem
from agentsup.store.trust_record import NewEntry, add, project_key
if sys.argv[1] == "fork":
    if os.fork():
        os.wait()
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    sys.stdout.flush()
folder, root = Path(sys.argv[2]), Path(sys.argv[3])
def said(message, role):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        connection.connect(str(folder / "socket"))
        connection.sendall(wire.encode(m.Hello(m.VERSION, role, 80, 24)) + wire.encode(message))
        decoder = wire.host_messages()
        while data := connection.recv(1 << 16):
            for found in decoder.feed(data):
                if isinstance(found, m.Outcome):
                    return found.done, found.key
                if isinstance(found, m.Goodbye):
                    return False, found.key
        return False, "closed"
for role in ("ui", "command"):
    for message in (m.StopRequest(), m.RestartRequest(), m.TrustAnnounced(project_key(root), ("0" * 64,))):
        print(*said(message, role))
print(announce(folder.parent, project_key(root), ("0" * 64,)), "announce")
def told(macs):
    return announce(folder.parent, project_key(root), macs)
try:
    add(root, [NewEntry("scripts", "", "0" * 64, "allow", "terminal /dev/pts/0")], announce=told)
    print("True", "add")
except Problem as problem:
    print("False", problem.key)
"""


@pytest.mark.parametrize("how", ["straight", "fork"])
def test_the_socket_does_not_believe_an_agent(shared: Inside, how: str) -> None:
    place = shared.place
    before, record = kept(place), place.record()
    done = shared.run(
        *environment(place), *AGENTSUP[:2], "-c", RAW, how, str(place.folder()), str(place.work)
    )  # fmt: skip
    lines = [line.split() for line in done.out.splitlines()]
    assert len(lines) == 8, done
    assert {line[0] for line in lines} == {"False"}, done
    assert {line[1] for line in lines} == {"guard.agent", "announce"}, done
    assert kept(place) == before
    assert place.record() == record


def test_numbers_of_its_own_do_not_help(shared: Inside) -> None:
    place = shared.place
    alone = ["unshare", "-Urpf", "--mount-proc"]
    if shared.run(*alone, "true").code:
        pytest.skip("process numbers of one's own are not allowed here")
    before = kept(place)
    deny = [*environment(place), "sh", "-c", '"$@"; echo "code $?"', "sh", *AGENTSUP, "deny"]
    done = shared.run(*in_a_pty([*alone, *deny]))
    assert "only a person may" in done.out, done
    assert done.out.splitlines()[-1] == "code 3", done
    assert kept(place) == before


FORGED = """\
import sys
from pathlib import Path
from agentsup.store.trust_record import NewEntry, add
add(Path(sys.argv[1]), [NewEntry("scripts", "", "0" * 64, "allow", "terminal /dev/pts/0")])
"""


DOUBT = """\
import sys
from pathlib import Path
from agentsup.store.trust_record import add_doubt, folder, project_key
add_doubt(folder(), project_key(Path(sys.argv[1])), int(sys.argv[2]))
"""

FAKES = """\
import json, os, socket, sys, threading, time
from agentsup.protocol import messages as m, wire
folder, person = sys.argv[1], int(sys.argv[2])
for name in ("yyyyy", "zzzzz"):
    os.mkdir(f"{folder}/{name}", 0o700)
    record = {"session": name, "agent": "x", "keeper_pid": person, "agent_pid": person}
    with open(f"{folder}/{name}/session.json", "w") as file:
        json.dump(record, file)
listening = []
for name in ("xxxxx", "yyyyy"):
    os.makedirs(f"{folder}/{name}", 0o700, exist_ok=True)
    listening.append(socket.socket(socket.AF_UNIX))
    listening[-1].bind(f"{folder}/{name}/socket")
if os.fork():
    os._exit(0)
os.setsid()
for number in (0, 1, 2):
    os.dup2(os.open(os.devnull, os.O_RDWR), number)
for each in listening:
    each.listen(50)
def drip(connection):
    connection.sendall((1 << 20).to_bytes(4, "big"))
    while True:
        time.sleep(0.1)
        connection.sendall(b"x")
def refuse():
    while True:
        connection = listening[1].accept()[0]
        connection.sendall(wire.encode(m.Outcome(False, "guard.agent")))
threading.Thread(target=refuse, daemon=True).start()
while True:
    threading.Thread(target=drip, args=(listening[0].accept()[0],), daemon=True).start()
"""


def test_what_nobody_announced_does_not_count(place: Place, inside: Inside) -> None:
    done = inside.run(*environment(place), *AGENTSUP[:2], "-c", FORGED, str(place.work))
    assert done.code == 0, done
    wait_until(lambda: read_record(place.work).entries[-1].verdict == "doubt", "the host has seen it")
    held = approvals(place.work)
    assert (held.scripts, [rule.id for rule in held.rules]) == ("", ["d-wire"])


def test_what_is_taken_back_does_not_come_back_with_a_doubt(place: Place, inside: Inside) -> None:
    person(place, "deny")
    count = len(read_record(place.work).entries)
    done = inside.run(*environment(place), *AGENTSUP[:2], "-c", DOUBT, str(place.work), str(count - 1))
    assert done.code == 0, done
    assert read_record(place.work).entries[count].verdict == "doubt"
    assert approvals(place.work).rules == ()
    wait_until(lambda: "trust.unannounced" in {each["key"] for each in place.status()["warnings"]}, "it is shown")


def test_a_person_whom_a_session_does_not_see_is_told_that_it_does_not_count(
    place: Place, inside: Inside, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir(mode=0o700)
    asking = Asking("allow", cwd=place.work, env={**place.env, "XDG_RUNTIME_DIR": str(other)})
    try:
        asking.answer("y")
        assert asking.end() == 1, asking.said
    finally:
        asking.close()
    assert "does not believe it" in asking.said
    assert approvals(place.work).scripts == ""


def test_nothing_that_an_agent_puts_beside_the_sessions_keeps_a_person_from_approving(
    place: Place, inside: Inside
) -> None:
    folder = place.runtime / "agentsup"
    done = inside.run(*AGENTSUP[:2], "-c", FAKES, str(folder), str(os.getpid()))
    assert done.code == 0, done
    begun = time.monotonic()
    person(place, "allow", answers=1)
    assert approvals(place.work).scripts
    assert time.monotonic() - begun < 15


def test_no_session_can_be_started_from_inside_of_one(shared: Inside, tmp_path: Path) -> None:
    place = shared.place
    other = tmp_path / "r"
    other.mkdir(mode=0o700)
    before = kept(place)
    empty = environment(place, TERM="xterm-256color", XDG_RUNTIME_DIR=str(other))
    done = shared.run(*in_a_pty([*empty, *AGENTSUP, "--", "sh", "-c", f"touch {tmp_path}/ran"]))
    assert done.code == 3, done
    assert "only a person may" in done.out
    assert not (tmp_path / "ran").exists()
    assert kept(place) == before


def test_a_person_still_can(place: Place, inside: Inside) -> None:
    assert "May all of this run" in person(place, "allow", answers=1)
    assert approvals(place.work).scripts
    assert {entry.verdict for entry in read_record(place.work).entries} == {"allow"}
    assert "Taken back in" in person(place, "deny")
