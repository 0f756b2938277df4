"""Find what a text says is not done: the same words mean the opposite behind `I will not` or before 先不做.

A denial reaches to the end of its clause. Whose it is counts: `the job will not run twice` says what a job is to be
like, so denials of an intention stand first in a clause or behind words that name nobody else. One that is turned once
more denies nothing: `I won't skip the tests`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from agentsup.core.checks.word_lists import Words, has_han

Span = tuple[int, int]

CARRIED = 2
"""Clauses for which a denial holds whose own clause ends right behind it: `I will not, for now, touch it`."""

_BETWEEN = re.compile(r"[,，、；;。！？\n:：（）—–]+|\((?!\))|(?<!\()\)|\s-\s|(?<=[.!?])\s+")
_ENDS = re.compile(r"[；;。！？\n]|\A\s+\Z")
_PLACE = re.compile(r"\s(?:in|at|on|inside)\s+\S*\w[./]\w")
"""Where something is done is said of what is done, too: `by id rather than by title in routes.py`."""
_NAMES = re.compile(r"\w")


@dataclass(frozen=True)
class DenialWords:
    """The phrases of both languages by which a denial is known."""

    intended: Words = frozenset()
    """Deny what follows, where nothing but `openers` stands before them in their clause."""
    anywhere: Words = frozenset()
    """Deny what follows, wherever they stand."""
    contrasts: Words = frozenset()
    """As these, up to one of `resumed`: something else is done."""
    weak: Words = frozenset()
    """As `intended`, and may as well be the work itself: to skip a step, to skip empty rows."""
    whole: Words = frozenset()
    """Deny their clause, what stands before them included."""
    openers: Words = frozenset()
    """Words before a denial that name nobody else."""
    moments: Words = frozenset()
    """End what says only when, before what is then done or not."""
    joints: Words = frozenset()
    """Words between two clauses."""
    resumed: Words = frozenset()
    """What begins to be said again what is done."""
    turned: Words = frozenset()
    """Right behind a denial, they turn it once more."""
    limited: Words = frozenset()
    """In the same clause, they say when or how, and the thing itself is done."""
    not_denials: Words = frozenset()
    """What looks like a denial and is none."""


@dataclass(frozen=True)
class Denied:
    """Where a text says that something is not done, and where that was turned once more."""

    spans: tuple[Span, ...] = ()
    weak: tuple[Span, ...] = ()
    turned: tuple[Span, ...] = ()
    limited: tuple[Span, ...] = ()
    """Those in which it is said when or how, so that the thing itself may be done."""


def denied(text: str, words: DenialWords) -> Denied:
    """Return what a text denies."""
    text = hidden(text, words.not_denials)
    spans: list[Span] = []
    weak: list[Span] = []
    turned: list[Span] = []
    limited: list[Span] = []
    carried = 0
    for start, end, goes_on in _clauses(text, words):
        carried = carried - 1 if carried and goes_on and not _begins(text, start, end, words.resumed) else 0
        if carried and not _NAMES.search(text, start, end):
            continue
        found = _denial(text, start, end, words)
        if found is None:
            spans += [(start, end)] if carried else []
            continue
        kind, first, last = found
        if pattern(words.limited).search(text, first, last):
            limited.append((first, last))
        elif _begins(text, first, last, words.turned):
            turned.append((first, last))
        elif _NAMES.search(text, first, last):
            (weak if kind == "weak" else spans).append((first, last))
        else:
            carried = CARRIED + 1
    return Denied(tuple(spans), tuple(weak), tuple(turned), tuple(limited))


def without(text: str, spans: Sequence[Span]) -> str:
    """Return a text with blanks in place of some stretches: what is where stays."""
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def hidden(text: str, phrases: Words) -> str:
    """Return a text with blanks in place of phrases."""
    return pattern(phrases).sub(lambda found: " " * len(found[0]), text)


@lru_cache(maxsize=64)
def pattern(phrases: Words) -> re.Pattern[str]:
    """Return what finds any of some phrases, the longest at each place; English ones as whole words only."""
    if not phrases:
        return re.compile(r"(?!)")
    return re.compile("|".join(map(_phrase, sorted(phrases, key=lambda each: (-len(each), each)))), re.IGNORECASE)


@lru_cache(maxsize=8)
def _openers(phrases: Words) -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern(phrases).pattern}|[^\w])*+", re.IGNORECASE)


def _phrase(phrase: str) -> str:
    escaped = re.escape(phrase).replace(r"\ ", r"\s+")
    return escaped if has_han(phrase) else rf"(?<![A-Za-z0-9_'-]){escaped}(?![A-Za-z0-9_'-])"


def _clauses(text: str, words: DenialWords) -> Iterator[tuple[int, int, bool]]:
    """Yield the clauses of a text, and whether each goes on in the sentence of the one before."""
    start, goes_on = 0, False
    cuts = [match.span() for match in _BETWEEN.finditer(text)]
    cuts += [match.span() for match in pattern(words.joints).finditer(text)]
    for first, last in (*sorted(cuts), (len(text), len(text))):
        if first < start:
            continue
        if text[start:first].strip():
            yield start, first, goes_on
            goes_on = True
        start = last
        goes_on = goes_on and not _ENDS.search(text[first:last])


def _denial(text: str, start: int, end: int, words: DenialWords) -> tuple[Literal["plain", "weak"], int, int] | None:
    """Return what a clause denies."""
    if pattern(words.whole).search(text, start, end):
        return "plain", start, end
    for begins in (start, *(match.end() for match in pattern(words.moments).finditer(text, start, end))):
        openers = _openers(words.openers).match(text, begins, end)
        match = pattern(words.intended | words.weak).search(text, begins, end)
        if match is not None and match.start() <= (openers.end() if openers is not None else begins):
            return "weak" if _normal(match[0]) in words.weak else "plain", match.end(), end
    if (match := pattern(words.anywhere).search(text, start, end)) is not None:
        return "plain", match.end(), end
    if (match := pattern(words.contrasts).search(text, start, end)) is None:
        return None
    again = [found.start() for ends in (pattern(words.resumed), _PLACE)
             if (found := ends.search(text, match.end(), end)) is not None]  # fmt: skip
    return "plain", match.end(), min(again, default=end)


def _normal(phrase: str) -> str:
    return " ".join(phrase.lower().split())


def _begins(text: str, start: int, end: int, phrases: Words) -> bool:
    return re.compile(rf"\W*(?:{pattern(phrases).pattern})", re.IGNORECASE).match(text, start, end) is not None
