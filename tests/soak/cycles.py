"""Start and stop a session again and again: nothing may be left behind."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import psutil

from agentsup.protocol import messages as m
from tests.end_to_end.headless import OPENED, Client, start
from tests.soak.tally import Tally
from tests.terminals.tmux import is_gone


def run(count: int, folder: Path) -> Tally:
    """Start a keeper, host and program `count` times, see the screen, stop."""
    me = psutil.Process()
    descriptors, threads = me.num_fds(), threading.active_count()
    ended = clean = 0
    started = time.monotonic()
    for _ in range(count):
        session = start(folder, ["sh", "-c", "echo ready; exec cat"])
        client = Client(session.folder)
        client.wait_text("ready")
        family = [psutil.Process(session.keeper_pid), *psutil.Process(session.keeper_pid).children(recursive=True)]
        client.send(m.StopRequest())
        client.wait(lambda c=client: c.closed, "closed")  # type: ignore[misc]
        client.close()
        OPENED.clear()
        ended += _ends(family)
        clean += not session.folder.exists()
    seconds = (time.monotonic() - started) / count
    left = max(0, me.num_fds() - descriptors) + max(0, threading.active_count() - threads)
    zombies = sum(child.status() == psutil.STATUS_ZOMBIE for child in me.children())
    return Tally(
        "start and stop of a session",
        count,
        {
            "all processes ended": ended,
            "folder and socket gone": clean,
            "nothing left in the caller": count * (not left),
        },
        f"{seconds:.2f} s a cycle; descriptors and threads more: {left}, zombies: {zombies}",
    )


def _ends(family: list[psutil.Process]) -> bool:
    deadline = time.monotonic() + 10.0
    while not all(is_gone(process) for process in family):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True
