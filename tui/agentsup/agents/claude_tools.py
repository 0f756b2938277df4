"""Claude Code's tool calls: asked for in one record, done in a later one."""

from __future__ import annotations

from typing import Literal

from agentsup.core.events import ToolUsed

Kind = Literal["read", "edit", "run", "search", "list"]

TOOLS: dict[str, tuple[Kind, str]] = {
    "Read": ("read", "file_path"), "NotebookRead": ("read", "notebook_path"),
    "Edit": ("edit", "file_path"), "MultiEdit": ("edit", "file_path"), "Write": ("edit", "file_path"),
    "NotebookEdit": ("edit", "notebook_path"),
    "Bash": ("run", "command"),
    "Grep": ("search", "path"), "Glob": ("list", "path"), "LS": ("list", "path"),
}  # fmt: skip
"""Kind, and the input that names the path or the command."""

_WAITING_MOST = 256
"""Calls without a result that are remembered: those of interrupted turns never get one."""


class Tools:
    """Joins calls and results."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Kind, str]] = {}

    def calls(self, content: object) -> None:
        """Remember the calls in an assistant's message."""
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, dict) or part.get("type") != "tool_use":
                continue
            tool, given = TOOLS.get(str(part.get("name"))), part.get("input")
            if tool is None or not isinstance(given, dict):
                continue
            self._waiting[str(part.get("id"))] = (tool[0], str(given.get(tool[1]) or ""))
            if len(self._waiting) > _WAITING_MOST:
                del self._waiting[next(iter(self._waiting))]

    def results(self, time: float, content: object) -> tuple[ToolUsed, ...]:
        """Return what was done, by the results in a user's message; a refused or failed call did nothing."""
        used = []
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, dict) or part.get("type") != "tool_result":
                continue
            call = self._waiting.pop(str(part.get("tool_use_id")), None)
            if call is None or (part.get("is_error") and call[0] != "run"):
                continue
            kind, target = call
            used.append(ToolUsed(time, kind, "" if kind == "run" else target, target if kind == "run" else ""))
        return tuple(used)
