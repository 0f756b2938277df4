"""The journal of a real session: its lines lead to the agent's log, and no host writes one twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentsup.core.rounds import Place, Round
from agentsup.store import journal
from agentsup.store.engram_history import project_path
from tests.demo.test_supervised import COMPACTS, Supervise, supervise
from tests.end_to_end.conftest import wait_until
from tests.end_to_end.headless import Client
from tests.end_to_end.test_host import host_of

__all__ = ["supervise"]

SCRIPT = {
    "step": [
        {"prompt": "^read", "actions": [{"read": "a.py"}, {"say": "It is a."}]},
        {"prompt": "^go", "actions": COMPACTS},
    ]
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "project"


def at(place: Place | None) -> dict[str, Any]:
    """Return the line of the agent's log that a reference leads to."""
    assert place is not None
    with open(place.log, "rb") as log:
        log.seek(place.offset)
        found = json.loads(log.readline())
    assert isinstance(found, dict)
    return found


def written(project: Path, count: int) -> tuple[Round, ...]:
    wait_until(lambda: len(journal.rounds(project)) >= count, f"{count} rounds")
    found = journal.rounds(project)
    assert len(found) == count
    return found


def test_every_turn_has_a_line_once_also_over_crashes_of_the_host(supervise: Supervise, project: Path) -> None:
    agent = supervise(SCRIPT)
    session = agent.session
    for number, asked in enumerate(("read it", "read it again", "go"), 1):
        agent.type(asked)
        agent.client.wait_text(f"▸ {asked}")
        agent.type("\r")
        if asked != "go":
            first = written(project, number)
        if asked == "read it again":
            host = host_of(session)
            host.kill()
            wait_until(lambda host=host: not host.is_running(), "the host is gone")  # type: ignore[misc]
            host_of(session)
            agent.client = Client(session.folder)
            agent.client.wait(
                lambda: agent.client.session is not None and agent.client.session.turns == 2, "all is read"
            )
    found = written(project, 4)
    assert found[:2] == first
    assert [each.round for each in found] == [1, 2, 3, 4]
    assert [at(each.input_ref)["text"] for each in found[:3]] == ["read it", "read it again", "go"]
    assert at(found[0].output_ref)["text"] == "It is a."
    assert at(found[3].input_ref)["text"] == agent.restores()[0]
    assert "Ship the parser" in at(found[3].output_ref)["text"]
    assert [each.trigger for each in found] == ["", "", "auto", ""]
    assert [each.strategy for each in found[:3]] == ["none"] * 3
    assert found[3].strategy.startswith("engram")
    assert found[3].injected_tokens > 100
    assert {each.context_after for each in found[2:]} == {8_000}
    assert (project_path(project) / journal.NAME).stat().st_mode & 0o777 == 0o600
