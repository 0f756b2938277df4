"""The real Codex under agentsup is followed through its threads: /resume, the agents' view, a rewind, `codex queue`."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from tests.conftest import MakeCodexHome
from tests.real_agents.supervised import DEADLINE, ENGRAM, NOTHING, Supervised, over
from tests.servers.model_server import ModelServer, Request
from tests.servers.responses import Command, Gate, Turn, Usage

pytestmark = pytest.mark.real_agent

Start = Callable[..., Supervised]
STARTS = {"AGENTSUP_MEMORY_START_RESTORE": "on"}
ALPHA, BETA, UNDER = Usage(9_000, output=100), Usage(12_000, output=200), Usage(7_000, output=50)
OVER = Usage(21_500, output=100)
"""Above the limit of 20,000 tokens at which Codex compacts by itself."""


@pytest.fixture
def start(make_codex_home: MakeCodexHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(script: Any = (), environment: Mapping[str, str] = NOTHING) -> Supervised:
            model = stack.enter_context(ModelServer(script, default=Turn("Fine.", usage=UNDER)))
            supervised = Supervised(make_codex_home(model), model, environment=environment)
            stack.callback(supervised.close)
            supervised.terminal.wait_for(supervised.EMPTY)
            return supervised

        yield begin


def by_name(request: Request) -> Turn:
    """Answer with the usage of the thread that the prompt names."""
    word = request.last_user_text().partition(" ")[0]
    return Turn("Fine.", usage={"alpha": ALPHA, "beta": BETA}.get(word, UNDER))


def new(supervised: Supervised, before: str) -> str:
    """Begin another thread by /new; return its id."""
    supervised.say("/new")
    supervised.terminal.wait_for("Where should the new conversation run?")
    supervised.terminal.wait_still(0.6)
    supervised.terminal.key("Enter")
    return str(supervised.wait_status(lambda s: s["conversation"] != before, "another thread")["conversation"])


def choose_other(supervised: Supervised) -> None:
    """Choose the older of two threads in the picker of /resume."""
    supervised.terminal.wait_for("1 / 2")
    supervised.terminal.key("Down")
    supervised.terminal.wait_for("2 / 2")
    supervised.terminal.key("Enter")


def test_a_resume_inside_a_session_is_followed_with_figures_restores_and_journal(start: Start) -> None:
    supervised = start(by_name, environment=STARTS)
    alpha = supervised.wait_status(
        lambda s: over(1)(s) and (s["injection"] or {}).get("state") == "confirmed", "the first session has its memory"
    )["conversation"]
    supervised.say("alpha work")
    supervised.wait_status(over(2), "the first thread has worked")
    beta = new(supervised, alpha)
    supervised.wait_status(over(1, beta), "the second session has its memory")
    supervised.say("beta work")
    supervised.wait_status(over(2, beta), "the second thread has worked")

    supervised.say("/resume")
    choose_other(supervised)
    back = supervised.wait_status(lambda s: s["conversation"] == alpha and s["turns"] == 2, "it is in the first again")
    assert back["context"]["used"] == ALPHA.input + ALPHA.output
    supervised.say("alpha again")
    supervised.wait_status(over(3, alpha), "the first thread goes on")
    supervised.say("/compact")
    restored = supervised.turns_with(f"(restore {supervised.wait_restored(1)}")[0]
    assert restored.metadata["thread_id"] == alpha
    assert restored.last_user_text().count(ENGRAM.strip()) == 1

    asked = [request.last_user_text() for request in supervised.model.requests("turn")]
    assert sum("at the start of this session" in text for text in asked) == 2, "none for the one that was resumed"
    rounds = json.loads(supervised.command("journal", "--json").stdout)["rounds"]
    assert [each["conversation"] for each in rounds] == [alpha, alpha, beta, beta, alpha, alpha]


def test_one_of_an_earlier_session_that_is_resumed_is_no_new_one(start: Start) -> None:
    supervised = start(by_name)
    supervised.say("alpha work")
    alpha = supervised.wait_status(over(1), "the first thread has worked")["conversation"]
    assert supervised.command("stop").returncode == 0
    supervised.env |= STARTS
    supervised.terminal = supervised.open("codex")
    supervised.terminal.wait_for(supervised.EMPTY)
    supervised.wait_status(lambda s: s["conversation"] != alpha and over(1)(s), "the new session has its memory")
    supervised.say("/resume")
    choose_other(supervised)
    supervised.wait_status(over(1, alpha), "it is in the earlier one")
    supervised.say("alpha again")
    supervised.wait_status(over(2, alpha), "the earlier one goes on")
    asked = [request.last_user_text() for request in supervised.model.requests("turn")]
    assert ["at the start of this session" in text for text in asked] == [False, True, False]


def test_a_held_restore_does_not_follow_the_person_into_the_thread_that_is_resumed(start: Start) -> None:
    gate = Gate()
    looking = Turn("Looking.", (Command("ls"),), usage=OVER)
    supervised = start([Turn("Fine.", usage=UNDER), looking, Turn("Done.", usage=UNDER, hold=gate)])
    supervised.say("hello there")
    alpha = supervised.wait_status(over(1), "the first thread has worked")["conversation"]
    new(supervised, alpha)
    supervised.say("work on it")
    gate.wait_reached()
    supervised.terminal.type("/resume")
    supervised.terminal.wait_for("› /resume")
    gate.release()
    held = supervised.wait_injection("held")
    supervised.wait_status(lambda s: s["phase"] == "idle", "the turn is over")
    supervised.terminal.key("Enter")
    choose_other(supervised)
    dropped = supervised.wait_injection("dropped")
    assert (dropped["id"], dropped["reason"]) == (held["id"], "injection.other-conversation")
    supervised.say("hello again")
    supervised.wait_status(over(2, alpha), "the first thread goes on")
    assert not supervised.turns_with(f"(restore {held['id']}")


def test_a_held_restore_comes_after_a_glance_into_another_thread(start: Start) -> None:
    gate = Gate()
    looking = Turn("Looking.", (Command("ls"),), usage=OVER)
    turns = [Turn("Fine.", usage=UNDER), looking, Turn("Done.", usage=UNDER, hold=gate)]
    supervised = start([*turns, Turn("Fine.", usage=UNDER), Turn("My task is known.", usage=UNDER)])
    supervised.say("hello there")
    alpha = supervised.wait_status(over(1), "the first thread has worked")["conversation"]
    beta = new(supervised, alpha)
    supervised.say("work on it")
    gate.wait_reached()
    supervised.terminal.type("/resume")
    supervised.terminal.wait_for("› /resume")
    gate.release()
    supervised.wait_injection("held")
    supervised.wait_status(lambda s: s["phase"] == "idle", "the turn is over")
    supervised.terminal.key("Enter")
    choose_other(supervised)
    supervised.wait_injection("dropped")
    supervised.say("hello again")
    supervised.wait_status(over(2, alpha), "the first thread goes on")
    supervised.say("/resume")
    choose_other(supervised)
    supervised.wait_status(lambda s: s["conversation"] == beta, "it is back in the second")
    confirmed = supervised.wait_injection("confirmed")
    (turn,) = supervised.turns_with("Restored from disk")
    assert f"(restore {confirmed['id']}" in turn.last_user_text()


def test_a_turn_that_begins_in_the_background_does_not_lead_back_but_holds_what_is_typed(start: Start) -> None:
    supervised = start(by_name)
    supervised.say("alpha work")
    alpha = supervised.wait_status(over(1), "the first thread has worked")["conversation"]
    beta = new(supervised, alpha)
    supervised.say("beta work")
    supervised.wait_status(over(1, beta), "the second thread has worked")
    queue = [str(supervised.codex.program), "queue", "--thread", alpha, "--message", "queued meanwhile"]
    subprocess.run(
        queue, env=supervised.env, cwd=supervised.home.project, check=True, timeout=DEADLINE, capture_output=True
    )
    supervised.model.wait_for(lambda request: request.last_user_text() == "queued meanwhile")
    (log,) = (path for path in supervised.codex.rollouts() if alpha in path.name)
    supervised.terminal.wait_until(lambda: log.read_text().count('"task_complete"') == 2, what="that turn's end")
    # Nobody can tell whether that is on the screen now: what is to be typed waits for a prompt that says so.
    supervised.terminal.key("C-\\", "i")
    held = supervised.wait_injection("held")
    assert held["reason"] == "injection.conversation"
    supervised.say("beta again")
    supervised.model.wait_for(lambda request: request.last_user_text() == "beta again")
    found = supervised.wait_status(
        lambda s: over(3, beta)(s) and s["injection"]["state"] == "confirmed", "the second thread goes on"
    )
    assert found["injection"]["id"] == held["id"]
    assert supervised.turns_with(f"(restore {held['id']}")[0].metadata["thread_id"] == beta


def test_one_that_is_at_work_is_followed_from_the_next_prompt_on(start: Start) -> None:
    gate = Gate()

    def play(request: Request) -> Turn:
        held = request.last_user_text() == "alpha work"
        return Turn("Slowly done.", usage=ALPHA, hold=gate) if held else by_name(request)

    supervised = start(play)
    supervised.say("alpha work")
    gate.wait_reached()
    alpha = supervised.status()["conversation"]
    supervised.terminal.key("Left")
    supervised.terminal.wait_for("Agent command center")
    supervised.terminal.key("n")
    beta = supervised.wait_status(lambda s: s["conversation"] != alpha, "another thread")["conversation"]
    supervised.say("beta work")
    supervised.wait_status(over(1, beta), "the second thread has worked")
    supervised.terminal.key("Left")
    supervised.terminal.wait_for("Agent command center")
    supervised.terminal.wait_still(0.6)
    if not _is_chosen_at_work(supervised.terminal.screen()):
        supervised.terminal.key("Down")
    supervised.terminal.wait_for(_is_chosen_at_work)
    supervised.terminal.key("Enter")
    supervised.terminal.wait_for("esc to interrupt")
    supervised.say("alpha goes on")
    supervised.wait_status(lambda s: s["conversation"] == alpha, "it is in the first again")
    gate.release()
    found = supervised.wait_status(lambda s: s["phase"] == "idle" and not s["turn"], "the first thread has worked")
    assert (found["conversation"], found["context"]["used"]) == (alpha, ALPHA.input + ALPHA.output)


def _is_chosen_at_work(rows: list[str]) -> bool:
    return any(re.match(r"\s*› ● .*Working", row) for row in rows)


def test_a_rewound_thread_is_followed_in_its_new_file(start: Start) -> None:
    supervised = start(by_name)
    for number, words in enumerate(("alpha one", "alpha two"), 1):
        supervised.say(words)
        before = supervised.wait_status(over(number), "the turn is over")
    supervised.terminal.wait_for(supervised.EMPTY)
    supervised.terminal.key("Escape")
    supervised.terminal.wait_for("esc again to edit previous message")
    supervised.terminal.key("Escape")
    supervised.terminal.wait_for("↵ rewind")
    supervised.terminal.key("Enter")
    supervised.terminal.wait_for("Conversation reverted to this point")
    supervised.terminal.wait_for("› alpha two")
    supervised.terminal.key("C-u")
    supervised.say("beta three")
    after = supervised.wait_status(lambda s: s["context"]["used"] == BETA.input + BETA.output, "its figures")
    assert after["conversation"] == before["conversation"]
    assert after["log"]["path"] != before["log"]["path"]
