"""The real Claude Code under agentsup is followed where its person goes inside a session: /resume and /branch."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from agentsup.store.atomic import read
from agentsup.store.engram_history import history, write_engram_file
from tests.conftest import MakeClaudeHome
from tests.real_agents.supervised import SupervisedClaude, over
from tests.servers.messages import Turn, Usage
from tests.servers.messages_server import MessagesServer, Request

pytestmark = pytest.mark.real_agent

Start = Callable[..., SupervisedClaude]
STARTS = {"AGENTSUP_MEMORY_START_RESTORE": "on"}
ENGRAM = """\
[Task] Make add() in calc.py accept floats.
[Progress] Wrote add() in calc.py
[Pending] test_add() in test_calc.py
[Taboo] Leave README.md alone: its owner edits it.
"""
ALPHA, BETA, SOME = Usage.of_context(70_000), Usage.of_context(50_000), Usage.of_context(21_000)


@pytest.fixture
def start(make_claude_home: MakeClaudeHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin() -> SupervisedClaude:
            model = stack.enter_context(MessagesServer(by_name))
            supervised = SupervisedClaude(make_claude_home(model), model, environment=STARTS)
            stack.callback(supervised.close)
            supervised.terminal.wait_for(supervised.EMPTY)
            return supervised

        yield begin


def by_name(request: Request) -> Turn:
    """Answer with the usage of the conversation that the prompt names."""
    last = request.last_user_text().strip().rpartition("\n")[2]
    if last.startswith("write"):
        return Turn(f"It is written.\n\n{ENGRAM}", usage=SOME)
    return Turn("Fine.", usage={"alpha": ALPHA, "beta": BETA}.get(last.partition(" ")[0], SOME))


def remembered(supervised: SupervisedClaude) -> int:
    """Return how many sessions were given their memory."""
    asked = [request.last_user_text() for request in supervised.model.requests("turn")]
    return sum("at the start of this session" in text for text in asked)


def test_a_resume_inside_a_session_is_followed_and_is_no_new_one(start: Start) -> None:
    supervised = start()
    alpha = supervised.wait_status(over(1), "the first session has its memory")["conversation"]
    supervised.say("alpha work")
    supervised.wait_status(over(2), "the first conversation has worked")
    supervised.say("/clear")
    beta = supervised.wait_status(lambda s: s["conversation"] != alpha and over(1)(s), "the second has its memory")
    supervised.say("beta work")
    supervised.wait_status(over(2, beta["conversation"]), "the second conversation has worked")

    supervised.say("/resume")
    supervised.terminal.wait_for("Resume session")
    supervised.terminal.wait_still(1.0)
    supervised.terminal.key("Enter")
    back = supervised.wait_status(
        lambda s: s["conversation"] == alpha and s["turns"] == 2 and s["context"]["used"], "it is in the first again"
    )
    assert back["context"]["used"] == ALPHA.context
    supervised.say("once more")
    again = supervised.wait_status(over(3, alpha), "the first conversation goes on")
    assert again["context"]["used"] == SOME.context
    assert remembered(supervised) == 2
    rounds = json.loads(supervised.command("journal", "--json").stdout)["rounds"]
    assert [each["conversation"] for each in rounds] == [alpha, alpha, *[beta["conversation"]] * 2, alpha]


def test_what_was_judged_before_is_not_judged_again_when_the_conversation_is_gone_back_to(start: Start) -> None:
    supervised = start()
    root, file = supervised.home.project, supervised.home.project / ".agent" / "engram.md"
    alpha = supervised.wait_status(over(1), "the session has its memory")["conversation"]
    supervised.say("write it")
    supervised.wait_status(lambda s: over(2, alpha)(s) and file.read_text() == ENGRAM, "the agent's engram is stored")
    persons = ENGRAM.replace("floats", "complex numbers")
    for text in (persons.replace("complex", "all"), persons):
        write_engram_file(root, text, read(file, beneath=root).token, "person", "edited", supervised.env)
    before = history(root, supervised.env)
    supervised.say("/clear")
    supervised.wait_status(lambda s: s["conversation"] != alpha and over(1)(s), "another conversation")
    supervised.say("/resume")
    supervised.terminal.wait_for("Resume session")
    supervised.terminal.wait_still(1.0)
    supervised.terminal.key("Enter")
    supervised.wait_status(over(2, alpha), "it is in the first again")
    supervised.say("alpha work")
    supervised.wait_status(over(3, alpha), "the first conversation goes on")
    assert "without knowing yours" not in supervised.terminal.text()
    assert history(root, supervised.env) == before
    assert file.read_text() == persons


def test_a_branch_is_followed_and_has_its_memory_in_it(start: Start) -> None:
    supervised = start()
    first = supervised.wait_status(over(1), "the session has its memory")["conversation"]
    supervised.say("alpha work")
    supervised.wait_status(over(2), "it has worked")
    supervised.say("/branch")
    supervised.terminal.wait_for("Branched session")
    supervised.say("beta work")
    supervised.wait_status(
        lambda s: s["conversation"] != first and over(3)(s) and s["context"]["used"] == BETA.context,
        "the branch has worked, and its figures are shown",
    )
    assert remembered(supervised) == 1
