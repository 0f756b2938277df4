"""Claude Code's tool calls: asked for in one record, done in a later one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from agentsup.core.engram_commands import may_be_engram
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
        self._waiting: dict[str, ToolUsed] = {}

    def calls(self, content: object) -> None:
        """Remember the calls in an assistant's message."""
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, dict) or part.get("type") != "tool_use":
                continue
            tool, given = TOOLS.get(str(part.get("name"))), part.get("input")
            if tool is None or not isinstance(given, dict):
                continue
            self._waiting[str(part.get("id"))] = _call(tool[0], str(given.get(tool[1]) or ""), given)
            if len(self._waiting) > _WAITING_MOST:
                del self._waiting[next(iter(self._waiting))]

    def results(self, time: float, content: object) -> tuple[ToolUsed, ...]:
        """Return what was done, by the results in a user's message: of what was refused or failed only commands."""
        used = []
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, dict) or part.get("type") != "tool_result":
                continue
            call, failed = self._waiting.pop(str(part.get("tool_use_id")), None), bool(part.get("is_error"))
            if call is not None and (call.kind == "run" or not failed):
                used.append(replace(call, time=time, failed=failed))
        return tuple(used)


def _call(kind: Kind, target: str, given: Mapping[str, object]) -> ToolUsed:
    """Return a call as it will have been used; when and with what success its result says."""
    if kind == "run":
        return ToolUsed(0.0, kind, command=target)
    # Only `Write` has this input: it gives the whole file.
    content = str(given.get("content") or "") if kind == "edit" and may_be_engram(target) else ""
    return ToolUsed(0.0, kind, target, part=bool(given.get("offset") or given.get("limit")), content=content)
