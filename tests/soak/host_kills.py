"""kill -9 of the host at random moments: the program lives, screen and modes are back, the interface by itself."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from agentsup.core.screen import Modes
from agentsup.protocol import messages as m
from tests.end_to_end.headless import Client
from tests.end_to_end.place import Place
from tests.soak.programs import PROGRAM
from tests.soak.tally import Tally
from tests.terminals.tmux import Tmux

WANTED = Modes(True, True, True, True, 1003, True, 7, False)
BACK_WITHIN = 2.0


@dataclass(frozen=True)
class Killed:
    """One kill and what was so afterwards."""

    alive: bool
    seconds: float
    same: bool
    bracketed: bool


def run(count: int, seed: int, folder: Path) -> Tally:
    """Kill the host `count` times while the person types, pastes, the program floods, or the window changes."""
    moments = random.Random(seed)
    place = Place(folder)
    try:
        terminal = place.open("--layout", "agent", "--", sys.executable, "-c", PROGRAM, size=(90, 30))
        terminal.wait_for("bottom")
        kills = [_kill_once(place, terminal, moments) for _ in range(count)]
    finally:
        place.close()
    times = sorted(kill.seconds for kill in kills)
    return Tally(
        "kill -9 of the host",
        count,
        {
            "program alive": sum(kill.alive for kill in kills),
            "screen and modes equal": sum(kill.same for kill in kills),
            f"within {BACK_WITHIN:.0f} s": sum(kill.seconds < BACK_WITHIN for kill in kills),
            "next paste bracketed": sum(kill.bracketed for kill in kills),
        },
        f"back in the interface: median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s",
    )


def _kill_once(place: Place, terminal: Tmux, moments: random.Random) -> Killed:
    before = place.record()
    _be_busy(terminal, moments)
    time.sleep(moments.uniform(0.0, 0.1))  # the random moment itself
    host = next(p for p in psutil.Process(before["keeper_pid"]).children() if "agentsup.host" in p.cmdline())
    host.kill()
    killed = time.monotonic()
    terminal.wait_until(lambda: _new_host(before["keeper_pid"], host.pid), what="a new host")
    client = Client(place.folder(), size=(90, 30))
    client.send(m.Keys(b"q"))
    same = _holds(lambda: _quiet(client) and client.modes == WANTED, client, 3.0)
    same = same and _shows(terminal, client)
    seconds = time.monotonic() - killed
    _let_settle(client)
    pastes = _number(client, "pastes")
    terminal.paste("two\nlines")
    bracketed = _holds(lambda: _number(client, "pastes") == pastes + 1, client, 3.0)
    client.close()
    return Killed(psutil.pid_exists(before["agent_pid"]), seconds, same, bracketed)


def _be_busy(terminal: Tmux, moments: random.Random) -> None:
    match moments.choice(("typing", "pasting", "flooding", "resizing", "nothing")):
        case "typing":
            terminal.type("some words ")
        case "pasting":
            terminal.paste("pasted text\n" * 2000)
        case "flooding":
            terminal.type("f")
        case "resizing":
            terminal.resize(moments.randint(60, 120), moments.randint(20, 40))
            terminal.resize(90, 30)
        case _:
            pass


def _new_host(keeper: int, old: int) -> bool:
    return any(p.pid != old and "agentsup.host" in p.cmdline() for p in psutil.Process(keeper).children())


def _quiet(client: Client) -> bool:
    return "flood False" in "\n".join(client.rows) and client.rows[-1] == "bottom"


def _number(client: Client, name: str) -> int:
    row = next((row for row in client.rows if row.startswith(name)), f"{name} -1")
    return int(row.split()[1])


def _holds(condition: Callable[[], bool], client: Client, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end or client.closed:
            print("not so:", client.rows[:6], client.modes, file=sys.stderr)
            return False
        client.pump(0.02)
    return True


def _let_settle(client: Client) -> None:
    """Wait until what was on its way at the kill has arrived: nothing more for 0.3 s."""
    seen, since = -1, time.monotonic()
    while time.monotonic() - since < 0.3:
        client.pump(0.05)
        if (now := _number(client, "bytes")) != seen:
            seen, since = now, time.monotonic()


def _shows(terminal: Tmux, client: Client) -> bool:
    """Whether the interface shows what the host has, taking further frames while it waits."""

    def equal() -> bool:
        client.pump(0.0)
        return [row.rstrip() for row in terminal.screen()] == client.rows

    try:
        terminal.wait_until(equal, 3.0, what="the same screen")
    except AssertionError as error:
        print(error, client.rows, file=sys.stderr)
        return False
    return True
