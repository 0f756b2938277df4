"""`agentsup events`: the recordings give exactly the committed events, from files of any size and kind.

The events beside the logs were made by `agentsup events LOG --json` and compared by hand with the log itself;
after a change that is meant, make them anew and read the difference.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.end_to_end.place import Place

DATA = Path(__file__).parent.parent / "data"
LOGS = sorted(DATA.glob("codex/logs/*.jsonl"))
PLAIN = DATA / "codex" / "logs" / "plain.jsonl"
DEADLINE = 30.0
BIG = 50_000_000
MEMORY_MOST = 60_000
"""KiB of a process that reads a file of any size; the interpreter with its modules has 23,000."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.close()


def lines_of(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.strip()]


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
def test_the_events_of_a_recording(log: Path, place: Place) -> None:
    done = place.run("events", str(log), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (log.parent.parent / "events" / log.name).read_text(encoding="utf-8")
    short = place.run("events", str(log), "--agent", "codex")
    assert len(short.stdout.splitlines()) == len(done.stdout.splitlines())


def test_what_a_person_reads(place: Place) -> None:
    done = place.run("events", str(PLAIN), TZ="UTC")
    assert lines_of(done.stdout)[:3] == [
        "2026-11-29 22:01:48  TurnStarted",
        "2026-11-29 22:01:48  UserMessageRecorded   say hello",
        "2026-11-29 22:01:48  AgentMessageRecorded  Hello! I read the demo project. There are two files: README.md "
        "and calc.py.",
    ]


def test_standard_input_is_told_as_it_comes(place: Place) -> None:
    lines = PLAIN.read_bytes().splitlines(keepends=True)
    words = [sys.executable, "-m", "agentsup", "events", "-", "--json"]
    with subprocess.Popen(
        words, env=place.env, cwd=place.work, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        for line in lines[:2]:
            process.stdin.write(line)
        process.stdin.flush()
        # The input is still open: what is said so far is there all the same.
        assert json.loads(process.stdout.readline())["event"] == "TurnStarted"
        process.stdin.write(b"".join(lines[2:]))
        process.stdin.close()
        assert len(process.stdout.readlines()) == 9
    assert process.returncode == 0


def test_lines_that_can_not_be_read_are_counted(place: Place) -> None:
    log = place.work / "log"
    log.write_bytes(b"\xef\xbb\xbf" + PLAIN.read_bytes().replace(b"\n", b"\nbroken\n") + b'{"timestamp":')
    done = place.run("events", str(log), "--json")
    assert done.returncode == 0
    assert done.stdout == (DATA / "codex" / "events" / "plain.jsonl").read_text()
    assert lines_of(done.stderr)[0] == "agentsup: Lines that could not be read and were left out: 24."


@pytest.mark.parametrize(
    ("content", "words", "what"),
    [
        (b'{"type":"one"}\n{"type":"two"}\n{"kind":3}\n', (), "it begins with: one, two"),
        (b"plain \x1b[31mwords\x9b2J\n", (), "it begins with: plain [31mwords"),
        (b"\x00\x01\xff" * 50_000, (), "no log that is known"),
        (b'{"type":"one"}\n', ("--agent", "codex"), "it begins with: one"),
        (b"", (), "holds nothing"),
        (b"\n \n", ("--agent", "codex"), "holds nothing"),
    ],
)
def test_a_file_that_is_no_log(content: bytes, words: tuple[str, ...], what: str, place: Place) -> None:
    log = place.work / "log"
    log.write_bytes(content)
    done = place.run("events", str(log), *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(lines_of(done.stderr)) == 2
    assert what in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("name", ["missing", ".", "plain.jsonl/x", "locked"])
def test_a_file_that_can_not_be_read(name: str, place: Place) -> None:
    (place.work / "plain.jsonl").write_bytes(PLAIN.read_bytes())
    if name == "locked":
        if os.getuid() == 0:
            pytest.skip("FOR ROOT EVERY FILE IS READABLE: not tested")
        (place.work / name).touch(mode=0)
    done = place.run("events", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(lines_of(done.stderr)) == 2
    assert "can't be read" in done.stderr


def test_an_agent_that_is_not_known(place: Place) -> None:
    assert place.run("events", str(PLAIN), "--agent", "nobody").returncode == 2


def test_a_reader_that_leaves_is_no_error(place: Place) -> None:
    log = place.work / "log"
    log.write_bytes(PLAIN.read_bytes() * 200)
    command = f'{{ {sys.executable} -m agentsup events log --json; echo "code $?" >&2; }} | head -1'
    done = subprocess.run(
        ["sh", "-c", command], env=place.env, cwd=place.work, capture_output=True, text=True, timeout=DEADLINE,
        check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["event"] == "TurnStarted"
    assert done.stderr == "code 0\n"


def test_memory_does_not_grow_with_the_file(place: Place) -> None:
    log = place.work / "log"
    once = (DATA / "codex" / "logs" / "auto_compact.jsonl").read_bytes()
    times = BIG // len(once)
    with log.open("wb") as file:
        for _ in range(times):
            file.write(once)
        file.write(b'{"timestamp":"2026-11-29T22:03:08.053Z","ordinal":34,"type":"compacted","payload":{"message":"')
        file.write(b"x" * 20_000_000 + b'"}}\n')
    # Through a small process between us: what a process has needed before its exec counts as its own.
    program = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=open('out', 'wb'), check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    words = [sys.executable, "-c", program, sys.executable, "-m", "agentsup", "events", str(log), "--json"]
    done = subprocess.run(
        words, env=place.env, cwd=place.work, capture_output=True, text=True, timeout=DEADLINE, check=True
    )
    assert int(done.stdout) < MEMORY_MOST
    with (place.work / "out").open("rb") as lines:
        assert sum(b'"Compacted"' in line for line in lines) == 2 * times + 1


def in_terminal(place: Place, **changes: str) -> str:
    process = pexpect.spawn(
        sys.executable, ["-m", "agentsup", "events", str(DATA / "codex" / "logs" / "daemon_mode.jsonl")],
        env={**place.env, "TERM": "xterm-256color", **changes}, dimensions=(24, 60), timeout=DEADLINE, encoding="utf-8",
    )  # fmt: skip
    output = process.read()
    process.close()
    return output


def test_in_a_terminal_lines_are_cut_and_coloured_unless_that_is_not_wanted(place: Place) -> None:
    coloured = in_terminal(place)
    assert "\x1b[1mTurnStarted" in coloured
    for plain in (in_terminal(place, NO_COLOR="1"), in_terminal(place, TERM="dumb")):
        assert "\x1b" not in plain
        assert max(map(len, plain.splitlines())) == 60
        assert "…" in plain


def test_what_is_imported() -> None:
    code = "import sys, agentsup.cli.commands.events; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert not {"asyncio", "textual", "rich", "psutil", "cffi", "agentsup.host"} & set(done.stdout.split())
