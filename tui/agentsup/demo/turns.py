"""Turns: what a prompt sets going, how it is interrupted, and what is queued meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from agentsup.demo.actions import Actions, Await, Delay, Performance, TurnStopped, perform, run_hooks
from agentsup.demo.agenda import Entry
from agentsup.demo.dialogs import Answer
from agentsup.demo.mind import Mind
from agentsup.demo.script import Action, FollowUp, Step
from agentsup.demo.stage import Queued, Stage


class Turns:
    """Runs one step at a time; the next ones wait in the stage's queue."""

    def __init__(self, stage: Stage, mind: Mind) -> None:
        self._stage, self._mind = stage, mind
        self._performance: Performance | None = None
        self._timer: Entry | None = None
        self._coming: Entry | None = None
        """What begins by itself: a follow-up, or the next queued message after a flash of idleness."""
        self._flashing = False
        self._awaited = ""
        self._step = Step()
        self._turn = ""
        self._count = 0

    @property
    def busy(self) -> bool:
        """Whether a prompt must wait: something runs, or is about to."""
        return self._performance is not None or self._flashing

    @property
    def in_turn(self) -> bool:
        """Whether a turn runs that can be interrupted."""
        return bool(self._turn)

    def submit(self, text: str, source: str = "typed", *, at_turn_end: bool = False) -> None:
        """Answer a prompt now, or queue it."""
        stage = self._stage
        if not self.busy:
            self._begin(self._mind.answer(text, stage.meter.used), lambda: self._record(text, source), text)
            return
        queued = Queued(text, "turn-end" if at_turn_end else stage.behaviour.queue)
        stage.queue.append(queued)
        stage.log.write("queued", text=text, deliver=queued.deliver)

    def take(self, step: Step) -> None:
        """Perform a step that no prompt asked for, such as a command's."""
        if not self.busy:
            self._begin(step, lambda: None)

    def answer(self, answer: Answer | None) -> None:
        """Go on with what waited for the dialog's answer or, without one, for the editor."""
        if self._awaited == ("editor" if answer is None else "dialog"):
            self._advance(answer)

    def interrupt(self) -> None:
        """End the running turn as Esc does."""
        if self._performance is not None:
            self._performance.close()
            self._end(interrupted=True)

    def forget_follow_up(self) -> None:
        """Nothing begins by itself any more."""
        if self._coming is not None and not self._flashing:
            self._coming.cancelled = True

    def _record(self, text: str, source: str) -> None:
        self._stage.spoken = True
        self._stage.log.write("user", text=text, source=source)
        self._stage.transcript.add("user", text)

    def _begin(self, step: Step, record: Callable[[], None], prompt: str | None = None) -> None:
        stage = self._stage
        self._flashing = False
        self.forget_follow_up()
        self._step, stage.last_words = step, ""
        if step.turn:
            self._count += 1
            self._turn = f"{stage.log.id[:8]}-{self._count}"
            stage.log.write("turn_started", turn=self._turn, asked=step.asked)
            stage.reports.say("working")
            stage.begin("working")
        record()
        self._performance = self._performed(step.actions, prompt)
        self._advance(None)

    def _performed(self, actions: Actions, prompt: str | None) -> Performance:
        if prompt is not None:
            yield from run_hooks(self._stage, prompt)
        yield from perform(actions, self._stage, self._absorb)

    def _absorb(self, queued: Queued) -> tuple[Action, ...]:
        """Take a queued message into the running turn; return what it sets going."""
        self._record(queued.text, "queued")
        return self._mind.answer(queued.text, self._stage.meter.used).actions

    def _advance(self, answer: Answer | None) -> None:
        assert self._performance is not None
        compacted = self._stage.meter.compactions
        self._awaited = ""
        try:
            pause = self._performance.send(answer)
        except StopIteration:
            self._tell_mind(compacted)
            self._end(interrupted=False)
            return
        except TurnStopped:
            self._end(interrupted=True)
            return
        self._tell_mind(compacted)
        match pause:
            case Delay(seconds=seconds):
                self._timer = self._stage.agenda.after(seconds, lambda: self._advance(None))
            case Await(what=what):
                self._timer, self._awaited = None, what

    def _tell_mind(self, before: int) -> None:
        if self._stage.meter.compactions != before:
            self._mind.compacted()

    def _end(self, *, interrupted: bool) -> None:
        stage, turn = self._stage, self._turn
        self._performance, self._turn, self._awaited = None, "", ""
        if self._timer is not None:
            self._timer.cancelled = True
        stage.transcript.finish()
        stage.begin("")
        if turn:
            stage.log.write("turn_ended", turn=turn, interrupted=interrupted, message=stage.last_words)
        if interrupted:
            stage.notice("interrupted")
            if stage.behaviour.escape == "return":
                self._return_queue()
        if stage.queue:
            self._next_queued()
        elif turn:
            stage.reports.say("idle" if interrupted else "done")
        if not self.busy and not interrupted and self._step.follow_up is not None:
            self._follow(self._step.follow_up)

    def _return_queue(self) -> None:
        stage = self._stage
        if stage.queue:
            text = "\n".join(queued.text for queued in stage.queue)
            stage.queue.clear()
            stage.log.write("returned", text=text)
            stage.composer.put_back(text)

    def _next_queued(self) -> None:
        flash = self._stage.behaviour.idle_flash
        if not flash:
            self._begin_queued()
            return
        self._flashing = True
        self._stage.reports.say("idle")
        self._coming = self._stage.agenda.after(flash / 1000, self._begin_queued)

    def _begin_queued(self) -> None:
        stage = self._stage
        self._flashing = False
        if not stage.queue:
            return
        queued = stage.queue.pop(0)
        step = self._mind.answer(queued.text, stage.meter.used)
        self._begin(step, lambda: self._record(queued.text, "queued"), queued.text)

    def _follow(self, follow_up: FollowUp) -> None:
        stage = self._stage
        wait = follow_up.after / 1000 if follow_up.patient else stage.seconds(follow_up.after)

        def begin() -> None:
            if not self.busy:
                self._mind.began(follow_up.step)
                self._begin(follow_up.step, lambda: None)

        self._coming = stage.agenda.after(wait, begin)
