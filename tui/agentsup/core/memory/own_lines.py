"""Keep a person's lines as they wrote them where a codec has changed others: line ends, bullets, names of sections.

Codecs write one canonical form. What a command changes is the difference between the canonical form before and after
it; only that difference goes into the text that stands there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from agentsup.core.memory.labels import SECTIONS
from agentsup.core.memory.sections import entry, heading, named, plain

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_MOST_LINES = 20_000
"""Longer texts take the canonical form: comparing them would take seconds."""


def with_own_lines(text: str, before: str, after: str, read: Callable[[str], object]) -> str:
    """Return `after` with every line of `text` that the change leaves alone as it stands in `text`.

    `before` and `after` are canonical: of `text`, and of what it is to become. What comes out is read as `after` is;
    where that could not be done it is `after` itself, with the mark and the line ends of `text`.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    own = _LINE.findall(text.removeprefix("\ufeff"))
    end = next((_end_of(line) for line in own if _end_of(line)), "\n")
    if before == after:
        return text
    canonical = mark + after.replace("\n", end)
    old, new = before.split("\n")[:-1], after.split("\n")[:-1]
    if not own or max(len(own), len(old), len(new)) > _MOST_LINES:
        return canonical
    merged = mark + _merged(own, old, new, end)
    return merged if read(merged) == read(after) else canonical


@dataclass
class _Stretch:
    """Lines of the text, and the canonical lines that are the same; one to one, or as many as could not be told."""

    own: list[str] = field(default_factory=list)
    start: int = 0
    """Of the canonical lines."""
    stop: int = 0


def _merged(own: list[str], old: list[str], new: list[str], end: str) -> str:
    waiting = _stretches(own, old)[::-1]
    written: list[str] = []
    for kind, start, stop, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            at = start
            while waiting and waiting[-1].start < stop:
                stretch = waiting[-1]
                if at < stretch.stop <= stop and stretch.start >= start:
                    at = max(at, stretch.stop)
                    written += waiting.pop().own
                    continue
                # A part of it is changed: what is left of it is canonical.
                written += [line + end for line in old[max(at, stretch.start) : min(stretch.stop, stop)]]
                at = min(stretch.stop, stop)
                if stretch.stop > stop:
                    stretch.own = []
                    break
                waiting.pop()
        else:
            while waiting and waiting[-1].start < stop:
                if waiting[-1].stop > stop:
                    waiting[-1].own = []
                    waiting[-1].start = stop
                    break
                waiting.pop()
            written += [line + end for line in new[first:last]]
    return _ended(written, end)


def _stretches(own: list[str], old: list[str]) -> list[_Stretch]:
    """Return the whole text in stretches, in order; lines that stand for nothing belong to what is above them."""
    found: list[_Stretch] = []
    matcher = SequenceMatcher(None, _keys(own), _keys(old), autojunk=False)
    for kind, start, stop, first, last in matcher.get_opcodes():
        if kind == "equal":
            found += [_Stretch([line], first + at, first + at + 1) for at, line in enumerate(own[start:stop])]
        elif first == last and found:
            found[-1].own += own[start:stop]
        elif start == stop and found:
            found[-1].stop = last
        else:
            found.append(_Stretch(own[start:stop], first, last))
    if found and found[0].start == found[0].stop and len(found) > 1:
        above = found.pop(0)
        found[0].own[:0] = above.own
    return found


def _keys(lines: Sequence[str]) -> list[str]:
    return [_key(line.rstrip("\r\n")) for line in lines]


def _key(line: str) -> str:
    """Return what is the same of a line and of its canonical form."""
    if title := heading(line):
        found = named(title.text, SECTIONS)
        return f"# {found.section}" if found and not found.rest else f"# {title.text}"
    text = " ".join(plain(entry(line).text).split()) or line.strip()
    return re.sub(r"\s*[:：]\s*", ": ", text)


def _end_of(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _ended(lines: list[str], end: str) -> str:
    """Return the lines in one text: each but the last has an end."""
    return "".join(line if _end_of(line) else line + end for line in lines[:-1]) + "".join(lines[-1:])
