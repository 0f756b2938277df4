"""Fixtures shared by the tests: the pinned real Codex, its sealed home, and terminals that end in time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.real_agents.codex import CodexHome, CodexSettings, build_home
from tests.real_agents.npm import CODEX, AgentUnavailable, installed
from tests.servers.model_server import ModelServer
from tests.terminals.tmux import Tmux

MakeCodexHome = Callable[..., CodexHome]
StartTerminal = Callable[..., Tmux]


@pytest.fixture(scope="session")
def codex_program() -> Path:
    """Return the pinned Codex; skip without it, unless `AGENTSUP_REQUIRE_AGENTS=1` makes that a failure."""
    try:
        return installed(CODEX)
    except AgentUnavailable as error:
        reason = f"REAL CODEX NOT TESTED: {error}"
        if os.environ.get("AGENTSUP_REQUIRE_AGENTS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture
def make_codex_home(tmp_path: Path, codex_program: Path) -> MakeCodexHome:
    """Return a function that builds a Codex home for a server: `(server, settings=None)`."""

    def make(server: ModelServer, settings: CodexSettings | None = None) -> CodexHome:
        return build_home(tmp_path / "agent", codex_program, server, settings)

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
