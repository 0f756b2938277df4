"""Tell whether a read-back says that something is done which is forbidden."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentsup.core.recital.denial import hidden, pattern
from agentsup.core.recital.expected import Expected
from agentsup.core.recital.words import RecitalWords, tokens

FORBIDDEN = 0.65
"""Share of a taboo's words in one clause from which that clause does what is forbidden."""

_ITEM = re.compile(r"\s*(?:[-*•>]|\d+[.)])\s|\s*$")
_TABOO = re.compile(
    r"[\s>*#•\[-]*(?:taboos?|forbidden|constraints?|off[- ]limits|禁忌|约束)(?![\w-])(?P<rest>.*)", re.IGNORECASE
)
_REASON = re.compile(r"[:：,，;；—–(（]|\.\s|。")
_GOES_ON = re.compile(r"\b(?:keeps?|stays?)\s+(?:on\s+)?\w+ing\b", re.IGNORECASE)
_CLAUSE = re.compile(
    r"[,，、；;。\n:：]+|(?<=[.!?])\s+|\b(?:and|then|but)\b|然后|并且|顺便|[不没][^不，,。]{1,6}就(?![不别先保])"
)


@dataclass(frozen=True)
class Forbidden:
    """What a taboo forbids."""

    act: str
    wanted: Mapping[str, float]
    doing: frozenset[str] = frozenset()
    """What has to be done to a thing for it to be broken: memory asks for something else with the same thing."""


def breaks(expected: Expected, said: str, words: RecitalWords) -> bool:
    """Tell whether a clause of a read-back says that something is done which is forbidden."""
    asked = [tokens(allowed, words) for allowed in (*expected.task, *expected.next)]
    forbidden = [found for taboo in expected.taboos if (found := _forbidden(taboo, asked, words)) is not None]
    if not forbidden:
        return False
    for clause in _CLAUSE.split(_without_taboos(said)):
        done = _done(clause, words) if clause else ""
        known = tokens(done, words)
        for each in forbidden:
            is_done = _covered(each.wanted, known) >= FORBIDDEN and each.doing <= known.keys()
            if is_done and not _is_harmless(done, each.act, words):
                return True
    return False


def _forbidden(taboo: str, asked: Sequence[Mapping[str, float]], words: RecitalWords) -> Forbidden | None:
    """Return what a taboo forbids; None where that is nothing, or just what memory asks for."""
    act = _act(taboo, words)
    wanted = tokens(act, words)
    doing = words.doing.intersection(wanted)
    near = [known for known in asked if wanted and _covered(wanted, known) >= FORBIDDEN]
    if not wanted or any(doing <= known.keys() for known in near):
        return None
    return Forbidden(act, wanted, doing if near else frozenset())


def _done(clause: str, words: RecitalWords) -> str:
    """Return a clause without what it leaves out: `instead of the audited file`."""
    clause = _GOES_ON.sub(lambda found: found[0].partition(" ")[2], hidden(clause, words.not_negations))
    left_out = pattern(words.exclusions).search(clause)
    if left_out is None:
        return clause
    again = pattern(words.denials.resumed).search(clause, left_out.end())
    return clause[: left_out.start()] + (clause[again.start() :] if again is not None else "")


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


def _is_harmless(clause: str, act: str, words: RecitalWords) -> bool:
    """Tell whether a clause leaves alone what it speaks of, and not by doing just what is forbidden: to skip a test."""
    harmless = pattern(words.negations | words.looks)
    own = {match[0].lower() for match in harmless.finditer(act)}
    return any(match[0].lower() not in own for match in harmless.finditer(clause))


def _covered(wanted: Mapping[str, float], known: Mapping[str, float]) -> float:
    return sum(weight for token, weight in wanted.items() if token in known) / sum(wanted.values())


def _act(taboo: str, words: RecitalWords) -> str:
    """Return what a taboo forbids, without the words that forbid and without its reason."""
    clause = _REASON.split(taboo, maxsplit=1)[0]
    if (reason := pattern(words.reasons).search(clause)) is not None:
        clause = clause[: reason.start()]
    return hidden(clause, words.forbids)
