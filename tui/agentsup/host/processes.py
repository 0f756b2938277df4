"""What the system shows of a process: its open files, its command line, its children."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class SystemProcess:
    """A running process."""

    pid: int

    def written_files(self, *endings: str) -> list[str]:
        """Return the paths with one of these endings that it holds open for writing, as far as can be seen."""
        return written_files(self.pid, endings)

    def arguments(self) -> list[str]:
        """Return its command line; nothing where that can't be seen."""
        try:
            with open(f"/proc/{self.pid}/cmdline", "rb") as file:
                return [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
        except OSError:
            return _arguments_elsewhere(self.pid) if not os.path.isdir("/proc") else []


def written_files(pid: int, endings: tuple[str, ...]) -> list[str]:
    """Return the paths with one of these endings that a process holds open for writing."""
    folder = f"/proc/{pid}/fd"
    try:
        numbers = os.listdir(folder)
    except OSError:
        return _open_files_elsewhere(pid, endings) if not os.path.isdir("/proc") else []
    paths = []
    for number in numbers:
        # The link is read and never followed: a file on a dead network drive would stop us.
        try:
            path = os.readlink(f"{folder}/{number}")
            if path.endswith(endings) and _is_written(f"/proc/{pid}/fdinfo/{number}"):
                paths.append(path)
        except OSError:
            continue
    return paths


def _is_written(fdinfo: str) -> bool:
    """Say whether a descriptor may write: an agent also reads the logs of conversations that are not its own."""
    with open(fdinfo, "rb") as file:
        flags = re.search(rb"^flags:\s*([0-7]+)", file.read(), re.MULTILINE)
    return flags is not None and int(flags[1], 8) & os.O_ACCMODE != os.O_RDONLY


def _open_files_elsewhere(pid: int, endings: tuple[str, ...]) -> list[str]:
    """Return them where the system does not tell how a file was opened: those that are only read are among them."""
    import psutil

    try:
        return [file.path for file in psutil.Process(pid).open_files() if file.path.endswith(endings)]
    except psutil.Error:
        return []


def exists(pid: int) -> bool:
    """Say whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


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
