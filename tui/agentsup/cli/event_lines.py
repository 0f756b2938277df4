"""An event as one line: as JSON for programs, in short for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, fields
from datetime import datetime

from agentsup.cli.plain_text import escaped, fitted, one_line
from agentsup.core.events import Event
from agentsup.core.redaction import redacted_value

_NAME_WIDTH = 20
_LEFT_OUT = frozenset({"time", "turn", "id", "spent", "evidence"})
"""Fields that people get elsewhere, or have no use for."""

_TEXTS = frozenset({"message", "text", "path", "command", "content"})
"""Fields that hold foreign text; they stand last and without their names."""

_DIM, _BOLD, _PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[0m"


def as_json(event: Event) -> str:
    """Return the event as one JSON object: its name, then its time and other fields as they are declared."""
    told = redacted_value({"event": type(event).__name__} | asdict(event))
    return escaped(json.dumps(told, ensure_ascii=False))


def as_line(event: Event, width: int | None, *, coloured: bool = False) -> str:
    """Return the event in short, in local time; cut to so many cells unless that is None."""
    time, name = _local(event.time), f"{type(event).__name__:{_NAME_WIDTH}}"
    line = f"{time}  {name}  {' '.join(_words(event))}".rstrip()
    if width is not None:
        line = fitted(line, width)
    if not coloured:
        return line
    begin = len(time) + 2
    end = begin + _NAME_WIDTH
    return f"{_DIM}{line[:begin]}{_PLAIN}{_BOLD}{line[begin:end]}{_PLAIN}{line[end:]}"


def _words(event: Event) -> Iterator[str]:
    """Give the fields that say more than their default."""
    told = [
        (field.name, value) for field in fields(event)
        if field.name not in _LEFT_OUT and (value := getattr(event, field.name)) not in (None, "", field.default)
    ]  # fmt: skip
    for name, value in told:
        if name not in _TEXTS:
            yield f"{name}={_figure(value)}"
    for name, value in told:
        if name in _TEXTS:
            yield one_line(str(value))


def _figure(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.0%}"
        case _:
            return one_line(str(value))


def _local(time: float) -> str:
    try:
        return datetime.fromtimestamp(time).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return f"{time:<19.0f}"
