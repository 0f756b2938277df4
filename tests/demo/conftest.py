"""Demo agents for tests; all are ended when the test ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.demo.play import Play
from tests.demo.terminal import DemoTerminal

StartPlay = Callable[..., Play]
StartDemo = Callable[..., DemoTerminal]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[StartPlay]:
    """Return a function that starts an agent without a terminal: `(script=None, **setup)`."""
    started: list[Play] = []

    def start(*arguments: object, **options: object) -> Play:
        started.append(Play(tmp_path, *arguments, **options))  # type: ignore[arg-type]
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[StartDemo]:
    """Return a function that starts the real program on a pty: `(script=None, *words, **options)`."""
    started: list[DemoTerminal] = []

    def start(*arguments: object, **options: object) -> DemoTerminal:
        started.append(DemoTerminal(tmp_path, *arguments, **options))  # type: ignore[arg-type]
        return started[-1]

    yield start
    for each in started:
        each.close()
