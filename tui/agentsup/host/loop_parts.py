"""The parts of the loop around compactions, built and connected: each knows only what it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from agentsup.agents.adapter import Adapter, Conversation, Place
from agentsup.agents.registry import has_log
from agentsup.core.policy import Policy
from agentsup.host.conversations import Conversations
from agentsup.host.engram_intake import EngramIntake
from agentsup.host.hook_side import HookSide
from agentsup.host.own_texts import OwnTexts
from agentsup.host.pty_screen import PtyScreen
from agentsup.host.recitals import Recitals
from agentsup.host.restores import Restores
from agentsup.host.rounds import RoundWriter
from agentsup.host.start_restore import StartRestore
from agentsup.host.supervisor import Supervisor
from agentsup.locale import load


@dataclass(frozen=True)
class Parts:
    """What the host has made, for those parts of the loop that need it."""

    adapter: Adapter
    place: Place
    conversations: Conversations
    screen: PtyScreen
    restores: Restores


def attach(supervisor: Supervisor, spec: dict[str, Any], parts: Parts) -> Callable[[], None]:
    """Build the parts and have them told what happens; `spec` is the session's as the keeper keeps it.

    They stand in `supervisor.loop.followers` in the order in which they are told of an event. Returned is what has
    to be called when the host ends.
    """
    loop = supervisor.loop
    recitals = Recitals(
        supervisor.injections, supervisor.injections.verdicts, language=spec["language"],
        session=lambda: supervisor.session, happened=supervisor.happened,
        is_caught_up=lambda: parts.conversations.caught_up,
    )  # fmt: skip
    # Before the journal: what a turn is worth is told before it is written down.
    loop.followers.append(recitals)
    loop.recital_answered, loop.caught_up = recitals.answered, recitals.caught_up
    journal = RoundWriter(
        Path(spec["memory_root"]), session=lambda: supervisor.session, line_at=lambda: parts.conversations.line_at,
        tell=supervisor.happened, is_caught_up=lambda: parts.conversations.caught_up,
    )  # fmt: skip
    loop.followers.append(journal)
    if parts.place.hook:
        loop.hook_called = HookSide(
            parts.adapter.name, session=lambda: supervisor.session, happened=supervisor.happened,
            by_hook=supervisor.injections.by_hook, look=parts.conversations.agent_wrote,
            prepare=lambda: supervisor.prepare(files=False),
            is_settled=lambda: parts.restores.settled and parts.conversations.caught_up,
        ).called  # fmt: skip
    loop.inject = _own_texts(supervisor, spec, parts).inject
    if msgspec.convert(spec["policy"], Policy).start and has_log(parts.adapter):
        loop.followers.append(_start_restore(supervisor, parts))
    intake = _engram_intake(supervisor, spec, parts)
    loop.followers.append(intake)
    loop.engram_saved = intake.saved
    parts.restores.awaited_since = lambda: intake.writing_since
    return intake.close


def _own_texts(supervisor: Supervisor, spec: dict[str, Any], parts: Parts) -> OwnTexts:
    return OwnTexts(
        supervisor.injections, header=load(spec["language"]).text("inject.header"), session=lambda: supervisor.session,
        has_log=has_log(parts.adapter), is_raw=parts.screen.is_raw, prepare=supervisor.prepare,
    )  # fmt: skip


def _start_restore(supervisor: Supervisor, parts: Parts) -> StartRestore:
    def begins_anew(conversation: Conversation, first: bool) -> bool:
        return parts.adapter.begins_anew(conversation, parts.place, first=first)

    return StartRestore(
        supervisor.injections, begins_anew=begins_anew, is_settled=lambda: parts.restores.settled,
        on_missed=supervisor.injections.start_missed, is_ours=lambda: supervisor.injections.turn_is_ours,
    )  # fmt: skip


def _engram_intake(supervisor: Supervisor, spec: dict[str, Any], parts: Parts) -> EngramIntake:
    return EngramIntake(
        Path(spec["memory_root"]), supervisor.injections, load(spec["language"]),
        ask_percent=msgspec.convert(spec["policy"], Policy).ask_engram, session=lambda: supervisor.session,
        tell=supervisor.happened, on_written=supervisor.prepare,
        is_caught_up=lambda: parts.conversations.caught_up,
    )  # fmt: skip
