"""Tell at once when something changes in a folder: inotify on Linux, a look every half second elsewhere."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

POLL_INTERVAL = 0.5

Callback = Callable[[], None]


class FolderWatch:
    """Calls back after a change in a watched folder; what changed is for the caller to find out."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._callbacks: dict[Path, list[Callback]] = {}
        self._by_number: dict[int, Path] = {}
        self._inotify = None
        if sys.platform == "linux":
            import inotify_simple

            flags = inotify_simple.flags
            self._mask = (
                flags.MODIFY | flags.CLOSE_WRITE | flags.CREATE | flags.MOVED_TO | flags.MOVED_FROM
                | flags.DELETE | flags.DELETE_SELF | flags.MOVE_SELF
            )  # fmt: skip
            self._gone = flags.DELETE_SELF | flags.MOVE_SELF | flags.IGNORED
            self._inotify = inotify_simple.INotify(nonblocking=True)
            self._loop.add_reader(self._inotify.fileno(), self._readable)
        else:
            self._loop.call_later(POLL_INTERVAL, self._poll)

    def add(self, folder: Path, callback: Callback) -> bool:
        """Watch a folder; False where it does not exist or can't be watched."""
        if not folder.is_dir():
            return False
        if self._inotify is not None and folder not in self._callbacks:
            try:
                self._by_number[self._inotify.add_watch(folder, self._mask)] = folder
            except OSError:
                return False
        self._callbacks.setdefault(folder, []).append(callback)
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
        for number, path in list(self._by_number.items()):
            if path == folder and self._inotify is not None:
                del self._by_number[number]
                try:
                    self._inotify.rm_watch(number)
                except OSError:
                    continue  # the folder is gone, and the watch with it

    def close(self) -> None:
        """Stop watching."""
        if self._inotify is not None:
            self._loop.remove_reader(self._inotify.fileno())
            self._inotify.close()
            self._inotify = None
        self._callbacks.clear()

    def _readable(self) -> None:
        if self._inotify is None:
            return
        touched: dict[Path, None] = {}
        for event in self._inotify.read(timeout=0):
            folder = self._by_number.get(event.wd)
            if folder is None:
                continue
            touched[folder] = None
            if event.mask & self._gone:
                self._by_number.pop(event.wd, None)
        for folder in touched:
            callbacks = list(self._callbacks.get(folder, ()))
            if folder not in self._by_number.values():
                self._callbacks.pop(folder, None)
            for callback in callbacks:
                callback()

    def _poll(self) -> None:
        for callbacks in list(self._callbacks.values()):
            for callback in callbacks:
                callback()
        self._loop.call_later(POLL_INTERVAL, self._poll)
