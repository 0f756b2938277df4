"""Tell whether a step is one, whether it can be done again, and how to say it so that it can."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from agentsup.core.checks.verbs import MARK, is_verb
from agentsup.core.checks.word_lists import Steps, Verbs, first_in, has_han, longest_at, phrase_in, spoken, stems

Repair = Literal["add", "fix", "replace", "change"]
"""What a step does a second time when it is done again."""

_REPAIRS: tuple[Repair, ...] = ("add", "fix", "replace", "change")
_PREPOSITIONS = frozenset(["of", "in", "on", "at", "for", "from", "with", "by", "to", "into", "and", "or"])
_BETWEEN_HAN = re.compile(r"(?<=[\u3400-\u9fff，]) (?=[\u3400-\u9fff，])")
_GOES_TO = re.compile(r"(\S.{0,300}?) (?:to|into) (\S.{0,300})$")
_BY = re.compile(r" by \S.{0,40}$")
_LISTED = re.compile(r"^(?:[\s>*_~#+•-]|\[[ xX]\]|\d{1,3}[.)、])+")


@dataclass(frozen=True)
class StepWords:
    """The words of both languages that judge a step."""

    english: Steps
    chinese: Steps
    english_verbs: Verbs
    chinese_verbs: Verbs


def is_atomic(text: str, words: StepWords) -> bool:
    """Tell whether a step is one and not two; `text` is masked."""
    return not (_english_joined(spoken(text), words) or (has_han(text) and _chinese_joined(text, words.chinese)))


def _english_joined(spoken_words: list[str], words: StepWords) -> bool:
    steps, verbs = words.english, words.english_verbs
    conditional = bool(spoken_words) and spoken_words[0] in steps.conditional
    found = phrase_in(spoken_words, steps.joiners)
    if found and not (conditional and found == "then"):
        return True
    for index, word in enumerate(spoken_words[1:], 1):
        if " ".join(spoken_words[index - 1 : index + 2]) in steps.pairs:
            continue
        if word in steps.joins_before_verb and _is_step(spoken_words[index + 1 :], spoken_words[index - 1], words):
            return True
        if word == ";" and is_imperative(spoken_words[index + 1 :], verbs):
            return True
        if word == "and" and _two_clauses(spoken_words[:index], spoken_words[index + 1 :], words):
            return True
    return False


def _two_clauses(before: list[str], after: list[str], words: StepWords) -> bool:
    """Tell whether "and" joins two sentences: "a seat can't be picked and the basket shows the total"."""
    determined = bool(after) and after[0] in words.english_verbs.articles
    if not determined and after[:1] != [MARK]:
        return False
    start = 2 if determined else 1
    return any(_is_finite(word, words) for word in before) and any(
        _is_finite(word, words) for word in _until_mark(after[start : start + 3])
    )


def _until_mark(words: list[str]) -> list[str]:
    """Return the words before a preposition, a mark or another "and": what comes then is no verb of this subject."""
    stop = next((i for i, word in enumerate(words) if word in _PREPOSITIONS or not word[0].isalpha()), len(words))
    return words[:stop]


def _is_finite(word: str, words: StepWords) -> bool:
    """Tell whether a word is a verb that has a subject: `shows`, `is`, `can't`."""
    if word in words.english_verbs.auxiliaries:
        return True
    return word.endswith("s") and any(form in words.english_verbs.all for form in stems(word)[1:])


def _is_step(words: list[str], previous: str, step_words: StepWords) -> bool:
    """Tell whether words after a joiner begin a step: an imperative, and not the second of two nouns or verbs."""
    verbs = step_words.english_verbs
    if not words or (previous in verbs.all and previous not in verbs.nounish):
        return False
    if previous in verbs.nounish and words[0] in verbs.plain:
        return len(words) > 1 and (words[1] in verbs.determiners or words[1] == MARK)
    if words[0] in verbs.nounish:
        return len(words) > 1 and (words[1] in verbs.determiners or words[1] == MARK)
    return words[0] in verbs.plain


def is_imperative(words: list[str], verbs: Verbs) -> bool:
    """Tell whether words begin with a verb in its base form."""
    return bool(words) and words[0] in verbs.all and is_verb(words[0], words[1:], verbs)


def _chinese_joined(text: str, steps: Steps) -> bool:
    joined = "".join(text.split())
    if first_in(joined, steps.joiners):
        return True
    for start in range(1, len(joined)):
        joiner = longest_at(joined, start, steps.joins_before_verb)
        if joiner and longest_at(joined, start + len(joiner), steps.actions):
            return True
    return False


def repair_of(text: str, words: StepWords) -> Repair | None:
    """Return in what way a step can't be done twice; None where it can. `text` is masked."""
    bare = _LISTED.sub("", text).strip()
    said = spoken(bare)
    if phrase_in(said, words.english.conditions) or (said and said[0] in words.english.conditional):
        return None
    if has_han(bare):
        if first_in("".join(bare.split()), words.chinese.conditions):
            return None
        if not bare[0].isascii():
            found = _chinese(bare, words)
            return found.repair if found else None
    return _english_repair(said, words)


def _english_repair(said: list[str], words: StepWords) -> Repair | None:
    verbs, steps = words.english_verbs, words.english
    while said and (said[0] in verbs.before or said[0] == "please"):
        said = said[1:]
    if not is_imperative(said, verbs):
        return None
    repair = _listed(said[0], steps)
    return None if repair == "change" and steps.to & set(said) else repair


def _listed(verb: str, steps: Steps) -> Repair | None:
    forms = stems(verb)
    for repair in _REPAIRS:
        listed = {"add": steps.add, "fix": steps.fix, "replace": steps.replace, "change": steps.change}[repair]
        if any(form in listed for form in forms):
            return repair
    return None


class _Found(NamedTuple):
    """A Chinese step's verb: what it is done to stands before it behind an opener such as 把, else behind it."""

    repair: Repair
    before: str
    opener: str
    behind: str


def _chinese(text: str, words: StepWords) -> _Found | None:
    """Return the verb of a step that can't be done twice; None where there is none."""
    steps, verbs = words.chinese, words.chinese_verbs
    verb = _verb_at(text, 0, words)
    if verb:
        repair = _repair_at(text, len(verb), verb, steps)
        return _Found(repair, "", "", _behind(text, len(verb))) if repair else None
    opener = longest_at(text, 0, steps.openers)
    if not opener or longest_at(text, 0, verbs.not_openers):
        return None
    for start in range(len(opener), len(text)):
        verb = _verb_at(text, start, words) if text[start - 1] != "的" else ""
        if verb and (repair := _repair_at(text, start + len(verb), verb, steps)):
            before = text[len(opener) : start].removesuffix("进行").removesuffix("做")
            return _Found(repair, before, opener, _behind(text, start + len(verb)))
    return _Found("change", text[len(opener) :], opener, "") if first_in(text, steps.relative) else None


def _behind(text: str, end: int) -> str:
    return text[end:].removeprefix("了").removeprefix("一下")


def _verb_at(text: str, start: int, words: StepWords) -> str:
    """Return the verb that stands at a place; empty where there is none, or it is part of a noun."""
    verbs = words.chinese_verbs
    verb = max(longest_at(text, start, verbs.all), longest_at(text, start, words.chinese.repaired), key=len)
    of_noun = len(longest_at(text, start, verbs.not_openers)) > len(verb)
    return "" if of_noun or text[start + len(verb) :].lstrip().startswith("的") else verb


def _repair_at(text: str, end: int, verb: str, steps: Steps) -> Repair | None:
    repair = _listed(verb, steps)
    to_value = (repair == "change" or len(verb) == 1) and longest_at(text, end, steps.to)
    return None if to_value else repair


def rewritten(text: str, repair: Repair, words: StepWords, templates: Mapping[str, str]) -> str:
    """Return a step said so that it can be done again; `text` as written, `templates` in its language."""
    bare = _LISTED.sub("", text).strip().rstrip(".。")
    what, where = (_chinese_parts if has_han(text) else _english_parts)(bare, words)
    template = templates["add-to" if repair == "add" and where else repair]
    said = template.replace("{what}", what.strip() or bare).replace("{where}", where.strip())
    return _BETWEEN_HAN.sub("", said)


def _chinese_parts(text: str, words: StepWords) -> tuple[str, str]:
    """Return what a step is about, and where it goes if the step says so."""
    found = _chinese(text, words)
    if found is None:
        return text, ""
    if found.repair == "add" and found.opener not in ("把", "将", ""):
        return found.behind.strip("一个"), found.before
    return found.before or found.behind, ""


def _english_parts(text: str, words: StepWords) -> tuple[str, str]:
    verb, _, what = text.partition(" ")
    while what and (verb.lower() in words.english_verbs.before or verb.lower() == "please"):
        verb, _, what = what.partition(" ")
    if match := _GOES_TO.match(what):
        return match[1], match[2]
    return _BY.sub("", what), ""
