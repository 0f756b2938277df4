"""What a hook of ours costs the agent that waits for it: from the start of its command to its end, as installed.

agentsup is installed as a wheel into an environment of its own, with the demo agent in a session. The hook's command is
run as agents do it, by a shell, with what they tell on its stdin; the host's own record shows that it was heard.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.figures import Figure, percentile
from tests.bench.outer import Outer
from tests.bench.subjects import Place

ROOT = Path(__file__).parents[2]
QUIET_MOST, LOADED_MOST = 60.0, 120.0
"""Milliseconds of which 95 % of the hooks stay below."""

DEADLINE = 60.0
COMPOSED = 2.0
"""Seconds in which a text is composed; a real compaction takes longer, and composing begins with it."""

ENGRAM = "[Task] Ship the parser\n[Pending] Write the lexer test\n[Taboo] No regular expressions\n"


class Installed:
    """agentsup from its wheel, and a session with the demo agent."""

    def __init__(self, place: Place) -> None:
        venv = place.path / "installed"
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, str(ROOT)], check=True)
        self._agentsup, python = str(venv / "bin" / "agentsup"), str(venv / "bin" / "python")
        self._env = {name: value for name, value in place.env.items() if name != "PYTHONPATH"} | {
            "AGENTSUP_INJECTION_CHANNEL": "hook", "AGENTSUP_INJECTION_BREAKER_COMPACTIONS": "100",
            "AGENTSUP_MEMORY_START_RESTORE": "off", "AGENTSUP_DEMO_HOME": str(place.path / "demo"),
        }  # fmt: skip
        self._project = place.path / "project"
        (self._project / ".agent").mkdir(parents=True)
        (self._project / ".agent" / "engram.md").write_text(ENGRAM)
        client = next(venv.glob("lib/python*/site-packages/agentsup/agents/hook_client.py"))
        self._hook = shlex.join([python, "-I", "-S", str(client), "demo"])
        self.outer = Outer(
            [self._agentsup, "demo", "--speed", "20"], env=self._env, cwd=self._project, size=(120, 40)
        )  # fmt: skip
        self.outer.wait_for(b"two-minute tour")

    def status(self) -> dict[str, Any]:
        """Return what `agentsup status --json` says."""
        done = subprocess.run([self._agentsup, "status", "--json"], env=self._env, capture_output=True, check=True)
        found = json.loads(done.stdout)
        assert isinstance(found, dict)
        return found

    def run(self, event: str, status: dict[str, Any], **told: str) -> tuple[float, bytes]:
        """Run the hook; return its milliseconds and what it printed."""
        socket = Path(self._env["XDG_RUNTIME_DIR"]) / "agentsup" / str(status["session"]) / "socket"
        told |= {"session_id": str(status["conversation"]), "hook_event_name": event, "cwd": str(self._project)}
        data = json.dumps(told).encode()
        begun = time.perf_counter()
        done = subprocess.run(
            ["/bin/sh", "-c", f"{self._hook} {event}"], input=data, env=self._env | {"AGENTSUP_SOCKET": str(socket)},
            capture_output=True, check=True,
        )  # fmt: skip
        return (time.perf_counter() - begun) * 1e3, done.stdout

    def compact(self, count: int) -> dict[str, Any]:
        """Have the agent compact for the `count`-th time; return the status after it."""
        self.outer.send(b"/compact\r")
        end = time.monotonic() + DEADLINE
        while True:
            self.outer.run(0.1)
            status = self.status()
            if status["compactions"] >= count and status["phase"] == "idle":
                self.outer.run(COMPOSED)
                return status
            assert time.monotonic() < end, status

    def close(self) -> None:
        """End the session."""
        subprocess.run([self._agentsup, "stop"], env=self._env, capture_output=True, check=False)
        self.outer.close()


def hooks(place: Place, *, quick: bool) -> Iterator[Figure]:
    """Run the hook of a prompt, and that of a compaction with its text; alone, then with every processor busy."""
    prompts, compactions = (20, 2) if quick else (300, 20)
    installed = Installed(place)
    try:
        compacted = 0
        for loaded in (False, True):
            with busy(os.cpu_count() or 1 if loaded else 0):
                status = installed.status()
                before = time.time()
                plain = [installed.run("UserPromptSubmit", status, prompt="go on")[0] for _ in range(prompts)]
                heard = installed.status()["hooks"]["heard"]
                assert heard > before, "the host has heard them"
                told = []
                for _ in range(compactions):
                    compacted += 1
                    status = installed.compact(compacted)
                    took, said = installed.run("SessionStart", status, source="compact")
                    assert ENGRAM.strip() in json.loads(said)["hookSpecificOutput"]["additionalContext"]
                    told.append(took)
            yield _figure("with a prompt", plain, loaded=loaded)
            yield _figure("after a compaction, with a restore", told, loaded=loaded)
    finally:
        installed.close()


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep so many processors busy."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def _figure(what: str, values: list[float], *, loaded: bool) -> Figure:
    most = LOADED_MOST if loaded else QUIET_MOST
    shown = " / ".join(f"{value:.0f}" for value in (percentile(values, 50), percentile(values, 95), max(values)))
    return Figure(
        f"hook {what}, {len(values)} times, {'every processor busy' if loaded else 'quiet'}: p50 / p95 / max ms",
        {"panels": shown}, target=f"p95 < {most:.0f}", met=percentile(values, 95) < most,
    )  # fmt: skip
