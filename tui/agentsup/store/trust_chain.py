"""Seal entries into the lines of a trust record, and know them again: what does not fit in any way is None.

A line holds its entry, a counter, and a MAC over both, the project's key and the MAC of the line before. The heads say
how far every record has come: number and MAC of its last entry. They are written after the record, with a counter that
every write raises. Lines that are added together bear the counter that the heads get by it; so a record whose heads
are behind is sound where a single such group is missing from them, and its counter is not from the heads' future: the
writer was stopped in between. Anything else is a record, or heads, of another time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import msgspec

from agentsup.core.trust.model import Entry, Subject, Verdict
from agentsup.store.trust_key import mac


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a record has come; number 0 and no MAC before its first entry."""

    number: int = 0
    mac: str = ""


class Heads(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far all records have come, by project."""

    counter: int = 0
    heads: dict[str, Head] = {}
    mac: str = ""


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of a record: the fields of its entry, then what seals it."""

    number: int
    time: float
    subject: Subject
    key: str
    sha: str
    verdict: Verdict
    by: str
    text: str
    counter: int
    mac: str = ""


def sealed(key: bytes, project: str, entries: Sequence[Entry], *, previous: str, counter: int) -> tuple[Line, ...]:
    """Return the lines of entries that are added together after the one whose MAC is `previous`."""
    lines = []
    for entry in entries:
        line = Line(**dataclasses.asdict(entry), counter=counter)
        fields = msgspec.json.encode(line).removesuffix(b'"}')
        line = msgspec.structs.replace(line, mac=_line_mac(key, project, fields, previous))
        previous = line.mac
        lines.append(line)
    return tuple(lines)


def encode_lines(lines: Sequence[Line]) -> bytes:
    """Return lines as they stand in the file."""
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def read_lines(key: bytes, project: str, data: bytes, heads: Heads) -> tuple[Line, ...] | None:
    """Return the lines of a record, if they are one whole chain that the heads know; None otherwise."""
    lines = chain(key, project, data)
    return lines if lines is not None and fits(lines, project, heads) else None


def fits(lines: Sequence[Line], project: str, heads: Heads) -> bool:
    """Say whether the heads know a chain: as far as it goes, or up to its last group of lines."""
    head = heads.heads.get(project)
    if head is None:
        return not lines
    known = lines[: head.number]
    if head.number > len(lines) or head.mac != (known[-1].mac if known else ""):
        return False
    ahead = {line.counter for line in lines[head.number :]}
    is_one_group = len(ahead) <= 1 and not (known and known[-1].counter in ahead)
    return is_one_group and max(ahead, default=0) <= heads.counter + 1


def entry_of(line: Line) -> Entry:
    """Return the entry that a line holds."""
    return Entry(line.number, line.time, line.subject, line.key, line.sha, line.verdict, line.by, line.text)


def encode_heads(key: bytes, counter: int, heads: Mapping[str, Head]) -> bytes:
    """Return the file of the heads."""
    return msgspec.json.encode(_sealed_heads(key, Heads(counter, dict(sorted(heads.items())))))


def read_heads(key: bytes | None, data: bytes) -> Heads | None:
    """Return the heads of a file; None where it is not one that we wrote with this key (without one, any)."""
    try:
        heads = msgspec.json.decode(data, type=Heads)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if key is None:
        return heads
    # Compared as bytes: other spellings of the same values are not ours either.
    return heads if msgspec.json.encode(_sealed_heads(key, heads)) == data else None


def chain(key: bytes, project: str, data: bytes) -> tuple[Line, ...] | None:
    """Return the lines of a file where each is ours and follows from the one before."""
    *texts, rest = data.split(b"\n")
    if rest:
        return None  # our writers replace the whole file, so none of them leaves half a line
    lines: list[Line] = []
    previous, counter = "", 0
    for number, text in enumerate(texts, 1):
        try:
            line = msgspec.json.decode(text, type=Line)
        except (msgspec.MsgspecError, RecursionError):
            return None
        # Compared as bytes: other spellings of the same values are not ours either.
        if msgspec.json.encode(line) != text or line.number != number or line.counter < counter:
            return None
        if line.mac != _line_mac(key, project, text.removesuffix(f'{line.mac}"}}'.encode()), previous):
            return None
        previous, counter = line.mac, line.counter
        lines.append(line)
    return tuple(lines)


def _line_mac(key: bytes, project: str, fields: bytes, previous: str) -> str:
    """Return the MAC of a line's JSON up to where its own stands."""
    return mac(key, b"trust entry", project.encode(), previous.encode(), fields)


def _sealed_heads(key: bytes, heads: Heads) -> Heads:
    fields = msgspec.json.encode(msgspec.structs.replace(heads, mac=""))
    return msgspec.structs.replace(heads, mac=mac(key, b"trust heads", fields))
