"""Perform actions one after the other: a generator that pauses wherever time passes or a person decides."""

from __future__ import annotations

import math
import secrets
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Literal, assert_never

from agentsup.demo import script as do
from agentsup.demo.dialogs import Answer, Dialog
from agentsup.demo.hooks import LOOK_INTERVAL, TIMEOUT, context_of
from agentsup.demo.stage import Queued, Stage

LEAST_PAUSE = 0.01
"""Seconds between two pieces of a message: at a high speed the pieces grow, not the number of frames."""


@dataclass(frozen=True)
class Delay:
    """Go on after so many seconds."""

    seconds: float


@dataclass(frozen=True)
class Await:
    """Go on when the open dialog is answered, or the editor has ended, or never."""

    what: Literal["dialog", "editor", "end"]


Actions = tuple[do.Action, ...]
Pause = Delay | Await
Performance = Generator[Pause, Answer | None, None]
Ran = Generator[Pause, Answer | None, list[dict[str, str]]]


class TurnStopped(Exception):
    """The turn ends here, as if it had been interrupted."""


def run_hooks(stage: Stage, prompt: str | None) -> Performance:
    """Run the hooks that come before a request to the model: those of a session's start, and that of its prompt."""
    for context in (yield from _run_due(stage)):
        stage.log.write("hook_context", **context)
    if prompt is not None and stage.hooks.start is not None:
        for context in (yield from _run_hook(stage, "UserPromptSubmit", prompt=prompt)):
            stage.log.write("hook_context", **context)


def _run_due(stage: Stage) -> Ran:
    contexts: list[dict[str, str]] = []
    for source in stage.hooks.take_due():
        contexts += yield from _run_hook(stage, "SessionStart", source=source)
    return contexts


def _run_hook(stage: Stage, event: str, **told: str) -> Ran:
    assert stage.hooks.start is not None
    told |= {"session_id": stage.log.id, "cwd": stage.cwd, "hook_event_name": event}
    running = stage.hooks.start(event, told)
    until = stage.agenda.now + TIMEOUT
    try:
        while (output := running.output()) is None and stage.agenda.now < until:
            yield Delay(LOOK_INTERVAL)
    finally:
        running.end()
    text = context_of(output or b"", event)
    return [{"event": event, "text": text}] if text else []


def perform(
    actions: tuple[do.Action, ...], stage: Stage, absorb: Callable[[Queued], tuple[do.Action, ...]]
) -> Performance:
    """Perform all actions; after a tool the messages that wait for one are absorbed, and answered first."""
    waiting = deque(actions)
    while waiting:
        action = waiting.popleft()
        yield from _act(action, stage)
        if isinstance(action, do.Read | do.Edit | do.Run | do.Approve):
            for queued in [queued for queued in stage.queue if queued.deliver == "tool"]:
                stage.queue.remove(queued)
                waiting.extendleft(reversed(absorb(queued)))


def _act(action: do.Action, stage: Stage) -> Performance:
    match action:
        case do.Say():
            yield from _say(action, stage)
        case do.Note():
            stage.transcript.add("note", action.text)
        case do.Read() | do.Edit() | do.Run():
            yield Delay(stage.seconds(action.takes))
            _used_tool(action, stage)
        case do.Usage():
            _report_usage(stage, action.used, action.window or stage.meter.window)
        case do.Approve():
            yield from _approve(action, stage)
        case do.Pick():
            yield from _pick(action, stage)
        case do.Compact():
            yield from _compact(action, stage)
        case do.Sleep():
            yield Delay(stage.seconds(action.milliseconds))
        case do.OpenEditor():
            stage.editor_wanted = True
            yield Await("editor")
        case do.Exit():
            stage.exit_code = action.code
            yield Await("end")
        case do.Crash():
            stage.crash = action.signal
            yield Await("end")
        case _:
            assert_never(action)


def _say(action: do.Say, stage: Stage) -> Performance:
    chunk, pause = max(1, action.chunk), stage.seconds(action.delay)
    if pause <= 0:
        chunk = max(1, len(action.text))
    elif pause < LEAST_PAUSE:
        merged = math.ceil(LEAST_PAUSE / pause)
        chunk, pause = chunk * merged, pause * merged
    stage.transcript.open("assistant")
    for start in range(0, len(action.text), chunk):
        yield Delay(pause)
        stage.transcript.extend(action.text[start : start + chunk])
    stage.transcript.finish()
    stage.last_words = action.text
    stage.log.write("assistant", text=action.text)


def _used_tool(action: do.Read | do.Edit | do.Run, stage: Stage) -> None:
    kind = type(action).__name__.lower()
    code = action.exit_code if isinstance(action, do.Run) else None
    key = "ran-failed" if code else {"read": "read", "edit": "edited", "run": "ran"}[kind]
    stage.transcript.add("tool", stage.text(key, target=action.target, code=code))
    stage.log.write("tool", kind=kind, target=action.target, exit_code=code)


def _report_usage(stage: Stage, used: int, window: int, *, estimate: bool = False) -> None:
    meter = stage.meter
    meter.used, meter.window = used, window
    meter.total += 0 if estimate else used
    stage.log.write("usage", used=used, window=window, total=meter.total, estimate=estimate)


def _ask(dialog: Dialog, stage: Stage, draw_after: int) -> Generator[Pause, Answer | None, Answer]:
    """Open a dialog; it takes keys at once and is drawn `draw_after` milliseconds later."""
    if draw_after:
        dialog.drawn = False

        def draw() -> None:
            dialog.drawn = True

        stage.agenda.after(draw_after / 1000, draw)
    stage.dialog = dialog
    try:
        answer = yield Await("dialog")
    finally:
        stage.dialog = None
    return answer or Answer(None, "")


def _approve(action: do.Approve, stage: Stage) -> Performance:
    choices = (stage.text("approval.yes"), stage.text("approval.no"))
    dialog = Dialog(
        stage.text("approval.title"), f"$ {action.command}", choices, stage.text("approval.hint"), ("y", "n")
    )
    stage.reports.say("blocked", "permission", after=action.report_after / 1000)
    answer = yield from _ask(dialog, stage, action.draw_after)
    approved = answer.choice == 0
    stage.log.write("approval", command=action.command, approved=approved, key=answer.key)
    stage.reports.say("working")
    if not approved:
        stage.notice("approval.refused", command=action.command)
        raise TurnStopped
    stage.notice("approval.approved", command=action.command, key=answer.key)
    yield Delay(stage.seconds(action.takes))
    _used_tool(do.Run(action.command), stage)


def _pick(action: do.Pick, stage: Stage) -> Performance:
    answer = yield from _ask(
        Dialog(action.title, "", action.choices, stage.text("picker.hint")), stage, action.draw_after
    )
    choice = None if answer.choice is None else action.choices[answer.choice]
    stage.log.write("picked", title=action.title, choice=choice, key=answer.key)
    if choice is not None:
        stage.notice("picker.picked", choice=choice)


def _compact(action: do.Compact, stage: Stage) -> Performance:
    stage.log.write("compaction_started", trigger=action.trigger)
    stage.begin("compacting")
    early = stage.behaviour.compact_hook == "before-record"
    reason = "cancelled"
    try:
        yield Delay(stage.seconds(action.takes))
        reason = {"done": "", "failed": "failed", "cancelled": "cancelled"}[action.outcome]
    finally:
        # An interruption closes this generator at its pause: then the compaction was cancelled.
        if reason:
            stage.log.write("compaction_failed", reason=reason, trigger=action.trigger)
            stage.notice(f"compaction.{reason}")
    stage.begin("working")
    if reason == "cancelled":
        raise TurnStopped
    if not reason:
        stage.hooks.began("compact")
        # As Claude Code: what is said before the record is written stands behind it.
        contexts = (yield from _run_due(stage)) if early else []
        stage.meter.compactions += 1
        before, after = stage.meter.used, action.after or stage.meter.used // 5
        stage.log.write(
            "compacted", id=secrets.token_hex(4), before=before, after=after, trigger=action.trigger
        )  # fmt: skip
        for context in contexts:
            stage.log.write("hook_context", **context)
        _report_usage(stage, after, stage.meter.window, estimate=True)
        stage.notice("compaction.done", before=before, after=after)
        if action.trigger == "auto":
            yield from run_hooks(stage, None)
