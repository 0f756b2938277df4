"""An agent that does what a test tells it: commands run inside its process tree, below a real keeper."""

from __future__ import annotations

import json
import os
import shlex
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.cli.project import Ran
from tests.end_to_end.place import DEADLINE, Place

AGENT = """\
import json, os, socket, subprocess, sys
if "--version" in sys.argv:
    sys.exit("0.0.0")
connection = socket.socket(socket.AF_UNIX)
connection.connect(os.environ["AGENT_ORDERS"])
for line in connection.makefile("rb"):
    asked = json.loads(line)
    done = subprocess.run(asked["argv"], input=asked["given"], capture_output=True, text=True, errors="replace")
    connection.sendall(json.dumps([done.returncode, done.stdout, done.stderr]).encode() + b"\\n")
"""

AGENTSUP = (sys.executable, "-P", "-m", "agentsup")

SEVERAL = """\
import importlib, json, os, sys
from agentsup.cli.main import COMMANDS, main
for name in COMMANDS:
    importlib.import_module(f"agentsup.cli.commands.{name}")
for number, words in enumerate(json.loads(sys.argv[1])):
    child = os.fork()
    if not child:
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)
    print("code", number, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs agentsup's commands one after the other, each in a process of its own that has all modules already."""

DOUBLE_FORK = """\
import os, sys
if os.fork():
    os.wait()
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Inside:
    """A session whose agent runs commands for a test, as it is and in disguise."""

    def __init__(self, place: Place, program: Path | None = None) -> None:
        """`program`: where to put the agent, in a folder of its own; called `codex` it is taken for a known one."""
        self.place = place
        path = place.runtime / "orders"
        words = ["--", str(place.runtime / "agent.py")]
        if program is not None:
            place.env["PATH"] = f"{program.parent}:{place.env['PATH']}"
            words = [program.name]
        program = program or place.runtime / "agent.py"
        program.write_text(f"#!{sys.executable}\n{AGENT}")
        program.chmod(0o755)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
            listening.listen(1)
            listening.settimeout(DEADLINE)
            place.env["AGENT_ORDERS"] = str(path)
            place.open(*words, size=(100, 30))
            self._agent, _ = listening.accept()
        self._agent.settimeout(3 * DEADLINE)
        self._answers = self._agent.makefile("rb")

    def run(self, *argv: str, given: str = "") -> Ran:
        """Run a program as the agent's child."""
        self._agent.sendall(json.dumps({"argv": argv, "given": given}).encode() + b"\n")
        answer = self._answers.readline()
        assert answer, "the agent has ended"
        return Ran(*json.loads(answer))

    def agentsup(self, *words: str, given: str = "") -> Ran:
        """Run an agentsup command as the agent's child."""
        return self.run(*AGENTSUP, *words, given=given)

    def codes(
        self, several: Sequence[Sequence[str]], disguised: Callable[[Sequence[str]], list[str]] = list
    ) -> list[int]:
        """Run agentsup's commands in one disguise, with a person's yes on standard input, and return how each ended."""
        done = self.run(*disguised([*AGENTSUP[:2], "-c", SEVERAL, json.dumps(several)]), given="y\n" * 50)
        found = [line.split() for line in done.out.splitlines() if line.startswith("code ")]
        codes = {int(words[1]): int(words[2]) for words in found if len(words) == 3}
        assert list(codes) == list(range(len(several))), done
        return list(codes.values())

    def close(self) -> None:
        """Let the agent end."""
        self._answers.close()
        self._agent.close()


def environment(place: Place, **changes: str) -> list[str]:
    """Return the words that run a program with nothing of the session's environment."""
    kept = {name: place.env[name] for name in ("HOME", "PATH", "LANG", "XDG_RUNTIME_DIR") if name in place.env}
    return ["env", "-i", *(f"{name}={value}" for name, value in (kept | changes).items())]


def disguises(place: Place, other: Path) -> dict[str, Callable[[Sequence[str]], list[str]]]:
    """Return ways to run a program, in a terminal of its own, that hide whose it is; `code N` is said at its end.

    `other` is a folder in which nothing of agentsup is.
    """
    told = ["sh", "-c", '"$@"; echo "code $?"', "sh"]
    without = ["env", "-u", "AGENTSUP_SESSION", "-u", "AGENTSUP_SOCKET"]
    empty = environment(place)
    folders = environment(place, XDG_RUNTIME_DIR=str(other), XDG_DATA_HOME=str(other / "data"), TMPDIR=str(other))
    # Its parent is gone before it has a terminal: that would end with it.
    forked = [*empty, sys.executable, "-c", DOUBLE_FORK]
    return {
        "a terminal": lambda words: in_a_pty([*told, *words]),
        "env -u": lambda words: in_a_pty([*without, *told, *words]),
        "env -i": lambda words: in_a_pty([*empty, *told, *words]),
        "other folders": lambda words: in_a_pty([*folders, *told, *words]),
        "double fork": lambda words: [*forked, *in_a_pty([*told, *words])],
    }


def in_a_pty(words: Sequence[str]) -> list[str]:
    """Return words that run a program in a pseudo-terminal of its own."""
    return ["script", "-qec", shlex.join(words), os.devnull]
