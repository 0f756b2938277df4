"""Shorten a text that is too long to be read whole: the beginning and the end of each section stay.

Works on bytes and by searching alone, so that 50 MB take a moment whatever is in them.
"""

from __future__ import annotations

KEPT = 64 << 10
"""Bytes kept of a section's beginning, and of its end."""

_LINE_END = ord("\n")
_SECTIONS = 256
"""Headings looked for from the beginning, and from the end: a text of headings alone must not take forever."""
_TRIES = 10_000
"""Number signs looked at from the beginning, and from the end. Looking for one byte is 15 times as fast as for two."""


def abridged(data: bytes, most: int) -> bytes:
    """Return at most about `most` bytes of a text in UTF-8; a line says at each gap how many lines are left out."""
    if len(data) <= most:
        return data
    starts = _section_starts(data)
    ends = [*starts[1:], len(data)]
    kept = KEPT
    while kept > 256 and sum(min(end - start, 2 * kept) for start, end in zip(starts, ends, strict=True)) > most:
        kept //= 2
    parts: list[bytes] = []
    for start, end in zip(starts, ends, strict=True):
        parts += _section(data, start, end, kept)
    return b"".join(parts)


def gap(data: bytes, start: int, end: int) -> bytes:
    """Return the line that stands for a part of a text."""
    count = data.count(b"\n", start, end)
    what = f"{count:,} lines" if count > 1 else f"{end - start:,} bytes"
    before = b"" if start == 0 or data[start - 1 : start] == b"\n" else b"\n"
    return before + f"[… {what} left out …]\n".encode()


def _section_starts(data: bytes) -> list[int]:
    first = [0]
    at = 0
    for _ in range(_TRIES):
        at = data.find(b"#", at + 1)
        if at < 0 or len(first) > _SECTIONS:
            break
        if data[at - 1] == _LINE_END:
            first.append(at)
    last: list[int] = []
    at = len(data)
    for _ in range(_TRIES):
        at = data.rfind(b"#", first[-1] + 1, at)
        if at < 0 or len(last) == _SECTIONS:
            break
        if data[at - 1] == _LINE_END:
            last.append(at)
    return first + last[::-1]


def _section(data: bytes, start: int, end: int, kept: int) -> list[bytes]:
    if end - start <= 2 * kept:
        return [data[start:end]]
    first, last = start + kept, end - kept
    # At the end of a line where there is one not too far away, else at least between two characters.
    at = data.rfind(b"\n", start + kept // 2, first)
    first = at + 1 if at >= 0 else _character(data, first)
    at = data.find(b"\n", last, end - kept // 2)
    last = at + 1 if at >= 0 else _character(data, last)
    return [data[start:first], gap(data, first, last), data[last:end]]


def _character(data: bytes, position: int) -> int:
    """Return the next position at which a character begins."""
    for _ in range(3):
        if position < len(data) and data[position] & 0xC0 == 0x80:
            position += 1
    return position
