"""Blocks of private keys: several lines, quoted, indented, as escapes in a JSON string, with an end or without one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentsup.core.checks.lazy_pattern import LazyPattern


class Span(NamedTuple):
    """Where something stands that looks like a secret."""

    kind: str
    start: int
    end: int
    more: bool = False
    """Whether it goes on with what the span before it has begun: lines of a key in quotes of their own."""


KIND = "private key"
_BEGIN = LazyPattern(r"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_PUTTY = LazyPattern(r"PuTTY-User-Key-File-[0-9]:")
_PUTTY_END = LazyPattern(r"Private-MAC: {0,4}[0-9a-f]{16,128}")
_BETWEEN = r"(?:[\s>#*|+.,;:\"'`\[\]-]|\\+[nrt\"'])"
_END = LazyPattern(rf"{_BETWEEN}{{0,80}}?-{{4,5}} ?END [A-Z0-9 ]{{0,60}}-{{4,5}}")
_HEADER = LazyPattern(
    rf"{_BETWEEN}{{0,80}}(?:Proc-Type|DEK-Info|Version|Comment|Hash|MessageID|Charset|Encryption|Public-Lines"
    r"|Private-Lines|Subject|Key-Derivation|Argon2-[A-Za-z]{1,20}):[^\n\\\"]{0,200}"
)
_CHUNK = LazyPattern(rf"({_BETWEEN}{{0,80}}+)([A-Za-z0-9+/=]{{16,}}+)")
_LAST = LazyPattern(
    r"(?:\r?\n|(?:\\+[nr])+)[>#* \t]{0,20}[A-Za-z0-9+/]{1,63}={0,2}(?=[ \t]{0,20}(?:[\r\n]|\\+[nr]|[\"'`]|$))"
)
_QUOTE = LazyPattern(r"\\*[\"'`]")
_QUOTED = LazyPattern(r"[\"'`]")
_ACROSS = 40
"""Characters of a line in quotes of its own that is taken for one of a key."""

_ODD_MOST = 20_000
"""Characters up to an end where what stands between is no key as we know them."""


def private_keys(text: str) -> Iterator[Span]:
    """Yield what belongs to private keys; of one that stands in several quotes each piece by itself."""
    if "PRIVATE KEY" in text:
        done = 0
        begins = list(_BEGIN.finditer(text))
        for index, begin in enumerate(begins):
            if begin.start() < done:
                continue
            following = begins[index + 1].start() if index + 1 < len(begins) else len(text)
            done = _end(text, begin.end(), following)
            yield from _pieces(text, begin.start(), done)
    if "PuTTY-User-Key-File" in text:
        for begin in _PUTTY.finditer(text):
            end = _PUTTY_END.search(text, begin.end(), begin.end() + _ODD_MOST)
            yield from _pieces(text, begin.start(), end.end() if end else _body(text, begin.end(), len(text))[0])


def _end(text: str, at: int, following: int) -> int:
    """Return where a key ends that has begun: behind its end, else behind the last line that can be one of it."""
    at, is_whole = _body(text, at, following)
    if is_whole:
        return at
    rest = text[at : min(following, at + _ODD_MOST)]
    quote = _QUOTED.search(rest)
    end = _END.search(rest, 0, quote.start() if quote else len(rest))
    return at + end.end() if end else at


def _body(text: str, at: int, most: int) -> tuple[int, bool]:
    """Return where the lines of a key end, and whether its end is among them."""
    is_begun = False
    while at < most:
        if end := _END.match(text, at, most):
            return end.end(), True
        chunk = _CHUNK.match(text, at, most)
        if chunk is not None and (not _QUOTED.search(chunk[1]) or len(chunk[2]) >= _ACROSS or _ends(text, chunk.end())):
            is_begun, at = True, chunk.end()
        elif not is_begun and (header := _HEADER.match(text, at, most)):
            at = header.end()
        else:
            break
    last = _LAST.match(text, at, most) if is_begun else None
    if last is None:
        return at, False
    end = _END.match(text, last.end(), most)
    return (end.end(), True) if end else (last.end(), False)


def _ends(text: str, at: int) -> bool:
    """Say whether the end of a key comes next."""
    return bool(_END.match(text, at))


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield a key without the quotes that stand within it: what it stands in must stay what it is."""
    more = False
    for quote in (*_QUOTE.finditer(text, start, end), None):
        upto = quote.start() if quote else end
        piece = text[start:upto]
        # Between two strings there is a comma, or a plus: no part of the key.
        if re.search(r"[A-Za-z0-9/=-]", piece):
            yield Span(KIND, start, upto, more)
            more = True
        start = quote.end() if quote else end


def places(small: bytes, word: bytes) -> Iterator[int]:
    """Yield where a word stands in a text in small letters."""
    at = small.find(word)
    while at >= 0:
        yield at
        at = small.find(word, at + len(word))
