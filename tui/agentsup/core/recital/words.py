"""Cut a sentence of English, Chinese or both into what it is about: stems, pieces of names, words of one meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from agentsup.core.checks.word_lists import Words, has_han, longest_at
from agentsup.core.recital.denial import DenialWords

_ENDING = re.compile(
    r"\.(?:py|pyi|js|jsx|ts|tsx|vue|go|rs|c|h|cc|cpp|hpp|java|kt|swift|rb|php|sql|sh|md|toml|ya?ml|json|scss|css|html"
    r"|csv|txt|lock)\b"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PIECE = re.compile(r"[A-Za-z]+|\d+|[\u3400-\u4dbf\u4e00-\u9fff]+")
_LETTERS = re.compile(r"[A-Za-z]")
_SUFFIXES = (
    "isons", "ison", "ations", "ation", "ments", "ment", "ings", "ing", "ions", "ion", "ers", "er", "ors", "or",
    "ed", "es", "s", "ly",
)  # fmt: skip
_LEAST_STEM = 3

HEAVY, LIGHT = 1.0, 0.35
"""What a word counts that tells what a line is about, and one that any work has."""


@dataclass(frozen=True, eq=False)
class RecitalWords:
    """The words of both languages by which a read-back is compared, as they are read from data."""

    empty: Words = frozenset()
    """Words that say nothing of what a line is about, Chinese ones among them."""
    light: Words = frozenset()
    """Stems and words of one meaning that any work has."""
    doing: Words = frozenset()
    """Those of them that say what is done."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """By word (Chinese) or stem (English): the name of what it means, the same for all that mean it."""
    strong_next: Words = frozenset()
    """What begins the sentence about the next step."""
    weak_next: Words = frozenset()
    """What does so where nothing stronger stands."""
    denials: DenialWords = field(default_factory=DenialWords)
    """What says that a step is not taken."""
    negations: Words = frozenset()
    """What makes a clause say that nothing forbidden is done in it."""
    not_negations: Words = frozenset()
    """What looks like one and is none."""
    exclusions: Words = frozenset()
    """Leave out only what follows."""
    pointers: Words = frozenset()
    """What points at something said before."""
    looks: Words = frozenset()
    """What is done with a thing without changing it."""
    forbids: Words = frozenset()
    """What makes a taboo of a line, and is not what it forbids."""
    reasons: Words = frozenset()
    """What a taboo's reason begins with."""

    @cached_property
    def chinese(self) -> Words:
        """The Chinese words that are known, whatever they mean."""
        return frozenset(word for word in (*self.meanings, *self.empty) if has_han(word))


def read_recital_words(table: Mapping[str, Any]) -> RecitalWords:
    """Return the words as they are read from data."""
    meanings = {}
    for group in table["same"].split("|"):
        words = group.split()
        for word in words:
            meanings[word if has_han(word) else stem(word)] = words[0]
    phrases = {
        name: _phrases(table[name])
        for name in (
            "strong_next", "weak_next", "negations", "not_negations", "exclusions", "pointers", "looks", "forbids",
            "reasons",
        )
    }  # fmt: skip
    doing, others = (
        frozenset(meanings.get(word if has_han(word) else stem(word), stem(word)) for word in table[name].split())
        for name in ("doing", "light")
    )
    denials = DenialWords(**{name: _phrases(text) for name, text in table["denials"].items()})
    empty = frozenset(table["empty"].split())
    return RecitalWords(empty, doing | others, doing, meanings, denials=denials, **phrases)


def _phrases(text: str) -> Words:
    return frozenset(" ".join(phrase.split()) for phrase in text.split("|")) - {""}


def stem(word: str) -> str:
    """Return what the forms of an English word have in common: `migr` of migrate, migrating, migration."""
    if word.endswith("ility"):
        word = f"{word[:-5]}le"
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _LEAST_STEM and not word.endswith("ss"):
            word = word[: -len(suffix)]
            break
    if word.endswith("i"):
        word = f"{word[:-1]}y"
    if len(word) > _LEAST_STEM and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    if word.endswith("e") and len(word) > _LEAST_STEM:
        word = word[:-1]
    return word[:-2] if word.endswith("at") and len(word) > _LEAST_STEM + 2 else word


def speaks_chinese(text: str, words: RecitalWords) -> bool:
    """Tell whether what a text says is Chinese, at least in part; words that say nothing are of no language."""
    if not _LETTERS.search(text):
        return has_han(text)
    left = start = 0
    while start < len(text):
        word = longest_at(text, start, words.empty)
        left += has_han(text[start]) and not word
        start += len(word) or 1
    return left > 0


def tokens(text: str, words: RecitalWords) -> dict[str, float]:
    """Return what a text is about, with what each counts."""
    return dict(_tokens(text, words))


@lru_cache(maxsize=1024)  # each line is compared with what is said, and with every other one
def _tokens(text: str, words: RecitalWords) -> Mapping[str, float]:
    found: dict[str, float] = {}
    # File endings say nothing, and `Ledger.close` is two words.
    for match in _PIECE.finditer(_HUMP.sub(" ", _ENDING.sub(" ", text))):
        piece = match[0]
        for token in _chinese(piece, words) if has_han(piece) else _english(piece.lower(), words):
            found.setdefault(token, LIGHT if token in words.light else HEAVY)
    return found


def _english(word: str, words: RecitalWords) -> Iterator[str]:
    if word in words.empty or (len(word) == 1 and not word.isdigit()):
        return
    root = stem(word)
    yield words.meanings.get(root, root)


def _chinese(text: str, words: RecitalWords) -> Iterator[str]:
    """Yield the words that are known, and of what lies between them every two characters."""
    start = between = 0
    while start < len(text):
        word = longest_at(text, start, words.chinese)
        if not word:
            start += 1
            continue
        yield from _pairs(text[between:start])
        if word in words.meanings:
            yield words.meanings[word]
        start = between = start + len(word)
    yield from _pairs(text[between:])


def _pairs(text: str) -> Iterator[str]:
    if len(text) == 1:
        yield text
    yield from (text[start : start + 2] for start in range(len(text) - 1))


def weight(text: str, words: RecitalWords) -> float:
    """Return what a text's words count together."""
    return sum(tokens(text, words).values())
