"""kill -9 of the host between every two steps of an injection: the restore arrives, exactly once."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.soak.tally import Tally
from tests.soak.watched_agent import OURS, WatchedAgent

SCRIPT = {
    "step": [
        {"prompt": "^go", "actions": [{"usage": 36_000}, {"compact": "auto", "takes": 30, "after": 8_000}]},
        {"prompt": "agentsup", "actions": [{"say": "My task: Ship the parser", "delay": 0}]},
    ]
}


@dataclass(frozen=True)
class Outcome:
    """What one kill has led to."""

    killed: bool
    once: bool
    confirmed: bool
    whole: bool

    @property
    def told(self) -> bool:
        """Whether it was confirmed, or said to have failed and not arrived."""
        return self.confirmed


def run(rounds: int, folder: Path) -> Tally:
    """Kill at the first step, at the second, and so on until there is none left; all of that `rounds` times."""
    outcomes: list[Outcome] = []
    steps = 0
    for _ in range(rounds):
        step = 1
        while True:
            with tempfile.TemporaryDirectory(dir=folder) as name:
                outcome = kill_at(step, Path(name))
            if not outcome.killed:
                break
            if not (outcome.once and outcome.confirmed and outcome.whole):
                print(f"step {step}: {outcome}", file=sys.stderr)
            outcomes.append(outcome)
            step += 1
        steps = max(steps, step - 1)
    return Tally(
        "kill -9 of the host between two steps of an injection",
        len(outcomes),
        {
            "exactly one restore": sum(outcome.once for outcome in outcomes),
            "whole": sum(outcome.whole for outcome in outcomes),
            "confirmed": sum(outcome.confirmed for outcome in outcomes),
        },
        f"{steps} steps, each {rounds} times",
    )


def kill_at(step: int, folder: Path) -> Outcome:
    """Let an agent compact, and the host die at this step of what follows."""
    agent = WatchedAgent(folder, SCRIPT)
    try:
        host = agent.host()
        agent.kill_file.write_text(str(step))
        agent.type(b"go")
        agent.client.wait_text("▸ go")
        agent.type(b"\r")
        agent.wait(lambda: agent.client.closed or agent.injection[1] == "confirmed", "killed or confirmed")
        killed = not agent.kill_file.exists()
        if killed:
            agent.wait_for_another_host(host.pid)
            agent.wait(lambda: agent.injection[1] in ("confirmed", "failed"), "an end")
            # Whatever it may still do, it does on the next occasions to look: keys and a turn of the agent's.
            agent.wait(lambda: agent.reported in ("idle", "done"), "idle")
        restores = agent.restores()
        (id, state, _) = agent.injection
        pasted = sum(len(OURS.findall(write.data)) for write in agent.writes() if write.source == "injection")
        return Outcome(
            killed,
            once=len(restores) == 1 and pasted <= 2,
            confirmed=state == "confirmed",
            whole=len(restores) == 1 and restores[0].count(id) >= 2,
        )
    finally:
        agent.close()
