"""Which folder is the project: where its memory is."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from agentsup.store.placements import PLACES, find
from agentsup.store.task_choice import tasks

SIGNS = (".agent", ".git")
"""What says of a folder above the current one that it is the project."""


def project_root(cwd: Path) -> Path:
    """Return the project that a folder belongs to.

    It is the folder itself where it has memory or is a repository's root; else the nearest one above that has
    `.agent` or is a repository's root; else the folder itself. What belongs to another user than the folder does
    not count above it, nor does /tmp and what is above: there anybody could lay out memory for everybody.
    """
    if any(os.path.lexists(cwd / sign) for sign in SIGNS) or _has_memory(cwd):
        return cwd
    owner = _owner(cwd)
    for folder in cwd.parents:
        if _is_everybodys(folder):
            break
        if owner is not None and any(_owner(folder / sign) == owner for sign in SIGNS):
            return folder
    return cwd


def _has_memory(folder: Path) -> bool:
    """Say whether one of the places outside of `.agent` is used: names that would say nothing of a folder above."""
    return any(find(folder, role).exists for role in PLACES) or bool(tasks(folder, whoever=True).folders)


def _is_everybodys(folder: Path) -> bool:
    """Say whether it is a folder like /tmp, where all lay down what they like: nobody's project."""
    try:
        mode = folder.stat().st_mode
    except OSError:
        return False
    return bool(mode & stat.S_ISVTX and mode & stat.S_IWOTH)


def _owner(path: Path) -> int | None:
    """Return whose a file or folder is, no link followed; None where there is none or it can't be told."""
    try:
        return path.lstat().st_uid
    except OSError:
        return None
