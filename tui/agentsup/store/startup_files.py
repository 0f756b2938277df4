"""What else agents read at their start: the instruction files of the project and of the person, where they look."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from agentsup.store.opening import inside, open_beneath, open_persons

PROJECT_FILES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
MOST = 1 << 20
"""Bytes that are read of one: agents take no more, either."""


def startup_files(root: Path, environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the path and the text of each that is there, the person's own last; one of several names comes once.

    A project's links are followed where they stay in it; the person's own, as the agents do: the text is only counted.
    """
    home = Path(environment.get("HOME") or "~").expanduser()
    codex = Path(environment.get("CODEX_HOME") or home / ".codex")
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    real = Path(os.path.realpath(root))
    opened = [(name, _of_project(real, name)) for name in PROJECT_FILES]
    opened += [(_short(path, home), _own(path)) for path in (codex / "AGENTS.md", claude / "CLAUDE.md")]
    found: list[tuple[str, str]] = []
    seen: set[tuple[int, int]] = set()
    for name, file in opened:
        if file is None:
            continue
        number, status = file
        with open(number, "rb") as stream:
            if (which := (status.st_dev, status.st_ino)) not in seen:
                seen.add(which)
                found.append((name, stream.read(MOST).decode("utf-8", "replace")))
    return tuple(found)


def _short(path: Path, home: Path) -> str:
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _of_project(root: Path, name: str) -> tuple[int, os.stat_result] | None:
    """Open a file of the project; None where there is none that can be read, or a link leads out of it."""
    real = Path(os.path.realpath(root / name))
    try:
        return open_beneath(root, inside(real, root))
    except OSError:
        return None


def _own(path: Path) -> tuple[int, os.stat_result] | None:
    try:
        return open_persons(path)
    except OSError:
        return None
