"""The demo agent's engrams under a real keeper and host: taken over, sent back, corrected, asked for."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from agentsup.core.session import Session
from agentsup.protocol import messages as m
from agentsup.store import atomic
from agentsup.store.engram_history import Version, history, standing, write_engram_file
from tests.demo.test_supervised import Supervised
from tests.end_to_end.conftest import Begin, begin, wait_until
from tests.end_to_end.headless import Client

__all__ = ["begin"]

FIRST = """\
[Task] Make parse() in a.py accept ISO weeks.
[Progress] Wrote parse() in a.py
[Pending] split() in b.py
[Taboo] Leave c.py alone: the importer relies on it.
"""
SECOND = FIRST.replace("split() in b.py", "join() in d.py")
PERSONS = FIRST.replace("accept", "refuse")
VAGUE = FIRST.replace("Wrote parse() in a.py", "made some changes")


def says(prompt: str, text: str, *before: dict[str, Any], times: int = 1) -> dict[str, Any]:
    """Return a step that answers with this, all at once."""
    return {"prompt": prompt, "times": times, "actions": [*before, {"say": text, "chunk": 100_000, "delay": 0}]}


class Engrams(Supervised):
    """A demo agent whose engrams are looked at."""

    root: Path
    data: dict[str, str]

    @property
    def file(self) -> str:
        path = self.root / ".agent" / "engram.md"
        return path.read_text() if path.exists() else ""

    def versions(self) -> list[tuple[str, str]]:
        return [(version.author, version.text) for version in self.history()]

    def history(self) -> tuple[Version, ...]:
        return history(self.root, self.data)

    def ask(self, prompt: str) -> None:
        """Type a prompt and submit it."""
        self.type(prompt)
        self.client.wait_text(f"▸ {prompt}")
        self.type("\r")

    def until(self, condition: Callable[[], bool], what: str) -> None:
        self.client.wait(condition, what)

    def seen(self) -> Session:
        assert self.client.session is not None
        return self.client.session

    def happened(self, kind: str) -> list[str]:
        if self.client.session is None:
            return []
        return [entry.what for entry in self.seen().loop.happened if entry.kind == kind]

    def user(self) -> list[str]:
        return [record["text"] for record in self.log("user")]

    def save(self, text: str) -> m.Outcome:
        """Save an engram as the panel does, and tell the host."""
        token = atomic.read(self.root / ".agent" / "engram.md", beneath=self.root).token
        write_engram_file(self.root, text, token, "person", "edited", self.data)
        before = len(self.outcomes())
        self.client.send(m.EngramSaved(hashlib.sha256(text.encode()).hexdigest()))
        self.until(lambda: len(self.outcomes()) > before, "the host has answered")
        return self.outcomes()[-1]

    def hosts(self) -> list[psutil.Process]:
        """Return the session's host, which is its keeper's child beside the agent."""
        children = psutil.Process(self.session.keeper_pid).children()
        return [child for child in children if child.pid != self.session.agent_pid]

    def connects(self) -> bool:
        """Connect once more, after the host was killed."""
        self.client.pump(0.05)
        if not self.client.closed:
            return False
        with contextlib.suppress(OSError):
            client = Client(self.session.folder)
            client.pump(0.5)
            if not client.closed:
                self.client = client
        return not self.client.closed

    def outcomes(self) -> list[m.Outcome]:
        return [message for message in self.client.messages if isinstance(message, m.Outcome)]


Supervise = Callable[..., Engrams]


@pytest.fixture
def supervise(begin: Begin, tmp_path: Path) -> Supervise:
    """Return a function that starts an agent with these steps."""

    def start(*steps: dict[str, Any], engram: str = "") -> Engrams:
        agent = Engrams(begin, tmp_path, {"step": list(steps)}, engram=engram)
        agent.root, agent.data = tmp_path / "project", {"XDG_DATA_HOME": str(tmp_path)}
        return agent

    return start


def test_one_with_errors_goes_back_and_the_better_one_is_stored_once(supervise: Supervise) -> None:
    agent = supervise(says("^go", f"All done.\n\n{VAGUE}"), says("^agentsup engram", FIRST))
    agent.ask("go")
    agent.until(lambda: agent.happened("engram") == ["sent-back", "stored"], "sent back, then stored")
    agent.until(lambda: agent.injection == ("confirmed", ""), "what was wrong has arrived")
    assert agent.file == FIRST
    assert "made some changes" in agent.user()[1]
    assert agent.seen().work.last_request == "go"
    agent.until(lambda: agent.phase == "idle" and agent.seen().memory.engram.text == FIRST, "the panel shows it")
    # Another host reads the log from its start, and does nothing of it once more.
    (host,) = agent.hosts()
    host.kill()
    wait_until(agent.connects, "another host is there")
    agent.until(lambda: agent.client.session is not None and agent.seen().turns == 2, "it has read the log")
    assert agent.happened("engram") == []
    assert agent.versions() == [("agent", FIRST)]
    assert len(agent.user()) == 2


def test_a_persons_correction_stands_and_reaches_the_agent_once(supervise: Supervise) -> None:
    agent = supervise(
        says("^go", f"All done.\n\n{FIRST}"),
        says("^agentsup engram", f"I build on yours.\n\n```\n{SECOND}```\nThat is what I would have said."),
        says("^more", f"Done.\n\n{SECOND}"),
    )
    agent.ask("go")
    agent.until(lambda: agent.happened("engram") == ["stored"], "stored")
    outcome = agent.save(PERSONS)
    assert outcome.done
    assert [name for name, _ in outcome.values] == ["id"]
    agent.until(lambda: agent.injection == ("confirmed", ""), "the correction has arrived")
    agent.until(lambda: agent.phase == "idle", "the agent has answered")
    assert PERSONS in agent.user()[1]
    agent.ask("more")
    agent.until(lambda: agent.happened("engram") == ["stored", "stored"], "it knew the person's")
    assert agent.file == SECOND
    assert len(agent.user()) == 3


def test_what_an_editor_wrote_while_the_agent_worked_is_not_lost_and_told_at_the_persons_word(
    supervise: Supervise,
) -> None:
    agent = supervise(
        says("^go", f"All done.\n\n{FIRST}", {"sleep": 600}),
        says("^agentsup engram", f"I build on yours.\n\n{PERSONS}"),
        engram=SECOND,
    )
    agent.ask("go")
    agent.until(lambda: agent.phase == "working", "the agent works")
    (agent.root / ".agent" / "engram.md").write_text(PERSONS)
    agent.until(lambda: agent.happened("engram") == ["found-stays"], "it stays")
    agent.until(lambda: "engram.found-stays" in {notice.key for notice in agent.seen().notices}, "the person is told")
    assert agent.file == PERSONS
    assert len(agent.user()) == 1
    assert ("agent", FIRST) in agent.versions()
    found = standing(agent.history())
    assert found is not None
    assert (found.author, found.text) == ("found", PERSONS)
    agent.client.send(m.EngramSaved(hashlib.sha256(PERSONS.encode()).hexdigest()))
    agent.until(lambda: agent.happened("engram") == ["found-stays", "same"], "the agent has learnt it")
    agent.until(lambda: agent.injection == ("confirmed", ""), "the correction has arrived")
    assert len(agent.user()) == 2
    assert agent.versions()[-1] == ("person", PERSONS)


def test_an_earlier_engram_of_the_agents_that_comes_back_is_not_told_as_a_correction(supervise: Supervise) -> None:
    agent = supervise(
        says("^go", f"All done.\n\n{FIRST}"), says("^more", f"Done.\n\n{SECOND}"),
        says("^last", f"Done.\n\n{PERSONS}"), says("^agentsup", "Fine."),
    )  # fmt: skip
    for prompt, count in (("go", 1), ("more", 2)):
        agent.ask(prompt)
        agent.until(lambda count=count: agent.happened("engram") == ["stored"] * count, "stored")  # type: ignore[misc]
        agent.until(lambda: agent.phase == "idle", "the agent is idle")
    (agent.root / ".agent" / "engram.md").write_text(FIRST)  # as `git stash` does
    agent.ask("last")
    agent.until(lambda: agent.happened("engram") == ["stored", "stored", "found-stays"], "it stays")
    agent.until(lambda: agent.phase == "idle", "the agent is idle")
    assert agent.seen().unfinished == ()
    assert agent.user() == ["go", "more", "last"]


def test_a_full_context_asks_for_one_and_a_restore_has_that_of_the_same_turns_end(supervise: Supervise) -> None:
    compaction = {"compact": "auto", "takes": 50, "after": 8000}
    agent = supervise(
        says("^go", "All done.", {"edit": "a.py"}, {"usage": 30_000, "window": 40_000}),
        says("^agentsup engram", FIRST),
        says("^more", f"All done.\n\n{SECOND}", {"usage": 36_000}, compaction),
    )
    agent.ask("go")
    agent.until(lambda: agent.happened("engram") == ["stored"], "asked for, and stored")
    assert agent.file == FIRST
    assert "75 %" in agent.user()[1].partition("\n")[0]
    agent.until(lambda: agent.phase == "idle" and agent.injection == ("confirmed", ""), "the agent has answered")
    agent.ask("more")
    agent.until(lambda: len(agent.restores()) == 1, "restored")
    assert SECOND.strip() in agent.restores()[0]
    assert agent.file == SECOND
    agent.until(lambda: "engram.review" in {notice.key for notice in agent.seen().notices}, "a review is asked for")
