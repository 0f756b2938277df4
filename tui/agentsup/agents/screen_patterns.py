"""What an agent shows of its context on the screen: figures in use, and that it compacts now.

The phrases are data (`screen_patterns.toml`, where their form and limits are described); this reads them, and a
screen by them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from agentsup.core.screen import DIM, Row, Run, Screen, row_text

_SCALE = {"k": 1_000, "m": 1_000_000}

_KEYS = frozenset({"usage", "compacting", "below", "typed", "emptied", "commands"})

_GROUPS = frozenset({"used", "window", "answer", "left", "pct", "pct_left"})


class Usage(NamedTuple):
    """A shape of figures, and in how many of the screen's last rows it stands; 0 for all."""

    regex: re.Pattern[str]
    rows: int


@dataclass(frozen=True)
class Patterns:
    """All that is looked for on one agent's screen."""

    usage: tuple[Usage, ...] = ()
    compacting: tuple[re.Pattern[str], ...] = ()
    below: re.Pattern[str] | None = None
    typed: tuple[re.Pattern[str], ...] = ()
    emptied: tuple[re.Pattern[str], ...] = ()
    commands: tuple[str, ...] = ()


class Seen(NamedTuple):
    """What a screen says: tokens in use and of the window, the share in use (0.0 to 1.0), None where it does not."""

    used: int | None = None
    window: int | None = None
    share: float | None = None
    compacting: bool = False

    @property
    def has_figures(self) -> bool:
        """Whether it says anything about how full the context is."""
        return self.used is not None or self.share is not None


class BadPatterns(Exception):
    """A file of patterns that can't be used."""


@lru_cache
def built_in(agent: str) -> Patterns | None:
    """Return the patterns that ship for this agent; None where there are none."""
    text = files(__package__).joinpath("screen_patterns.toml").read_text(encoding="utf-8")
    return parse(text, agent)


def parse(text: str, agent: str) -> Patterns | None:
    """Return what a file says about one agent, None where nothing; raises BadPatterns.

    Tables of other agents are not looked into: they are nothing to this session.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadPatterns(str(error)) from error
    if agent not in tables:
        return None
    table = tables[agent]
    if not isinstance(table, Mapping):
        raise BadPatterns(f"[{agent}]: no table")
    if unknown := sorted(table.keys() - _KEYS):
        raise BadPatterns(f"[{agent}]: {unknown[0]}?")
    below = table.get("below")
    return Patterns(
        tuple(_usage(agent, entry) for entry in _list(agent, table, "usage")),
        _regexes(agent, table, "compacting"),
        None if below is None else _regex(agent, "below", below),
        _regexes(agent, table, "typed"),
        _regexes(agent, table, "emptied"),
        tuple(str(command) for command in _list(agent, table, "commands")),
    )


def _list(agent: str, table: Mapping[str, object], key: str) -> list[object]:
    found = table.get(key, [])
    if not isinstance(found, list):
        raise BadPatterns(f"[{agent}] {key}: no list")
    return found


def _regexes(agent: str, table: Mapping[str, object], key: str) -> tuple[re.Pattern[str], ...]:
    return tuple(_regex(agent, key, entry) for entry in _list(agent, table, key))


def _regex(agent: str, key: str, entry: object) -> re.Pattern[str]:
    try:
        if isinstance(entry, str):
            return re.compile(entry, re.MULTILINE)
    except re.error as error:
        raise BadPatterns(f"[{agent}] {key}: {error}") from error
    raise BadPatterns(f"[{agent}] {key}: no text")


def _usage(agent: str, entry: object) -> Usage:
    rows = entry.get("rows", 0) if isinstance(entry, Mapping) else None
    if not isinstance(entry, Mapping) or not isinstance(rows, int) or entry.keys() - {"regex", "rows"}:
        raise BadPatterns(f"[{agent}] usage: {{ regex, rows }}")
    regex = _regex(agent, "usage", entry.get("regex"))
    if not regex.groupindex or regex.groupindex.keys() - _GROUPS:
        raise BadPatterns(f"[{agent}] usage: (?P<{' | '.join(sorted(_GROUPS))}>)")
    return Usage(regex, max(0, rows))


def seen_on(screen: Screen, patterns: Patterns) -> Seen:
    """Return what this screen says."""
    texts = [row_text(row) for row in screen.rows]
    while texts and not texts[-1]:
        texts.pop()
    text = "\n".join(texts)
    for typed in patterns.typed:
        text = typed.sub(_blanked, text)
    used, window, share = _figures(text, patterns.usage)
    return Seen(used, window, share, _compacts(text, screen.rows, patterns))


def _blanked(match: re.Match[str]) -> str:
    """Return nothing in as many rows."""
    return "\n" * match[0].count("\n")


def _figures(text: str, usages: Sequence[Usage]) -> tuple[int | None, int | None, float | None]:
    """Return used, window and share by the lowest match."""
    best: re.Match[str] | None = None
    for usage in usages:
        start = _start_of_last(text, usage.rows)
        for match in usage.regex.finditer(text, start):
            if best is None or match.end() >= best.end():
                best = match
    return (None, None, None) if best is None else _read(best.groupdict())


def _start_of_last(text: str, rows: int) -> int:
    """Return where the last so many rows begin; 0 rows are all."""
    start = len(text)
    for _ in range(rows):
        start = text.rfind("\n", 0, start)
        if start < 0:
            return 0
    return start + 1 if rows else 0


def _read(groups: Mapping[str, str | None]) -> tuple[int | None, int | None, float | None]:
    figures = {name: _number(text) for name, text in groups.items() if text is not None}
    used, window, left = (figures.get(name) for name in ("used", "window", "left"))
    if used is None and left is not None and window is not None:
        used = window - left
    if used is not None:
        used += figures.get("answer") or 0
    percent, percent_left = figures.get("pct"), figures.get("pct_left")
    if percent is None and percent_left is not None:
        percent = 100 - percent_left
    share = None
    if percent is not None and (used is None or not window):
        share = min(1.0, max(0.0, round(percent / 100, 4)))
    return _tokens(used), _tokens(window), share


def _tokens(number: float | None) -> int | None:
    return None if number is None else max(0, round(number))


def _number(text: str) -> float | None:
    """Return a figure as agents write it: 3.0K, 1081k, 7,112, 1.05M; None where it is none."""
    scale = _SCALE.get(text[-1:].lower(), 1)
    try:
        return float(text.removesuffix(text[-1:] if scale > 1 else "").replace(",", "")) * scale
    except ValueError:
        return None


def _compacts(text: str, rows: Sequence[Row], patterns: Patterns) -> bool:
    """Say whether the lowest status line of a compaction is one, with nothing below it that would end it."""
    lowest: re.Match[str] | None = None
    for regex in patterns.compacting:
        for match in regex.finditer(text):
            if lowest is None or match.start() > lowest.start():
                lowest = match
    if lowest is None or not _is_drawn_so(lowest, text, rows):
        return False
    below = text[lowest.end() :].split("\n")[1:]
    return patterns.below is None or all(not row.strip() or patterns.below.match(row) for row in below)


def _is_drawn_so(match: re.Match[str], text: str, rows: Sequence[Row]) -> bool:
    """Say whether the group `dim` is drawn dim from its first to its last letter, and `bright` nowhere."""
    groups = match.groupdict()
    for name, dim in (("dim", True), ("bright", False)):
        if groups.get(name) is None:
            continue
        row = rows[text.count("\n", 0, match.start(name))]
        start = match.start(name) - (text.rfind("\n", 0, match.start(name)) + 1)
        if any(bool(run.style.flags & DIM) != dim for run in _runs(row, start, start + len(groups[name] or ""))):
            return False
    return True


def _runs(row: Row, start: int, end: int) -> list[Run]:
    """Return the runs that have text between two letters of a row."""
    found, at = [], 0
    for run in row:
        if run.text[max(0, start - at) : max(0, end - at)].strip():
            found.append(run)
        at += len(run.text)
    return found
