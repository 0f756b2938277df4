"""Tell at once when something changes in a folder: inotify on Linux, a look every half second elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

POLL_INTERVAL = 0.5

PAUSE = 0.005
"""Seconds after a look in which events only gather: a file written byte by byte makes thousands a second."""

Callback = Callable[[], None]


class FolderWatch:
    """Calls back after a change in a watched folder; what changed is for the caller to find out.

    The first change after a pause is told at once, all that follow it within PAUSE are told as one.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._callbacks: dict[Path, list[Callback]] = {}
        self._by_number: dict[int, set[Path]] = {}
        """The kernel has one number for a folder, under however many paths it is watched."""
        self._inotify = None
        self._resume: asyncio.TimerHandle | None = None
        if sys.platform == "linux":
            import inotify_simple

            flags = inotify_simple.flags
            self._mask = (
                flags.MODIFY | flags.CLOSE_WRITE | flags.CREATE | flags.MOVED_TO | flags.MOVED_FROM
                | flags.DELETE | flags.DELETE_SELF | flags.MOVE_SELF
            )  # fmt: skip
            self._gone = flags.DELETE_SELF | flags.MOVE_SELF | flags.IGNORED
            self._overflow = flags.Q_OVERFLOW
            self._inotify = inotify_simple.INotify(nonblocking=True)
            self._loop.add_reader(self._inotify.fileno(), self._readable)
        else:
            self._loop.call_later(POLL_INTERVAL, self._poll)

    def add(self, folder: Path, callback: Callback) -> bool:
        """Watch a folder, the one that is there now; False where there is none or it can't be watched."""
        if not os.path.isdir(folder):
            return False
        if self._inotify is not None:
            try:
                number = self._inotify.add_watch(folder, self._mask)
            except OSError:
                return False
            if folder not in self._by_number.get(number, ()):
                # Another folder may have stood at this path until a folder above it was moved.
                self._unname(folder)
                self._by_number.setdefault(number, set()).add(folder)
        callbacks = self._callbacks.setdefault(folder, [])
        if callback not in callbacks:
            callbacks.append(callback)
        return True

    def watches(self, folder: Path) -> bool:
        """Say whether the folder is watched now."""
        return folder in self._callbacks

    def remove(self, folder: Path, callback: Callback) -> None:
        """Stop calling back for this folder."""
        left = [kept for kept in self._callbacks.get(folder, []) if kept != callback]
        if left:
            self._callbacks[folder] = left
            return
        self._callbacks.pop(folder, None)
        self._unname(folder)

    def close(self) -> None:
        """Stop watching."""
        if self._resume is not None:
            self._resume.cancel()
        if self._inotify is not None:
            self._loop.remove_reader(self._inotify.fileno())
            self._inotify.close()
            self._inotify = None
        self._callbacks.clear()

    def _unname(self, folder: Path) -> None:
        for number, paths in list(self._by_number.items()):
            paths.discard(folder)
            if not paths:
                self._forget(number)

    def _forget(self, number: int) -> None:
        self._by_number.pop(number, None)
        if self._inotify is not None:
            with contextlib.suppress(OSError):  # the folder is gone, and the watch with it
                self._inotify.rm_watch(number)

    def _readable(self) -> None:
        if self._inotify is not None:
            self._loop.remove_reader(self._inotify.fileno())
            self._take()

    def _take(self) -> None:
        """Tell what has gathered, and come back for more; where it is nothing, wait until there is something."""
        if self._inotify is None:
            return
        events = self._inotify.read(timeout=0)
        if events:
            self._resume = self._loop.call_later(PAUSE, self._take)
        else:
            self._loop.add_reader(self._inotify.fileno(), self._readable)
        touched: dict[Path, None] = {}
        gone: set[Path] = set()
        for event in events:
            if event.mask & self._overflow:
                touched.update(dict.fromkeys(self._callbacks))
            paths = self._by_number.get(event.wd, set())
            touched.update(dict.fromkeys(paths))
            if event.mask & self._gone and paths:
                gone |= paths
                self._forget(event.wd)
        for folder in touched:
            callbacks = list(self._callbacks.get(folder, ()))
            if folder in gone:
                # Before they are told: so they find it unwatched, and watch the folder that is there by then.
                self._callbacks.pop(folder, None)
            for callback in callbacks:
                self._call(callback)

    def _call(self, callback: Callback) -> None:
        try:
            callback()
        except Exception as error:  # noqa: BLE001  the border to the parts that listen: all the others hear of it too
            self._loop.call_exception_handler({"message": "a watched folder changed", "exception": error})

    def _poll(self) -> None:
        for callbacks in list(self._callbacks.values()):
            for callback in callbacks:
                self._call(callback)
        self._loop.call_later(POLL_INTERVAL, self._poll)
