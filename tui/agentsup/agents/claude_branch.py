"""Which records of Claude Code's transcript the model still has: each names the one that it follows.

Where a person presses Esc before the first word of an answer, Claude Code (2.1.332) takes the turn back: their prompt
is in the composer again, and nothing is written. The next prompt follows what stood before the one that was taken back.
A compaction begins anew, but some of the last messages before it are kept behind its summary; their records stand where
they stood, and the record of the compaction names the first and the last of them.
"""

from __future__ import annotations

from typing import Any

RECORDS_MOST = 1_000
"""Records that are known at once: the newest. Nothing is said of a branch that begins before them."""

TEXTS_MOST = 50
"""Texts without an answer that are known at once."""


class Branch:
    """Knows the newest records of the main thread, and the texts in them that the agent has not answered so far."""

    def __init__(self) -> None:
        self._records: dict[str, tuple[int, str | None]] = {}
        """By name: where it stands in the log, and what it follows; nothing follows from the first."""
        self._count = 0
        self._texts: dict[str, tuple[str, ...]] = {}
        self._compaction = ""
        self._kept = ("", "")
        """The summary of the newest compaction, and the last message that is kept behind it."""

    def add(self, name: str, follows: str | None) -> None:
        """Take a record; `follows` is empty where it does not say."""
        if not name:
            return
        summary, last = self._kept
        if summary and follows == summary:
            follows = last
        self._count += 1
        self._records[name] = (self._count, follows)
        if len(self._records) > RECORDS_MOST:
            del self._records[next(iter(self._records))]

    def said(self, name: str, text: str) -> None:
        """A record holds a text that goes to the model."""
        if name and text.strip():
            self._texts[name] = (*self._texts.get(name, ()), text)
            if len(self._texts) > TEXTS_MOST:
                del self._texts[next(iter(self._texts))]

    def answered(self) -> None:
        """The model has said something: this can't be taken back by Esc."""
        self._texts.clear()

    def compacted(self, name: str, kept: Any) -> None:
        """A record says that the context was compacted, and what is kept behind its summary."""
        told = kept if isinstance(kept, dict) else {}
        first, summary, last = (str(told.get(each) or "") for each in ("headUuid", "anchorUuid", "tailUuid"))
        self._compaction, self._kept = name, (summary, last)
        if first in self._records:
            self._records[first] = (self._records[first][0], summary)
        # All else is part of the summary, if of anything.
        self._texts = {last: self._texts[last]} if last in self._texts else {}

    def taken_back(self, follows: str | None, prompt: str) -> tuple[tuple[str, ...], str]:
        """Return the texts that the model does not have any more as it gets a prompt, and the compaction that it has.

        Texts that the prompt holds itself are not among them.
        """
        if not self._texts or (follows is not None and follows not in self._records):
            return (), ""
        there, oldest, is_whole = self._before(follows)
        gone = {name for name in self._texts if name not in there and self._place(name) > oldest}
        texts = [text for name, told in self._texts.items() if name in gone for text in told]
        self._texts = {name: told for name, told in self._texts.items() if name not in gone}
        is_older = self._compaction not in self._records and not is_whole
        compaction = self._compaction if self._compaction in there or is_older else ""
        return tuple(text for text in texts if text.strip() not in prompt), compaction

    def _before(self, follows: str | None) -> tuple[set[str], int, bool]:
        """Return what a record that follows this one has before it, how far back that is known, and if to the begin."""
        there: set[str] = set()
        oldest = 0
        while follows is not None and follows in self._records and follows not in there:
            there.add(follows)
            oldest, follows = self._records[follows]
        return there, 0 if follows is None else oldest, follows is None

    def _place(self, name: str) -> int:
        return self._records[name][0] if name in self._records else 0
