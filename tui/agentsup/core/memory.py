"""What is remembered on disk, as values: the engram, the task state, and where they came from.

Formats: the engram is a block of bracket tags, STATE.md has five sections; both in English and Chinese.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Tag = Literal["task", "progress", "files", "pending", "taboo"]

_TAGS: dict[str, Tag] = {
    "task": "task", "任务": "task",
    "progress": "progress", "进度": "progress",
    "files": "files", "关键文件": "files",
    "pending": "pending", "未决": "pending",
    "taboo": "taboo", "禁忌": "taboo",
}  # fmt: skip

_ITEM = re.compile(r"^\s*(?:[-*•]\s*)?[\[［【]\s*([^\]］】]{1,12}?)\s*[\]］】]\s*[:：]?\s*(.*?)\s*$")
_HEADING = re.compile(r"^\s*#{1,6}\s*(.+?)\s*[:：]?\s*$")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)、])\s*(.+?)\s*$")

_SECTIONS: dict[str, str] = {
    "scope": "scope", "当前范围": "scope",
    "completed": "completed", "已完成": "completed",
    "in progress": "in_progress", "进行中": "in_progress",
    "next": "next", "下一步": "next",
    "evidence": "evidence", "最近证据": "evidence",
}  # fmt: skip


@dataclass(frozen=True)
class EngramItem:
    """One line of an engram."""

    tag: Tag
    text: str


@dataclass(frozen=True)
class Document:
    """A memory file as it was read. `text` is None where the file is missing or could not be read."""

    path: str
    text: str | None = None
    problem: str = ""
    """A catalogue key where the file exists and could not be used."""


@dataclass(frozen=True)
class Memory:
    """The memory of one project: paths are relative to its root."""

    engram: Document = Document(".agent/engram.md")
    state: Document = Document(".agent/STATE.md")


def parse_engram(text: str) -> tuple[EngramItem, ...]:
    """Return the engram's items in order; lines that are no known tag are left out."""
    items = []
    for line in text.lstrip("\ufeff").splitlines():
        match = _ITEM.match(line)
        tag = _TAGS.get(match[1].strip().lower()) if match else None
        if match and tag:
            items.append(EngramItem(tag, match[2]))
    return tuple(items)


def state_sections(text: str) -> dict[str, tuple[str, ...]]:
    """Return STATE.md's known sections, each as its items; unknown sections are left out."""
    sections: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in text.lstrip("\ufeff").splitlines():
        heading = _HEADING.match(line)
        if heading:
            name = _SECTIONS.get(heading[1].strip().lower())
            current = sections.setdefault(name, []) if name else None
        elif current is not None and line.strip():
            bullet = _BULLET.match(line)
            current.append(bullet[1] if bullet else line.strip())
    return {name: tuple(items) for name, items in sections.items()}
