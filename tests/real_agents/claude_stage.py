"""One server, one home and one terminal with the real Claude Code, for tests of what it does by itself."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from tests.conftest import MakeClaudeHome
from tests.real_agents.claude import COMPOSER, EMPTY_HINT, ClaudeHome, ClaudeSettings
from tests.servers.messages import Turn
from tests.servers.messages_server import MessagesServer
from tests.terminals.tmux import Tmux

PATIENCE = 15.0
"""Seconds in which a key must have had its effect."""


class Stage:
    """A Claude Code that a test starts, talks to, and looks at from all sides."""

    def __init__(self, make_claude_home: MakeClaudeHome, stack: ExitStack) -> None:
        self._make, self._stack = make_claude_home, stack
        self.model: MessagesServer
        self.home: ClaudeHome
        self.terminal: Tmux

    def start(
        self,
        *script: Turn,
        arguments: tuple[str, ...] = (),
        settings: ClaudeSettings | None = None,
        first: str = EMPTY_HINT,
        **server: Any,
    ) -> None:
        """Start everything and wait for the composer, or whatever comes first."""
        self.model = self._stack.enter_context(MessagesServer(script, **server))
        self.home = self._make(self.model, settings)
        self.open(*arguments, first=first)

    def open(self, *arguments: str, first: str = EMPTY_HINT) -> None:
        """Start Claude Code in a terminal of its own, the one that the test goes on with."""
        self.terminal = self.home.start(*arguments)
        self._stack.callback(self.terminal.kill)
        self.terminal.wait_for(first)
        if first in (EMPTY_HINT, COMPOSER):
            self.wait_status("idle")

    # -- acting

    def say(self, text: str) -> None:
        """Paste a prompt and submit it."""
        self.terminal.paste(text)
        self.terminal.key("Enter")

    def command(self, text: str) -> None:
        """Type a slash command, and submit it once it is there."""
        self.terminal.type(text)
        self.terminal.wait_for(f"{COMPOSER}{text}")
        self.terminal.key("Enter")

    def finish_turn(self, text: str = "go") -> None:
        """Say something and wait until it is answered and Claude Code is at rest."""
        count = len(self.home.events("turn_duration")) + 1
        self.say(text)
        self.wait_turn_end(count)

    def press_until(self, key: str, condition: Callable[[], bool], what: str) -> None:
        """Press a key until it has its effect: keys in the moment a question appears are passed over."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self.terminal.key(key)
            try:
                self.terminal.wait_until(condition, 0.5, what=what)
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
            else:
                return

    # -- looking

    @property
    def live(self) -> Mapping[str, Any]:
        """Return the live state that Claude Code keeps of itself."""
        return self.home.live(self.terminal.pane_pid)

    @property
    def session_id(self) -> str:
        """Return the id of the session as the live state has it."""
        return str(self.live["sessionId"])

    def wait_status(self, status: str, waiting_for: str | None = None) -> None:
        """Wait until the live state has a status, and says what is waited for."""
        self.terminal.wait_until(
            lambda: (self.live.get("status"), self.live.get("waitingFor")) == (status, waiting_for),
            what=f"status {status!r}, waiting for {waiting_for!r}",
        )

    def wait_turn_end(self, count: int) -> None:
        """Wait until the transcript has `count` finished turns and Claude Code is at rest."""
        self.terminal.wait_until(
            lambda: len(self.home.events("turn_duration")) >= count, what=f"{count} finished turns"
        )
        self.wait_status("idle")

    def wait_records(self, wanted: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """Wait until the transcript has a record that `wanted` accepts; return the first."""
        found: list[dict[str, Any]] = []

        def look() -> bool:
            found.extend(record for record in self.home.records() if wanted(record))
            return bool(found)

        self.terminal.wait_until(look, what=what)
        return found[0]

    def boundaries(self) -> list[str]:
        """Return the triggers of the compactions that the transcript records."""
        return [record["compactMetadata"]["trigger"] for record in self.home.events("compact_boundary")]

    def usage_recorded(self) -> dict[str, tuple[int, int, int, int]]:
        """Return what the transcript says of each message: input, cache creation, cache read, output."""
        names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
        found: dict[str, tuple[int, int, int, int]] = {}
        for record in self.home.records():
            if record["type"] == "assistant":
                usage = record["message"]["usage"]
                first, second, third, fourth = (int(usage[name]) for name in names)
                found[record["message"]["id"]] = (first, second, third, fourth)
        return found


def said(record: Mapping[str, Any]) -> str:
    """Return the text of a user's or the assistant's record, as JSON when it is more than text."""
    content = record.get("message", {}).get("content", "")
    return content if isinstance(content, str) else json.dumps(content)
