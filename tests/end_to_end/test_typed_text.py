"""What a person types is on the screen and with the agent; no file of ours keeps it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from agentsup.protocol import messages as m
from agentsup.protocol import wire
from agentsup.store.injection_record import Recorded
from tests.core.checks.secret_examples import example
from tests.end_to_end.conftest import Begin, gone, wait_until
from tests.end_to_end.headless import DEADLINE, Client
from tests.end_to_end.test_host import host_of

READER = """
import sys
for number, line in enumerate(sys.stdin):
    print("got", number, len(line), flush=True)
"""

ARGUMENT, TYPED = "argumentby4person" + "Q6w", "typedby4person" + "Q7w"
PASTED, SENT = "pastedby4person" + "Q8w", "sentby4person" + "Q9w"
ON_SCREEN = ("ring",)
"""The terminal ring is allowed: it is the screen, as the next host needs it, and goes with the session."""


def files_with(folder: Path, *words: str) -> list[Path]:
    """Return the files below a folder that hold one of the words, the screen left out."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and path.name not in ON_SCREEN:
            content = path.read_bytes()
            found += [path for word in words if word.encode() in content]
    return found


def test_no_file_of_ours_holds_what_was_typed(begin: Begin, tmp_path: Path) -> None:
    session = begin(sys.executable, "-c", READER, ARGUMENT)
    client = Client(session.folder)
    client.send(m.Keys(f"{TYPED}\r".encode()))
    client.wait_text("got 0")
    client.send(m.Paste(PASTED.encode()))
    client.wait_text(PASTED)
    client.send(m.Keys(b"\r"))
    client.wait_text("got 1")
    # What is no message, and what comes before a greeting, is refused: a log of that may not hold it.
    for data in (
        SENT.encode() * 20,
        wire.encode(m.Keys(SENT.encode())),
        wire.encode(m.Paste(SENT.encode())) + b"\xff" * 64,
    ):
        with socket.socket(socket.AF_UNIX) as raw, contextlib.suppress(OSError):
            raw.connect(str(session.folder / "socket"))
            raw.settimeout(DEADLINE)
            raw.sendall(data)
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(1 << 16):
                pass
    assert files_with(tmp_path, ARGUMENT, TYPED, PASTED, SENT) == []
    assert [path for path in tmp_path.rglob("*.log") if path.is_file()], "there are logs that could hold it"
    before = host_of(session)
    before.kill()
    wait_until(lambda: gone(before.pid), "the host is gone")
    Client(session.folder).wait_text("got 1")
    assert files_with(tmp_path, ARGUMENT, TYPED, PASTED, SENT) == []


def test_the_record_of_what_we_type_has_no_text() -> None:
    place = {"number", "conversation"}
    print = {"at", "size", "sha"}  # a hash, and how much it is of
    assert {field.name for field in fields(Recorded)} == {"id", "occasion", "state", "time", "channel", *place, *print}


def test_no_traceback_shows_what_was_given(tmp_path: Path) -> None:
    secret = example("GitHub")
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    for words in (["decide", "Use it", "--why", secret.text], ["stale", "a", "--by", secret.text]):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "agentsup", "--debug", *words], cwd=tmp_path, env=environment,
            capture_output=True, text=True, timeout=DEADLINE * 2, check=False,
        )  # fmt: skip
        assert "Traceback" in done.stderr
        assert not secret.is_seen_in(done.stdout + done.stderr)
    assert files_with(tmp_path, secret.text) == []
