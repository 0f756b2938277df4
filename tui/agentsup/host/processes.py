"""What the system shows of a process: its open files, its command line, its children."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class SystemProcess:
    """A running process."""

    pid: int

    def open_files(self) -> list[str]:
        """Return the paths it holds open; nothing where that can't be seen."""
        return open_files(self.pid)

    def arguments(self) -> list[str]:
        """Return its command line; nothing where that can't be seen."""
        try:
            with open(f"/proc/{self.pid}/cmdline", "rb") as file:
                return [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
        except OSError:
            return _arguments_elsewhere(self.pid) if not os.path.isdir("/proc") else []


def open_files(pid: int) -> list[str]:
    """Return the paths that one process holds open; nothing where that can't be seen."""
    folder = f"/proc/{pid}/fd"
    try:
        numbers = os.listdir(folder)
    except OSError:
        return _open_files_elsewhere(pid) if not os.path.isdir("/proc") else []
    paths = []
    for number in numbers:
        # The link is read and never followed: a file on a dead network drive would stop us.
        try:
            paths.append(os.readlink(f"{folder}/{number}"))
        except OSError:
            continue
    return paths


def _open_files_elsewhere(pid: int) -> list[str]:
    import psutil

    try:
        return [file.path for file in psutil.Process(pid).open_files()]
    except psutil.Error:
        return []


def children(pid: int) -> list[int]:
    """Return the direct children of a process."""
    # The kernel's own list, where it has one: psutil reads the status of every process there is for it, 3 to
    # 9 ms in which no key is echoed.
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    except OSError:
        return _children_elsewhere(pid)
    return found


def _children_elsewhere(pid: int) -> list[int]:
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.Error:
        return []


def _arguments_elsewhere(pid: int) -> list[str]:
    import psutil

    try:
        return psutil.Process(pid).cmdline()
    except psutil.Error:
        return []
