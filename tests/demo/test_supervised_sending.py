"""The demo agent under a real keeper and host: what holds a text back, what cuts it short, and what gives it up."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path

from agentsup.core.policy import Policy
from agentsup.protocol import messages as m
from tests.demo.test_supervised import COMPACTS, ENGRAM, Supervise, Supervised, supervise
from tests.end_to_end.conftest import begin

__all__ = ["begin", "supervise"]

STORM = {
    "window": 40_000,
    "step": [
        {"prompt": "^go", "actions": COMPACTS},
        {"prompt": "^again", "actions": [{"usage": 9_000}, {"compact": "auto", "takes": 20, "after": 8_000}]},
        {"prompt": "", "actions": [{"say": "My task: Ship the parser.", "delay": 0}, {"usage": 8_500}]},
    ],
}


def compact(agent: Supervised, words: str, wanted: int, ended: Callable[[], bool]) -> None:
    """Have the agent compact once more, and wait for what follows."""
    agent.type(words)
    agent.client.wait_text(f"▸ {words}")
    agent.type("\r")
    agent.client.wait(lambda: compactions(agent) == wanted and ended(), f"compaction {wanted}")
    agent.client.wait(lambda: agent.phase == "idle", "idle")


def compactions(agent: Supervised) -> int:
    return len(agent.client.session.compactions) if agent.client.session else 0


def notices(agent: Supervised) -> list[str]:
    return [notice.key for notice in agent.client.session.notices] if agent.client.session else []


def test_the_second_typed_restore_is_short_and_names_a_file_with_the_rest(supervise: Supervise, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "STATE.md").write_text("## Next\n- Write test_lex() in lex.py\n- Publish it\n")
    agent = supervise(STORM, policy=Policy(start=False, breaker_compactions=100))
    for number in (1, 2):
        compact(agent, "go" if number == 1 else "again", number, lambda n=number: len(agent.restores()) == n)  # type: ignore[misc]
    long, short = agent.restores()
    assert "number 1;" in long
    assert "number 2, in short; it replaces every earlier one" in short
    for each in (long, short):
        assert ENGRAM.strip() in each
        assert "Next 1: Write test_lex() in lex.py" in each
    assert "Publish it" in long
    assert "Publish it" not in short
    (rest,) = (tmp_path / "project" / ".agent" / "restore").glob("*.restore.txt")
    assert f"read {rest} before" in short
    assert stat.S_IMODE(rest.stat().st_mode) == 0o600
    assert "Publish it" in rest.read_text()


def test_a_storm_of_compactions_opens_the_breaker_and_only_a_person_closes_it(supervise: Supervise) -> None:
    agent = supervise(STORM)
    compact(agent, "go", 1, lambda: len(agent.restores()) == 1)
    for number in (2, 3):
        compact(agent, "again", number, lambda n=number: len(agent.restores()) == n)  # type: ignore[misc]
    compact(agent, "again", 4, lambda: agent.injection == ("held", "injection.breaker"))
    assert "breaker.open" in notices(agent)
    assert len(agent.restores()) == 3
    agent.client.send(m.InjectRequest("text", "a person's own"))
    agent.client.wait(lambda: any("a person's own" in each["text"] for each in agent.log("user")), "theirs goes")
    assert len(agent.restores()) == 3
    agent.client.send(m.BreakerClosed())
    agent.client.wait(lambda: len(agent.restores()) == 4, "the restore goes, too")
    agent.client.wait(lambda: agent.injection == ("confirmed", ""), "confirmed")
    assert "breaker.open" not in notices(agent)


def test_a_restore_waits_for_the_persons_word_on_the_engram_where_they_want_that(supervise: Supervise) -> None:
    agent = supervise(STORM, policy=Policy(start=False, gate=True))
    compact(agent, "go", 1, lambda: agent.injection == ("held", "injection.gate"))
    assert agent.restores() == []
    assert agent.client.session is not None
    assert agent.client.session.injection is not None
    agent.client.send(m.InjectionChoice(agent.client.session.injection.id, "accept"))
    agent.client.wait(lambda: agent.injection == ("confirmed", ""), "confirmed")
    assert len(agent.restores()) == 1


def test_a_text_that_the_agent_stops_reading_is_given_up_and_its_paste_is_closed(supervise: Supervise) -> None:
    agent = supervise(STORM)
    os.kill(agent.session.agent_pid, signal.SIGSTOP)
    try:
        agent.client.send(m.InjectRequest("text", "x" * 60_000))
        agent.client.wait(lambda: agent.injection[0] == "writing", "it is being typed")
        agent.type("my draft")
        agent.client.wait(lambda: agent.injection == ("failed", "injection.blocked"), "given up", 30.0)
    finally:
        os.kill(agent.session.agent_pid, signal.SIGCONT)
    agent.client.wait_text("characters]my draft")  # what it had of the paste is whole, the keys follow it
    assert agent.log("user") == []


ENDED = {"window": 40_000, "step": [
    {"prompt": "^go", "actions": [*COMPACTS, {"sleep": 60_000}]},
    {"prompt": "^again", "actions": COMPACTS},
]}  # fmt: skip


def test_a_turn_that_the_person_has_ended_is_not_begun_again_by_its_restore(supervise: Supervise) -> None:
    agent = supervise(ENDED, policy=Policy(start=False))
    agent.client.wait_text("Type a task")
    agent.type("go\r")
    agent.client.wait(lambda: agent.injection == ("held", "injection.working"), "it waits for the end of the turn")
    agent.type("\x1b")  # the person ends it
    agent.client.wait(lambda: agent.injection == ("confirmed", ""), "restored")
    assert agent.log("turn_ended")[0]["interrupted"]
    compact(agent, "again", 2, lambda: len(agent.restores()) == 2)
    ended, stopped = agent.restores()
    assert "Then wait." in ended
    assert "Then go on" not in ended
    assert "Then go on with the turn" in stopped


def test_a_key_without_effect_holds_nothing_for_ever(supervise: Supervise) -> None:
    agent = supervise(ENDED, policy=Policy(start=False))
    agent.client.wait_text("Type a task")
    agent.type("\x1b[D")
    agent.client.send(m.InjectRequest("text", "hello"))
    agent.client.wait(lambda: agent.injection == ("confirmed", ""), "sent")
