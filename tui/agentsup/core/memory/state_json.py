"""progress.json and task.json: the state as JSON objects whose other keys and whose layout are left alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from agentsup.core.memory.json_items import Item, items_of, one_line, text_of
from agentsup.core.memory.json_text import (
    BLANKS,
    Element,
    Layout,
    Lines,
    Member,
    array,
    layout_of,
    quoted,
    read_object,
    replaced,
)
from agentsup.core.memory.labels import SECTION_KEYS, SECTIONS, UPDATED_KEYS
from agentsup.core.memory.model import StateForm
from agentsup.core.memory.state import Step, TaskState

KEYS: Mapping[str, Mapping[str, str]] = {
    "progress": {"scope": "current_task", "completed": "completed", "in_progress": "in_progress",
                 "blocked": "blocked", "next": "next_steps", "updated_at": "last_updated"},
    "task": {"scope": "current_task", "status": "status", "completed": "completed", "next": "next",
             "blocked": "blocked_by", "updated_at": "last_updated"},
}  # fmt: skip
"""By form: the key of each field that it has, in its order."""

_LISTS = ("scope", "completed", "in_progress", "next", "blocked", "evidence")
_TEXTS = ("status", "updated_at", "updated_by")
_UPDATES = {"updated": "updated_at", "updated_by": "updated_by"}
_OTHER_KEYS: Mapping[str, str] = {
    **SECTIONS, **SECTION_KEYS, **{name: _UPDATES[kind] for name, kind in UPDATED_KEYS.items()},
    "status": "status", "状态": "status",
}  # fmt: skip
"""Field by key, lower case with blanks, where a file has not the form's own."""

_ADDED = {"progress": frozenset(KEYS["progress"]), "task": frozenset({*KEYS["task"], "in_progress"})}
"""What is written into a file that lacks it. task.json knows no work under way, but it must not be lost."""


@dataclass(frozen=True)
class Source:
    """A file's text, without blanks around it."""

    text: str


class _Field(NamedTuple):
    """A field as its file has it; `place` is the index of its member."""

    place: int
    element: Element
    items: list[Item]
    text: str


def read_json_state(form: StateForm, text: str) -> TaskState:
    """Return the state of a progress.json or task.json; raises Unparsable. An empty file is an empty state.

    Wrong types are taken for what they can mean. `others` is its `Source`.
    """
    body = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not body.strip(BLANKS):
        return TaskState(form=form, others=(Source(""),))
    fields = _fields(form, body, read_object(body))
    lines = Lines(body)
    listed = {name: tuple(Step(item.text, lines.spot(item.at)) for item in field.items)
              for name, field in fields.items()}  # fmt: skip
    scope, completed, in_progress, following, blocked, evidence = (listed.get(name, ()) for name in _LISTS)
    status, at, by = (fields[name].text if name in fields else "" for name in _TEXTS)
    return TaskState(
        scope, completed, in_progress, following, blocked, evidence, status=status, updated_at=at, updated_by=by,
        form=form, others=(Source(body.strip(BLANKS)),),
    )  # fmt: skip


def write_json_state(state: TaskState) -> str:
    """Return a state's file: only what changed is written anew, in the file's own layout."""
    form = "task" if state.form == "task" else "progress"
    source = next((other.text for other in state.others if isinstance(other, Source)), None)
    items = {name: [said for step in getattr(state, name) if (said := text_of(step.text))] for name in _LISTS}
    texts = {name: one_line(getattr(state, name)) for name in _TEXTS}
    found = read_object(source) if source else []
    if not found:
        if source is not None and not any(items.values()) and not any(texts.values()):
            return f"{source}\n" if source else ""
        source = _empty(form)
        found = read_object(source)
    return _Edit(form, source or "", found).written(items, texts) + "\n"


def _empty(form: str) -> str:
    """Return a file in which nothing is said."""
    values = dict.fromkeys(_LISTS, "[]") | dict.fromkeys((*_TEXTS, "scope"), '""') | {"in_progress": "null"}
    return "{\n" + ",\n".join(f"  {quoted(key)}: {values[name]}" for name, key in KEYS[form].items()) + "\n}"


def _fields(form: str, text: str, found: list[Member]) -> dict[str, _Field]:
    """Return the fields of a file by name; of a key that it has twice the last counts."""
    own = {key: name for name, key in KEYS[form].items()}
    homes: dict[str, int] = {}
    other: dict[str, int] = {}
    for index, member in enumerate(found):
        key = " ".join(member.key.replace("_", " ").replace("-", " ").lower().split())
        if member.key in own:
            homes[own[member.key]] = index
        elif key in _OTHER_KEYS and isinstance(member.element.value, str | list | None):
            other[_OTHER_KEYS[key]] = index
    return {name: _field(name, index, found[index].element, text) for name, index in (other | homes).items()}


def _field(name: str, place: int, element: Element, text: str) -> _Field:
    if name in _TEXTS:
        return _Field(place, element, [], one_line(text_of(element.value)))
    return _Field(place, element, items_of(element, text), "")


class _Edit(NamedTuple):
    """A file's text with its members, to be written with other values."""

    form: str
    text: str
    found: list[Member]

    def written(self, items: Mapping[str, list[str]], texts: Mapping[str, str]) -> str:
        """Return the text with these values where they differ from its own."""
        fields = _fields(self.form, self.text, self.found)
        layout = layout_of(self.text, self.found)
        changes: dict[int, str] = {}
        added: list[tuple[str, str]] = []
        for name in (*_LISTS, *_TEXTS):
            field = fields.get(name)
            if name in _TEXTS:
                same = texts[name] == (field.text if field else "")
                value = quoted(texts[name])
            else:
                same = items[name] == ([item.text for item in field.items] if field else [])
                value = self._value(name, items[name], field, layout)
            if same:
                continue
            if field:
                changes[field.place] = value
            elif name in _ADDED[self.form]:
                added.append((KEYS[self.form].get(name, name), value))
        return replaced(self.text, self.found, changes, added)

    def _value(self, name: str, items: list[str], field: _Field | None, layout: Layout) -> str:
        """Return a list as JSON: task and work under way are single strings unless the file has a list."""
        is_list = field is not None and isinstance(field.element.value, list)
        if name == "scope" and not is_list:
            return quoted("; ".join(items))
        if name == "in_progress" and not is_list and len(items) < 2:
            return quoted(items[0]) if items else "null"
        raw: dict[str, list[str]] = {}
        for item in field.items if field else ():
            if item.raw is not None:
                raw.setdefault(item.text, []).append(item.raw)
        values = [raw[text].pop(0) if raw.get(text) else quoted(text) for text in items]
        return array(values, layout, self.text, field.element if field else None)
