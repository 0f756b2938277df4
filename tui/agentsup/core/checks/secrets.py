"""Find what has the shape of a key or a password: it would be restored, committed and sent to a model.

Quick where there is nothing to find: what begins most tokens is looked for only where a word of twenty letters or
more stands (`secret_shapes.SHAPES`), and words of a few letters are found by the machine, not by an expression.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agentsup.core.checks.lazy_pattern import LazyPattern
from agentsup.core.checks.private_keys import Span, places, private_keys
from agentsup.core.checks.secret_shapes import ANYWHERE, RUNS, SHAPES, Shape
from agentsup.core.checks.secret_values import assigned, headers, urls
from agentsup.core.memory.model import Spot


class Secret(NamedTuple):
    """Where something stands that looks like a secret; never what it is."""

    kind: str
    spot: Spot
    length: int


MOST = 20
"""Secrets told of one text."""

_LONG = 20
"""Characters of a word that may be a token."""

_WORD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_TO_BLANKS = bytes(ord("a") if letter in _WORD else ord(" ") for letter in range(256))
_FIRST = tuple({start for shape in RUNS for start in shape.starts})
_HYPHENS = 3
_JOINED = 100
_BEFORE = 48
"""Characters before a long word in which its token may begin."""

_ESCAPE = LazyPattern(r"(?:\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,20}m)$")
"""What ends in a letter before a token and is none."""

_BEGUN = LazyPattern(r"u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrtbf]|[0-9]{0,3}m|[0-9A-Fa-f]{2}")
"""The rest of an escape, of which the first character is no part of a word."""

_KEY_LENGTHS = {"AWS access key": 40, "Alibaba Cloud key": 30, "Tencent Cloud key": 32}
"""Of the secret half that is often written beside the name of a key."""

_BESIDE = LazyPattern(r"(?<![A-Za-z0-9/+=])(?:[A-Za-z0-9/+]|\\/){30,44}(?![A-Za-z0-9/+=])")
_BESIDE_MOST = 250
"""Characters around the name of a key in which the key itself is looked for."""

_HEX = LazyPattern(r"[0-9a-fA-F]+")


def secrets(text: str) -> tuple[Secret, ...]:
    """Return what looks like a secret, by place; the same place once."""
    # A mark at the start is no part of a line, and both characters of a line end are one.
    unified = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    found = [span for span in spans(unified) if not span.more][:MOST]
    if not found:
        return ()
    ends = [match.start() for match in re.finditer("\n", unified)]
    told = []
    for span in found:
        line = bisect_right(ends, span.start - 1)
        begin = ends[line - 1] + 1 if line else 0
        told.append(Secret(span.kind, Spot(line + 1, span.start - begin + 1), span.end - span.start))
    return tuple(told)


def spans(text: str) -> tuple[Span, ...]:
    """Return where secrets stand in a text, by place; none overlaps another."""
    if len(text) < 8:
        return ()
    latin = text.encode("latin-1", "replace")
    small = latin.lower()
    found = [*private_keys(text), *_tokens(text, latin), *_anywhere(text, small)]
    found += _beside(text, found)
    found += [*urls(text), *headers(text, small), *assigned(text, small)]
    return _apart(found) if found else ()


def _apart(found: list[Span]) -> tuple[Span, ...]:
    """Return the spans with those that overlap as one, of the kind of the first that was found."""
    ordered = sorted(enumerate(found), key=lambda each: (each[1].start, each[0]))
    apart: list[tuple[int, Span]] = []
    for number, span in ordered:
        if apart and span.start < apart[-1][1].end:
            first, last = apart[-1]
            kind = last.kind if first <= number else span.kind
            apart[-1] = (min(first, number), last._replace(kind=kind, end=max(last.end, span.end)))
        else:
            apart.append((number, span))
    return tuple(span for _, span in apart)


def _tokens(text: str, latin: bytes) -> Iterator[Span]:
    """Yield tokens of known beginnings."""
    starts, ends = _long_words(latin)
    if not starts:
        return
    for start, end in zip(starts, ends, strict=True):
        for at in _beginnings(text, start, end):
            is_joined = text[at - 1 : at] == "."
            if is_joined or text.startswith(_FIRST, at):
                for shape in RUNS:
                    if is_joined if shape.back else text.startswith(shape.starts, at):
                        yield from _matches(shape, text, (at,))
    regions = _Regions(text, starts, ends)
    for shape in SHAPES:
        for beginning in shape.starts:
            yield from _matches(shape, text, regions.places(beginning))


def _anywhere(text: str, small: bytes) -> Iterator[Span]:
    for shape in ANYWHERE:
        for start in shape.starts:
            yield from _matches(shape, text, places(small, start.encode()))


def _long_words(latin: bytes) -> tuple[list[int], list[int]]:
    """Return where words of twenty characters and more begin and end."""
    letters = latin.translate(_TO_BLANKS) + b" "
    wanted = b"a" * _LONG
    starts: list[int] = []
    ends: list[int] = []
    at = letters.find(wanted)
    while at >= 0:
        end = letters.find(b" ", at + _LONG)
        starts.append(at)
        ends.append(end)
        at = letters.find(wanted, end)
    return starts, ends


class _Regions:
    """The surroundings of long words, in one short text to be searched."""

    def __init__(self, text: str, starts: list[int], ends: list[int]) -> None:
        self._begins: list[int] = []
        self._offsets: list[int] = []
        pieces: list[str] = []
        offset = upto = 0
        for start, end in zip(starts, ends, strict=True):
            begin = max(upto, start - _BEFORE)
            pieces.append(text[begin:end])
            self._begins.append(begin)
            self._offsets.append(offset)
            offset += end - begin
            upto = end
        self._text = "".join(pieces)

    def places(self, word: str) -> Iterator[int]:
        """Yield where a word stands, in the whole text."""
        at = self._text.find(word)
        while at >= 0:
            piece = bisect_right(self._offsets, at) - 1
            yield self._begins[piece] + at - self._offsets[piece]
            at = self._text.find(word, at + len(word))


def _matches(shape: Shape, text: str, places: Iterable[int]) -> Iterator[Span]:
    """Yield the tokens that begin at these places."""
    done = joined = 0
    for at in places:
        start = at - (shape.back or 0)
        if start < done or (shape.back is None and not _begins(text, at)):
            continue
        # A word of nothing but such beginnings would be read from each of them to its end.
        joined += text[start - 1 : start] == "-"
        if joined > _JOINED and shape.kind == "JSON web token":
            continue
        match = shape.pattern.match(text, start)
        if match is None:
            continue
        # What was no token has none in it either, and so it is read but once.
        done = match.end()
        if not (shape.wordy and not _is_mixed(match[0])):
            start, end = match.span(1 if match.re.groups else 0)
            if not _is_filler(text[start:end]):
                yield Span(shape.kind, start, end)


def _begins(text: str, at: int) -> bool:
    """Say whether a word begins there: behind no letter of ASCII, or behind one that ends an escape."""
    before = text[at - 1 : at]
    if not before or not before.isascii() or not (before.isalnum() or before == "_"):
        return True
    return bool(_ESCAPE.search(text, max(0, at - 24), at))


def _beginnings(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where in a long word a token may begin: at its start, and behind the first hyphens."""
    yield start + _escape(text, start)
    for _ in range(_HYPHENS):
        start = text.find("-", start, end) + 1
        if not start:
            return
        yield start


def _escape(text: str, at: int) -> int:
    """Return how many of the letters there belong to an escape that has begun before: `\\nSK…`."""
    match = _BEGUN.match(text, at) if text[at - 1 : at] in ("\\", "%", "[", ";") else None
    return match.end() - at if match and _ESCAPE.search(text, max(0, at - 24), match.end()) else 0


def _is_mixed(token: str) -> bool:
    """Tell a token from a word: what is behind its beginning has a digit and a letter, or letters of both cases."""
    body = token[3:]
    cased = any(c.islower() for c in body) and any(c.isupper() for c in body)
    return cased or any(c.isdigit() for c in body)


def _is_filler(token: str) -> bool:
    """Say whether it is `ghp_xxxxxxxx`, or words that tell what goes there."""
    tail = token[-16:]
    return len(set(tail)) <= 2 or bool(_TOLD.search(token))


_TOLD = LazyPattern(r"(?i:your[_-]|[_-]here\b|placeholder|redacted|replace[_-]?me|x{8})")


def _beside(text: str, found: list[Span]) -> list[Span]:
    """Return the secret halves that stand near the names of cloud keys."""
    beside: list[Span] = []
    for span in found:
        length = _KEY_LENGTHS.get(span.kind, 0)
        for match in _BESIDE.finditer(text, span.end, span.end + _BESIDE_MOST) if length else ():
            key = match[0].replace("\\", "")
            if len(key) == length and _is_mixed(key) and not _HEX.fullmatch(key):
                beside.append(Span(span.kind.replace("access ", "").replace("key", "secret key"), *match.span()))
    return beside
