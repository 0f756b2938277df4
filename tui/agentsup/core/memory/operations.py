"""The evidence log: one JSON object a line, the newest last."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from agentsup.core.memory.model import Spot

_TEXTS = ("id", "type", "target", "summary", "log_path")
_MOST_LEVELS = 60
_ID = re.compile(r"(?:op[-_ ]?)?(\d{1,12})", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"[ \t\r\n]*")
_BETWEEN = re.compile(r"[ \t\r\n]*,?[ \t\r\n]*")


@dataclass(frozen=True)
class Operation:
    """One thing that was done; texts are empty where the line has none."""

    id: str = ""
    type: str = ""
    target: str = ""
    summary: str = ""
    """In the agent's own words."""
    log_path: str = ""
    timestamp: float | str | None = None
    """As written: Unix seconds or ISO 8601."""
    others: tuple[tuple[str, Any], ...] = ()
    """Keys that are not known, and known ones whose value is of another kind, with their JSON values."""
    spot: Spot = field(default=Spot(), compare=False)

    @property
    def seconds(self) -> float | None:
        """Its time in Unix seconds; one without a zone is UTC. None without a time or of an unknown form."""
        stamp = self.timestamp
        if isinstance(stamp, str):
            try:
                read = datetime.fromisoformat(stamp.strip())
                return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
            except (ValueError, OverflowError):
                return None
        return stamp


class OperationsRead(NamedTuple):
    """What was read of an index: operations, the newest last, and what could not be read."""

    operations: tuple[Operation, ...]
    bad: tuple[tuple[Spot, str], ...]
    """Where, and the parser's reason."""


def read_operations(text: str, from_middle: bool = False) -> OperationsRead:
    """Return the operations of an index: JSON lines, an array, or an object with `operations`. Never raises.

    `from_middle`: the text begins somewhere in the file, so its first line is left out; places count from the text.
    """
    bare = text.removeprefix("\ufeff")
    reading = _Reading(bare)
    if from_middle:
        end = bare.find("\n")
        reading.objects(len(bare) if end < 0 else end)
    else:
        reading.whole()
    return OperationsRead(tuple(reading.operations), tuple(reading.bad))


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _number(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{digits[:20]} is too large")
    return number


_DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_number)


class _Reading:
    """Takes an index apart; what was found so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.operations: list[Operation] = []
        self.bad: list[tuple[Spot, str]] = []
        self._counted = (0, 1)
        """A place in the text and the number of its line."""

    def whole(self) -> None:
        """Take a whole index: an array, an object with `operations`, or objects one after the other."""
        start = _skip(_SPACE, self.text, 0)
        if self.text.startswith("[", start):
            self._array(start)
        elif not self._listed(start):
            self.objects(start)

    def _listed(self, start: int) -> bool:
        """Take the operations of an object that is all there is; tell whether there is such a one."""
        try:
            value, end = _DECODER.raw_decode(self.text, start)
        except (ValueError, RecursionError):
            return False
        listed = value.get("operations") if isinstance(value, dict) else None
        if not isinstance(listed, list) or _skip(_SPACE, self.text, end) < len(self.text):
            return False
        spot = self._spot(start)
        for item in listed:
            self._take(item, spot)
        return True

    def _array(self, start: int) -> None:
        """Take the items of an array one by one: of a torn one, those before the tear."""
        place = _skip(_SPACE, self.text, start + 1)
        while place < len(self.text) and self.text[place] != "]":
            try:
                value, end = _DECODER.raw_decode(self.text, place)
            except (ValueError, RecursionError) as error:
                self.bad.append((self._spot(_place(error, place)), _reason(error)))
                return
            self._take(value, self._spot(place))
            place = _skip(_BETWEEN, self.text, end)
        if place >= len(self.text):
            self.bad.append((self._spot(len(self.text)), "the array does not end"))
        elif (rest := _skip(_SPACE, self.text, place + 1)) < len(self.text):
            self.objects(rest)

    def objects(self, place: int) -> None:
        """Take objects from a place on, one a line or over lines; behind a torn one the next begins at a margin."""
        place = _skip(_SPACE, self.text, place)
        while place < len(self.text):
            try:
                value, end = _DECODER.raw_decode(self.text, place)
            except (ValueError, RecursionError) as error:
                self.bad.append((self._spot(_place(error, place)), _reason(error)))
                end = self.text.find("\n{", place)
                end = len(self.text) if end < 0 else end
            else:
                self._take(value, self._spot(place))
            place = _skip(_SPACE, self.text, end)

    def _take(self, value: object, spot: Spot) -> None:
        """Take a JSON value for an operation, if it can be one."""
        if not isinstance(value, dict):
            self.bad.append((spot, "not an object"))
        elif _is_deep(value):
            self.bad.append((spot, "nested too deep"))
        else:
            self.operations.append(_operation(value, spot))

    def _spot(self, place: int) -> Spot:
        """Return where a place is; places are asked for in order."""
        before, line = self._counted
        line += self.text.count("\n", before, place)
        self._counted = (place, line)
        return Spot(line, place - self.text.rfind("\n", 0, place))


def _skip(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place


def _place(error: Exception, place: int) -> int:
    return error.pos if isinstance(error, json.JSONDecodeError) else place


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    return "nested too deep" if isinstance(error, RecursionError) else str(error)


def _is_deep(value: dict[str, Any]) -> bool:
    """Tell whether a value is nested deeper than any log is: it could not be written again at any depth of calls."""
    level: list[object] = list(value.values())
    for _ in range(_MOST_LEVELS):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True


def _operation(value: dict[str, Any], spot: Spot) -> Operation:
    """Return the operation of a JSON object; what is no text in the place of one is kept beside its text."""
    odd = [(name, value[name]) for name in _TEXTS if name in value and not isinstance(value[name], str)]
    stamp = value.get("timestamp", "")
    known = isinstance(stamp, str | int | float) and not isinstance(stamp, bool)
    if not known:
        odd.append(("timestamp", stamp))
    others = [(name, each) for name, each in value.items() if name not in _TEXTS and name != "timestamp"]
    texts = {name: _text(value[name]) for name in _TEXTS if name in value}
    return Operation(**texts, timestamp=stamp if known and stamp != "" else None, others=(*odd, *others), spot=spot)


def _text(value: object) -> str:
    """Return a JSON value as text: names of a list side by side."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def line(operation: Operation) -> str:
    """Return an operation as one JSON line with its end, non-ASCII as it is; what is empty is left out."""
    others = dict(operation.others)
    values: dict[str, Any] = {}
    for name in (*_TEXTS, "timestamp"):
        if name in others:
            values[name] = others.pop(name)
        elif getattr(operation, name) not in ("", None):
            values[name] = getattr(operation, name)
    written = json.dumps({**values, **others}, ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", written) + "\n"


def write_operations(operations: Iterable[Operation]) -> str:
    """Return operations as JSON lines."""
    return "".join(line(operation) for operation in operations)


def next_id(operations: Iterable[Operation]) -> str:
    """Return the id after the highest: `op-018` after `op-017`."""
    found = (_ID.fullmatch(operation.id.strip()) for operation in operations)
    return f"op-{max((int(each[1]) for each in found if each), default=0) + 1:03d}"


def archived(operations: tuple[Operation, ...], keep: int = 100) -> tuple[tuple[Operation, ...], tuple[Operation, ...]]:
    """Return the newest `keep` operations, and the older ones that go to an archive. Done again, it moves none."""
    split = max(0, len(operations) - max(0, keep))
    return operations[split:], operations[:split]
