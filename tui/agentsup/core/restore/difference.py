"""What has changed since a restore text was sent: its name is put aside, so that only what it says counts."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import cast, get_args

from agentsup.core.restore.frame import Frame, RestoreForm, Then
from agentsup.core.text import sanitise

_NAMES = {"{id}": r"(?P<id>[a-z0-9]+)", "{number}": r"(?P<number>\d+)", "{rest}": r"(?P<rest>[^\n]*?)"}


@dataclass(frozen=True)
class Name:
    """What a restore text was called, and how it ends: two of the same memory differ in nothing else."""

    occasion: RestoreForm
    id: str = ""
    number: int = 1
    then: Then = "wait"


def name_of(text: str, frame: Frame) -> Name | None:
    """Return what a text that was sent is called; None where it does not begin with a header of this frame."""
    headers: tuple[tuple[RestoreForm, str], ...] = (
        ("compaction", frame.header), ("again", frame.again_header), ("start", frame.start_header),
        ("cold-start", frame.cold_header),
        ("asked", frame.asked_header), ("asked", frame.sent_header), ("asked-again", frame.sent_again_header),
    )  # fmt: skip
    for occasion, header in headers:
        if match := re.match(_pattern(sanitise(header)), text):
            found = match.groupdict()
            id = found.get("id") or ""
            then: Then = "wait"
            if occasion in ("compaction", "again"):
                then = _then(text, frame)
            elif id and occasion != "cold-start" and not _ends_unasked(text, frame):
                then = "answer"
            return Name(occasion, id, int(found.get("number") or 1), then)
    return None


def _then(text: str, frame: Frame) -> Then:
    for then in get_args(Then):
        closing = rf"{re.escape(sanitise(frame.recite))}\s+{re.escape(sanitise(frame.following(then)))}\s"
        if re.search(closing, text):
            return cast("Then", then)
    return "wait"


def _ends_unasked(text: str, frame: Frame) -> bool:
    return bool(re.search(rf"\n{re.escape(sanitise(frame.unasked))}\s+[^\n]*\s*$", text))


def difference(before: str, after: str, *, names: tuple[str, str] = ("before", "after")) -> str:
    """Return a unified diff of two texts, `names` in its first lines; empty where they are alike."""
    lines = difflib.unified_diff(before.strip("\n").split("\n"), after.strip("\n").split("\n"), *names, lineterm="")
    return "\n".join(lines)


def _pattern(header: str) -> str:
    """Return the pattern of a header: a name in it stands for itself wherever it is repeated."""
    seen: set[str] = set()
    parts = []
    for part in re.split(r"(\{id\}|\{number\}|\{rest\})", header):
        if part not in _NAMES:
            parts.append(re.escape(part))
        elif part in seen:
            parts.append(f"(?P={part[1:-1]})")
        else:
            parts.append(_NAMES[part])
            seen.add(part)
    return "".join(parts)
