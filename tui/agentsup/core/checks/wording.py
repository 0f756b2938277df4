"""What is wrong with the words of a line: vague, without a verb, a place, a reason or evidence, two steps in one.

One function over all rules, `faults`; the checks of each file give its codes a place and a severity. Both languages are
asked at once, and the line decides: a Chinese line may stand in an English file, and name English things.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agentsup.core.checks.evidence import commands, has_evidence, names_command
from agentsup.core.checks.names import Name, kind_of, masked, named
from agentsup.core.checks.places import has_place
from agentsup.core.checks.reasons import has_reason
from agentsup.core.checks.steps import StepWords, is_atomic, repair_of, rewritten
from agentsup.core.checks.vagueness import is_vague
from agentsup.core.checks.verbs import starts_with_verb
from agentsup.core.checks.word_lists import (
    NOTHING,
    Code,
    Places,
    Reasons,
    Steps,
    Vague,
    Verbs,
    first_in,
    has_han,
    lists,
    phrase_in,
    spoken,
)
from agentsup.core.memory.model import Language

LineKind = Literal["task", "progress", "pending", "taboo", "completed", "next", "note"]
Fault = Literal["vague", "no-verb", "no-place", "no-reason", "no-evidence", "not-atomic", "not-idempotent"]

MOST = 1000
"""Characters of a line that are judged: what a line says, it says at its beginning."""


@dataclass(frozen=True)
class Wording:
    """The words of one language, and those of code, which are the same in each."""

    verbs: Verbs
    vague: Vague
    steps: Steps
    reasons: Reasons
    places: Places
    code: Code
    rewrites: Mapping[str, str]
    """How a step is said so that it can be done again, by its repair; {what} is what it is about."""


def read_wording(tables: Mapping[str, Any], code: Code) -> Wording:
    """Return a language's words as they are read from data; a list that nothing uses is a ValueError."""
    return Wording(
        lists(Verbs, tables["verbs"]), lists(Vague, tables["vague"]), lists(Steps, tables["steps"]),
        lists(Reasons, tables["reasons"]), lists(Places, tables["places"]), code, tables["rewrites"],
    )  # fmt: skip


Wordings = Mapping[Language, Wording]


@dataclass(frozen=True)
class Line:
    """A line that is judged: as written, what it names, and its words with a mark in place of each name."""

    text: str
    names: tuple[Name, ...]
    words: str


def read_line(text: str, wordings: Wordings) -> Line:
    """Return a line as the rules need it."""
    cut = text[:MOST]
    names = named(cut, wordings["en"].code)
    return Line(cut, names, masked(cut, names))


def is_path(name: Name, wordings: Wordings) -> bool:
    """Tell whether what a line names is a file or folder, in backticks or not."""
    in_backticks = name.kind == "code" and " " not in name.text
    return name.kind == "path" or (in_backticks and kind_of(name.text, wordings["en"].code) == "path")


def faults(kind: LineKind, text: str, wordings: Wordings) -> tuple[Fault, ...]:
    """Return what is wrong with a line of a kind, each once, the gravest first."""
    line = read_line(text, wordings)
    return tuple(fault for fault in _RULES[kind] if _has(fault, kind, line, wordings))


_RULES: Mapping[LineKind, tuple[Fault, ...]] = {
    "task": ("vague",),
    "progress": ("no-verb", "vague"),
    "pending": ("vague", "no-place"),
    "taboo": ("no-reason",),
    "completed": ("no-evidence", "vague"),
    "note": ("vague",),
    "next": ("vague", "no-place", "not-atomic", "not-idempotent"),
}


def _has(fault: Fault, kind: LineKind, line: Line, wordings: Wordings) -> bool:
    english, chinese = wordings["en"], wordings["zh"]
    match fault:
        case "vague":
            of_english, of_chinese = (english.verbs, english.vague), (chinese.verbs, chinese.vague)
            return is_vague(
                line.words,
                _weight(line.names) + (kind in ("next", "pending") and _says_command(line, english)),
                of_english,
                of_chinese,
                lenient=kind in ("completed", "note"),
                changes=kind != "next",
            )
        case "no-verb":
            return not starts_with_verb(line.words, english.verbs, chinese.verbs)
        case "no-place":
            return not has_place(line.text, line.names, english.places, chinese.places, english.code)
        case "no-reason":
            return not has_reason(line.words, english.reasons, chinese.reasons)
        case "no-evidence":
            return not has_evidence(
                line.text, line.names, english.code, (english.places.results, chinese.places.results)
            )
        case "not-atomic":
            return not is_atomic(line.words, _step_words(wordings))
        case "not-idempotent":
            return repair_of(line.words, _step_words(wordings)) is not None


def is_one_step(text: str, wordings: Wordings) -> bool:
    """Tell whether a step or a criterion is one and not two."""
    return is_atomic(read_line(text, wordings).words, _step_words(wordings))


def said_anew(text: str, wordings: Wordings) -> str:
    """Return a step said so that it can be done twice, in its own language; empty where it can already."""
    line, words = read_line(text, wordings), _step_words(wordings)
    repair = repair_of(line.words, words)
    templates = wordings["zh" if has_han(line.text) else "en"].rewrites
    if repair == "fix" and (found := commands(line.names, wordings["en"].code)):
        return templates["run"].replace("{command}", f"`{found[0]}`")
    return rewritten(line.text, repair, words, templates) if repair else ""


def is_too_coarse(line: Line, wordings: Wordings) -> bool:
    """Tell whether a step is a whole module or more, by its words."""
    if phrase_in(spoken(line.words), wordings["en"].steps.grains):
        return True
    return has_han(line.words) and bool(first_in("".join(line.words.split()), wordings["zh"].steps.grains))


def _step_words(wordings: Wordings) -> StepWords:
    english, chinese = wordings["en"], wordings["zh"]
    return StepWords(english.steps, chinese.steps, english.verbs, chinese.verbs)


def _says_command(line: Line, english: Wording) -> bool:
    """Tell whether a line names a command without backticks: `Run npm test until it passes` says what to do."""
    code = english.code
    if names_command(line.text, code, (NOTHING, NOTHING)):
        return True
    return any(word in code.checkers for word in spoken(line.words))


def _weight(names: tuple[Name, ...]) -> int:
    """Return how many things a line names that tell what it is about: a commit says nothing of that."""
    return sum(name.kind != "commit" for name in names)
