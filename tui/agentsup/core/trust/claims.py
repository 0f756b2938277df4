"""Take the claim of being HARD out of texts that can't be: written as law, in any disguise, it becomes `[?HARD]`.

What is law stands in approved decisions alone. A file that says `[HARD]` anywhere else says it of itself.
"""

from __future__ import annotations

import html
import re

from agentsup.core.trust.look_alikes import folded

_GAP = r"[^\w\[\]()\n]*+"
"""What may stand between a bracket and the word, and between its letters: blanks, points, dashes."""

_WORD = rf"[Hh]{_GAP}[Aa]{_GAP}[Rr]{_GAP}[Dd]"
_CHINESE = rf"(?:强{_GAP}制|硬)(?:{_GAP}性)?"
_CLAIM = re.compile(
    rf"""
      \[{_GAP}(?:{_WORD}|(?P<chinese>{_CHINESE})){_GAP}[\])]    # [hard], 【强制】
    | \({_GAP}(?P<round>{_WORD}){_GAP}[\])]                     # (HARD)
    | \[{_GAP}(?P<open>{_WORD})(?![A-Za-z0-9])                  # [HARD, says the user]
    | (?<![A-Za-z0-9])(?P<shut>{_WORD}){_GAP}\]                  # HARD]
    """,
    re.VERBOSE,
)
_ENTITY = re.compile(
    r"&(?:(?:(?i:amp)|#0*38|#[xX]0*26);?)*(?:#[0-9]{1,12}|#[xX][0-9a-fA-F]{1,10}|[a-zA-Z][a-zA-Z0-9]{1,31});?"
)
_CHAIN = re.compile(r"&(?:(?:(?i:amp)|#0*38|#[xX]0*26);?)+(?=[#a-zA-Z])")
_TOKEN = re.compile(rf"{_ENTITY.pattern}|.", re.DOTALL)

DEFUSED, DEFUSED_CHINESE = "[?HARD]", "[?强制]"
"""The mark stands first: what is left of one that is cut off is no tag either."""


def claims_hard(text: str) -> bool:
    """Tell whether a text says of something that it is HARD, as law does."""
    return says_hard(read_as(text))


def says_hard(plain: str) -> bool:
    """Tell the same of a text as it is read."""
    return any(map(_counts, _CLAIM.finditer(plain)))


def without_claims(text: str) -> str:
    """Return a text without such claims; one that has none is returned as it is."""
    if not claims_hard(text):
        return text
    tokens: list[str] = _TOKEN.findall(text)
    said = [read_as(token) for token in tokens]
    owners = [place for place, characters in enumerate(said) for _ in characters]
    pieces: list[str] = []
    at = 0
    for found in filter(_counts, _CLAIM.finditer("".join(said))):
        first, last = owners[found.start()], owners[found.end() - 1]
        pieces += [*tokens[at:first], _defused(found)]
        at = last + 1
    return "".join([*pieces, *tokens[at:]])


def read_as(text: str) -> str:
    """Return what a reader takes a text for, entities of HTML as what they stand for."""
    return folded(_ENTITY.sub(lambda entity: _unescaped(entity[0]), text) if "&" in text else text)


def _unescaped(entity: str) -> str:
    entity = _CHAIN.sub(
        "&", entity
    )  # all at once: one after the other, a long chain would take the square of its length
    before = ""
    while entity != before:
        before, entity = entity, html.unescape(entity)
    return entity


def _counts(found: re.Match[str]) -> bool:
    """Tell whether it is meant as a tag: without square brackets on both sides, only in capitals."""
    word = found["round"] or found["open"] or found["shut"]
    return word is None or word.upper() == word


def _defused(found: re.Match[str]) -> str:
    if found["chinese"]:
        return DEFUSED_CHINESE
    return DEFUSED[:-1] if found["open"] else DEFUSED
