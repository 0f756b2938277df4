"""Name the session's own engram in what its agent has done: others end in the same path, of a worktree or a library."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from agentsup.core.engram_commands import PLACE
from agentsup.core.events import ToolUsed


def named(used: ToolUsed, root: Path) -> ToolUsed:
    """Return it with the engram of a project named as within that, however a path has led to it."""
    if used.path.endswith(f"/{PLACE}") and _is_same(used.path.removesuffix(PLACE), root):
        return replace(used, path=PLACE)
    command = used.command
    for whole in {str(root / PLACE), os.path.join(os.path.realpath(root), PLACE)} if PLACE in command else ():
        command = command.replace(whole, PLACE)
    return replace(used, command=command)


def _is_same(folder: str, root: Path) -> bool:
    try:
        return os.path.samefile(root / folder, root)  # a relative one is within the project
    except (OSError, ValueError):
        return False
