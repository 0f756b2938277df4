"""A demo agent whose host is watched from inside: what was typed by whom, and what reached the agent."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from agentsup.core.policy import Policy
from agentsup.protocol import messages as m
from tests.end_to_end.conftest import end
from tests.end_to_end.headless import DEADLINE, Client, start

WATCHED = Path(__file__).with_name("watched")
ENGRAM = "[Task] Ship the parser\n[Progress] Wrote the lexer\n[Pending] Write `test_lexer`\n[Taboo] No regex: slow\n"

OURS = re.compile(rb"\x1b\[200~[^\x1b]{0,60}agentsup.*?\x1b\[201~", re.DOTALL)
MOUSE = re.compile(rb"\x1b\[<[\d;]+[Mm]|\x1b\[[IO]")


@dataclass(frozen=True)
class Write:
    """One write of the host's to the pty."""

    time: float
    source: str
    data: bytes


class WatchedAgent:
    """One session; `close` ends it."""

    def __init__(self, folder: Path, script: dict[str, Any], *, policy: Policy | None = None) -> None:
        self._folder = folder
        self.project = folder / "project"
        (self.project / ".agent").mkdir(parents=True)
        (self.project / ".agent" / "engram.md").write_text(ENGRAM)
        (folder / "script.json").write_text(json.dumps(script))
        self.kill_file, self._writes = folder / "kill", folder / "writes"
        environment = {
            "AGENTSUP_DEMO_HOME": str(folder / "demo"), "LC_ALL": "C.UTF-8", "XDG_DATA_HOME": str(folder),
            "AGENTSUP_SOAK_WRITES": str(self._writes), "AGENTSUP_SOAK_KILL": str(self.kill_file),
            "PYTHONPATH": os.pathsep.join(filter(None, (str(WATCHED), os.environ.get("PYTHONPATH", "")))),
            "EDITOR": f"{sys.executable} -I {Path(__file__).with_name('reading_editor.py')} {folder / 'edited'}",
        }  # fmt: skip
        self.session = start(
            folder, [sys.executable, "--script", str(folder / "script.json")], agent="demo", cwd=self.project,
            environment=environment, data="agentsup", policy=policy,
        )  # fmt: skip
        self.client = Client(self.session.folder)
        self.wait(lambda: self.reported == "idle", "idle")

    # --- acting

    def type(self, data: bytes) -> None:
        """Type as a person does."""
        self.client.send(m.Keys(data))

    def leave_and_come_back(self) -> None:
        """Kill the interface, and open another one."""
        self.client.close()
        self.client = self._connected()

    def kill_host(self) -> None:
        """Kill the host, and be there when the next one serves."""
        host = self.host()
        host.kill()
        self.wait_for_another_host(host.pid)

    def wait_for_another_host(self, pid: int) -> None:
        """Connect to the host that has taken the place of the one with this number."""
        keeper = psutil.Process(self.session.keeper_pid)

        def there() -> bool:
            return any(each.pid != pid for each in _hosts(keeper))

        _wait(there, "another host")
        self.client.close()
        self.client = self._connected()

    def host(self) -> psutil.Process:
        """Return the host's process."""
        return _hosts(psutil.Process(self.session.keeper_pid))[0]

    def close(self) -> None:
        """End the session."""
        self.client.close()
        end(self.session)

    # --- looking

    @property
    def reported(self) -> str:
        """What the agent says of itself."""
        return self.client.session.reported if self.client.session else ""

    @property
    def injection(self) -> tuple[str, str, str]:
        """Id, state and reason of the newest injection."""
        found = self.client.session.injection if self.client.session else None
        return (found.id, found.state, found.reason) if found else ("", "", "")

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        """Take what the host says until it is so."""
        self.client.wait(condition, what)

    def log(self, *types: str) -> list[dict[str, Any]]:
        """Return the records of these types, of all conversations."""
        records = []
        for path in sorted((self._folder / "demo" / "conversations").glob("*.jsonl")):
            for line in path.read_bytes().splitlines():
                record = json.loads(line)
                if record["type"] in types:
                    records.append(record)
        return records

    def writes(self) -> list[Write]:
        """Return what all hosts have given to the pty."""
        lines = self._writes.read_bytes().splitlines() if self._writes.exists() else []
        found = (json.loads(line) for line in lines)
        return [Write(each["time"], each["source"], bytes.fromhex(each["data"])) for each in found]

    def restores(self) -> list[str]:
        """Return the texts of ours that reached the agent."""
        return [record["text"] for record in self.log("user") if "agentsup" in record["text"]]

    def edited(self) -> bytes:
        """Return what an editor was given, that had the terminal for a while."""
        path = self._folder / "edited"
        return path.read_bytes() if path.exists() else b""

    def _connected(self) -> Client:
        made: list[Client] = []

        def connects() -> bool:
            try:
                made.append(Client(self.session.folder))
            except OSError:
                return False
            return True

        _wait(connects, "a host that listens")
        client = made[0]
        client.wait(lambda: client.session is not None, "the session")
        return client


def _hosts(keeper: psutil.Process) -> list[psutil.Process]:
    found = []
    for child in keeper.children():
        try:
            if "agentsup.host" in child.cmdline():
                found.append(child)
        except psutil.Error:
            pass
    return found


def _wait(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, f"not within {DEADLINE} s: {what}"
        time.sleep(0.005)
