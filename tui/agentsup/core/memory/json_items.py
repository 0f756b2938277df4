"""What the values of a state's JSON say as list items, whatever their types are."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agentsup.core.memory.json_text import Element, elements, members, sayable
from agentsup.core.memory.sections import plain

_NAME_KEYS = (
    "name", "task", "title", "step", "item", "text", "description", "summary", "what", "action",
    "名称", "任务", "标题", "步骤", "事项", "内容", "描述",
)  # fmt: skip
_COMMIT_KEYS = ("commit", "commit_hash", "hash", "sha", "提交")
_COMMAND_KEYS = ("command", "cmd", "test_command", "命令")
_EVIDENCE_KEYS = ("evidence", "proof", "verified_by", "test", "tests", "证据", "验证")
_HASH = re.compile(r"[0-9a-f]{7,40}")
_DEEPEST = 4
"""Values nested deeper than this are no part of an item's text."""


class Item(NamedTuple):
    """An item: its text, where that begins, and the value it was read from as it is written."""

    text: str
    at: int
    raw: str | None
    """None where the value says more than this item."""


def one_line(text: str) -> str:
    """Return a text without line ends and halves of pairs."""
    return " ".join(sayable(text).split())


def items_of(element: Element, text: str) -> list[Item]:
    """Return the items of a value: of a list its elements, of anything else the one that it is."""
    if isinstance(element.value, list):
        found = [_item(each, text) for each in elements(text, element.start)]
    elif isinstance(element.value, dict) and not _name_key(element.value):
        found = [_entry(each.key, each.element, each.key_start + 1) for each in members(text, element.start)]
    else:
        found = [_item(element, text)]
    return [item for item in found if item.text]


def text_of(value: Any, depth: int = 0) -> str:
    """Return a value in one line; empty where it says nothing. `depth` counts the values around it."""
    if isinstance(value, str):
        return plain(sayable(value))
    if depth > _DEEPEST:
        return ""
    if isinstance(value, list):
        return "; ".join(filter(None, (text_of(each, depth + 1) for each in value)))
    return _described(value, depth) if isinstance(value, dict) else ""


def _item(element: Element, text: str) -> Item:
    at = element.start
    value = element.value
    if isinstance(value, str) and text[at] == '"':
        at += 1
    elif isinstance(value, dict) and (key := _name_key(value)):
        name = [each.element.start for each in members(text, at) if each.key == key][-1]
        at = name + 1 if text[name] == '"' else name
    return Item(text_of(value), at, text[element.start : element.end])


def _entry(key: str, element: Element, at: int) -> Item:
    """Return what a key and its value say, of an object that stands in the place of a list."""
    value = element.value
    said = text_of(value)
    if value is True:
        return Item(plain(sayable(key)), at, None)
    if not said:
        return Item("", at, None)
    return Item(plain(f"{key} (commit {said})" if _HASH.fullmatch(said) else sayable(f"{key}: {said}")), at, None)


def _name_key(value: dict[str, Any]) -> str:
    return next((key for key in _NAME_KEYS if isinstance(value.get(key), str) and plain(value[key])), "")


def _described(value: dict[str, Any], depth: int) -> str:
    """Return an object's name with its evidence in brackets; its keys and values where it has no name."""
    key = _name_key(value)
    if not key:
        parts = ((each, text_of(part, depth + 1)) for each, part in value.items())
        return plain("; ".join(f"{sayable(each)}: {said}" for each, said in parts if said))
    evidence = [_as_commit(said) for key in _COMMIT_KEYS if (said := text_of(value.get(key), depth + 1))]
    evidence += [said if "`" in said else f"`{said}`"
                 for key in _COMMAND_KEYS if (said := text_of(value.get(key), depth + 1))]  # fmt: skip
    evidence += [_as_commit(said) if _HASH.fullmatch(said) else said
                 for key in _EVIDENCE_KEYS if (said := text_of(value.get(key), depth + 1))]  # fmt: skip
    name = plain(sayable(value[key]))
    return f"{name} ({', '.join(dict.fromkeys(evidence))})" if evidence else name


def _as_commit(said: str) -> str:
    return f"commit {said}" if _HASH.fullmatch(said) else said
