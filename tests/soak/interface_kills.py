"""kill -9 of the interface at random moments, with the real Codex: alive, back at once, the same screen."""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.end_to_end.headless import Client
from tests.real_agents.codex import build_home
from tests.real_agents.supervised import Supervised
from tests.servers.model_server import ModelServer, Request
from tests.servers.responses import Turn, Usage
from tests.soak.tally import Tally

WORDS = " ".join(f"word{number}" for number in range(60))


@dataclass(frozen=True)
class Attached:
    """One kill: seconds from the start of `agentsup attach` to the agent's screen, and what was so."""

    seconds: float
    same_agent: bool
    same_screen: bool


def run(count: int, seed: int, folder: Path, codex: Path) -> Tally:
    """Kill the interface `count` times while Codex streams, the person types, or nothing happens."""
    moments = random.Random(seed)

    def answer(request: Request) -> Turn:
        return Turn(f"{WORDS} end {request.number}", usage=Usage(7_000, output=100), chunk_delay=0.01)

    with ModelServer(answer) as model:
        supervised = Supervised(build_home(folder, codex, model), model, size=(100, 40))
        try:
            supervised.terminal.wait_for("? for shortcuts")
            kills = [_kill_once(supervised, moments, number) for number in range(count)]
        finally:
            supervised.close()
    times = sorted(kill.seconds for kill in kills)
    return Tally(
        "kill -9 of the interface, real Codex",
        count,
        {
            "Codex alive": sum(kill.same_agent for kill in kills),
            "same screen": sum(kill.same_screen for kill in kills),
            "attached in < 1 s": sum(seconds < 1.0 for seconds in times),
        },
        f"attach to the agent's screen: median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s",
    )


def _kill_once(supervised: Supervised, moments: random.Random, number: int) -> Attached:
    pid = supervised.status()["agent"]["pid"]
    doing = moments.choice(("streaming", "typing", "nothing"))
    if doing == "streaming":
        supervised.say(f"tell me {number}")
    elif doing == "typing":
        supervised.terminal.type(f"draft {number} ")
    time.sleep(moments.uniform(0.0, 1.0))  # the random moment itself
    killed = supervised.terminal
    os.kill(killed.pane_pid, 9)
    started = time.monotonic()
    terminal = supervised.attach()
    terminal.wait_for(lambda rows: any(row.startswith("›") for row in rows) and "menu" in rows[-1])
    seconds = time.monotonic() - started
    killed.kill()
    supervised.wait_status(lambda status: status["phase"] == "idle", "Codex is idle again")
    if doing == "typing":
        terminal.wait_for(f"draft {number}")
        terminal.key("C-u")
        terminal.wait_for("? for shortcuts")
    folder = next((supervised.runtime / "agentsup").glob("*"))
    host = Client(folder, role="ui", size=(100, 30))
    host.wait(lambda: bool(host.rows), "the host's screen")
    same = True
    try:
        terminal.wait_for(lambda rows: [row.rstrip() for row in rows[: len(host.rows)]] == host.rows, timeout=5)
    except AssertionError as error:
        print(error, "\n".join(host.rows))
        same = False
    host.close()
    alive = psutil.pid_exists(pid) and supervised.status()["agent"]["pid"] == pid
    return Attached(seconds, alive, same)
