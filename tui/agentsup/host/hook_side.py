"""Hooks of ours that the agent runs: proof that they are loaded, and a way for a text into its next request.

A hook is a program that the agent waits for. It tells in which conversation it was run; only the one that this session
is in is answered. Where a conversation has just begun, the agent may say so to its hook before the host has looked. And
the text that it is to get may just be composed anew: it is waited for, as far as a hook is.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from agentsup.agents import hook_client
from agentsup.core import events as ev
from agentsup.core.injector import BEGINS
from agentsup.core.session import Session
from agentsup.protocol import messages as m

PATIENCE = 1.0
"""Seconds for which a hook of a conversation that is not known yet is kept waiting."""

TEXT_PATIENCE = 3.0
PROMPT_PATIENCE = 1.5
"""Seconds for which it is kept waiting in all: it gives up after four, that of a prompt after two (`hook_client`)."""

LOOK_INTERVAL = 0.03

WAITING_MOST = 4
"""Hooks that are kept waiting at once: an agent runs one, and whatever runs more of them gets nothing."""

DATA_MOST = hook_client.READ_MOST
"""Bytes of what a hook was told: ours passes on no more."""

WITH_CONTEXT = ("SessionStart", "UserPromptSubmit")
"""Events whose hooks can put a text into the context."""

NAME_MOST = 200
"""Characters of a conversation's id and of a source: agents have 36 and 7."""


@dataclass(frozen=True)
class Call:
    """What a hook was run for."""

    event: str
    conversation: str
    source: str = ""


@dataclass(eq=False)
class Asking:
    """A hook that waits for its answer, since when, by the loop's clock."""

    call: Call
    answer: Callable[[bytes], None]
    is_there: Callable[[], bool]
    since: float
    heard: bool = False
    """It is of this session's conversation; what it waits for is its text."""


class HookSide:
    """Answers hooks."""

    def __init__(
        self,
        agent: str,
        *,
        session: Callable[[], Session],
        happened: Callable[[ev.Event], None],
        by_hook: Callable[[str, str, str], str],
        look: Callable[[], None],
        prepare: Callable[[], None],
        is_settled: Callable[[], bool],
    ) -> None:
        """`look`: for a new conversation. `prepare`: have texts composed anew; `is_settled`: whether they are."""
        self._agent, self._session, self._happened = agent, session, happened
        self._by_hook, self._look = by_hook, look
        self._prepare, self._is_settled = prepare, is_settled
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Asking] = []
        self._timer: asyncio.TimerHandle | None = None

    def called(self, message: m.HookCalled, answer: Callable[[bytes], None], is_there: Callable[[], bool]) -> None:
        """Answer a hook; with nothing where it is none of ours. `is_there`: whether it still waits."""
        has_place = message.agent == self._agent and len(self._waiting) < WAITING_MOST
        call = read_call(message) if has_place else None
        if call is None:
            answer(b"")
        else:
            self._go_on(Asking(call, answer, is_there, self._loop.time()))
            self._look_later()

    def _look_later(self) -> None:
        """Look at all that wait by one timer."""
        if not self._waiting or self._timer is not None:
            return
        if not all(asking.heard for asking in self._waiting):
            self._look()
        self._timer = self._loop.call_later(LOOK_INTERVAL, self._look_again)

    def _look_again(self) -> None:
        self._timer = None
        waiting, self._waiting = self._waiting, []
        try:
            while waiting:
                self._go_on(waiting.pop(0))
        finally:
            self._waiting += waiting  # a fault about one is none of the others
            self._look_later()

    def _go_on(self, asking: Asking) -> None:
        """Answer a hook, or keep it waiting."""
        said = self._text(asking) if asking.heard else self._beginning(asking)
        if said is None:
            self._waiting.append(asking)
        else:
            asking.answer(said)

    def _beginning(self, asking: Asking) -> bytes | None:
        """Return the answer to a hook whose conversation may not be known yet; None to wait."""
        call = asking.call
        if self._session().conversation == call.conversation:
            self._happened(ev.HookHeard(time.time(), call.event, call.source, call.conversation))
            if not self._gets_text(call):
                return self._said(call)
            asking.heard = True
            self._prepare()
            return self._text(asking)
        if call.event != "SessionStart" or self._has_waited(asking, PATIENCE) or not asking.is_there():
            return b""
        return None

    def _text(self, asking: Asking) -> bytes | None:
        """Return the answer to a hook that gets a text; None where that is just being composed."""
        if not asking.is_there() or self._session().conversation != asking.call.conversation:
            return b""  # nothing is handed out to nobody
        if self._is_settled():
            return self._said(asking.call)
        if self._has_waited(asking, TEXT_PATIENCE if asking.call.event == "SessionStart" else PROMPT_PATIENCE):
            # The one at hand is better than none in the very next request.
            # Where nothing was said yet, the hook of the first prompt is in time as well.
            return b"" if asking.call.source in BEGINS else self._said(asking.call)
        return None

    def _gets_text(self, call: Call) -> bool:
        """Say whether this hook is likely to get one; that of a prompt only where one waits for it."""
        if call.event == "SessionStart":
            return call.source in (*BEGINS, "compact")
        return any((each.state, each.channel) == ("held", "hook") for each in self._session().unfinished)

    def _has_waited(self, asking: Asking, seconds: float) -> bool:
        return self._loop.time() - asking.since >= seconds

    def _said(self, call: Call) -> bytes:
        text = self._by_hook(call.event, call.source, call.conversation) if call.event in WITH_CONTEXT else ""
        if not text:
            return b""
        said = {"hookSpecificOutput": {"hookEventName": call.event, "additionalContext": text}}
        return json.dumps(said).encode()


def read_call(message: m.HookCalled) -> Call | None:
    """Return what the agent told a hook; None where it is not what agents tell."""
    if len(message.data) > DATA_MOST:
        return None
    try:
        told = json.loads(message.data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or told.get("hook_event_name") != message.event:
        return None
    if told.get("agent_id"):
        return None  # of a sub-agent, which has compacted its own context: Claude Code names the main one's session
    conversation, source = told.get("session_id"), told.get("source", "")
    if not isinstance(conversation, str) or not isinstance(source, str) or not conversation:
        return None
    if max(len(conversation), len(source)) > NAME_MOST:
        return None
    return Call(message.event, conversation, source)
