"""The words by which a good line is told from a bad one, as they are read from data: one set of lists a language.

A list that a language has no use for is empty. Nothing here is a pattern: words and phrases are looked up, so that a
list may grow without becoming slower, and no line of text can make it slow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, TypeVar

Words = frozenset[str]
NOTHING: Words = frozenset()

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d[\w.]*|[^\w\s]")


@dataclass(frozen=True)
class Verbs:
    """What a line of progress begins with."""

    plain: Words = NOTHING
    """Base forms that are nothing else at the start of a line."""
    nounish: Words = NOTHING
    """Base forms that are as often nouns; what follows decides."""
    rarely_nouns: Words = NOTHING
    """Of those, the ones that are nouns only before a preposition."""
    motion: Words = NOTHING
    """Nounish verbs that go "to" somewhere as verbs."""
    pairs: Words = NOTHING
    """Nounish verbs with the preposition that they take."""
    past: Words = NOTHING
    """Past forms that no ending tells."""
    adjectives: Words = NOTHING
    before: Words = NOTHING
    """What may stand before the verb."""
    noun_after: Words = NOTHING
    determiners: Words = NOTHING
    articles: Words = NOTHING
    auxiliaries: Words = NOTHING
    heads: Words = NOTHING
    """Nouns that make one noun of a nounish verb before them."""
    strong_heads: Words = NOTHING
    """Nouns that make one of any verb."""
    openers: Words = NOTHING
    not_openers: Words = NOTHING
    single: Words = NOTHING
    complements: Words = NOTHING
    aspects: Words = NOTHING
    weak: Words = NOTHING
    """Verbs that say that something was done, and not what."""
    changing: Words = NOTHING
    """Verbs that say that something is different, and not how."""
    neutral: Words = NOTHING
    """Verbs that any work has: they say nothing beside what they are said of."""

    @cached_property
    def all(self) -> Words:
        """What can be a verb, whether or not it can be a noun."""
        return self.plain | self.nounish


@dataclass(frozen=True)
class Vague:
    """What a line holds that says nothing."""

    phrases: Words = NOTHING
    quantities: Words = NOTHING
    nouns: Words = NOTHING
    empty: Words = NOTHING


@dataclass(frozen=True)
class Steps:
    """What makes two steps of one, and what makes a step that can't be done again."""

    joiners: Words = NOTHING
    joins_before_verb: Words = NOTHING
    pairs: Words = NOTHING
    """Two words with a joiner between them that are one thing."""
    actions: Words = NOTHING
    conditions: Words = NOTHING
    """What a step says that can be done twice."""
    conditional: Words = NOTHING
    add: Words = NOTHING
    fix: Words = NOTHING
    replace: Words = NOTHING
    change: Words = NOTHING
    relative: Words = NOTHING
    to: Words = NOTHING
    """Words before the value that something is changed to: such a change can be made twice."""
    openers: Words = NOTHING
    grains: Words = NOTHING
    """Phrases for a whole module."""

    @cached_property
    def repaired(self) -> Words:
        """Verbs of steps that can't be done again."""
        return self.add | self.fix | self.replace | self.change


@dataclass(frozen=True)
class Reasons:
    """What tells a reason."""

    marks: Words = NOTHING
    starts: Words = NOTHING
    """Words that a clause begins with that limits what is forbidden, and gives no reason."""
    states: Words = NOTHING
    """Words of a clause that says how something is: such a one before a prohibition is its reason."""
    hollow: Words = NOTHING
    """What is said beside a prohibition, and gives no reason."""
    prohibitions: Words = NOTHING

    @cached_property
    def without_content(self) -> Words:
        """What a clause may hold and still give no reason."""
        return self.hollow | self.prohibitions


@dataclass(frozen=True)
class Places:
    """What tells that a word is a name in the code."""

    kinds: Words = NOTHING
    not_names: Words = NOTHING
    absent: Words = NOTHING
    """Words of a line that may name a file which is not there: it is made, moved or deleted."""
    results: Words = NOTHING
    """What a command is said to have given."""


@dataclass(frozen=True)
class Code:
    """What code is named by, whatever the language around it."""

    extensions: Words = NOTHING
    names: Words = NOTHING
    folders: Words = NOTHING
    products: Words = NOTHING
    commands: Words = NOTHING
    """Programs that a command begins with."""
    command_words: Words = NOTHING
    """Programs whose names are plain words too."""
    checkers: Words = NOTHING
    """Programs that are a command by themselves: they check what is there."""
    subcommands: Words = NOTHING
    keywords: Words = NOTHING
    """Words that a piece of code begins with, and no command."""
    brands: Words = NOTHING


Lists = TypeVar("Lists", Verbs, Vague, Steps, Reasons, Places, Code)


def lists(kind: type[Lists], table: Mapping[str, Any]) -> Lists:
    """Return the lists of a table; a name that is none of them is a ValueError.

    Words are separated by blanks, phrases by `|`.
    """
    known = {field.name for field in fields(kind)}
    if unknown := table.keys() - known:
        raise ValueError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
    return kind(**{name: _split(value) for name, value in table.items()})


def _split(text: str) -> Words:
    if "|" not in text:
        return frozenset(text.split())
    return frozenset(" ".join(phrase.split()) for phrase in text.split("|")) - {""}


def has_han(text: str) -> bool:
    """Tell whether a text has Chinese characters."""
    return _HAN.search(text) is not None


def spoken(text: str) -> list[str]:
    """Return a text's words in lower case, numbers and marks of punctuation among them."""
    return [word.replace("’", "'").lower() for word in _WORD.findall(text)]


@lru_cache(maxsize=4096)
def stems(word: str) -> tuple[str, ...]:
    """Return what an English word may be a form of, itself first: `stopped` of `stop`, `stopp`, `stoppe`."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word[: -len(ending)]
            found = [word, stem, stem + "e"]
            if len(stem) > 2 and stem[-1] == stem[-2]:
                found.append(stem[:-1])
            if stem.endswith("i"):
                found.append(stem[:-1] + "y")
            if stem.endswith("ck"):
                found.append(stem[:-1])
            return tuple(found)
    return (word,)


@lru_cache(maxsize=128)
def _lengths(words: Words, spaced: bool) -> Mapping[str, tuple[int, ...]]:
    """Return how long the words are by their first character, or the phrases by their first word, longest first."""
    lengths: dict[str, set[int]] = {}
    for word in words:
        parts = word.split(" ") if spaced else word
        lengths.setdefault(parts[0], set()).add(len(parts))
    return {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}


def phrase_in(words: list[str], phrases: Words) -> str:
    """Return the first phrase that stands in a list of words, the longest where several begin at one; else empty."""
    return next((found for start in range(len(words)) if (found := phrase_at(words, start, phrases))), "")


def phrase_at(words: list[str], start: int, phrases: Words) -> str:
    """Return the longest phrase that begins at a place of a list of words; empty if there is none."""
    for length in _lengths(phrases, True).get(words[start], ()):
        if (candidate := " ".join(words[start : start + length])) in phrases:
            return candidate
    return ""


def longest_at(text: str, start: int, words: Words) -> str:
    """Return the longest word that stands at a place of a text; empty if there is none."""
    for length in _lengths(words, False).get(text[start : start + 1], ()):
        if (candidate := text[start : start + length]) in words:
            return candidate
    return ""


def first_in(text: str, words: Words) -> str:
    """Return the first of some words that stands anywhere in a text without blanks between words; else empty."""
    return next((found for start in range(len(text)) if (found := longest_at(text, start, words))), "")
