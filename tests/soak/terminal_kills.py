"""kill -9 of the interface at random moments with a busy program: alive, attached at once, the same screen."""

from __future__ import annotations

import os
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from agentsup.protocol import messages as m
from tests.end_to_end.headless import Client
from tests.end_to_end.place import Place
from tests.soak.programs import PROGRAM
from tests.soak.tally import Tally
from tests.terminals.tmux import Tmux

SIZE = (90, 30)

BUSY = ("typing", "pasting", "flooding", "resizing")
"""What goes on when it is killed, in turn."""


@dataclass(frozen=True)
class Killed:
    """One kill and what was so afterwards."""

    alive: bool
    seconds: float
    same: bool
    usable: bool


def run(count: int, seed: int, folder: Path) -> Tally:
    """Kill the interface while the person types, pastes 1 MB, the program floods, or the window changes."""
    moments = random.Random(seed)
    place = Place(folder)
    # The shell after it is the person's: it has to be usable after `agentsup reset`.
    me = f"{sys.executable} -m agentsup"
    try:
        first = place.open("--layout", "agent", "--", sys.executable, "-c", PROGRAM, size=SIZE)
        first.wait_for("bottom")
        os.kill(first.pane_pid, 9)
        kills = [_kill_once(place, me, moments, BUSY[number % len(BUSY)]) for number in range(count)]
    finally:
        place.close()
    times = sorted(kill.seconds for kill in kills)
    return Tally(
        "kill -9 of the interface, busy program",
        count,
        {
            "program alive": sum(kill.alive for kill in kills),
            "same screen": sum(kill.same for kill in kills),
            "attached in < 1 s": sum(kill.seconds < 1.0 for kill in kills),
            "terminal usable after reset": sum(kill.usable for kill in kills),
        },
        f"attach to the program's screen: median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s",
    )


def _kill_once(place: Place, me: str, moments: random.Random, busy: str) -> Killed:
    agent = place.record()["agent_pid"]
    started = time.monotonic()
    script = f"{me} --layout agent attach; printf 'was killed\\n'; {me} reset; stty sane; PS1='again$ ' exec sh -i"
    terminal = Tmux(["sh", "-c", script], env=place.env, cwd=place.work, size=SIZE)
    try:
        terminal.wait_for("bottom")
        seconds = time.monotonic() - started
        interface = next(p for p in psutil.Process(terminal.pane_pid).children() if "attach" in p.cmdline())
        _be_busy(terminal, moments, busy)
        time.sleep(moments.uniform(0.0, 0.15))  # the random moment itself
        os.kill(interface.pid, 9)
        usable = _is_usable(terminal)
        same = _same_screen(place)
        return Killed(psutil.pid_exists(agent), seconds, same, usable)
    finally:
        terminal.kill()


def _be_busy(terminal: Tmux, moments: random.Random, how: str) -> None:
    match how:
        case "typing":
            terminal.type("some words ")
        case "pasting":
            # One line: what the dead interface did not take is typed into the person's shell by the terminal.
            terminal.paste("pasted text " * 85_000)
        case "flooding":
            terminal.type("f")
        case _:
            terminal.resize(moments.randint(60, 120), moments.randint(20, 40))


def _is_usable(terminal: Tmux) -> bool:
    try:
        terminal.wait_for("again$")
        terminal.wait_still(0.5)  # the terminal has delivered what the person had pasted
        terminal.key("C-c")
        terminal.wait_for(lambda rows: [row for row in rows if row.strip()][-1].rstrip() == "again$")
        terminal.type("echo us''able")
        terminal.key("Enter")
        terminal.wait_for("usable")
    except AssertionError as error:
        print(error, file=sys.stderr)
        return False
    return not terminal.alternate_screen and not terminal.mouse_reported


def _same_screen(place: Place) -> bool:
    """Whether a new interface shows the host's screen, once the program is quiet again."""
    host = Client(place.folder(), size=SIZE)
    host.send(m.Keys(b"q"))
    host.wait(lambda: bool(host.rows) and "flood False" in "\n".join(host.rows) and host.rows[-1] == "bottom", "quiet")
    terminal = Tmux(
        [sys.executable, "-m", "agentsup", "--layout", "agent", "attach"], env=place.env, cwd=place.work, size=SIZE
    )

    def equal() -> bool:
        host.pump(0.0)
        return [row.rstrip() for row in terminal.screen()] == host.rows

    try:
        terminal.wait_until(equal, 5.0, what="the same screen")
        return True
    except AssertionError as error:
        print(error, host.rows, file=sys.stderr)
        return False
    finally:
        host.close()
        terminal.kill()
