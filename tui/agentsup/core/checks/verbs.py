"""Tell whether a line begins with a verb, in English and in Chinese: word lists and endings, no grammar."""

from __future__ import annotations

import re

from agentsup.core.checks.word_lists import NOTHING, Verbs, Words, has_han, longest_at, spoken, stems

_LEAD = re.compile(r"^(?:[\s>*_~#+✅✔☑✓√·•-]|\[[ xX]\])+")
_TOPIC = re.compile(r"^(?:\ufffc|[\w./-]{1,30}(?:\([^()]{0,30}\))?!?)\s*[:：]\s*")
_CLAUSE = re.compile(r"[，。；：！？、,;:!?（(—]")
_HAN_TEXT = re.compile(r"[\u3400-\u9fff]")
_PLACE_ENDS = "里中内上下时后前间外处"
_PREFIX = re.compile(r"(?:re|un|de|dis|pre|mis|over|out|auto|co|sub|back|cross|double|hard|soft)-?(?=[a-z]{3})")
_NOUN_ENDINGS = ("ing", "tion", "sion", "ment")
MARK = "\ufffc"
"""Stands for a thing named (`names.masked`)."""


def starts_with_verb(text: str, english: Verbs, chinese: Verbs) -> bool:
    """Tell whether a line begins with a verb; `text` is masked. The line decides which language's rules hold."""
    bare = _LEAD.sub("", text).lstrip()
    topic = _TOPIC.match(bare)
    for candidate in (bare, bare[topic.end() :]) if topic else (bare,):
        if _HAN_TEXT.match(candidate) and _chinese(candidate, chinese):
            return True
        if not _HAN_TEXT.match(candidate) and _english(candidate, english):
            return True
        if has_han(candidate) and _after_a_place(candidate, chinese):
            return True
    return False


def _english(text: str, verbs: Verbs) -> bool:
    words = spoken(text)[:12]
    while len(words) > 1 and (words[0] in verbs.before or (words[0].endswith("ly") and words[0] not in verbs.all)):
        words = words[1:]
    return bool(words) and is_verb(words[0], words[1:], verbs)


def is_verb(word: str, following: list[str], verbs: Verbs) -> bool:
    """Tell whether an English word is used as a verb before the words that follow."""
    if word in verbs.adjectives:
        return bool(following) and following[0] in verbs.determiners
    if following[:1] == ["of"] and word not in ("dispose", "rid"):
        return False
    if word in verbs.past:
        return True
    forms = stems(word)
    if word.endswith("ed") and len(word) > 4:
        return True
    nounish = any(form in verbs.nounish for form in forms)
    if word.endswith("ing") and any(form in verbs.all for form in forms[1:]):
        return not _is_noun_before(following, forms, verbs, gerund=True, heads=verbs.heads if nounish else NOTHING)
    if word in verbs.rarely_nouns:
        return not _is_noun_before(following, forms, verbs, gerund=False, heads=NOTHING)
    if nounish:
        return not _is_noun_before(following, forms, verbs, gerund=False, heads=verbs.heads)
    if word in verbs.plain or _is_made_verb(word, verbs):
        return True
    return any(form in verbs.plain for form in forms) and not (following and following[0] in verbs.noun_after)


def _is_made_verb(word: str, verbs: Verbs) -> bool:
    """Tell whether a word is made a verb by what it begins or ends with: `unpin`, `re-sign`, `modernise`."""
    if len(word) > 5 and word.endswith(("ify", "ise", "ize")) and word not in verbs.adjectives:
        return True
    match = _PREFIX.match(word)
    return match is not None and word[match.end() :] in verbs.plain


def _is_noun_before(following: list[str], forms: tuple[str, ...], verbs: Verbs, *, gerund: bool, heads: Words) -> bool:
    """Tell whether what follows makes a noun of a word that can be both; `heads` are nouns that join with it."""
    if not following:
        return not gerund
    after = following[0]
    if f"{forms[0]} {after}" in verbs.pairs:
        return False
    if after in ("and", "or") and len(following) > 1 and following[1] in verbs.all:
        return False
    if has_han(after) or after == MARK or after in verbs.determiners or after[0].isdigit():
        return False
    if after == "to":
        return not gerund and not any(form in verbs.motion for form in forms)
    if gerund and after in ("on", "with", "in", "from", "at", "as", "against", "under", "through"):
        return False
    if after in verbs.noun_after or after in heads:
        return True
    if not after[0].isalpha():
        return after in ":,;.—–()" and not gerund
    return bool(heads) and (
        after.endswith(_NOUN_ENDINGS) or (len(following) > 1 and following[1] in verbs.strong_heads)
    )


def _chinese(text: str, verbs: Verbs) -> bool:
    text = "".join(text.split())
    start = 0
    for _ in range(4):
        noun = longest_at(text, start, verbs.not_openers)
        verb = longest_at(text, start, verbs.all)
        if verb and len(verb) >= len(noun):
            return _is_chinese_verb(verb, text[start + len(verb) :], verbs)
        if _single_verb(text, start, verbs):
            return True
        if noun:
            return False
        if opener := longest_at(text, start, verbs.openers):
            return _has_verb(text[start + len(opener) :], verbs)
        adverb = longest_at(text, start, verbs.before)
        if not adverb:
            break
        start += len(adverb)
    return "了" in text[start + 1 : start + 4]


def _after_a_place(text: str, verbs: Verbs) -> bool:
    """Tell whether a verb follows at once on where or when: `lexer.rs 里补上了…`."""
    clause = _CLAUSE.split("".join(text.split()), maxsplit=1)[0]
    return any(
        char in _PLACE_ENDS and start and clause[start + 1 :] and _chinese(clause[start + 1 :], verbs)
        for start, char in enumerate(clause[:-1])
    )


def _is_chinese_verb(verb: str, rest: str, verbs: Verbs) -> bool:
    """Tell whether a word that can be a noun is a verb here, by what follows."""
    if longest_at(rest, 0, verbs.strong_heads):
        return False
    if verb not in verbs.nounish or not rest:
        return bool(rest) or verb not in verbs.nounish
    if rest[0] in verbs.aspects or not _HAN_TEXT.match(rest[0]):
        return rest[0] not in "：:，,。（(-—、/+"
    if longest_at(rest, 0, verbs.heads):
        return False
    if "了" in rest or _CLAUSE.search(rest):
        return True
    return not any(rest.endswith(head) for head in verbs.heads if len(head) > 1)


def _single_verb(text: str, start: int, verbs: Verbs) -> bool:
    """Tell whether a verb of one character stands there: what follows completes it, or is code or a number."""
    if text[start : start + 1] not in verbs.single:
        return False
    rest = text[start + 1 : start + 3]
    return bool(rest) and (not _HAN_TEXT.match(rest[0]) or longest_at(rest, 0, verbs.complements) != "")


def _has_verb(text: str, verbs: Verbs) -> bool:
    """Tell whether there is a verb anywhere in a text."""
    for start in range(len(text)):
        if longest_at(text, start, verbs.all) or _single_verb(text, start, verbs):
            return True
        if text[start] == "了":
            return True
    return False
