"""Findings on paper: grouped, one line what, and below it what to do where something can be done."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from typing import TextIO

from agentsup.cli.doctor.finding import Finding, Level
from agentsup.cli.plain_text import one_line, wrapped
from agentsup.core.catalogue import Catalogue

_LEVELS: tuple[Level, ...] = ("ok", "warning", "problem", "unknown")
_MARKS = dict(zip(_LEVELS, "✓!✗?", strict=True))
_PLAIN_MARKS = dict(zip(_LEVELS, "+!x?", strict=True))
"""For an output that is no UTF-8."""

_COLOURS = dict(zip(_LEVELS, ("\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[36m"), strict=True))
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"

_NAME_WIDTH = 16
_INDENT = 2 + 2 + _NAME_WIDTH
_LEAST_TEXT = 20


class Report:
    """Writes findings as they come."""

    def __init__(self, catalogue: Catalogue, out: TextIO, environment: Mapping[str, str]) -> None:
        self._catalogue, self._out = catalogue, out
        is_terminal = out.isatty()
        self._coloured = is_terminal and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
        self._width = max(_LEAST_TEXT, shutil.get_terminal_size().columns - _INDENT) if is_terminal else None
        self._marks = _MARKS if (out.encoding or "").lower().startswith("utf") else _PLAIN_MARKS
        self._group = ""

    def show(self, finding: Finding) -> None:
        """Write one finding."""
        if finding.group != self._group:
            self._group = finding.group
            self._line(self._styled(self._catalogue.text(f"doctor.group.{finding.group}"), _BOLD))
        mark = self._styled(self._marks[finding.level], _COLOURS[finding.level])
        first, *rest = self._fitted(finding.what(self._catalogue))
        self._line(f"  {mark} {finding.name:{_NAME_WIDTH - 1}} {first}")
        for line in (*rest, *self._fitted(finding.todo(self._catalogue))):
            self._line(f"{'':{_INDENT}}{line}".rstrip())
        self._out.flush()

    def end(self, levels: Sequence[Level]) -> None:
        """Write how it went."""
        counts = {level: levels.count(level) for level in _LEVELS}
        self._line(self._styled(self._catalogue.text("doctor.summary", **counts), _BOLD))

    def _fitted(self, text: str) -> list[str]:
        plain = one_line(text)
        if not plain:
            return []
        return [plain] if self._width is None else wrapped(plain, self._width)

    def _styled(self, text: str, style: str) -> str:
        return f"{style}{text}{_PLAIN}" if self._coloured else text

    def _line(self, text: str) -> None:
        self._out.write(text + "\n")
