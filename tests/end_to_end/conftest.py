"""Sessions without an interface: started by a test, ended with everything below them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.headless import DEADLINE, OPENED, Started, start
from tests.terminals.tmux import is_gone

Begin = Callable[..., Started]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    started: list[Started] = []

    def run(*argv: str, **options: object) -> Started:
        started.append(start(tmp_path, argv, **options))  # type: ignore[arg-type]
        return started[-1]

    yield run
    for client in OPENED:
        client.close()
    OPENED.clear()
    for each in started:
        end(each)


def end(started: Started) -> None:
    try:
        keeper = psutil.Process(started.keeper_pid)
        family = [keeper, *keeper.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    os.kill(started.keeper_pid, signal.SIGTERM)
    wait_until(lambda: all(is_gone(process) for process in family), "all have ended")


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, f"not within {DEADLINE} s: {what}"
        time.sleep(0.01)


def gone(pid: int) -> bool:
    try:
        return is_gone(psutil.Process(pid))
    except psutil.NoSuchProcess:
        return True
