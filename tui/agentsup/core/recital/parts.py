"""Find the part of a read-back that is about the next step: behind what announces one, with what that points at."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentsup.core.checks.word_lists import Words
from agentsup.core.recital.denial import Denied, Span, pattern, without
from agentsup.core.recital.words import HEAVY, RecitalWords, weight

_SENTENCE = re.compile(r"(?<=[.!?])\s+|[。！？；;\n]+")
_POINTS_BACK = re.compile(r"\s*(?:that|this|it)\b|\s*(?:它|这)", re.IGNORECASE)


def about_next(said: str, denials: Denied, words: RecitalWords) -> tuple[Span, ...]:
    """Return the stretches of a read-back that are about the next step; all of it where nothing tells."""
    # Behind `next, not an alarm` nothing is said: what is next stands before it.
    plain = without(said, denials.spans)
    sentences = _sentences(said)
    for marks in (words.strong_next, words.weak_next):
        found: list[Span] = []
        for number, (start, end) in enumerate(sentences):
            at = _first(said, start, end, marks)
            if at is not None:
                is_whole = marks is words.weak_next or weight(plain[at:end], words) < HEAVY
                found += _with_what_it_means(said, sentences, number, start if is_whole else at, words)
        if found:
            return tuple(found)
    return ((0, len(said)),)


def announced(said: str, words: RecitalWords) -> tuple[Span, ...]:
    """Return what stands behind the words that announce the next step, up to the ends of their sentences."""
    found = ((_first(said, start, end, words.strong_next), end) for start, end in _sentences(said))
    return tuple((at, end) for at, end in found if at is not None)


def joined(text: str, spans: Sequence[Span]) -> str:
    """Return the stretches of a text as one."""
    return " ".join(text[start:end] for start, end in spans)


def _sentences(text: str) -> list[Span]:
    cuts = [match.span() for match in _SENTENCE.finditer(text)]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if text[start:end].strip()]


def _with_what_it_means(
    said: str, sentences: Sequence[Span], number: int, at: int, words: RecitalWords
) -> tuple[Span, ...]:
    """Return a sentence from a place on, with what it points at: `that's my next step`, a heading with a list below."""
    start, end = sentences[number]
    points = _first(said, at, end, words.pointers) is not None
    part = (start, end) if points else (at, end)
    text = said[part[0] : end]
    if weight(text, words) >= HEAVY and not _POINTS_BACK.match(text):
        return (part,)
    before = sentences[number - 1 : number] if number else ()
    points_before = _first(said, start, end, words.pointers) is not None
    return (*(before if points_before else sentences[number + 1 : number + 2]), part)


def _first(text: str, start: int, end: int, phrases: Words) -> int | None:
    found = pattern(phrases).search(text, start, end)
    return found.start() if found is not None else None
