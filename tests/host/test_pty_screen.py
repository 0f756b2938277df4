"""The program's screen: when a frame is due."""

from __future__ import annotations

import asyncio
import os
import tty
from pathlib import Path

import pytest

from agentsup.core.screen import row_text
from agentsup.host.pty_screen import PtyScreen
from agentsup.host.ring import Ring
from agentsup.terminal import open_engine


class Watched:
    """A screen whose frames are counted."""

    def __init__(self, folder: Path) -> None:
        self.frames: list[tuple[bool, set[int]]] = []
        self.framed = asyncio.Event()
        self.master, self.program = os.openpty()
        tty.setraw(self.program)
        self.screen = PtyScreen(
            open_engine(20, 4, scrollback=10), Ring(folder / "ring"),
            on_reply=lambda _data: None, on_event=lambda _event: None, on_frame=self._frame,
            on_closed=lambda: None,
        )  # fmt: skip
        self.screen.attach(self.master, 20, 4)

    def _frame(self, full: bool, rows: set[int]) -> None:
        self.frames.append((full, rows))
        self.framed.set()

    async def next(self, deadline: float = 10.0) -> tuple[bool, set[int]]:
        """Wait for the next frame."""
        self.framed.clear()
        try:
            async with asyncio.timeout(deadline):
                await self.framed.wait()
        except TimeoutError as error:
            raise AssertionError("no frame") from error
        return self.frames[-1]

    def close(self) -> None:
        """End both sides."""
        self.screen.detach()
        os.close(self.program)


async def test_a_look_at_an_unchanged_screen_makes_no_frame_due(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    os.write(watched.program, b"hello")
    while row_text(watched.screen.lines[0]) != "hello":
        await watched.next()  # the first one may be that of the size
    watched.screen.flush()  # whatever was still due
    count = len(watched.frames)
    for _ in range(50):
        assert row_text(watched.screen.settle().rows[0]) == "hello"
        await asyncio.sleep(0)
    with pytest.raises(AssertionError, match="no frame"):
        await watched.next(0.2)
    os.write(watched.program, b"!")
    await watched.next()
    assert len(watched.frames) == count + 1
    watched.close()


async def test_what_a_look_has_taken_is_in_the_next_frame(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    os.write(watched.program, b"one")
    await watched.next()
    os.write(watched.program, b"\r\ntwo")
    assert row_text(watched.screen.settle().rows[1]) == "two"
    _, rows = await watched.next()
    assert 1 in rows
    os.write(watched.program, b"\r\nthree")
    watched.screen.flush()
    assert 2 in watched.frames[-1][1]
    watched.close()


async def test_what_the_program_has_not_read_is_known(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    assert watched.screen.is_all_read()
    os.write(watched.master, b"\x1b[D")
    async with asyncio.timeout(10):
        while watched.screen.is_all_read():  # the system passes it on a moment later
            await asyncio.sleep(0)
    assert os.read(watched.program, 1) == b"\x1b"
    assert not watched.screen.is_all_read()
    assert os.read(watched.program, 9) == b"[D"
    assert watched.screen.is_all_read()
    os.write(watched.program, b"hello")
    watched.screen.settle()
    assert row_text(watched.screen.lines[0]) == "hello"  # to look has taken nothing from it, and closed nothing
    watched.close()
    assert not watched.screen.is_all_read()


async def test_where_the_system_can_not_tell_nothing_counts_as_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(tmp_path)
    monkeypatch.setattr("agentsup.host.pty_screen.TIOCGPTPEER", 0)
    assert not watched.screen.is_all_read()
    watched.close()
