"""How what runs and instructs differs from what was approved, as texts that a person can read whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from agentsup.core.trust.manifest import Manifest, ManifestFile

ChangeState = Literal["new", "changed", "removed", "same"]

COMPARED_MOST = 1000
"""Lines of a text up to which two of them are compared; beyond, all of the old and all of the new is shown."""

_LONE_END = re.compile(r"\r(?!\n)|(?<!\r)\n")
_PICTURES = {**{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}, 0x7F: 0x2421}
_PICTURES |= dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)


@dataclass(frozen=True)
class FileChange:
    """A file, and how it differs from what was approved; the texts are whole."""

    path: str
    state: ChangeState
    runs: bool
    """Whether it would be executed, or included by what is."""
    before: str
    after: str
    included: bool = False
    """Whether a script reads it; it is not executed itself."""


def changes(approved: Manifest | None, now: Manifest | None) -> tuple[FileChange, ...]:
    """Return all files of a manifest in their order, and at last those that only the approved one has."""
    before = {file.path: file for file in approved.files} if approved else {}
    files = now.files if now else ()
    there = {file.path for file in files}
    return (
        *(_change(before.get(file.path), file) for file in files),
        *(
            FileChange(path, "removed", _runs(file), shown(file), "", _included(file))
            for path, file in sorted(before.items())
            if path not in there
        ),
    )


def shown(file: ManifestFile) -> str:
    """Return what a person reads of a file: its text; of what has none, what it is."""
    if file.kind == "link":
        return f"-> {shown_text(file.target)}"
    if file.kind == "other":
        return f"({shown_text(file.target)})"
    if b"\0" in file.data:
        return f"({len(file.data):,} bytes, SHA-256 {file.sha})"
    return shown_text(file.data.decode("utf-8", "replace"))


def shown_text(text: str) -> str:
    """Return a text in which control characters have become their pictures, so that none hides and none is obeyed.

    Where all its lines end in the same way, with a return before the line feed, that is no difference.
    """
    unified = text if _LONE_END.search(text) else text.replace("\r\n", "\n")
    return unified.translate(_PICTURES)


def _change(before: ManifestFile | None, now: ManifestFile) -> FileChange:
    if before is None:
        return FileChange(now.path, "new", _runs(now), "", shown(now), _included(now))
    state: ChangeState = "same" if before == now else "changed"
    old, new = shown(before), shown(now)
    if before.executable != now.executable:
        # As git writes it; else a run bit that comes with a change of the text would not be seen.
        old, new = f"{_mode(before)}\n{old}", f"{_mode(now)}\n{new}"
    return FileChange(now.path, state, _runs(now), old, new, _included(now))


def _runs(file: ManifestFile) -> bool:
    return file.kind in ("script", "include")


def _included(file: ManifestFile) -> bool:
    return file.kind == "include"


def _mode(file: ManifestFile) -> str:
    return "mode 100755" if file.executable else "mode 100644"
