"""How the real agents take a text that is typed as their adapters say: composer, request and log, byte by byte."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from agentsup.agents.adapter import Adapter
from agentsup.agents.claude import Claude
from agentsup.agents.codex import Codex
from agentsup.core.events import UserMessageRecorded
from agentsup.core.injector import arrived, print_of, shows
from agentsup.core.screen import row_text
from tests.conftest import MakeClaudeHome, MakeCodexHome
from tests.real_agents.claude import ClaudeHome, ClaudeSettings
from tests.real_agents.own_pty import OwnPty
from tests.servers import messages, responses
from tests.servers.messages_server import MessagesServer
from tests.servers.model_server import ModelServer

pytestmark = pytest.mark.real_agent

HEADER = "Restored from disk by agentsup (restore abc123).\n"


def lines(size: int, line: str = "a line of memory, and some more of it") -> str:
    """Return a text of so many bytes that begins with a header."""
    text = HEADER + f"{line}\n" * (size // len(line.encode()) + 1)
    return text.encode()[:size].decode(errors="ignore").rstrip() or "x"


TEXTS = {
    "1 byte": "x",
    "one line": "A short text (abc123) of one line.",
    "three lines": "A text (abc123)\nof three\nlines.",
    "800 characters": ("abc123 " + "word " * 200)[:799] + "x",
    "801 characters": ("abc123 " + "word " * 200)[:800] + "x",
    "four lines": "A text (abc123)\nof\nfour\nlines.",
    "4095 bytes": lines(4095),
    "4096 bytes": lines(4096),
    "4097 bytes": lines(4097),
    "64 KiB": lines(65_536),
    "Chinese": "由 agentsup 从磁盘恢复（恢复 abc123）。\n" + "一行记忆，还有更多文字。\n" * 60 + "完",
    "empty lines and indents": HEADER + "\n\n  two\n\n\n    four\n- [ ] item, long enough to be told\n" * 8 + "end",
    "its own marks": HEADER + '</pasted_content id="0000">\nafter it\n<pasted_content id="0000">\n' * 3 + "end",
    "a backslash at the end": "A text (abc123) with a backslash at its end: \\",
    "an emoji's name at the end": "A text (abc123) that ends at line :fi",
    "a file at the end": "A text (abc123) that names @calc",
    "a skill at the end": "A text (abc123) that names $calc",
    "commands inside": "A text (abc123)\n/compact\n!ls",
    "text that turns": HEADER + "a\u202eb\u2066c\u200ed\n" * 4 + "end",
    "what shows nothing": HEADER + "a\u200bb\ufeffc \u26a0\ufe0f d\u00ade\n" * 4 + "end",
}
CHANGED = ("text that turns", "what shows nothing")
"""Claude Code takes some of their characters out."""


@dataclass
class Typed:
    """One agent that texts are typed into."""

    pty: OwnPty
    adapter: Adapter
    answered: Callable[[], Sequence[str]]
    """The user's last words of each request so far."""
    logs: Callable[[], Sequence[Path]]
    is_idle: Callable[[], bool]
    project: Path

    @property
    def shown(self) -> str:
        """What is on the screen."""
        return "\n".join(row_text(row) for row in self.pty.screen.rows)

    def send(self, text: str) -> tuple[str, str]:
        """Type a text and submit it once it shows; return what the request has, and what the log tells of it."""
        typing = self.adapter.typing(text)
        self.pty.wait(lambda: self.adapter.composer(self.pty.screen).kind == "empty" and self.is_idle(), "it waits")
        asked, told = len(self.answered()), len(self.told())
        self.pty.write(typing.data)
        self.pty.wait(lambda: shows(self.adapter.composer(self.pty.screen), typing), "it shows the text")
        self.pty.write(b"\r")
        sent = time.monotonic()
        self.pty.wait(lambda: len(self.answered()) > asked, "a request")
        assert time.monotonic() - sent < 2.0, "one Enter was enough"
        self.pty.wait(lambda: len(self.told()) > told, "a record")
        return self.answered()[asked], self.told()[told]

    def told(self) -> list[str]:
        """Return what the log says was sent as the user's words."""
        found: list[str] = []
        for path in self.logs():
            decoder = self.adapter.decoder()
            whole = [line for line in path.read_bytes().split(b"\n")[:-1] if line]
            events = [event for line in whole for event in decoder.decode(line)]
            found += [event.text for event in events if isinstance(event, UserMessageRecorded)]
        return found


@contextmanager
def codex(make: MakeCodexHome, *script: responses.Turn) -> Iterator[Typed]:
    with ModelServer(script, default=responses.Turn("Fine.")) as model:
        home = make(model)
        pty = OwnPty(home.argv, env=home.env, cwd=home.project)
        try:
            yield Typed(
                pty, Codex(), lambda: [request.last_user_text() for request in model.requests("turn")], home.rollouts,
                lambda: len(home.events("task_complete")) == len(home.events("task_started")), home.project,
            )  # fmt: skip
        finally:
            pty.close()


Renderer = Literal["fullscreen", "classic"]


@contextmanager
def claude(make: MakeClaudeHome, renderer: Renderer, *script: messages.Turn) -> Iterator[Typed]:
    with MessagesServer(script, default=messages.Turn("Fine.")) as model:
        home: ClaudeHome = make(model, ClaudeSettings(renderer=renderer))
        pty = OwnPty(home.argv, env=home.env, cwd=home.project, size=(80, 24) if renderer == "classic" else (120, 40))
        try:
            yield Typed(
                pty, Claude(), lambda: [request.last_user_text() for request in model.requests("turn")],
                home.transcripts, lambda: home.live(pty.pid).get("status") == "idle", home.project,
            )  # fmt: skip
        finally:
            pty.close()


def test_codex_takes_every_text_as_it_is(make_codex_home: MakeCodexHome) -> None:
    with codex(make_codex_home) as typed:
        for name, text in TEXTS.items():
            request, told = typed.send(text)
            assert request == told, name
            # It takes some invisible characters out of what it does not show as a placeholder.
            assert arrived(told, print_of("abc123" if "abc123" in text else text, text)) == "whole", name
            if name not in CHANGED:
                assert told == text, name


@pytest.mark.parametrize("renderer", ["fullscreen", "classic"])
def test_claude_takes_every_text_as_one_message_of_the_persons(
    make_claude_home: MakeClaudeHome, renderer: Renderer
) -> None:
    with claude(make_claude_home, renderer) as typed:
        for name, text in TEXTS.items():
            request, told = typed.send(text)
            typing = typed.adapter.typing(text)
            assert arrived(told, print_of("abc123" if "abc123" in text else text, text)) == "whole", name
            if name not in CHANGED:
                assert told == text, name
            if not typing.lead:
                assert "<pasted_content" not in request, name
                continue
            lead, _, rest = request.partition("<pasted_content")
            assert lead.strip() == typing.lead.strip(), name
            assert rest.count("</pasted_content") == 1, name


def test_codex_passes_over_a_text_while_it_asks_for_approval(make_codex_home: MakeCodexHome) -> None:
    asks = responses.Turn("May I?", (responses.Command("touch asked.txt", escalate=True),))
    with codex(make_codex_home, asks) as typed:
        _type_while_asked(typed, "Would you like to run the following command?", slowly=False)


@pytest.mark.parametrize("renderer", ["fullscreen", "classic"])
def test_claude_passes_over_a_text_while_it_asks_for_permission(
    make_claude_home: MakeClaudeHome, renderer: Renderer
) -> None:
    asks = messages.Turn("May I?", (messages.Command("touch asked.txt"),))
    with claude(make_claude_home, renderer, asks) as typed:
        _type_while_asked(typed, "Do you want to proceed?", slowly=True)


def _type_while_asked(typed: Typed, question: str, *, slowly: bool) -> None:
    """Type a text whose every key would be an answer; `slowly`: its beginning comes byte by byte."""
    typed.send("do it")
    typed.pty.wait(lambda: question in typed.shown, "it asks")
    data = typed.adapter.typing("1 y\n" * 200).data
    start = len(b"\x1b[200~") + 300
    for number in range(start if slowly else 0):
        typed.pty.write(data[number : number + 1])
        typed.pty.pump(0.001)
    typed.pty.write(data[start if slowly else 0 :])
    end = time.monotonic() + 1.0
    typed.pty.wait(lambda: time.monotonic() > end, "a second")
    assert question in typed.shown
    assert not (typed.project / "asked.txt").exists()
