"""A text of ours is sent at the very moment at which the real Codex opens something that an Enter would answer.

A race counts where the order to send and the event came within 50 ms of each other; one that missed is run again.
What must hold, in those that missed too, is that nothing is approved, nothing is picked, no draft is sent with ours,
and that ours arrives once all the same, when the agent is free again. That the moments are dangerous is shown by a
control: the same text and an Enter, typed at such a moment by somebody who does not look.

    queued approval   a follow-up that was queued begins at the end of the turn that ours waits for, and asks at once
    own approval      the model's answer to a text of ours asks, and another one is to be sent then
    picker            /model, the agents' view, or going back, opened by a key
    returned queue    Escape ends the turn, and what was queued is a draft again
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Literal

from agentsup.locale import load
from agentsup.protocol.messages import Paste
from tests.real_agents.codex import EMPTY_HINT, build_home
from tests.servers.model_server import ModelServer
from tests.servers.responses import Gate
from tests.soak.raced_codex import APPROVED, QUESTION, Script, Stage
from tests.soak.tally import Tally

NEAR = 0.05
"""Seconds between the sending and the event, at most."""

QUIET = 0.3
"""Seconds after a person's key for which nothing is typed."""

LINGER = 0.6
"""Seconds for which a question is left open: more than it takes to answer it by mistake."""

Kind = Literal["queued approval", "own approval", "picker", "returned queue"]
KINDS: tuple[Kind, ...] = ("queued approval", "own approval", "picker", "returned queue")

USUAL = 0.7
"""Seconds from the end of a turn to the next one's question."""

PER_SESSION = 25
CONTROLS_FOR = 10
"""One control for so many races."""

HEADER = re.compile("[a-z0-9]{6}".join(re.escape(part) for part in load("en").text("inject.header").split("{id}")))

PICKERS: Sequence[tuple[str, Sequence[bytes], str]] = (
    ("/model", (b"/model", b"\r"), "Legacy coding model."),
    ("agents", (b"\x1b[D",), "Agent command center"),
    ("back", (b"\x1b", b"\x1b"), "rewind"),
)
"""A name, the keys, and words that are on the screen while it is open, and no more after an Enter."""


@dataclass
class Counted:
    """What was seen in all races so far."""

    approvals: int = 0
    picks: int = 0
    merged: int = 0
    missed: int = 0
    """Texts that did not arrive once."""
    opened: int = 0
    """Pickers that were seen open."""
    tried: int = 0
    """All races, those included in which the two did not come within NEAR of each other."""
    kinds: Counter[str] = field(default_factory=Counter)
    """How many of each kind were near."""


def run(count: int, seed: int, folder: Path, codex: Path) -> Tally:
    """Run races, in sessions of their own, until so many were near; and the controls."""
    chance, counted = random.Random(seed), Counted()
    while counted.kinds.total() < count and counted.tried < 4 * count:
        _session(count, chance, counted, folder / f"session-{counted.tried}", codex)
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counted.kinds.items()))
    controls = max(1, count // CONTROLS_FOR)
    approved = sum(_control(chance, folder / f"control-{number}", codex) for number in range(controls))
    near = counted.kinds.total()
    return Tally(
        f"orders to send within ± {NEAR * 1000:.0f} ms of an approval, a picker, an Escape that returns a queue,"
        " real Codex",
        count,
        {
            "near": near,
            "no approval": near - counted.approvals,
            "no pick": near - counted.picks,
            "no merged draft": near - counted.merged,
            "arrived once": near - counted.missed,
            "the control approves": count if approved else 0,
        },
        f"{kinds}; {counted.opened} pickers seen open; {counted.tried} tried, what went wrong in any of them would"
        f" count; the same typed without looking: {approved} of {controls} approved",
    )


def _session(count: int, chance: random.Random, counted: Counted, folder: Path, codex: Path) -> None:
    """Run races in one session, as many as leave it as it was, until there are enough."""
    script = Script()
    with ModelServer(script.answer) as model:
        stage = Stage(build_home(folder, codex, model), model, script, folder)
        try:
            for _ in range(PER_SESSION):
                if counted.kinds.total() >= count or not Race(stage, chance, counted).run():
                    return
        finally:
            stage.close()


def _control(chance: random.Random, folder: Path, codex: Path) -> bool:
    """Type a text and an Enter shortly after a question came, unlike the injector; return whether it approved."""
    script = Script()
    with ModelServer(script.answer) as model:
        stage = Stage(build_home(folder, codex, model), model, script, folder)
        try:
            script.delays["ask control"] = 0.0
            stage.say("ask control")
            stage.wait(lambda: stage.client.asked > 0, "it asks")
            stage.pause(chance.uniform(0.0, NEAR))
            stage.client.send(Paste(b"note"))
            stage.keys(b"\r")
            return stage.seen(APPROVED, 3 * LINGER) or (stage.home.project / "asked-control").exists()
        finally:
            stage.close()


class Race:
    """One of them."""

    def __init__(self, stage: Stage, chance: random.Random, counted: Counted) -> None:
        self._stage, self._number, self._chance, self._counted = stage, counted.tried, chance, counted
        self._kind = KINDS[self._number % len(KINDS)]
        self._ordered = 0.0
        """When the text was ordered."""
        self._is_near = False
        self._is_closed = False
        """Whether a question was gone before the person's Escape."""
        self._id = ""
        self._before = (stage.home.codex_home / "config.toml").read_bytes(), len(stage.home.rollouts())

    def run(self) -> bool:
        """Run it, free the agent, and look at what has happened; False where that is not how it should be."""
        self._counted.tried += 1
        self._stage.client.messages.clear()
        try:
            self._play()
            self._stage.wait(lambda: self._stage.state(self._id) == "confirmed", "it has arrived")
            self._stage.wait_idle()
        except AssertionError as error:
            print(error)
            self._judge(has_arrived=False)
            return False
        self._judge(has_arrived=True)
        return True

    def _play(self) -> None:
        match self._kind:
            case "queued approval":
                self._queued_approval()
            case "own approval":
                self._own_approval()
            case "picker":
                self._picker()
            case "returned queue":
                self._returned_queue()

    def _queued_approval(self) -> None:
        hold, ask = f"hold {self._number}", f"ask {self._number}"
        gate = self._stage.script.gates[hold] = Gate()
        delay = self._stage.script.delays[ask] = self._chance.uniform(0.0, 2 * NEAR)
        self._stage.say(hold)
        gate.wait_reached()
        self._stage.persons.add(ask)
        self._stage.type(ask)
        self._stage.keys(b"\t")
        self._stage.wait(lambda: "Queued follow-up inputs" in self._stage.text, "it is queued")
        self._stage.pause(QUIET)
        if self._chance.random() < 0.25:
            # Since before the end of the turn: the moment between the two turns is one of sending.
            self._inject("note")
        gate.release()
        self._near_question(delay)

    def _own_approval(self) -> None:
        ask = f"please ask {self._number}"
        delay = self._stage.script.delays[ask] = self._chance.uniform(0.0, 2 * NEAR)
        self._stage.pause(QUIET)
        first = self._stage.inject(ask)
        self._stage.wait(lambda: self._stage.state(first) in ("submitted", "confirmed"), "it is submitted")
        self._near_question(delay)

    def _near_question(self, delay: float) -> None:
        """Send at the moment at which the question is expected; leave it open for a while; answer it with Escape."""
        since, took = time.time(), self._stage.took.setdefault(self._kind, [USUAL])
        offset = self._chance.uniform(-NEAR, NEAR)
        if not self._id and offset < 0:
            self._stage.pause(max(0.0, median(took[-5:]) + delay + offset))
            self._inject("note")
        self._stage.wait(lambda: self._stage.client.asked >= since, "it asks")
        if not self._id:
            self._stage.pause(max(0.0, self._stage.client.asked + offset - time.time()))
            self._inject("note")
        took.append(self._stage.client.asked - since - delay)
        self._is_near = abs(self._stage.client.asked - self._ordered) <= NEAR
        self._stage.pause(LINGER)
        self._is_closed = QUESTION not in self._stage.text
        if not self._is_closed:
            self._stage.keys(b"\x1b")

    def _inject(self, words: str) -> None:
        self._ordered = time.time()
        self._id = self._stage.inject(f"{words} {self._number}")

    def _picker(self) -> None:
        name, keys, words = PICKERS[self._number // 4 % len(PICKERS)]
        *first, last = keys
        self._stage.keys(*first)
        if name == "/model":
            self._stage.wait(lambda: "› /model" in self._stage.text, "the command")
        self._press_near(last)
        is_open = self._stage.seen(words, LINGER)
        self._counted.opened += is_open
        self._counted.picks += self._has_picked() or (is_open and words not in self._stage.text)
        for _ in range(3):
            if EMPTY_HINT in self._stage.text:
                break
            self._stage.keys(b"\x1b")
            self._stage.pause(LINGER)

    def _returned_queue(self) -> None:
        hold, draft = f"hold {self._number}", f"draft {self._number}"
        gate = self._stage.script.gates[hold] = Gate()
        self._stage.say(hold)
        gate.wait_reached()
        self._stage.type(draft)
        self._stage.keys(b"\t")
        self._stage.wait(lambda: "Queued follow-up inputs" in self._stage.text, "it is queued")
        self._press_near(b"\x1b")
        self._stage.wait(lambda: f"› {draft}" in self._stage.text, "the queue has come back")
        self._stage.pause(LINGER)
        assert f"› {draft}" in self._stage.text
        self._stage.persons.add(draft)
        self._stage.keys(b"\r")
        gate.release()

    def _press_near(self, key: bytes) -> None:
        """Press a key and have a text sent, within NEAR of it or of the end of the quiet that follows a key."""
        wait = self._chance.uniform(-NEAR, NEAR) + self._chance.choice((0.0, QUIET))
        if wait < 0:
            self._inject("note")
            self._stage.pause(-wait)
        self._stage.keys(key)
        pressed = time.time()
        if wait >= 0:
            self._stage.pause(wait)
            self._inject("note")
        self._is_near = any(abs(self._ordered - pressed - after) <= NEAR for after in (0.0, QUIET))

    def _has_picked(self) -> bool:
        config, rollouts = (self._stage.home.codex_home / "config.toml").read_bytes(), len(self._stage.home.rollouts())
        return (config, rollouts) != self._before

    def _judge(self, *, has_arrived: bool) -> None:
        """Look at the files, and at everything that the newest request has in the person's name."""
        name = str(self._number)
        self._counted.kinds[self._kind] += self._is_near
        has_run = (self._stage.home.project / f"asked-{name}").exists()
        self._counted.approvals += self._is_closed or has_run or self._stage.client.approved
        self._stage.client.approved = False
        texts = [text for request in self._stage.model.requests("turn")[-1:] for text in request.texts("user")]
        ours = [text for text in texts if self._id in text.partition("\n")[0]]
        self._counted.missed += not (has_arrived and len(ours) == 1)
        self._counted.merged += any(not self._is_known(text) for text in texts)

    def _is_known(self, text: str) -> bool:
        if text in self._stage.persons or text.startswith(("<", "# AGENTS.md")):
            return True
        header, _, body = text.partition("\n\n")
        return HEADER.fullmatch(header) is not None and body.rpartition(" ")[0] in ("note", "please ask")
