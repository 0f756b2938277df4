"""Hold what an agent has read back against what memory says: is it about this task, this step, and nothing forbidden?

Words are compared: enough of what is particular about a line must be in the agent's words, and not among those that it
denies. A step that is done already, or not due yet, and that fits the words better than the right one is the sign of a
wrong one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentsup.core.events import Verdict
from agentsup.core.recital.denial import Denied, Span, denied, pattern, without
from agentsup.core.recital.expected import Expected
from agentsup.core.recital.parts import about_next, announced, joined
from agentsup.core.recital.taboos import breaks
from agentsup.core.recital.words import HEAVY, RecitalWords, speaks_chinese, tokens, weight

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

DENIED, MORE = 0.35, 0.3
"""Share of a line's words among those that are denied from which the line is, and by how much more than the rest."""

COMPARABLE = 1.0
"""Weight of words that can be compared, where the two speak different languages; less says nothing."""


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


class Heard:
    """What the agent has said of something, and what it denies of that."""

    def __init__(self, text: str, about: tuple[Span, ...], denials: Denied, words: RecitalWords) -> None:
        """`about`: the stretches of the text that are about it; denied is what is so anywhere."""
        self._text, self.about, self._denials, self._words = text, about, denials, words
        self.plain = joined(text, about)
        self.said = _said(self.plain, words)
        self._weak = [(span, tuple(tokens(text[slice(*span)], words))) for span in denials.weak]
        self._turned = [(span, tuple(tokens(text[slice(*span)], words))) for span in denials.turned]
        self._parted: dict[tuple[Span, ...], tuple[Said, Said]] = {}

    def parted(self, line: str) -> tuple[Said, Said] | None:
        """Return what it says is done and what it denies, None where that is nothing.

        What is done by the line decides what a doubtful denial means for it.
        """
        wanted = tuple(tokens(line, self._words))
        head = wanted[0] if wanted else None
        doing = {head, *(self._words.doing.intersection(wanted))}
        weak = [span for span, found in self._weak if not doing.isdisjoint(found)]
        turned = [span for span, found in self._turned if found[:1] == (head,)]
        limited = self._denials.limited if pattern(self._words.denials.limited).search(line) else ()
        spans = (*self._denials.spans, *limited, *weak, *turned)
        if not spans:
            return None
        if spans not in self._parted:
            left = joined(without(self._text, spans), self.about)
            self._parted[spans] = _said(left, self._words), _said(joined(self._text, spans), self._words)
        return self._parted[spans]


def compare(expected: Expected, said: str, words: RecitalWords) -> Judged:
    """Return what a read-back is worth; unclear where memory says nothing, or nothing can be compared."""
    said = said[:MOST].replace("’", "'")
    denials = denied(said, words.denials)
    task = _task(expected, said, denials, words)
    following = _next(expected, said, denials, words)
    missing = [key for key, found in ((MISSING_TASK, task), (MISSING_NEXT, following)) if found == "wrong"]
    if breaks(expected, said, words):
        missing.append(TABOO)
    if missing:
        return Judged("wrong", tuple(missing), is_read_back="right" in (task, following))
    known = [found for found in (task, following) if found is not None]
    verdict: Verdict = "right" if known and "unclear" not in known else "unclear"
    return Judged(verdict, is_read_back="right" in known)


def _task(expected: Expected, said: str, denials: Denied, words: RecitalWords) -> Verdict | None:
    if not expected.task:
        return None
    # What is said of the next step does not name the task, unless nothing else is said.
    about = without(said, about_next(said, denials, words)) if expected.next else said
    verdict = _named(expected.task, about if weight(about, words) >= ENOUGH else said, denials, words)
    if verdict == "wrong" and expected.next:
        # In one sentence with the next step: whether that names it too, nobody can say.
        wider = _named(expected.task, without(said, announced(said, words)), denials, words)
        return "unclear" if wider == "right" else verdict
    return verdict


def _named(task: Sequence[str], about: str, denials: Denied, words: RecitalWords) -> Verdict:
    return _verdict(_best(task, None, Heard(about, ((0, len(about)),), denials, words), words), TASK)


def _next(expected: Expected, said: str, denials: Denied, words: RecitalWords) -> Verdict | None:
    if not expected.next:
        return None
    heard = Heard(said, about_next(said, denials, words), denials, words)
    # What the whole task is about is in each of its steps, and tells none of them from another.
    around = (*expected.task, *expected.others)
    best = _best(expected.next, around, heard, words)
    right = (*expected.task, *expected.next)
    for other in expected.others:
        rival = _best((other,), right, heard, words)
        if rival is not None and rival >= RIVAL and rival > (best or 0.0):
            # What comes behind the right one is said to come after it.
            is_later = _verdict(best, NEXT) == "right" and _is_behind(other, expected.next, heard, words)
            return "unclear" if is_later else "wrong"
    verdict = _verdict(best, NEXT)
    if verdict == "wrong":
        # It may be said before what is next, or beside what only looks as if it announced it.
        wider = Heard(said, ((0, len(said)),), denials, words)
        return "unclear" if _verdict(_best(expected.next, around, wider, words), NEXT) == "right" else verdict
    return verdict


def _is_behind(other: str, right: Sequence[str], heard: Heard, words: RecitalWords) -> bool:
    """Tell whether the words of one line come only after those of the others."""
    here = set(tokens(other, words))
    there = {token for line in right for token in tokens(line, words)}
    order = list(tokens(heard.plain, words))
    own = [at for at, token in enumerate(order) if token in here - there]
    theirs = [at for at, token in enumerate(order) if token in there - here]
    return bool(own and theirs) and min(theirs) < min(own)


def _verdict(share: float | None, limits: tuple[float, float]) -> Verdict:
    present, absent = limits
    if share is None:
        return "unclear"
    return "right" if share >= present else "unclear" if share >= absent else "wrong"


def _best(lines: Sequence[str], others: Sequence[str] | None, heard: Heard, words: RecitalWords) -> float | None:
    """Return how much is said of the line that is said best; where that one is denied, what is said of the others."""
    found = [score for line in lines if (score := _score(line, others, heard, words)) is not None]
    if not found:
        return None
    share, left, lost = max(found, key=lambda score: score[0])
    if lost < DENIED or lost < left + MORE:
        return share
    return max((left for _, left, lost in found if lost < left), default=0.0)


def _score(
    text: str, others: Sequence[str] | None, heard: Heard, words: RecitalWords
) -> tuple[float, float, float] | None:  # fmt: skip
    """Return how much of a line is said, how much of it is said and not denied, and how much is denied.

    `others`: lines that share words with steps; None for a task, of which many things may be denied.
    """
    share = _share(text, others or (), heard.said, words)
    if share is None:
        return None
    parted = heard.parted(text)
    own = denied(text, words.denials)
    done = without(text, (*own.spans, *own.limited))
    wanted = tokens(done, words)
    if parted is None or not wanted:
        return share, share, 0.0  # a line that forbids is told with a denial
    left, lost = (_share(done, others or (), part, words) or 0.0 for part in parted)
    if others is None:
        return share, left, lost
    elsewhere = {token for other in others for token in tokens(other, words)}
    gone = (wanted.keys() & parted[1].tokens.keys()) - (parted[0].tokens.keys() - elsewhere)
    acts = gone & {next(iter(wanted)), *words.doing}
    if not acts:
        return share, left, lost
    # That it is done is denied: where it would be done is no matter, and with what decides.
    return share, 0.0, 1.0 if len(gone) > 1 and gone - words.light else lost


def _said(text: str, words: RecitalWords) -> Said:
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
