"""Read what the panels show of a project's memory: engram, state and task, each only if it is not too long."""

from __future__ import annotations

from pathlib import Path

from agentsup.core.memory.model import Memory
from agentsup.store.placements import Role, find
from agentsup.store.project_memory import read_parts
from agentsup.store.task_choice import tasks

SIZE_LIMIT = 256 << 10
"""Largest memory file that is read, in bytes."""

_SHOWN: tuple[Role, ...] = ("engram", "state", "task")


def read_memory(root: Path) -> Memory:
    """Return a part of the memory of the project at `root`; what can't be read is said in its document."""
    # Hosts read this at every change, and can't wait for git; it goes to persons only.
    chosen = tasks(root, whoever=True)
    return read_parts(root, chosen, {role: find(root, role, chosen.folder) for role in _SHOWN}, SIZE_LIMIT)
