"""The demo agent that ships with agentsup: a program of its own, known here only by what it shows and writes."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Container, Mapping, Sequence
from pathlib import Path

from agentsup import __version__
from agentsup.agents.adapter import Adapter, Conversation, Place, Process
from agentsup.agents.demo_log import DemoLog, is_log
from agentsup.agents.untouched import is_untouched
from agentsup.core.events import AgentState, AgentStateReported
from agentsup.core.injector import Composer
from agentsup.core.screen import BOLD, DIM, ITALIC, Row, Screen, row_text

_PROMPT = "▸"
_RULE = "─"
_INDENT = 2
"""Column at which the composer's text begins."""

_EMPTY, _DRAFT = "?", "⏎"
"""The bold mark in the footer: whether anything stands in the composer."""

_PASTED = re.compile(r"^\[\D*(\d+)\D*\]$")

_LOG = re.compile(r"/conversations/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$")

_STATES: dict[str, AgentState] = {"idle": "idle", "done": "done", "working": "working", "blocked": "blocked"}

_WITH_VALUE = frozenset({"--script", "--speed", "--hook"})
"""Options that take the next argument."""

_COMPACTS_AT = 0.9
"""Share of the window at which it compacts by itself, where no script says otherwise."""


class Demo(Adapter):
    """`agentsup demo`."""

    name = "demo"
    reports = True
    late_hooks = True
    measured = (__version__,)

    def find(self, environment: Mapping[str, str]) -> str | None:
        """Return our own interpreter: the program is a module of ours."""
        return sys.executable

    def version(self, program: str) -> str:
        """Return our own version."""
        return __version__

    def launch(self, place: Place) -> list[str]:
        """Run the module; -P: the project's files must not be taken for ours."""
        return [place.program, "-P", "-m", "agentsup.demo", *_hook(place), *place.arguments]

    def without_hooks(self, place: Place) -> str:
        """Return nothing: it runs what it is told."""
        return ""

    def fresh_launch(self, place: Place, prompt: str) -> list[str]:
        """Keep the options; drop an earlier prompt or the conversation that was resumed."""
        options: list[str] = []
        waiting = list(place.arguments)
        while waiting and (word := waiting.pop(0)) != "--":
            if word.startswith("-"):
                options.append(word)
                if word in _WITH_VALUE and waiting:
                    options.append(waiting.pop(0))
        words = ["--", prompt] if prompt else []
        return [place.program, "-P", "-m", "agentsup.demo", *_hook(place), *options, *words]

    def conversation(self, process: Process, place: Place, strangers: Container[str] = ()) -> Conversation | None:
        """Return the newest conversation whose log is open: the ids are ordered by time."""
        logs = {found[1]: path for path in process.written_files(".jsonl") if (found := _LOG.search(path))}
        known = [id for id in logs if id not in strangers]
        return Conversation(max(known), logs[max(known)]) if known else None

    def is_log(self, head: bytes) -> bool:
        """Recognise its first record."""
        return is_log(head)

    def begins_anew(self, conversation: Conversation, place: Place, *, first: bool) -> bool:
        """Say so where its log holds nothing that was said."""
        return is_untouched(conversation.log, self.decoder())

    def is_persons(self, log: Path) -> bool:
        """Return True: it runs no conversation for itself."""
        return True

    def compacts_at(self, window: int, place: Place) -> int | None:
        """Return where the tour's agent compacts; a script does what it says."""
        scripted = any(word.partition("=")[0] == "--script" for word in place.arguments)
        return None if scripted else int(window * _COMPACTS_AT)

    def decoder(self) -> DemoLog:
        """Return a decoder for a conversation's log."""
        return DemoLog()

    def state(self, fields: Mapping[str, str], time: float) -> AgentStateReported | None:
        """Translate OSC 7501; `clear` says goodbye and decides nothing."""
        state = _STATES.get(fields.get("state", ""))
        return AgentStateReported(time, state, fields.get("kind", "")) if state else None

    def quit_keys(self) -> Sequence[bytes]:
        """Ctrl-C: one clears a draft, one ends a turn, one clears the queue that this returned, one leaves."""
        return (b"\x03",) * 4

    def composer(self, screen: Screen) -> Composer:
        """Read the composer: what stands between two rules, with the cursor in it (`demo/view.py` shows it).

        A dialog hides the cursor and has no bold mark. Empty is proven by three things together: the cursor in
        the first column, nothing but the dim placeholder, and the mark of the footer.
        """
        cursor, rows = screen.cursor, screen.rows
        if not cursor.visible or cursor.column < _INDENT or cursor.row >= len(rows):
            return Composer()
        top, bottom = cursor.row, cursor.row
        while top >= 0 and not _has_prompt(rows[top]):
            if not _is_indented(rows[top]):
                return Composer()
            top -= 1
        while bottom < len(rows) and not _is_rule(rows[bottom], screen.columns):
            if bottom > top and not _is_indented(rows[bottom]):
                return Composer()
            bottom += 1
        if top < 1 or not _is_rule(rows[top - 1], screen.columns) or bottom >= len(rows) - 1:
            return Composer()
        mark = _mark(rows[bottom + 1])
        if mark == _EMPTY:
            alone = bottom == top + 1 and (cursor.row, cursor.column) == (top, _INDENT)
            return Composer("empty") if alone and _only_placeholder(rows[top]) else Composer()
        text = "\n".join(row_text(row)[_INDENT:] for row in rows[top:bottom])
        if mark != _DRAFT and not text.strip():
            return Composer()
        scrolled = "↑" in row_text(rows[top - 1])
        return Composer("text", text, _pasted(rows[top:bottom]), scrolled=scrolled)


def _hook(place: Place) -> list[str]:
    return ["--hook", shlex.join(place.hook)] if place.hook else []


def _has_prompt(row: Row) -> bool:
    return bool(row) and row[0].text.startswith(_PROMPT) and bool(row[0].style.flags & BOLD)


def _is_indented(row: Row) -> bool:
    return not row_text(row)[:_INDENT].strip()


def _is_rule(row: Row, columns: int) -> bool:
    text = row_text(row)
    return len(text) == columns and text.startswith(_RULE) and text.endswith(_RULE)


def _mark(row: Row) -> str:
    """Return the bold mark that begins the footer."""
    if not _is_indented(row):
        return ""
    return next((run.text.strip() for run in row if run.text.strip() and run.style.flags & BOLD), "")


def _only_placeholder(row: Row) -> bool:
    """Say whether all that follows the prompt mark is dim or blank, and not nothing."""
    rest = ((row[0].text[len(_PROMPT) :], row[0].style), *((run.text, run.style) for run in row[1:]))
    shown = [(text, style) for text, style in rest if text.strip()]
    return bool(shown) and all(style.flags & DIM for _, style in shown)


def _pasted(rows: Sequence[Row]) -> int | None:
    """Return the length of a paste that is all there is, drawn in italics as a placeholder."""
    runs = [run for number, row in enumerate(rows) for run in row[1 if number == 0 else 0 :] if run.text.strip()]
    if not runs or not all(run.style.flags & ITALIC for run in runs):
        return None
    found = _PASTED.match("".join(run.text for run in runs).strip())
    return int(found[1]) if found else None
