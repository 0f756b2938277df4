"""Hold what an agent has read back against what memory says: is it about this task, this step, and nothing forbidden?

Words are compared, not meanings: enough of what is particular about a line must be in the agent's words. A step that
is done already, or not due yet, and that fits the words better than the right one is the sign of a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from agentsup.core.checks.word_lists import Words, has_han
from agentsup.core.events import Verdict
from agentsup.core.recital.expected import Expected
from agentsup.core.recital.words import HEAVY, RecitalWords, speaks_chinese, tokens

MISSING_TASK, MISSING_NEXT, TABOO = "recital.missing.task", "recital.missing.next", "recital.missing.taboo"
"""What is not in the words, and what contradicts them: catalogue keys."""

MOST = 2_000
"""Characters of a read-back that are compared: two sentences were asked for."""

TASK, NEXT = (0.25, 0.14), (0.3, 0.2)
"""Shares of a line's words from which it is there, and below which it is not. A task is told more freely."""

ENOUGH = 2 * HEAVY
"""Weight of words that name a task."""

RIVAL = 0.35
"""Share from which another step is what is meant, if it is more than that of the right one."""

FORBIDDEN = 0.65
"""Share of a taboo's words in one clause from which that clause does what is forbidden."""

COMPARABLE = 1.0
"""Weight of words that can be compared, where the two speak different languages; less says nothing."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|[。！？；;\n]+")
_POINTS_BACK = re.compile(r"\s*(?:that|this|it)\b|\s*(?:它|这)", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-*•>]|\d+[.)])\s|\s*$")
_TABOO = re.compile(
    r"[\s>*#•\[-]*(?:taboos?|forbidden|constraints?|off[- ]limits|禁忌|约束)(?![\w-])(?P<rest>.*)", re.IGNORECASE
)
_REASON = re.compile(r"[:：,，;；—–(（]|\.\s|。")
_CLAUSE = re.compile(r"[,，、；;。\n:：]+|(?<=[.!?])\s+|\b(?:and|then|but)\b|然后|并且|顺便")


@dataclass(frozen=True)
class Judged:
    """What a read-back is worth, and what is missing in it or contradicts memory."""

    verdict: Verdict
    missing: tuple[str, ...] = ()
    is_read_back: bool = field(default=False, compare=False)
    """Whether the task or the next step is in it at all."""


@dataclass(frozen=True)
class Said:
    """A text of the agent's, as it is compared."""

    tokens: Mapping[str, float]
    chinese: bool


def compare(expected: Expected, said: str, words: RecitalWords) -> Judged:
    """Return what a read-back is worth; unclear where memory says nothing, or nothing can be compared."""
    said = said[:MOST]
    task = _task(expected, said, words)
    following = _next(expected, said, words)
    missing = [key for key, found in ((MISSING_TASK, task), (MISSING_NEXT, following)) if found == "wrong"]
    if _breaks(expected, said, words):
        missing.append(TABOO)
    if missing:
        return Judged("wrong", tuple(missing), is_read_back="right" in (task, following))
    known = [found for found in (task, following) if found is not None]
    verdict: Verdict = "right" if known and "unclear" not in known else "unclear"
    return Judged(verdict, is_read_back="right" in known)


def _task(expected: Expected, said: str, words: RecitalWords) -> Verdict | None:
    if not expected.task:
        return None
    # What is said of the next step does not name the task, unless nothing else is said.
    about = said.replace(_about_next(said, words), " ") if expected.next else said
    about = about if _weight(about, words) >= ENOUGH else said
    heard = _heard(about, words)
    scores = [_share(task, (), heard, words) for task in expected.task]
    return _verdict(max((score for score in scores if score is not None), default=None), TASK)


def _next(expected: Expected, said: str, words: RecitalWords) -> Verdict | None:
    if not expected.next:
        return None
    segment = _about_next(said, words)
    heard = _heard(segment, words)
    # What the whole task is about is in each of its steps, and tells none of them from another.
    around = (*expected.task, *expected.others)
    scores = [_share(text, around, heard, words) for text in expected.next]
    best = max((score for score in scores if score is not None), default=None)
    verdict = _verdict(best, NEXT)
    right = (*expected.task, *expected.next)
    for other in expected.others:
        rival = _share(other, right, heard, words)
        if rival is not None and rival >= RIVAL and rival > (best or 0.0):
            return "wrong"
    return verdict


def _verdict(share: float | None, limits: tuple[float, float]) -> Verdict:
    present, absent = limits
    if share is None:
        return "unclear"
    return "right" if share >= present else "unclear" if share >= absent else "wrong"


def _heard(text: str, words: RecitalWords) -> Said:
    return Said(tokens(text, words), speaks_chinese(text, words))


def _weighed(text: str, others: Sequence[str], words: RecitalWords) -> dict[str, float]:
    """Return a line's words; one that other lines have too counts less."""
    found = tokens(text, words)
    for other in others:
        for token in tokens(other, words):
            if token in found:
                found[token] /= 2
    return found


def _share(text: str, others: Sequence[str], said: Said, words: RecitalWords) -> float | None:
    """Return how much of a line is said; None where the two texts can't be compared."""
    wanted, known = _weighed(text, others, words), said.tokens
    if known and speaks_chinese(text, words) != said.chinese:
        # What one language has no word for can't be in the other; names and figures are the same in both.
        wanted = {token: weight for token, weight in wanted.items() if token in known or _is_in_both(token)}
        if sum(wanted.values()) < COMPARABLE:
            return None
    total = sum(wanted.values())
    return sum(weight for token, weight in wanted.items() if token in known) / total if total else None


def _is_in_both(token: str) -> bool:
    return token.isdigit()


def _about_next(said: str, words: RecitalWords) -> str:
    """Return the part of a read-back that is about the next step; all of it where nothing tells."""
    sentences = [sentence for sentence in _SENTENCE.split(said) if sentence and sentence.strip()]
    for marks in (words.strong_next, words.weak_next):
        found = []
        for number, sentence in enumerate(sentences):
            at = _first(sentence, marks)
            if at is None:
                continue
            found.append(_with_what_it_means(sentences, number, at, words))
        if found:
            return " ".join(found)
    return said


def _with_what_it_means(sentences: Sequence[str], number: int, at: int, words: RecitalWords) -> str:
    """Return a sentence from a place on, with what it points at: `that's my next step`, a heading with a list below."""
    sentence = sentences[number]
    part = sentence[at:]
    if _holds(part, words.pointers) or _weight(part, words) < HEAVY:
        part = sentence
    if _weight(part, words) >= HEAVY and not _POINTS_BACK.match(part):
        return part
    before = sentences[number - 1 : number] if number else []
    after = sentences[number + 1 : number + 2]
    around = before if _holds(sentence, words.pointers) else after
    return " ".join((*around, part))


def _weight(text: str, words: RecitalWords) -> float:
    return sum(tokens(text, words).values())


def _first(text: str, phrases: Words) -> int | None:
    places = [match.start() for phrase in phrases if (match := _pattern(phrase).search(text))]
    return min(places, default=None)


def _holds(text: str, phrases: Words) -> bool:
    return _first(text, phrases) is not None


@lru_cache(maxsize=512)
def _pattern(phrase: str) -> re.Pattern[str]:
    escaped = re.escape(phrase)
    return re.compile(escaped if has_han(phrase) else rf"(?<![\w'-]){escaped}(?![\w'-])", re.IGNORECASE)


def _breaks(expected: Expected, said: str, words: RecitalWords) -> bool:
    """Tell whether a clause of a read-back says that something is done which is forbidden."""
    forbidden = [wanted for taboo in expected.taboos if (wanted := _forbidden(taboo, words))]
    asked = [tokens(allowed, words) for allowed in (*expected.task, *expected.next)]
    # What memory itself asks for is not broken by doing it.
    forbidden = [each for each in forbidden if all(_covered(each, known) < FORBIDDEN for known in asked)]
    if not forbidden:
        return False
    for clause in _CLAUSE.split(_without_taboos(said)):
        known = tokens(clause, words) if clause else {}
        done = any(_covered(each, known) >= FORBIDDEN for each in forbidden)
        if done and not _is_negated(clause, words) and not _holds(clause, words.looks):
            return True
    return False


def _without_taboos(said: str) -> str:
    """Return a read-back without the lines that repeat what is forbidden: an agent may read that back too."""
    kept: list[str] = []
    below = False
    for line in said.split("\n"):
        named = _TABOO.match(line)
        below = bool(named and not named["rest"].strip(" :：*]")) or (below and _ITEM.match(line) is not None)
        if not named and not below:
            kept.append(line)
    return "\n".join(kept)


def _is_negated(clause: str, words: RecitalWords) -> bool:
    for phrase in words.not_negations:
        clause = clause.replace(phrase, " ")
    return _holds(clause, words.negations)


def _covered(wanted: Mapping[str, float], known: Mapping[str, float]) -> float:
    return sum(weight for token, weight in wanted.items() if token in known) / sum(wanted.values())


def _forbidden(taboo: str, words: RecitalWords) -> dict[str, float]:
    """Return what a taboo forbids, without the words that forbid and without its reason."""
    clause = _REASON.split(taboo, maxsplit=1)[0]
    if (reason := _first(clause, words.reasons)) is not None:
        clause = clause[:reason]
    for phrase in sorted(words.forbids, key=len, reverse=True):
        clause = _pattern(phrase).sub(" ", clause)
    return tokens(clause, words)
