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

from agentsup.core import events as ev
from agentsup.core.session import Session
from agentsup.protocol import messages as m

PATIENCE = 1.0
"""Seconds for which a hook of a conversation that is not known yet is kept waiting."""

TEXT_PATIENCE = 3.0
PROMPT_PATIENCE = 1.5
"""Seconds for which it is kept waiting in all: it gives up after four, that of a prompt after two (`hook_client`)."""

LOOK_INTERVAL = 0.03

WITH_CONTEXT = ("SessionStart", "UserPromptSubmit")
"""Events whose hooks can put a text into the context."""

BEGINS = ("startup", "clear")
"""Sources of SessionStart in which nothing was said yet: the hook of the first prompt is in time as well."""

NAME_MOST = 200
"""Characters of a conversation's id and of a source: agents have 36 and 7."""


@dataclass(frozen=True)
class Call:
    """What a hook was run for."""

    event: str
    conversation: str
    source: str = ""


@dataclass(frozen=True)
class Asking:
    """A hook that waits for its answer, since when, by the loop's clock."""

    call: Call
    answer: Callable[[bytes], None]
    is_there: Callable[[], bool]
    since: float


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

    def called(self, message: m.HookCalled, answer: Callable[[bytes], None], is_there: Callable[[], bool]) -> None:
        """Answer a hook; with nothing where it is none of ours. `is_there`: whether it still waits."""
        call = read_call(message) if message.agent == self._agent else None
        if call is None:
            answer(b"")
        else:
            self._wait_for_conversation(Asking(call, answer, is_there, self._loop.time()))

    def _wait_for_conversation(self, asking: Asking) -> None:
        call = asking.call
        if self._session().conversation == call.conversation:
            self._happened(ev.HookHeard(time.time(), call.event, call.source, call.conversation))
            if self._gets_text(call):
                self._prepare()
                self._wait_for_text(asking)
            else:
                asking.answer(self._said(call))
        elif call.event != "SessionStart" or self._has_waited(asking, PATIENCE):
            asking.answer(b"")
        else:
            self._look()
            self._loop.call_later(LOOK_INTERVAL, self._wait_for_conversation, asking)

    def _wait_for_text(self, asking: Asking) -> None:
        if not asking.is_there() or self._session().conversation != asking.call.conversation:
            asking.answer(b"")  # nothing is handed out to nobody
        elif self._is_settled():
            asking.answer(self._said(asking.call))
        elif self._has_waited(asking, TEXT_PATIENCE if asking.call.event == "SessionStart" else PROMPT_PATIENCE):
            # The one at hand is better than none in the very next request.
            asking.answer(b"" if asking.call.source in BEGINS else self._said(asking.call))
        else:
            self._loop.call_later(LOOK_INTERVAL, self._wait_for_text, asking)

    def _gets_text(self, call: Call) -> bool:
        """Say whether this hook is likely to get one; that of a prompt only where one waits for it."""
        if call.event == "SessionStart":
            return call.source in (*BEGINS, "compact")
        waits = self._session().injection
        return waits is not None and (waits.state, waits.channel) == ("held", "hook")

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
    try:
        told = json.loads(message.data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or told.get("hook_event_name") != message.event:
        return None
    conversation, source = told.get("session_id"), told.get("source", "")
    if not isinstance(conversation, str) or not isinstance(source, str) or not conversation:
        return None
    if max(len(conversation), len(source)) > NAME_MOST:
        return None
    return Call(message.event, conversation, source)
