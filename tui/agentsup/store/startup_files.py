"""What else agents read at their start: the instruction files of the project and of the person, where they look."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

PROJECT_FILES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
MOST = 1 << 20
"""Bytes that are read of one: agents take no more, either."""


def startup_files(root: Path, environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the path and the text of each that is there, the person's own last; one of several names comes once.

    Links are followed, as the agents do: the text is only counted.
    """
    home = Path(environment.get("HOME") or "~").expanduser()
    codex = Path(environment.get("CODEX_HOME") or home / ".codex")
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    places = [(name, root / name) for name in PROJECT_FILES]
    places += [(_short(path, home), path) for path in (codex / "AGENTS.md", claude / "CLAUDE.md")]
    found: list[tuple[str, str]] = []
    seen: set[tuple[int, int]] = set()
    for name, path in places:
        if (read := _read(path)) is not None and read[0] not in seen:
            seen.add(read[0])
            found.append((name, read[1]))
    return tuple(found)


def _short(path: Path, home: Path) -> str:
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _read(path: Path) -> tuple[tuple[int, int], str] | None:
    """Return which file it is, and its text; None where there is none that can be read."""
    try:
        # O_NONBLOCK: a FIFO in its place must not stop us.
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(number, "rb") as file:
            status = os.fstat(number)
            if not stat.S_ISREG(status.st_mode):
                return None
            return (status.st_dev, status.st_ino), file.read(MOST).decode("utf-8", "replace")
    except OSError:
        return None
