"""Commands that were started without a standard stream, or whose output there is no room for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.cli.writing import TIMEOUT, WritingPlace

STATE = "## Next\n- Write lex() in lex.py\n"


def run(place: WritingPlace, words: str, streams: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a shell that opens or closes its streams as `streams` says."""
    place.put(".agent/STATE.md", STATE)
    command = f'exec "$0" -P -m agentsup {words} {streams}'
    return subprocess.run(
        ["sh", "-c", command, sys.executable], cwd=place.root, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "code"),
    [("state", 0), ("state check", 0), ("engram set", 1), ("handoff -", 2), ("progress --now x.py", 0)],
)
def test_without_any_stream_a_command_does_its_work(place: WritingPlace, words: str, code: int) -> None:
    assert run(place, words, "<&- >&- 2>&-").returncode == code


@pytest.mark.parametrize("words", ["engram set", "handoff -"])
def test_a_closed_standard_input_is_an_empty_one(place: WritingPlace, words: str) -> None:
    done = run(place, words, "<&-")
    assert "agentsup: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device here that is full")
@pytest.mark.parametrize("words", ["state", "state --json", "state check", "restore", "decide A --why b"])
def test_output_that_there_is_no_room_for_is_told(place: WritingPlace, words: str) -> None:
    done = run(place, words, ">/dev/full")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) >= 2
    assert "could not be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
