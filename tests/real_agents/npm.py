"""The pinned real agents from npm: found in a cache folder, or installed there once.

`AGENTSUP_TEST_AGENTS` names the cache folder, by default `~/.cache/agentsup-tests/npm`. Run as a program,
`python -m tests.real_agents.npm` installs them all and prints where they are.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

INSTALL_TIMEOUT = 600.0
"""Seconds an installation may take; either agent has more than 400 MB on disk."""


@dataclass(frozen=True, slots=True)
class NpmAgent:
    """One pinned agent: its package, the exact version, and the program it brings."""

    package: str
    version: str
    program: str


CODEX = NpmAgent("@openai/codex", "0.171.0", "codex")

CLAUDE = NpmAgent("@anthropic-ai/claude-code", "2.1.332", "claude")
"""npm may say that its postinstall script was not allowed to run; the program works all the same."""

PINNED = (CODEX, CLAUDE)


class AgentUnavailable(Exception):
    """The agent is neither in the cache nor could it be installed; the message says why."""


def cache_folder() -> Path:
    """Return the folder that holds the installed agents."""
    named = os.environ.get("AGENTSUP_TEST_AGENTS")
    return Path(named) if named else Path.home() / ".cache" / "agentsup-tests" / "npm"


def installed(agent: NpmAgent) -> Path:
    """Return the agent's program, installing the pinned version when it is not there."""
    folder = cache_folder()
    program = folder / "node_modules" / ".bin" / agent.program
    if _version_in(folder, agent) == agent.version and program.exists():
        return program
    npm = shutil.which("npm")
    if npm is None:
        raise AgentUnavailable(f"{agent.package}@{agent.version} is not in {folder} and npm is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder / "install.lock"):
        if _version_in(folder, agent) != agent.version:
            _install(npm, folder, agent)
    return program


def _install(npm: str, folder: Path, agent: NpmAgent) -> None:
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder)]
    pinned = f"{agent.package}@{agent.version}"
    try:
        done = subprocess.run(
            [*command, pinned],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=INSTALL_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise AgentUnavailable(f"npm install {pinned} took longer than {INSTALL_TIMEOUT} s") from error
    if done.returncode != 0:
        raise AgentUnavailable(f"npm install {pinned} failed:\n{done.stderr[-2000:]}")


def _version_in(folder: Path, agent: NpmAgent) -> str | None:
    try:
        manifest = json.loads((folder / "node_modules" / agent.package / "package.json").read_text())
    except FileNotFoundError:
        return None
    version = manifest.get("version")
    return version if isinstance(version, str) else None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    for pinned_agent in PINNED:
        print(pinned_agent.package, pinned_agent.version, installed(pinned_agent))
