"""What the lines of one decision say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from agentsup.core.memory import decision_words as words
from agentsup.core.memory.decision_lines import Found, Kind, Lines, columns, indent_of
from agentsup.core.memory.decision_outline import Role
from agentsup.core.memory.decision_words import HEADING
from agentsup.core.memory.labels import DECISION_KEYS, STALE_KEYS, DecisionKey, DecisionStatus, label_language
from agentsup.core.memory.model import Language, Spot

_LABELLED = re.compile(r"[^\s:：][^:：]{0,24}[:：]")
_ID = re.compile(r"d-[0-9a-f]{6}(?:-\d+)?$")

_LANGUAGES = {label: label_language(label) for label in DECISION_KEYS}
_NOTHING: tuple[str, ...] = ()

Sort = Literal["paragraph", "other", "quoted"]


class Body:
    """Takes the lines below a decision's first one and says what they mean."""

    __slots__ = (
        "_after_blank", "_chapter", "_indent", "_item", "_key", "_open", "_rest", "_section", "_status_label",
        "_values", "language", "points", "tag_spot", "title",
    )  # fmt: skip

    def __init__(self, title: str = "") -> None:
        """`title`: of a list item, whose text goes on in the next lines."""
        self.title = title
        self._item = bool(title)
        self.language: Language | None = None
        self.tag_spot: Spot | None = None
        self.points = False
        """Whether a key says that it was replaced."""
        self._values: dict[DecisionKey, list[str]] = {}
        self._rest: list[tuple[Sort, str]] = []
        self._status_label = "status"
        self._key: DecisionKey | None = None
        self._open: Literal["title", "rest", ""] = "title" if title else ""
        self._indent = 0
        self._after_blank = self._section = False
        self._chapter = False
        """Whether the lines are below a heading that is text: its words are no reason."""

    def take(self, rows: Lines, start: int, end: int, roles: Mapping[int, Role]) -> None:
        """Take the lines from `start` to before `end`; `roles` of the headings among them."""
        texts, kinds, founds, _ = rows
        for index in range(start, end):
            kind, found, text = kinds[index], founds[index], texts[index]
            if kind == "blank":
                self._after_blank = True
                continue
            if kind == "key" and (found[0] or self._key != "reason" or indent_of(text) <= self._indent):
                self._start(index + 1, text, found[1], found[2])
            elif kind == "quoted":
                self._keep("quoted", text)
            elif kind == "heading" and roles[index] == "key":
                self._start(index + 1, text, words.title(found[1]).text.lower(), "")
                self._section = True
            else:
                self._text(kind, text, found)
            self._after_blank = False

    def _start(self, number: int, text: str, label: str, value: str) -> None:
        """Take a line that begins the value of a key."""
        key = DECISION_KEYS[label]
        values = self._values.get(key)
        if values is None:
            self._values[key] = [value.rstrip()]
        else:
            values.append(value.rstrip())
        self._key, self._open, self._section = key, "", False
        self._indent = indent_of(text) if text[:1] in " \t" else 0
        if self.language is None and key != "id" and key != "by":
            self.language = _LANGUAGES[label]
        if key == "confidence":
            self.tag_spot = Spot(number, len(text) - len(value) + 1)
        elif key == "status":
            self._status_label = label
        elif key == "by":
            self.points = self.points or label in STALE_KEYS

    def _text(self, kind: Kind, text: str, found: Found) -> None:
        bare = text.strip()
        key = self._key
        goes_on = kind == "text" and not self._after_blank
        deeper = self._section or indent_of(text) > self._indent
        if key and kind != "heading" and (deeper or (key == "reason" and goes_on)):
            content = found[2].strip() if kind == "bullet" else bare
            if key == "reason":
                self._values[key].append(bare)
                return
            if key == "files" and (kind == "bullet" or not self._after_blank):
                self._values[key].append(content)
                return
            if self._section or goes_on:
                self._values[key][-1] = f"{self._values[key][-1]} {content}".strip()
                return
        if self._open == "title" and goes_on:
            self.title += f" {bare}"
        elif self._open == "rest" and goes_on:
            self._keep("other" if self._rest[-1][0] == "quoted" else self._rest[-1][0], text)
        elif kind == "heading" or self._chapter:
            self._chapter = True
            self._keep("other", text)
        elif kind == "text" or (kind == "bullet" and not _LABELLED.match(found[2])):
            self._keep("paragraph", text)
        else:
            self._keep("other", text)

    def _keep(self, sort: Sort, text: str) -> None:
        self._rest.append((sort, text))
        self._key, self._open, self._section = None, "rest", False

    def says(self, key: DecisionKey) -> bool:
        """Tell whether there is a line of a key."""
        return key in self._values

    def last(self, key: DecisionKey) -> str:
        """Return what the last line of a key says that says anything."""
        values = self._values.get(key)
        if not values:
            return ""
        return values[-1] or next((value for value in reversed(values) if value), "")

    def all(self, key: DecisionKey) -> list[str]:
        """Return what all lines of a key say."""
        return self._values.get(key, [])

    def status(self) -> tuple[DecisionStatus | None, str, list[str]]:
        """Return the last known status, what is said with it, and the lines of unknown ones."""
        status: DecisionStatus | None = None
        note = ""
        unknown: list[str] = []
        for value in self._values.get("status", _NOTHING):
            known = words.status(value)
            if known:
                status, note = known
            elif value:
                unknown.append(f"- {self._status_label}: {value}")
        return status, note, unknown

    def replaced(self) -> bool:
        """Tell whether the lines say, without a status, that something took its place."""
        return self.points or ("by" in self._values and _ID.match(self.last("by")) is not None)

    def rest(self, told: bool) -> tuple[list[str], tuple[str, ...]]:
        """Return what can be the reason and what is left; `told`: there is a reason, so all is left."""
        if not self._rest:
            return [], ()
        if told:
            return [], _relative(self._rest, self._item)
        return (
            [text for sort, text in self._rest if sort == "paragraph"],
            _relative([(sort, text) for sort, text in self._rest if sort != "paragraph"], self._item),
        )


def _relative(rest: list[tuple[Sort, str]], item: bool) -> tuple[str, ...]:
    """Return lines with the indent of the first taken from each; what would become a heading so is marked as none."""
    if not rest:
        return ()
    base = columns(rest[0][1])
    lines: list[str] = []
    for sort, text in rest:
        text = text if sort == "quoted" else text.rstrip()
        if base or item:
            text = " " * max(0, columns(text) - base) + text.lstrip(" \t")
            if sort != "quoted" and HEADING.match(text) and not HEADING.match(rest[len(lines)][1]):
                text = "\\" + text.lstrip()
        lines.append(text)
    return tuple(lines)
