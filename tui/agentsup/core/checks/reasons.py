"""Tell whether a line that forbids something says why."""

from __future__ import annotations

import re

from agentsup.core.checks.verbs import MARK
from agentsup.core.checks.word_lists import Reasons, Words, first_in, has_han, longest_at, phrase_at, phrase_in, spoken

_PARTS = re.compile(r"[，。；：！？—–…,;:!?()（）\[\]【】]|\.(?=\s|$)|(?<=\s)-{1,2}(?=\s)|->|=>|→|⇒")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LISTING = frozenset(("or", "nor", "and", "&", "/"))
_ENOUGH_WORDS, _ENOUGH_CHARACTERS = 2, 3
"""What a clause has to hold to be a reason."""


def has_reason(text: str, english: Reasons, chinese: Reasons) -> bool:
    """Tell whether a taboo says why; `text` is masked.

    A reason is marked by its word ("because", 否则), or it is a clause of its own beside the one that forbids, which
    neither forbids anything itself nor only stresses what was said.
    """
    parts = [part for part in (part.strip() for part in _PARTS.split(text)) if part]
    if any(_is_marked(part, english, chinese, first=not index) for index, part in enumerate(parts)):
        return True
    forbidding = next((index for index, part in enumerate(parts) if _forbids(part, english, chinese)), -1)
    if forbidding >= 0 and not _content(parts[forbidding], english, chinese) and MARK not in parts[forbidding]:
        # "Do not, under any circumstances, change it": what is forbidden stands in a later part.
        while forbidding + 1 < len(parts) and not _content(parts[forbidding + 1], english, chinese):
            del parts[forbidding + 1]
        del parts[forbidding + 1 : forbidding + 2]
    return any(
        _gives(part, english, chinese, before=index < forbidding, alone=forbidding < 0)
        for index, part in enumerate(parts)
        if index != forbidding and (index or forbidding > 0)
    )


def _is_marked(part: str, english: Reasons, chinese: Reasons, *, first: bool) -> bool:
    """Tell whether a clause has a word of reason; "as it is" at its end is none, and 避免 at the beginning forbids."""
    words = spoken(part)
    for length in range(4, 1, -1):
        if " ".join(words[-length:]) in english.hollow:
            words = words[:-length]
    if phrase_in(words, english.marks):
        return True
    joined = "".join(part.split()) if has_han(part) else ""
    return any(
        (mark := longest_at(joined, start, chinese.marks)) and (start or not first or mark not in chinese.prohibitions)
        for start in range(len(joined))
    )


def _gives(part: str, english: Reasons, chinese: Reasons, *, before: bool, alone: bool) -> bool:
    """Tell whether a clause gives a reason: `before` the one that forbids, or `alone`, where none does."""
    words = spoken(part)
    joined = "".join(part.split())
    if words[0] in english.starts or longest_at(joined, 0, chinese.starts):
        return False
    if phrase_in(words[:3], english.prohibitions) or longest_at(joined, 0, chinese.prohibitions):
        return False
    if before and not (english.states & set(words) or first_in(joined, chinese.states)):
        return False
    if len(words) < 6 and _LISTING & set(words):
        return False
    content = _content(part, english, chinese)
    return content >= (1 if alone and not has_han(part) else _ENOUGH_WORDS)


def _forbids(part: str, english: Reasons, chinese: Reasons) -> bool:
    return bool(phrase_in(spoken(part), english.prohibitions) or first_in("".join(part.split()), chinese.prohibitions))


def _content(part: str, english: Reasons, chinese: Reasons) -> int:
    """Return how many words of a clause say something; two Chinese characters are one word."""
    if has_han(part):
        return _chinese_content("".join(part.split()), chinese.without_content)
    words = spoken(part)
    start = held = 0
    while start < len(words):
        said = phrase_at(words, start, english.without_content)
        held += not said and words[start][0].isalnum()
        start += len(said.split()) or 1
    return held


def _chinese_content(text: str, hollow: Words) -> int:
    start = characters = words = 0
    while start < len(text):
        if length := len(longest_at(text, start, hollow)):
            start += length
            continue
        characters += bool(_HAN.match(text[start]))
        words += _begins_word(text, start)
        start += 1
    return words + (characters // 2 if characters >= _ENOUGH_CHARACTERS else 0)


def _begins_word(text: str, start: int) -> bool:
    before = text[start - 1] if start else " "
    return text[start].isascii() and text[start].isalnum() and not (before.isascii() and before.isalnum())
