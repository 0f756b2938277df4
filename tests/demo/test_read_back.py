"""What the demo agent reads back after a restore: judged by the host, told to a person, and asked for once more."""

from __future__ import annotations

import pytest

from agentsup.core.continuity import Recital
from agentsup.core.policy import Policy
from agentsup.core.recital import MISSING_NEXT, MISSING_TASK
from agentsup.protocol import messages as m
from tests.demo.test_supervised import Supervise, Supervised, supervise
from tests.demo.test_supervised_by_hook import BY_HOOK, CLIENT
from tests.end_to_end.conftest import begin

__all__ = ["begin", "supervise"]

ENGRAM = "[Task] Ship the parser\n[Progress] Wrote the lexer\n[Pending] Write the lexer test\n[Taboo] No Redis: ops\n"
COMPACTS = [{"usage": 36_000}, {"compact": "auto", "takes": 50, "after": 8000}]
GOES = {"prompt": "^go", "times": 1, "actions": COMPACTS}
FORGETS = {"prompt": r"by agentsup \(restore", "actions": [{"say": "I deploy it to production now."}]}


def recital(agent: Supervised) -> Recital | None:
    """Return the newest verdict."""
    return agent.client.session.loop.recital if agent.client.session else None


def notices(agent: Supervised) -> set[str]:
    """Return the keys of the notices."""
    return {notice.key for notice in agent.client.session.notices} if agent.client.session else set()


def compacted(agent: Supervised) -> Recital:
    """Have it compact, and wait until what it says then was judged."""
    agent.type("go")
    agent.client.wait_text("▸ go")
    agent.type("\r")
    agent.client.wait(lambda: recital(agent) is not None, "what it reads back was judged")
    found = recital(agent)
    assert found is not None
    return found


def test_what_it_recites_is_right_and_it_stops_where_a_person_wants_that(supervise: Supervise) -> None:
    says = {"say": "Going on.", "delay": 0}
    policy = Policy(start=False, wait_after_recital=True)
    agent = supervise({"step": [GOES | {"actions": [*COMPACTS, says]}]}, engram=ENGRAM, policy=policy)
    found = compacted(agent)
    assert (found.verdict, found.missing, found.by) == ("right", (), "comparison")
    assert "My task: Ship the parser" in found.said
    assert found.id in agent.restores()[0]
    assert "Then stop" in agent.restores()[0]
    assert not any(key.startswith("recital.") for key in notices(agent))


def test_what_it_has_forgotten_is_told_and_asked_for_again(supervise: Supervise) -> None:
    agent = supervise({"step": [GOES, FORGETS]}, engram=ENGRAM)
    found = compacted(agent)
    assert (found.verdict, found.missing) == ("wrong", (MISSING_TASK, MISSING_NEXT))
    agent.client.wait(lambda: "recital.wrong-both" in notices(agent), "a person is told")
    agent.client.send(m.RecitalAnswered(found.id, right=False, resend=True))
    agent.client.wait(lambda: (recital(agent) or found).id != found.id, "the correction was answered")
    second = recital(agent)
    assert second is not None
    assert second.verdict == "right"
    assert second.said.startswith("My task: Ship the parser\nNext: Write the lexer test\n")
    assert "recital.wrong-both" not in notices(agent)
    (asked,) = [each["text"] for each in agent.log("user") if "read back once more" in each["text"]]
    for part in ("I deploy it to production now.", "[Task] Ship the parser", "Write the lexer test", second.id):
        assert part in asked
    session = agent.client.session
    assert session is not None
    assert [entry.what for entry in session.loop.happened if entry.kind == "verdict"] == ["wrong", "wrong", "right"]


@pytest.mark.parametrize("when", ["next-request", "before-record"])
def test_what_came_by_hook_is_answered_in_the_same_turn(supervise: Supervise, when: str) -> None:
    says = {"say": "I ship the parser. Next: the lexer test.", "delay": 0}
    script = {
        "window": 40_000, "behaviour": {"compact_hook": when}, "step": [GOES | {"actions": [*COMPACTS, says]}]
    }  # fmt: skip
    agent = supervise(script, engram=ENGRAM, policy=BY_HOOK, hook=CLIENT)
    found = compacted(agent)
    assert (found.verdict, found.said) == ("right", says["say"])
    assert agent.restores() == []
