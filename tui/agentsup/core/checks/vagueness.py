"""Tell whether a line says anything: empty phrases, and how much is left without the words that fit every project."""

from __future__ import annotations

from dataclasses import dataclass

from agentsup.core.checks.verbs import MARK
from agentsup.core.checks.word_lists import Vague, Verbs, Words, first_in, has_han, longest_at, phrase_in, spoken, stems

ENOUGH = 2
"""What a line has to hold: a name in the code counts two, every further one and each other word one."""
PLENTY = 4
"""What a line holds that says enough beside an empty phrase."""


@dataclass(frozen=True)
class Held:
    """What the words of a line say: how many say something, and of what sort the first verb is."""

    words: int = 0
    numbers: int = 0
    weak: bool = False
    changing: bool = False


def is_vague(
    text: str, names: int, english: tuple[Verbs, Vague], chinese: tuple[Verbs, Vague], *, lenient: bool, changes: bool
) -> bool:
    """Tell whether a line says nothing that can be acted on; `text` is masked, `names` counts what it names.

    `lenient` is for a line that shows evidence: what it says is looked up there, so that anything is enough.
    `changes`: whether "refactor x.py" says too little; of a step to come that is found for another reason.
    """
    words = spoken(text)
    held = _english(words, *english)
    if has_han(text):
        more = _chinese(text, *chinese)
        held = Held(held.words + more.words, held.numbers, held.weak or more.weak, held.changing or more.changing)
    said = held.words + min(held.numbers, 2)
    if said + names < PLENTY and has_empty_phrase(text, words, english[1], chinese[1]):
        return True
    if lenient:
        return said + names == 0
    if held.changing and said == 0 and names <= 1 and (changes or not names):
        return True
    if names and not held.weak:
        return False  # a name and what happened to it: short, and not vague
    return said + names + bool(names) - held.weak < ENOUGH


def has_empty_phrase(text: str, words: list[str], english: Vague, chinese: Vague) -> bool:
    """Tell whether a line holds a phrase that is empty wherever it stands."""
    if phrase_in(words, english.phrases) or _some_things(words, english):
        return True
    if not has_han(text):
        return False
    joined = "".join(text.split())
    return bool(first_in(joined, chinese.phrases)) or _chinese_things(joined, chinese)


def _some_things(words: list[str], vague: Vague) -> bool:
    """Tell whether something uncounted is done to something unnamed: "various small issues"."""
    for index, word in enumerate(words):
        if word in vague.quantities:
            after = [w for w in words[index + 1 : index + 4] if w not in ("of", "the", "a", "other")]
            if any(form in vague.nouns for form in stems(after[0] if after else "")):
                return True
            if len(after) > 1 and after[0] in vague.empty and any(form in vague.nouns for form in stems(after[1])):
                return True
    return False


def _chinese_things(text: str, vague: Vague) -> bool:
    for start in range(len(text)):
        quantity = longest_at(text, start, vague.quantities)
        if quantity:
            after = start + len(quantity)
            after += text[after : after + 1] in ("的", "了", "小", "大")
            if longest_at(text, after, vague.nouns):
                return True
    return False


def _english(words: list[str], verbs: Verbs, vague: Vague) -> Held:
    """Return what English words say; the first that is not empty may be a verb that says nothing itself."""
    held = numbers = 0
    first = weak = changing = False
    for word in words:
        if word[0].isdigit():
            numbers += 1
        elif word[0].isalpha() and word.isascii():
            is_weak, is_changing = _is_in(word, verbs.weak), _is_in(word, verbs.changing)
            if not first and (is_weak or is_changing):
                weak, changing = is_weak, is_changing
            says = not (is_weak or is_changing or _is_in(word, verbs.neutral) or _is_in(word, vague.empty))
            held += says
            first = first or says or is_weak or is_changing
    return Held(held, numbers, weak, changing)


def _is_in(word: str, words: Words) -> bool:
    return any(form in words for form in stems(word))


def _chinese(text: str, verbs: Verbs, vague: Vague) -> Held:
    """Return what the Chinese part of a line says; two characters that no list knows count as a word."""
    text = "".join(text.split())
    held = unknown = start = 0
    first = weak = changing = False
    lists = (verbs.weak, verbs.changing, verbs.neutral, vague.empty)
    while start < len(text):
        word = max((longest_at(text, start, words) for words in lists), key=len) if has_han(text[start]) else ""
        if word:
            if not first and (word in verbs.weak or word in verbs.changing):
                first, weak, changing = True, word in verbs.weak, word in verbs.changing
        elif has_han(text[start]):
            unknown, first, start = unknown + 1, True, start + 1
            continue
        else:
            first = first or text[start].isalnum() or text[start] == MARK
        held, unknown, start = held + (unknown + 1) // 2, 0, start + (len(word) or 1)
    return Held(held + (unknown + 1) // 2, 0, weak, changing)
