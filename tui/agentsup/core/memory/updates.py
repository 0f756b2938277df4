"""The line of a file that says when it was updated, and by whom: `updated: 2026-11-30 by codex`."""

from __future__ import annotations

import re
from typing import NamedTuple

from agentsup.core.memory.labels import BY_WORDS, UPDATED_KEYS, UPDATED_LABELS, label_language
from agentsup.core.memory.model import Language

_LABEL_MOST = 32
_VALUE_MOST = 80
_HEAD = re.compile(r"[ \t]*(?:<!--[ \t]*)?(?:[-*•>][ \t]+)?[*_`]{0,3}")
_TAIL = " \t*_`"
_BY = re.compile(rf"(?:^|(?<=\s))(?:{'|'.join(BY_WORDS.values())})[:：]?\s+(?=\S)", re.IGNORECASE)
# A year, or a label such as session-42: `updated: two files` says something else.
_TIME = re.compile(r"(?:.*(?<!\d)(?:19|20)\d\d(?!\d).*|[^\W\d_]*[ _#:-]?\d[\w:+-]*)?")


class Update(NamedTuple):
    """A line that says it: `head` and `tail` stand around the value."""

    kind: str
    """updated, or updated_by where the line says nothing else."""
    head: str
    at: str
    by: str
    tail: str


def read_update(line: str) -> Update | None:
    """Return what a line says of an update; None where it says something else."""
    if "\n" in line:
        return None
    start = _HEAD.match(line)
    begin = start.end() if start else 0
    colon = _colon(line, begin)
    if colon < 0:
        return None
    label = line[begin:colon].strip(_TAIL).lower().replace("_", " ").replace("-", " ")
    kind = UPDATED_KEYS.get(" ".join(label.split()))
    if kind is None:
        return None
    rest = line[colon + 1 :]
    value, tail = _without_tail(rest)
    lead = len(value) - len(value.lstrip(_TAIL))
    head, value = line[: colon + 1] + value[:lead], value[lead:]
    if len(value) > _VALUE_MOST:
        return None
    if kind == "updated_by":
        return Update(kind, head, "", " ".join(value.split()), tail)
    at, by = _parted(value)
    return Update(kind, head, at, by, tail) if _TIME.fullmatch(at) else None


def sayable(at: str, by: str) -> bool:
    """Say whether a line with these values would be read as what it is: a time or a label such as session-42."""
    said = read_update(new_update("en", at, by))
    return said is not None and (said.at, said.by) == (at, by) and "\ufeff" not in at + by


def write_update(update: Update, at: str, by: str) -> str:
    """Return the line with other values."""
    if update.kind == "updated_by":
        value = by
    else:
        value = " ".join(part for part in (at, by and f"{BY_WORDS[label_language(update.head)]} {by}") if part)
    gap = " " if value and update.head.endswith(":") else ""
    return f"{update.head}{gap}{value}{update.tail}".rstrip()


def new_update(language: Language, at: str, by: str) -> str:
    """Return a line for a file that has none."""
    return write_update(Update("updated", f"{UPDATED_LABELS[language]}:", "", "", ""), at, by)


def _colon(line: str, begin: int) -> int:
    found = (line.find(mark, begin, begin + _LABEL_MOST) for mark in ":：")
    return min((at for at in found if at >= 0), default=-1)


def _without_tail(rest: str) -> tuple[str, str]:
    value = rest.rstrip(_TAIL)
    if value.endswith("-->"):
        value = value[:-3].rstrip(_TAIL)
    return value, rest[len(value) :]


def _parted(value: str) -> tuple[str, str]:
    found = _BY.search(value)
    if found is None:
        return " ".join(value.split()), ""
    return " ".join(value[: found.start()].strip(" \t,，;；").split()), " ".join(value[found.end() :].split())
