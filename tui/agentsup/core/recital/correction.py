"""The text that shows an agent what it has read back beside what memory says, and asks it once more."""

from __future__ import annotations

from dataclasses import dataclass

from agentsup.core.memory.labels import TAG_LABELS
from agentsup.core.recital.expected import Expected
from agentsup.core.restore.frame import Frame
from agentsup.core.text import on_one_line, sanitise

SAID_MOST = 600
"""Characters of what it said that are shown to it again."""

ITEM_MOST = 400


@dataclass(frozen=True)
class Sentences:
    """The sentences of a correction, in one language; {id} in the header is filled in."""

    header: str
    said: str
    memory: str
    next: str
    silent: str


def correction(said: str, known: Expected, sentences: Sentences, frame: Frame, *, id: str) -> str:
    """Return the text; what comes from the agent and from files stands on lines of its own that begin as ours do."""
    labels = TAG_LABELS[frame.language]
    memory = [
        *(f"[{labels['task']}] {_cut(text, ITEM_MOST)}" for text in known.task[:1]),
        *(f"{sentences.next}: {_cut(text, ITEM_MOST)}" for text in known.next[:1]),
        *(f"[{labels['taboo']}] {_cut(text, ITEM_MOST)}" for text in known.taboos),
    ]
    parts = (
        sentences.header.replace("{id}", id),
        f"{sentences.said}\n> {_cut(said, SAID_MOST) or sentences.silent}",
        "\n".join((sentences.memory, *(memory or [f"> {sentences.silent}"]))),
        f"{frame.recite}\n{frame.wait}",
        frame.trailer.replace("{id}", id),
    )
    return sanitise("\n\n".join(parts))


def _cut(text: str, most: int) -> str:
    line = on_one_line(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"
