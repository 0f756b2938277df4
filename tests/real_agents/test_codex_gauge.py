"""The real Codex under agentsup: its figures at every step, wherever the conversation goes."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.conftest import MakeCodexHome
from tests.real_agents.codex import CodexSettings
from tests.real_agents.supervised import Supervised, over
from tests.servers.model_server import ModelServer, Request
from tests.servers.pace import Gate
from tests.servers.responses import Command, Turn, Usage

pytestmark = pytest.mark.real_agent

Start = Callable[..., Supervised]
OVER, UNDER = Usage(21_500, output=100), Usage(7_000, output=50)
"""Above and below the limit of 20,000 tokens at which Codex compacts by itself."""


@pytest.fixture
def start(make_codex_home: MakeCodexHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(script: Any = (), *, settings: CodexSettings | None = None, **server: Any) -> Supervised:
            model = stack.enter_context(ModelServer(script, **server))
            supervised = Supervised(make_codex_home(model, settings), model)
            stack.callback(supervised.close)
            return supervised

        yield begin


def total(usage: Usage) -> int:
    return usage.input + usage.output


@pytest.mark.parametrize("used", [12_000, 12_500, 20_000, 37_999])
def test_the_figures_are_those_that_codex_itself_shows(start: Start, used: int) -> None:
    usage = Usage(used - 100, output=100)
    supervised = start([Turn("Answer.", usage=usage)], settings=CodexSettings(auto_compact_limit=100_000))
    supervised.say("hello there")
    found = supervised.wait_status(over(1), "the turn is over")["context"]
    assert (found["used"], found["window"], found["compacts_at"]) == (used, 38_000, 36_000)
    supervised.say("/status")
    shown = re.compile(r"Context window:\s+(\d+)% left \(([\d.]+)K used / ([\d.]+)K\)")
    rows = supervised.terminal.wait_for(shown)
    match = shown.search("\n".join(rows))
    assert match is not None
    assert int(match[1]) == found["agents_percent_left"]
    assert float(match[2]) == pytest.approx(used / 1000, abs=0.06 if "." in match[2] else 0.5)
    assert float(match[3]) == 38


def test_the_phase_is_known_by_its_report(start: Start) -> None:
    gate = Gate()
    supervised = start(
        [Turn("Thinking.", hold=gate), Turn("I need approval.", (Command("touch asked.txt", escalate=True),))]
    )
    supervised.say("first")
    gate.wait_reached()
    working = supervised.wait_status(lambda s: s["phase"] == "working" and bool(s["turn"]), "it works")
    assert working["phase_by"] == "report"
    supervised.terminal.key("Escape")
    supervised.wait_status(over(1), "the turn was interrupted")
    supervised.say("second")
    waiting = supervised.wait_status(lambda s: s["phase"] == "waiting-for-approval", "it asks")
    assert waiting["phase_by"] == "report"
    supervised.terminal.wait_for("Would you like to run the following command?")
    supervised.terminal.key("Escape")
    supervised.wait_status(over(2), "the second turn is over")


def test_three_compactions_in_one_turn_are_three(start: Start) -> None:
    steps = iter([OVER, OVER, OVER])

    def play(request: Request) -> Turn:
        usage = next(steps, UNDER)
        return Turn("Step.", (Command("ls"),) if usage is OVER else (), usage=usage)

    supervised = start(play, compaction=Turn("SUMMARY: so far.", usage=Usage(21_600, output=200)))
    supervised.say("do it all")
    found = supervised.wait_status(lambda s: s["compactions"] == 3 and s["turns"] >= 1, "three compactions")
    assert (found["last_compaction"]["trigger"], found["last_compaction"]["mid_turn"]) == ("auto", True)
    assert len(supervised.model.requests("compaction")) == 3
    settled = supervised.wait_status(lambda s: s["phase"] == "idle" and not s["turn"], "it is over")
    assert (settled["compactions"], settled["compactions_failed"]) == (3, 0)
    assert (settled["context"]["used"], settled["context"]["source"]) == (total(UNDER), "exact")


def test_cancelled_and_failed_compactions_are_none_and_are_told(start: Start) -> None:
    gate = Gate()
    answers = iter([Turn("never", hold=gate, hold_at="start")])
    refused = Turn("SUMMARY", error="server_error")
    supervised = start(default=Turn("Fine.", usage=UNDER), compaction=lambda _request: next(answers, refused))
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("/compact")
    gate.wait_reached()
    supervised.wait_status(lambda s: s["phase"] == "compacting", "it compacts")
    supervised.terminal.key("Escape")
    supervised.wait_status(lambda s: s["compactions_failed"] == 1 and s["phase"] == "idle", "it was cancelled")
    supervised.say("/compact")
    found = supervised.wait_status(lambda s: s["compactions_failed"] == 2 and s["phase"] == "idle", "it has failed")
    assert (found["compactions"], found["injection"]) == (0, None)
    assert (found["context"]["used"], found["context"]["source"]) == (total(UNDER), "exact")


@pytest.mark.parametrize(("command", "question"), [("/new", "Where should the new"), ("/fork", "current Git worktree")])
def test_another_conversation_has_its_own_figures(start: Start, command: str, question: str) -> None:
    supervised = start([Turn("One.", usage=Usage(15_000, output=10))], default=Turn("Two.", usage=UNDER))
    supervised.say("hello there")
    first = supervised.wait_status(over(1), "the first turn is over")
    supervised.say(command)
    supervised.terminal.wait_for(question)
    supervised.terminal.key("Enter")
    supervised.wait_status(lambda s: s["conversation"] != first["conversation"], "it has moved")
    supervised.say("again")
    second = supervised.wait_status(over(1), "the second conversation's turn is over")
    assert second["context"]["used"] == total(UNDER)
    assert second["conversation"] in second["log"]["path"]


def test_a_killed_session_is_resumed_with_its_figures(start: Start) -> None:
    supervised = start([Turn("One.", usage=Usage(15_000, output=10))], default=Turn("Two.", usage=UNDER))
    supervised.say("hello there")
    first = supervised.wait_status(over(1), "the first turn is over")
    os.kill(first["agent"]["pid"], signal.SIGKILL)
    supervised.terminal.wait_for("ended")
    supervised.terminal.key("C-\\")
    supervised.terminal.key("d")
    supervised.terminal.wait_exit()
    supervised.terminal = supervised.open("codex", "resume", first["conversation"])
    supervised.terminal.wait_for(supervised.EMPTY)
    resumed = supervised.wait_status(lambda s: s["context"]["used"] is not None, "figures are there")
    assert (resumed["conversation"], resumed["context"]["used"]) == (first["conversation"], 15_010)
    supervised.say("again")
    assert supervised.wait_status(over(2), "the second turn is over")["context"]["used"] == total(UNDER)


def test_two_in_one_folder_are_told_apart(start: Start) -> None:
    def play(request: Request) -> Turn:
        return Turn("Fine.", usage=Usage(15_000, output=10) if "first" in request.last_user_text() else UNDER)

    supervised = start(play)
    supervised.terminal.wait_for(supervised.EMPTY)
    first = supervised.status()["session"]
    supervised.terminal = supervised.open("codex")
    supervised.terminal.wait_for(supervised.EMPTY)
    sessions = json.loads(supervised.command("ls", "--json").stdout)["sessions"]
    (second,) = (s["session"] for s in sessions if s["session"] != first)

    def status(session: str) -> dict[str, Any]:
        found = json.loads(supervised.command("status", session, "--json").stdout)
        assert isinstance(found, dict)
        return found

    for terminal, word in zip(supervised.terminals, ("first", "second"), strict=True):
        terminal.type(word)
        terminal.wait_for(f"{supervised.PROMPT}{word}")
        terminal.key("Enter")
    for session, used in ((first, 15_010), (second, total(UNDER))):
        supervised.terminal.wait_until(
            lambda s=session: over(1)(status(s)), what="the turn is over"  # type: ignore[misc]
        )  # fmt: skip
        assert status(session)["context"]["used"] == used
