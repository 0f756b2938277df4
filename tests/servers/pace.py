"""How the answers of a scripted server wait: for a test's word, and for time to pass."""

from __future__ import annotations

import threading
import time


class Gate:
    """Keep an answer open until a test lets it go on, and tell the test that it is open."""

    def __init__(self) -> None:
        self._reached = threading.Event()
        self._released = threading.Event()

    def wait_reached(self, timeout: float = 20.0) -> None:
        """Block until an answer stands at the gate."""
        if not self._reached.wait(timeout):
            raise AssertionError(f"no answer reached the gate within {timeout} s")

    def release(self) -> None:
        """Let the answer go on, now or as soon as it arrives."""
        self._released.set()

    def pause_at(self, timeout: float) -> bool:
        """Arrive (server side) and wait up to `timeout` seconds; say whether the gate is open."""
        self._reached.set()
        return self._released.wait(timeout)


class Pace:
    """How the events of an answer wait; the server's version also notices a client that went away."""

    def sleep(self, seconds: float) -> None:
        """Wait for a scripted delay."""
        if seconds > 0:
            time.sleep(seconds)

    def pass_gate(self, gate: Gate) -> None:
        """Wait until the gate opens."""
        while not gate.pause_at(0.05):
            pass
