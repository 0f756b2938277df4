"""What was said and done, as a person sees it: entries, the last of which may still be written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EntryKind = Literal["banner", "user", "assistant", "tool", "note", "notice"]


@dataclass
class Entry:
    """One block of the transcript; `finished` when its text grows no more."""

    kind: EntryKind
    text: str
    finished: bool = True


class Transcript:
    """All entries, oldest first; entries are only ever added at the end."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._written: EntryKind = "assistant"

    def add(self, kind: EntryKind, text: str) -> None:
        """Add a whole entry."""
        self.finish()
        self.entries.append(Entry(kind, text))

    def open(self, kind: EntryKind) -> None:
        """Begin an entry that is written piece by piece."""
        self.finish()
        self._written = kind
        self.entries.append(Entry(kind, "", finished=False))

    def extend(self, text: str) -> None:
        """Write a piece of the entry that was begun; behind what was added meanwhile it goes on in another one."""
        if self.entries[-1].finished:
            self.open(self._written)
        self.entries[-1].text += text

    def finish(self) -> None:
        """End the entry that is being written; one without text was none."""
        if self.entries and not self.entries[-1].finished:
            self.entries[-1].finished = True
            if not self.entries[-1].text:
                self.entries.pop()
