"""The mark after a round: whether what the agent did next was right, by one key."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from agentsup.core.catalogue import Catalogue
from agentsup.core.figures import short
from agentsup.core.problems import Problem
from agentsup.core.rounds import Round, kept_name

if TYPE_CHECKING:
    from collections.abc import Callable

LAST_MOST = 1 << 18
"""Bytes of the journal's end in which the last round is looked for."""

_ANSWERS: dict[str, bool | None] = {"r": True, "w": False, "n": None}


class RoundMark(ModalScreen[None], inherit_bindings=False):
    """Shows the last round, and takes one key: right, wrong, or no mark."""

    def __init__(
        self, read: Callable[[], Round | None], record: Callable[[Round, bool | None], object], catalogue: Catalogue
    ) -> None:
        """Both callables are run in a thread, and may raise Problem or OSError."""
        super().__init__()
        self._read, self._record, self._catalogue = read, record, catalogue
        self._round: Round | None = None
        self._box = Vertical(classes="dialog", id="round-mark")
        self._body = Static(classes="body", markup=False)

    def compose(self) -> ComposeResult:
        """Hold the round and the keys."""
        with self._box:
            yield self._body

    def on_mount(self) -> None:
        """Read the journal."""
        self._body.update(Content(self._catalogue.text("mark.reading")))
        self.run_worker(self._show(), exclusive=True)

    def on_key(self, event: events.Key) -> None:
        """Mark or leave."""
        event.stop()
        key = event.character.lower() if event.character else event.key
        if key in _ANSWERS and self._round is not None:
            marked, self._round = self._round, None
            self.run_worker(self._mark(marked, _ANSWERS[key]), exclusive=True)
        elif key not in _ANSWERS:
            self.dismiss(None)

    async def _show(self) -> None:
        try:
            found = await asyncio.to_thread(self._read)
        except Exception as error:  # noqa: BLE001 - the border: a journal that can't be read must not end the interface
            self._body.update(Content(self._said(error)))
            return
        if found is None:
            self._body.update(Content(self._catalogue.text("mark.none_yet")))
            return
        self._round = found
        self._box.border_title = Content(self._catalogue.text("mark.title", round=found.round))
        self._body.update(described(found, self._catalogue))

    async def _mark(self, marked: Round, right: bool | None) -> None:
        try:
            await asyncio.to_thread(self._record, marked, right)
        except Exception as error:  # noqa: BLE001 - the border: a journal that can't be written must not end it either
            self._body.update(Content(self._said(error)))
        else:
            self.dismiss(None)

    def _said(self, error: Exception) -> str:
        if isinstance(error, Problem):
            return self._catalogue.text(f"{error.key}.what", **error.values)
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        return self._catalogue.text("mark.failed", reason=reason)


def described(found: Round, catalogue: Catalogue) -> Content:
    """Return a round in words, the question, and the keys that answer it."""
    text = catalogue.text
    before, after = ("?" if each is None else short(each) for each in (found.context_before, found.context_after))
    rows = [
        ("time", time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(found.time))),
        ("context", f"{before} → {after}"),
        ("memory", text(f"journal.strategies.{found.told_strategy}")),
    ]
    if found.recite:
        rows.append(("recite", text(f"happened.verdict.{found.recite}")))
    if found.next_action_correct is not None:
        rows.append(("now", text(f"journal.marks.{'right' if found.next_action_correct else 'wrong'}")))
    names = [Content(text(f"mark.{name}")) for name, _ in rows]
    width = max(name.cell_length for name in names)
    told = [
        Content.assemble((name.plain, "$quiet"), " " * (width - name.cell_length + 2), value)
        for name, (_, value) in zip(names, rows, strict=True)
    ]
    keys = [("r", "right"), ("w", "wrong"), ("n", "clear"), ("Esc", "cancel")]
    answers = [Content.assemble((key, "bold $accent"), f" {text(f'mark.{name}')}") for key, name in keys]
    return Content("\n").join([*told, Content(""), Content(text("mark.asked")), Content("  ").join(answers)])


class LastRound:
    """The last round of a conversation in a project's journal. Called in a thread: files may take their time."""

    def __init__(self, project: str, conversation: str) -> None:
        self._project, self._conversation = project, kept_name(conversation)

    def read(self) -> Round | None:
        """Return the round that a mark is for; None where there is none."""
        from agentsup.store.journal import rounds

        known = reversed(rounds(self._root, most=LAST_MOST))
        return next((each for each in known if each.conversation == self._conversation), None)

    def record(self, marked: Round, right: bool | None) -> None:
        """Mark it; raises Problem or OSError."""
        from agentsup.store.journal import mark

        mark(self._root, marked.round, right=right)

    @property
    def _root(self) -> Path:
        from agentsup.store.project_root import project_root

        return project_root(Path(self._project))
