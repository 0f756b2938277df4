"""JSON as text: where its values stand, so that a rewrite touches only those that changed."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Any, NamedTuple

from agentsup.core.memory.model import Spot
from agentsup.core.memory.problems import Unparsable

BLANKS = " \t\n\r"
_SKIP = re.compile(rf"[{BLANKS}]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Numbers stay as they are written: neither 1e400 nor 5,000 digits are a problem of ours.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)


class Element(NamedTuple):
    """A value and where it stands: `text[start:end]`. Numbers are strings."""

    value: Any
    start: int
    end: int


class Member(NamedTuple):
    """A key of an object and its value; the key with its quotes is `text[key_start:key_end]`."""

    key: str
    key_start: int
    key_end: int
    element: Element


class Lines:
    """The lines of a text, to say where an offset is."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def spot(self, offset: int) -> Spot:
        """Return the line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return Spot(line, offset - self._starts[line - 1] + 1)


def read_object(text: str) -> list[Member]:
    """Return an object's members in order, doubles among them; raises Unparsable where the text is no object."""
    start = _skip(text, 0)
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise Unparsable(Spot(error.lineno, error.colno), error.msg) from error
    except RecursionError as error:
        raise Unparsable(Lines(text).spot(start), "Nested too deeply") from error
    if _skip(text, end) < len(text):
        raise Unparsable(Lines(text).spot(_skip(text, end)), "Extra data")
    if not isinstance(value, dict):
        raise Unparsable(Lines(text).spot(start), "Expecting an object")
    return members(text, start)


def members(text: str, start: int) -> list[Member]:
    """Return the members of the valid object that begins at an offset."""
    found: list[Member] = []
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, key_end = _DECODER.raw_decode(text, at)
        begin = _skip(text, _skip(text, key_end) + 1)
        value, end = _DECODER.raw_decode(text, begin)
        found.append(Member(key, at, key_end, Element(value, begin, end)))
        at = _next(text, end)
    return found


def elements(text: str, start: int) -> list[Element]:
    """Return the elements of the valid array that begins at an offset."""
    found: list[Element] = []
    at = _skip(text, start + 1)
    while text[at] != "]":
        value, end = _DECODER.raw_decode(text, at)
        found.append(Element(value, at, end))
        at = _next(text, end)
    return found


def quoted(text: str) -> str:
    """Return a `sayable` string as JSON, other alphabets as they are."""
    return json.dumps(text, ensure_ascii=False)


def sayable(text: str) -> str:
    """Return a text with a replacement character for each half of a pair, which no file can hold."""
    return _SURROGATE.sub("\ufffd", text)


class Layout(NamedTuple):
    """How a file is set: `indent` is that of its first level, empty where it is one line."""

    indent: str
    colon: str = ": "
    comma: str = ", "


def layout_of(text: str, found: list[Member]) -> Layout:
    """Return how an object with members is set."""
    first = found[0]
    line = text[text.rfind("\n", 0, first.key_start) + 1 : first.key_start]
    indent = line if not line.strip(BLANKS) else ""
    colon = text[first.key_end : first.element.start]
    after = text[_skip(text, first.element.end) + 1 : found[1].key_start] if len(found) > 1 else colon[-1:]
    return Layout(indent, ": " if "\n" in colon else colon, "," if after in ("", ":") else ", ")


def array(texts: list[str], layout: Layout, text: str = "", before: Element | None = None) -> str:
    """Return an array of values that are JSON already, set like the one in its place `before`, else like the file."""
    if not texts:
        return "[]"
    old = elements(text, before.start) if before and isinstance(before.value, list) else []
    if old and before:
        lead = text[before.start + 1 : old[0].start]
        if "\n" not in lead:
            return f"[{layout.comma.join(texts)}]"
        inner, outer = lead[lead.rfind("\n") :], text[old[-1].end : before.end - 1]
        outer = outer[outer.rfind("\n") :] if "\n" in outer else ""
    elif layout.indent:
        inner, outer = f"\n{layout.indent * 2}", f"\n{layout.indent}"
    else:
        return f"[{layout.comma.join(texts)}]"
    return f"[{inner}{f',{inner}'.join(texts)}{outer}]"


def replaced(text: str, found: list[Member], changes: dict[int, str], added: list[tuple[str, str]]) -> str:
    """Return an object's text with other values: by the index of their member, and new ones behind the last."""
    layout = layout_of(text, found)
    written = "".join(
        f",{chr(10) + layout.indent if layout.indent else layout.comma[1:]}{quoted(key)}{layout.colon}{value}"
        for key, value in added
    )
    end = found[-1].element.end
    text = text[:end] + written + text[end:]
    for index in sorted(changes, reverse=True):
        element = found[index].element
        text = text[: element.start] + changes[index] + text[element.end :]
    return text


def _skip(text: str, at: int) -> int:
    match = _SKIP.match(text, at)
    return match.end() if match else at


def _next(text: str, end: int) -> int:
    """Return where the next element begins, or the bracket."""
    at = _skip(text, end)
    return _skip(text, at + 1) if text[at] == "," else at
