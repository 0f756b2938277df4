"""Open questions: list items that keep the agent from deciding alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from agentsup.core.memory.engram import Other
from agentsup.core.memory.labels import CONFIDENCE_WORDS, Confidence
from agentsup.core.memory.lines import lines
from agentsup.core.memory.model import Spot
from agentsup.core.memory.quoted import quoted

_BOX = re.compile(
    r"([ \t]*)(?:(?:[-*+•]|\d{1,4}[.)、．])[ \t]*)?[\[［【][ \t]*([xX✓✔√]?)[ \t]*[\]］】](?!\()[ \t]*(.*)", re.DOTALL
)
_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,4}[.)、．])(?:[ \t]+|(?<=[•、]))(?=\S)(.*)", re.DOTALL)
_RULE = re.compile(r"\s*([-*_])(?:[ \t]*\1){2,}\s*$")
_TAG = re.compile(r"[*_`]*[\[［【]([^\[\]［］【】]{1,24})[\]］】][*_`]*")
_BEHIND = re.compile(r"[\s?？!！.。,，;；]*(?:[(（][^()（）]{0,40}[)）])?[\s?？!！.。]*")
"""What may follow a tag that still stands at the end: punctuation, and one remark in brackets."""


@dataclass(frozen=True)
class Question:
    """One question; `spot` is where its text begins."""

    text: str
    done: bool = False
    confidence: Confidence | None = None
    """None without a known tag: counts as TENTATIVE."""
    indent: str = ""
    spot: Spot = field(default=Spot(), compare=False)


@dataclass(frozen=True)
class Questions:
    """A file of questions; lines that are none are kept where they stand, blank ones too."""

    questions: tuple[Question, ...] = ()
    others: tuple[Other, ...] = ()

    @property
    def open(self) -> tuple[Question, ...]:
        """Those without an answer."""
        return tuple(question for question in self.questions if not question.done)


def read_questions(text: str) -> Questions:
    """Return a file's questions: list items with a box, and at the margin also those without. Never raises."""
    rows = lines(text.lstrip("\ufeff"))
    questions: list[Question] = []
    others: list[Other] = []
    for (number, line), shown in zip(rows, quoted([row.text for row in rows]), strict=True):
        question = None if shown else _question(number, line)
        if question:
            questions.append(question)
        else:
            others.append(Other(len(questions), line, Spot(number)))
    return Questions(tuple(questions), tuple(others))


def _question(number: int, line: str) -> Question | None:
    """Return the question of a line; None of another line."""
    boxed = _BOX.match(line)
    if boxed:
        text, confidence = _untagged(boxed[3])
        return Question(text, bool(boxed[2]), confidence, boxed[1], Spot(number, boxed.start(3) + 1))
    item = None if _RULE.match(line) else _ITEM.match(line)
    if item is None or len(item[1].expandtabs(4)) > 1:
        return None
    text, confidence = _untagged(item[2])
    return Question(text, False, confidence, "", Spot(number, item.start(2) + 1))


def _untagged(text: str) -> tuple[str, Confidence | None]:
    """Return a text without its tag, which stands at the end, else at the beginning."""
    text = text.strip()
    found = list(_TAG.finditer(text))
    for tag in [*found[-1:], *found[:1]]:
        confidence = CONFIDENCE_WORDS.get(tag[1].strip().lower())
        behind = text[tag.end() :].strip()
        if confidence and (tag.start() == 0 or (len(behind) < 80 and _BEHIND.fullmatch(behind))):
            before = text[: tag.start()].rstrip()
            joined = "" if not before or not behind or behind[0] in "?？!！.。,，;；" else " "
            return f"{before}{joined}{behind}", confidence
    return text, None


def write_questions(questions: Questions) -> str:
    """Return the canonical form: `- [ ] text [TAG]`."""
    written: list[str] = []
    others = list(reversed(questions.others))
    for index, question in enumerate(questions.questions):
        while others and others[-1].before <= index:
            written.append(others.pop().text)
        text = " ".join(part for part in (piece.strip() for piece in re.split(r"[\r\n]", question.text)) if part)
        confidence = question.confidence
        if confidence is None:
            text, confidence = _untagged(text)
        tag = f"[{confidence}]" if confidence else ""
        written.append(" ".join([f"{question.indent}- [{'x' if question.done else ' '}]", *filter(None, (text, tag))]))
    written += [other.text for other in reversed(others)]
    return "".join(f"{line}\n" for line in written)
