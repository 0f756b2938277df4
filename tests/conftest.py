"""Fixtures shared by the tests: the pinned real agents, their sealed homes, and terminals that end in time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.real_agents.claude import ClaudeHome, ClaudeSettings, build_claude_home
from tests.real_agents.codex import CodexHome, CodexSettings, build_home
from tests.real_agents.npm import CLAUDE, CODEX, AgentUnavailable, NpmAgent, installed
from tests.servers.messages_server import MessagesServer
from tests.servers.model_server import ModelServer
from tests.terminals.tmux import Tmux

MakeClaudeHome = Callable[..., ClaudeHome]
MakeCodexHome = Callable[..., CodexHome]
StartTerminal = Callable[..., Tmux]


def _required(agent: NpmAgent) -> Path:
    """Return a pinned agent; skip without it, unless `AGENTSUP_REQUIRE_AGENTS=1` makes that a failure."""
    try:
        return installed(agent)
    except AgentUnavailable as error:
        reason = f"REAL {agent.program.upper()} NOT TESTED: {error}"
        if os.environ.get("AGENTSUP_REQUIRE_AGENTS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)


# Set by the workers of pytest-xdist: no terminal that a test opens has this size.
for _size in ("COLUMNS", "LINES"):
    os.environ.pop(_size, None)


@pytest.fixture(scope="session")
def codex_program() -> Path:
    """Return the pinned Codex, or skip."""
    return _required(CODEX)


@pytest.fixture(scope="session")
def claude_program() -> Path:
    """Return the pinned Claude Code, or skip."""
    return _required(CLAUDE)


@pytest.fixture
def make_codex_home(tmp_path: Path, codex_program: Path) -> MakeCodexHome:
    """Return a function that builds a Codex home for a server: `(server, settings=None)`."""

    def make(server: ModelServer, settings: CodexSettings | None = None) -> CodexHome:
        return build_home(tmp_path / "agent", codex_program, server, settings)

    return make


@pytest.fixture
def make_claude_home(tmp_path: Path, claude_program: Path) -> MakeClaudeHome:
    """Return a function that builds a home of Claude Code for a server: `(server, settings=None)`."""

    def make(server: MessagesServer, settings: ClaudeSettings | None = None) -> ClaudeHome:
        return build_claude_home(tmp_path / "claude-agent", claude_program, server, settings)

    return make


@pytest.fixture
def terminal() -> Iterator[StartTerminal]:
    """Return a function that opens a terminal, as `Tmux(...)`; all are killed at the test's end."""
    opened: list[Tmux] = []

    def start(*arguments: object, **options: object) -> Tmux:
        opened.append(Tmux(*arguments, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield start
    for each in opened:
        each.kill()
