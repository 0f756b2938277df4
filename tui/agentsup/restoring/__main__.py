"""One request on standard input, its answer on standard output: `python -m agentsup.restoring`."""

from __future__ import annotations

import os
import signal
import sys

import msgspec

from agentsup.core.restore.preparation import Wanted
from agentsup.restoring.prepare import prepare

NICENESS = 10
"""What is composed ahead must not slow down what is typed."""

LIFETIME = 30
"""Seconds after which it ends, whatever it waits for: who has asked may be gone."""


def main() -> None:
    """Answer."""
    signal.alarm(LIFETIME)
    # It ends with its work, and not with a Ctrl-C that was meant for somebody else.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    wanted = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Wanted)
    sys.stdout.buffer.write(msgspec.msgpack.encode(prepare(wanted)))


if __name__ == "__main__":
    main()
