"""Random interleavings of a person's hands, an agent's habits and crashes, on the demo agent.

What must hold after each of them, whatever happened:

    no byte of ours into a draft      every message with a text of ours in it is exactly that text
    none into a dialog                no question is answered by a carriage return of ours
    none into another program         an editor that had the terminal saw nothing of ours
    no key lost or reordered          what the pty was given, without ours, is what was typed
    no duplicate                      each text of ours reached the agent at most once
    no false "confirmed"              what is called confirmed is in the agent's log, whole
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from agentsup.protocol import messages as m
from tests.soak.tally import Tally
from tests.soak.watched_agent import MOUSE, OURS, WatchedAgent

WHAT = (
    "no byte into a draft", "none into a dialog", "none into another program", "no key lost or reordered",
    "no duplicate", "no false confirmed",
)  # fmt: skip

COMPACTS: list[dict[str, Any]] = [{"usage": 36_000}, {"compact": "auto", "takes": 20, "after": 8_000}]
SCRIPT: dict[str, Any] = {
    "behaviour": {"pasted_from": 1000},
    "step": [
        {"prompt": "^agentsup", "actions": [{"say": "My task: Ship the parser.", "delay": 0}, {"usage": 9_000}]},
        {"prompt": "a$", "actions": COMPACTS},
        {"prompt": "b$", "actions": [*COMPACTS, {"approve": "rm -r build", "report_after": 10}]},
        {"prompt": "c$", "actions": [*COMPACTS, {"sleep": 150}]},
        {"after": 5, "turn": False, "actions": [{"pick": "Select a model"}]},
        {"prompt": "d$", "actions": [*COMPACTS, {"sleep": 60}, {"approve": "ls", "draw_after": 15}]},
        {"prompt": "e$", "actions": [*COMPACTS, {"editor": True}]},
        {"prompt": "f$", "actions": [{"sleep": 200}, *COMPACTS]},
    ],
}
"""The last letter of a prompt says what it sets going; between any of these a person may do anything."""

ANSWER_WITHIN = 0.15
"""Seconds between a carriage return of ours and the answer of a question that it may have given."""

PATIENCE = 12.0
"""Seconds that an injection has to come to an end, once nobody does anything."""


class Faults:
    """What went wrong, in all examples."""

    def __init__(self) -> None:
        self.examples = 0
        self.bad = dict.fromkeys(WHAT, 0)
        self.confirmed = self.failed = self.held = 0


class Hands(RuleBasedStateMachine):
    """One session, and somebody who does things to it."""

    faults: Faults
    folder: Path

    @initialize()
    def begin(self) -> None:
        """Start a session."""
        self.place = Path(tempfile.mkdtemp(dir=self.folder))
        self.agent = WatchedAgent(self.place, SCRIPT)
        self.typed = b""
        self.left = False
        self.confirmed: set[str] = set()

    # --- hands

    @rule(text=st.text("abcdefx ", min_size=1, max_size=4))
    def types(self, text: str) -> None:
        """Type some letters."""
        self._press(text.encode())

    @rule(key=st.sampled_from([b"\x1b[A", b"\x1b[B", b"\x1b[D", b"\t", b"\x7f", b"\x15", b"\x1b", b"\x12"]))
    def presses(self, key: bytes) -> None:
        """History, completion, deletion, Escape."""
        self._press(key)

    @rule(letter=st.sampled_from("abcdef"), patience=st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.9]))
    def asks(self, letter: str, patience: float) -> None:
        """Send a prompt that makes the agent compact, and wait or do not."""
        self._press(b"\x1b")
        self._pump(0.05)  # else the agent takes what follows for one key with it
        self._press(b"\x15" + letter.encode())
        self._press(b"\r")
        self._pump(patience)

    @rule(letter=st.sampled_from("abcdef"), moment=st.integers(0, 12))
    def types_into_it(self, letter: str, moment: int) -> None:
        """Ask, and type just when a restore may be on its way."""
        self.asks(letter, 0.25 + moment * 0.03)
        self._press(b"x")

    @rule()
    def enters(self) -> None:
        """Press Enter, whatever is there."""
        self._press(b"\r")

    @rule(key=st.sampled_from([b"y", b"n", b"2", b"\x1b", b"q"]))
    def answers(self, key: bytes) -> None:
        """Answer what may be asked, or leave the editor."""
        self._press(key)

    @rule(text=st.sampled_from(["short", "two\nlines", "long " * 300]))
    def pastes(self, text: str) -> None:
        """Paste, in two pieces."""
        data, half = text.encode(), len(text) // 2
        self._send(m.Paste(data[:half], first=True, last=False))
        self._send(m.Paste(data[half:], first=False, last=True))
        self.typed += data

    @rule(row=st.integers(0, 20))
    def moves_the_mouse(self, row: int) -> None:
        """Move and press the mouse."""
        self._send(m.Mouse("move", 3, 5, row))
        self._send(m.Mouse("press", 0, 5, row))

    @rule(command=st.sampled_from([b"/compact", b"/model", b"/new", b"/editor"]))
    def commands(self, command: bytes) -> None:
        """Call one of the agent's commands."""
        self._press(b"\x15" + command)
        self._pump(0.03)
        self._press(b"\r")

    @rule(seconds=st.sampled_from([0.01, 0.05, 0.12, 0.35, 0.7]))
    def waits(self, seconds: float) -> None:
        """Do nothing for a while."""
        self._pump(seconds)

    # --- ends and accidents

    @rule()
    def the_interface_is_killed(self) -> None:
        """Kill the interface."""
        if not self.left:
            self.agent.leave_and_come_back()

    @rule()
    def the_host_is_killed(self) -> None:
        """Kill the host: keys that it has not read yet die with it, so first let it read them."""
        client = self.agent.client
        answers = sum(isinstance(message, m.SessionChanged) for message in client.messages)
        self._send(m.StatusRequest())
        while not self.left and sum(isinstance(each, m.SessionChanged) for each in client.messages) == answers:
            self._pump(0.02)
        if not self.left:
            self.agent.kill_host()

    @precondition(lambda self: len(self.typed) > 20)
    @rule(sure=st.integers(0, 5))
    def leaves(self, sure: int) -> None:
        """Leave the agent, now and then."""
        if sure == 0:
            self._press(b"\x15/quit")
            self._pump(0.03)
            self._press(b"\r")

    # --- afterwards

    def teardown(self) -> None:
        """Let everything come to an end, then look at it."""
        if not hasattr(self, "agent"):
            return
        self.faults.examples += 1
        try:
            self._come_to_an_end()
            for what in sorted(set(self._wrong())):
                self.faults.bad[what] += 1
                print(f"{what}: {self.place}", file=sys.stderr)
        finally:
            self.agent.close()
            shutil.rmtree(self.place, ignore_errors=True)

    def _come_to_an_end(self) -> None:
        """Close what is open, clear what is typed, and wait until the newest injection has an end."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and not self.left:
            state = self.agent.injection[1]
            if self.agent.reported in ("idle", "done") and state in ("", "confirmed", "failed", "dropped"):
                break
            for key in (b"\x1b", b"q", b"\x15"):
                self._press(key)
                self._pump(0.1)
            self._pump(0.6)
        self._pump(0.3)
        state = self.agent.injection[1]
        self.faults.confirmed += len(self.confirmed)
        self.faults.failed += state == "failed"
        self.faults.held += state == "held"

    def _wrong(self) -> list[str]:
        wrong = []
        first: dict[str, str] = {}
        again: list[str] = []
        for text in self.agent.restores():
            found = re.search(r"\(restore ([a-z0-9]{6})", text)
            id = found[1] if found else ""
            # A person may take an earlier message out of the history, change it and send it: that is theirs.
            if id in first:
                again.append(id)
            else:
                first[id] = text
        ids = list(first)
        pasted = b"".join(w.data for w in self.agent.writes() if w.source == "injection")
        whole = {text.decode() for text in re.findall(rb"\x1b\[200~(.*?)\x1b\[201~", pasted, re.DOTALL)}
        if any(text not in whole for text in first.values()):
            wrong.append("no byte into a draft")
        if any(pasted.count(f"(restore {id}".encode()) > 1 for id in again):
            wrong.append("no duplicate")
        if self.confirmed - set(ids):
            wrong.append("no false confirmed")
        if b"agentsup" in self.agent.edited() or b"\x1b[200~" in _without_own(self.agent.edited(), self.typed):
            wrong.append("none into another program")
        returns = [w.time for w in self.agent.writes() if w.source == "injection" and w.data == b"\r"]
        for record in self.agent.log("approval", "picked"):
            if record["key"] == "enter" and any(0 <= record["time"] - r < ANSWER_WITHIN for r in returns):
                presses = [w.time for w in self.agent.writes() if w.source == "human" and b"\r" in w.data]
                if not any(0 <= record["time"] - p < ANSWER_WITHIN for p in presses):
                    wrong.append("none into a dialog")
        given = b"".join(w.data for w in self.agent.writes() if w.source in ("human", "paste"))
        if not self.left and _plain(given) != _plain(self.typed):
            print(f"given {_plain(given)!r}\ntyped {_plain(self.typed)!r}", file=sys.stderr)
            wrong.append("no key lost or reordered")
        return wrong

    def _press(self, data: bytes) -> None:
        self._send(m.Keys(data))
        if not self.left:
            self.typed += data

    def _send(self, message: m.ClientMessage) -> None:
        if not self.left:
            try:
                self.agent.client.send(message)
            except OSError:
                self.left = True
            self._pump(0.0)

    def _pump(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        client = self.agent.client
        while not self.left:
            client.pump(max(0.0, min(0.02, deadline - time.monotonic())))
            if client.closed or (client.session is not None and client.session.phase == "exited"):
                self.left = True
            id, state, _ = self.agent.injection
            if state == "confirmed":
                self.confirmed.add(id)
            if time.monotonic() >= deadline:
                return


def _plain(data: bytes) -> bytes:
    """Return what was typed without the marks around pastes and the mouse's reports."""
    return MOUSE.sub(b"", OURS.sub(b"", data)).replace(b"\x1b[200~", b"").replace(b"\x1b[201~", b"").replace(
        b"\r\n", b"\n"
    ).replace(b"\r", b"\n")  # fmt: skip


def _without_own(data: bytes, typed: bytes) -> bytes:
    """Return what an editor was given, without what a person may have pasted into it."""
    return b"" if b"\n" in typed or b"long" in typed or b"short" in typed else data


def run(count: int, number: int, folder: Path) -> Tally:
    """Let so many examples happen."""
    faults = Faults()
    machine = type("HandsHere", (Hands,), {"faults": faults, "folder": folder})
    chosen = settings(
        max_examples=count, stateful_step_count=14, deadline=None, database=None, phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(seed(number)(machine), settings=chosen)
    return Tally(
        "interleavings of hands, dialogs, compactions and kills on the demo agent",
        faults.examples,
        {what: faults.examples - number for what, number in faults.bad.items()},
        f"{faults.confirmed} confirmed, {faults.failed} failed and said so, {faults.held} still held",
    )
