"""The engram: a block of bracket tags, one item a line. The anchor that is never summarised."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentsup.core.memory.labels import TAG_LABELS, TAGS, Tag, label_language
from agentsup.core.memory.lines import lines, tagged
from agentsup.core.memory.model import Language, Spot

REQUIRED: tuple[Tag, ...] = ("task", "progress", "pending", "taboo")
MOST_ITEMS = 8
MOST_WORDS = 200
MOST_CHARACTERS = 4_000
"""Of the whole text: what is no word counts too."""


@dataclass(frozen=True)
class EngramItem:
    """One line of an engram; `spot` is where its text begins."""

    tag: Tag
    text: str
    spot: Spot = field(default=Spot(), compare=False)


@dataclass(frozen=True)
class Other:
    """A line that is no item: kept where it stands. `before` counts the items above it."""

    before: int
    text: str
    spot: Spot = field(default=Spot(), compare=False)

    @property
    def label(self) -> str:
        """The tag that nobody knows, where the line begins with one."""
        found = tagged(self.text)
        return found.label if found else ""


@dataclass(frozen=True)
class Engram:
    """An engram as it was written."""

    items: tuple[EngramItem, ...] = ()
    others: tuple[Other, ...] = ()
    language: Language = "en"

    def texts(self, tag: Tag) -> tuple[str, ...]:
        """Return the texts of one tag's items."""
        return tuple(item.text for item in self.items if item.tag == tag)


def tag_of(line: str) -> Tag | None:
    """Return the tag that a line begins with."""
    found = tagged(line)
    return TAGS.get(found.label.lower()) if found else None


def read_engram(text: str, fallback: Language = "en") -> Engram:
    """Return an engram; what is no item is kept beside the items. `fallback` is the language of one without tags."""
    items: list[EngramItem] = []
    others: list[Other] = []
    language: Language | None = None
    for number, line in lines(text):
        found = tagged(line)
        tag = TAGS.get(found.label.lower()) if found else None
        if found and tag:
            items.append(EngramItem(tag, found.rest, Spot(number, found.column)))
            language = language or label_language(found.label)
        elif line.strip():
            others.append(Other(len(items), line.rstrip(), Spot(number, len(line) - len(line.lstrip()) + 1)))
    return Engram(tuple(items), tuple(others), language or fallback)


def write_engram(engram: Engram) -> str:
    """Return an engram's canonical form, what is no item where it stood."""
    labels = TAG_LABELS[engram.language]
    written: list[str] = []
    for index, item in enumerate(engram.items):
        written += [other.text for other in engram.others if other.before == index]
        written.append(f"[{labels[item.tag]}] {item.text}".rstrip())
    written += [other.text for other in engram.others if other.before >= len(engram.items)]
    return "".join(f"{line}\n" for line in written)
