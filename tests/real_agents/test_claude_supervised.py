"""The real Claude Code under agentsup: gauge, window, phases, compactions and conversations."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.conftest import MakeClaudeHome
from tests.real_agents.claude import ClaudeSettings
from tests.real_agents.supervised import SupervisedClaude, over
from tests.servers.messages import Command, Failure, ToolUse, Turn, Usage
from tests.servers.messages_server import MessagesServer, Request
from tests.servers.pace import Gate

pytestmark = pytest.mark.real_agent

Start = Callable[..., SupervisedClaude]


@pytest.fixture
def start(make_claude_home: MakeClaudeHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(
            script: Any = (),
            *,
            settings: ClaudeSettings | None = None,
            size: tuple[int, int] = (120, 40),
            arguments: tuple[str, ...] = (),
            **server: Any,
        ) -> SupervisedClaude:
            model = stack.enter_context(MessagesServer(script, **server))
            supervised = SupervisedClaude(make_claude_home(model, settings), model, size, arguments)
            stack.callback(supervised.close)
            return supervised

        yield begin


AUTO_COMPACT = ("--autocompact", "100k")
FULL, SOME = Usage.of_context(70_000), Usage.of_context(21_000)
"""Above and below the 67,000 tokens at which it then compacts by itself."""


def told(supervised: SupervisedClaude) -> dict[str, Any]:
    """Return what Claude Code told its status line last."""
    (file,) = (supervised.runtime / "agentsup").glob("*/claude-status.json")
    found = json.loads(file.read_bytes())["context_window"]
    assert isinstance(found, dict)
    return found


def test_the_gauge_is_what_the_server_sent_and_the_agent_shows_at_every_step(start: Start) -> None:
    usages = [Usage(3 + n, 500 * n, 20_000 + 41_357 * n, 31 + n) for n in range(5)]
    supervised = start([Turn(f"Answer {n}.", usage=usage) for n, usage in enumerate(usages)])
    for number, usage in enumerate(usages):
        supervised.say(f"question {number}")
        status = supervised.wait_status(over(number + 1), "the turn is over")
        context = status["context"]
        assert (context["used"], context["window"], context["source"]) == (usage.context, 1_000_000, "exact")
        assert context["compacts_at"] == 967_000
        assert supervised.model.usage_sent[-1].usage.context == context["used"]
        supervised.terminal.wait_until(
            lambda used=context["used"]: told(supervised)["total_input_tokens"] == used,  # type: ignore[misc]
            what="its own figure",
        )
        assert told(supervised)["used_percentage"] == round(100 * context["fraction"])
        supervised.terminal.wait_for(f"{round(100 * context['fraction'])} %")


def test_the_phase_is_known_by_its_own_file(start: Start) -> None:
    gate = Gate()
    supervised = start(
        [Turn("Thinking about it.", hold=gate), Turn("I need a file.", (Command("touch asked.txt"),))],
        default=Turn("Done."),
    )
    supervised.say("first")
    gate.wait_reached()
    working = supervised.wait_status(lambda s: s["phase"] == "working" and bool(s["turn"]), "it works")
    assert working["phase_by"] == "status-file"
    gate.release()
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("second")
    waiting = supervised.wait_status(lambda s: s["phase"] == "waiting-for-approval", "it asks for permission")
    assert waiting["phase_by"] == "status-file"
    supervised.terminal.wait_for("Do you want to proceed?")
    supervised.terminal.key("Escape")
    supervised.wait_status(over(2), "the second turn is over")
    assert not (supervised.home.project / "asked.txt").exists()


def test_a_compaction_by_command_is_one_and_its_figure_is_stale_until_the_next_request(start: Start) -> None:
    supervised = start(default=Turn("Fine.", usage=SOME))
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("/compact")
    found = supervised.wait_status(lambda s: s["compactions"] == 1 and s["phase"] == "idle", "it has compacted")
    last = found["last_compaction"]
    assert (last["trigger"], last["mid_turn"], found["context"]["source"]) == ("manual", False, "stale")
    assert last["before"] >= SOME.context > last["after"] == found["context"]["used"]


def test_three_compactions_in_one_turn_are_three(start: Start) -> None:
    usages = [FULL, FULL, FULL, SOME]
    turns = [Turn(f"Step {n}.", (Command("ls"),) if n < 3 else (), usage=u) for n, u in enumerate(usages)]
    supervised = start([Turn("Something to keep."), *turns], arguments=AUTO_COMPACT)
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("do it all")
    # The restore that follows is a turn of its own, which may be over before anybody looks.
    found = supervised.wait_status(
        lambda s: s["compactions"] == 3 and (over(2)(s) or over(3)(s)), "three compactions, one turn"
    )
    assert len(supervised.model.requests("compaction")) == 3
    assert (found["last_compaction"]["trigger"], found["last_compaction"]["mid_turn"]) == ("auto", True)
    assert (found["context"]["used"], found["context"]["source"]) == (SOME.context, "exact")
    assert found["context"]["compacts_at"] == 67_000


def test_cancelled_and_failed_compactions_are_none_and_are_told(start: Start) -> None:
    gate = Gate()
    refused = Turn(failure=Failure(400, "invalid_request_error"))
    answers = iter([Turn("never", hold=gate, hold_at="start")])
    supervised = start(
        default=Turn("Fine.", usage=SOME), compaction=lambda _request: next(answers, refused)
    )  # fmt: skip
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("/compact")
    gate.wait_reached()
    supervised.wait_status(lambda s: s["phase"] == "compacting", "it compacts")
    supervised.terminal.key("Escape")
    supervised.wait_status(lambda s: s["compactions_failed"] == 1 and s["phase"] == "idle", "it was cancelled")
    supervised.terminal.key("C-c")  # the command has come back into the composer
    supervised.say("/compact")
    supervised.terminal.wait_for("Error during compaction")
    found = supervised.wait_status(lambda s: s["compactions_failed"] == 2 and s["phase"] == "idle", "it has failed")
    assert (found["compactions"], found["context"]["used"]) == (0, SOME.context)
    assert found["context"]["source"] == "exact"


def test_clear_is_another_conversation_with_its_own_figures(start: Start) -> None:
    supervised = start([Turn("One.", usage=FULL)], default=Turn("Two.", usage=SOME))
    supervised.say("hello there")
    first = supervised.wait_status(over(1), "the first turn is over")
    supervised.say("/clear")
    cleared = supervised.wait_status(lambda s: s["conversation"] != first["conversation"], "it has moved")
    assert (cleared["context"]["used"], cleared["context"]["window"], cleared["turns"]) == (None, 1_000_000, 0)
    supervised.say("again")
    second = supervised.wait_status(over(1), "the first turn of the second conversation is over")
    assert second["context"]["used"] == SOME.context
    assert second["conversation"] in second["log"]["path"]


def test_a_killed_session_is_resumed_with_its_figures(start: Start) -> None:
    supervised = start([Turn("One.", usage=FULL)], default=Turn("Two.", usage=SOME))
    supervised.say("hello there")
    first = supervised.wait_status(over(1), "the first turn is over")
    os.kill(first["agent"]["pid"], signal.SIGKILL)
    supervised.terminal.wait_for("claude")
    supervised.terminal.key("C-\\")
    supervised.terminal.key("d")
    supervised.terminal.wait_exit()
    supervised.terminal = supervised.open("claude", "--resume", first["conversation"])
    supervised.terminal.wait_for(supervised.EMPTY)
    resumed = supervised.wait_status(lambda s: s["context"]["used"] is not None and s["phase"] == "idle", "figures")
    assert (resumed["conversation"], resumed["context"]["used"]) == (first["conversation"], FULL.context)
    assert resumed["turns"] == 1
    supervised.say("again")
    again = supervised.wait_status(over(2), "the second turn is over")
    assert again["context"]["used"] == SOME.context


def test_a_sub_agents_usage_is_not_in_the_gauge(start: Start) -> None:
    call = ToolUse("Agent", {"description": "Count", "prompt": "Count files.", "subagent_type": "general-purpose"})
    supervised = start(
        [Turn("Delegating.", (call,), usage=SOME)],
        default=Turn("It is done.", usage=Usage.of_context(22_000)),
        subagent=Turn("Three files.", usage=FULL),
    )
    supervised.say("use an agent")
    supervised.terminal.wait_for("It is done.")
    supervised.wait_status(
        lambda s: s["phase"] == "idle" and not s["turn"] and bool(supervised.model.requests("subagent")), "it is over"
    )
    assert supervised.status()["context"]["used"] == 22_000


OWN_LINE = {"statusLine": {"type": "command", "command": "echo my own line"}}


@pytest.mark.parametrize(("setting", "window"), [("auto", None), ("chain", 1_000_000)])
def test_the_persons_own_status_line_is_shown_unchanged(
    start: Start, monkeypatch: pytest.MonkeyPatch, setting: str, window: int | None
) -> None:
    settings = ClaudeSettings(settings=OWN_LINE, environment={"AGENTSUP_CLAUDE_STATUS_LINE": setting})
    supervised = start(default=Turn("Fine.", usage=SOME), settings=settings)
    before = (supervised.claude.config / "settings.json").read_bytes()
    supervised.say("hello there")
    found = supervised.wait_status(over(1), "the turn is over")
    assert (found["context"]["used"], found["context"]["window"]) == (SOME.context, window)
    supervised.terminal.wait_for("my own line")
    assert (supervised.claude.config / "settings.json").read_bytes() == before


def test_two_in_one_folder_are_told_apart(start: Start) -> None:
    def play(request: Request) -> Turn:
        return Turn("Fine.", usage=FULL if "first" in request.last_user_text() else SOME)

    supervised = start(play)
    supervised.terminal.wait_for(supervised.EMPTY)
    first = supervised.wait_status(lambda s: s["phase"] == "idle", "the first one is there")
    supervised.terminal = supervised.open("claude")
    supervised.terminal.wait_for(supervised.EMPTY)
    sessions = json.loads(supervised.command("ls", "--json").stdout)["sessions"]
    (second,) = (s for s in sessions if s["session"] != first["session"])

    def status(session: str) -> dict[str, Any]:
        found = json.loads(supervised.command("status", session, "--json").stdout)
        assert isinstance(found, dict)
        return found

    for terminal, word in ((supervised.terminals[0], "first"), (supervised.terminals[1], "second")):
        terminal.wait_for(supervised.EMPTY)
        terminal.type(word)
        terminal.wait_for(f"{supervised.PROMPT}{word}")
        terminal.key("Enter")
    for session, usage in ((first["session"], FULL), (second["session"], SOME)):
        supervised.terminal.wait_until(
            lambda s=session: over(1)(status(s)), what="the turn is over"  # type: ignore[misc]
        )  # fmt: skip
        assert status(session)["context"]["used"] == usage.context


def test_a_conversation_that_is_gone_on_with_or_forked_is_the_right_one(start: Start) -> None:
    supervised = start([Turn("One.", usage=FULL)], default=Turn("Two.", usage=SOME))
    supervised.say("hello there")
    first = supervised.wait_status(over(1), "the first turn is over")
    assert supervised.command("stop").returncode == 0
    for arguments, is_same in ((("--continue",), True), (("--resume", first["conversation"], "--fork-session"), False)):
        supervised.terminal = supervised.open("claude", *arguments)
        supervised.terminal.wait_for(supervised.EMPTY)
        again = supervised.wait_status(lambda s: bool(s["conversation"]) and s["phase"] == "idle", "it is there")
        assert (again["conversation"] == first["conversation"]) == is_same
        turns = again["turns"]
        supervised.say("again")
        after = supervised.wait_status(
            lambda s, n=turns: s["turns"] > n and s["phase"] == "idle" and not s["turn"],  # type: ignore[misc]
            "its turn is over",
        )
        assert after["context"]["used"] == SOME.context
        assert after["conversation"] == again["conversation"]
        assert after["conversation"] in after["log"]["path"]
        assert supervised.command("stop").returncode == 0


def test_left_at_the_empty_prompt_does_not_move_the_conversation_out_of_sight(start: Start) -> None:
    supervised = start(default=Turn("Fine.", usage=SOME))
    supervised.say("hello there")
    first = supervised.wait_status(over(1), "the first turn is over")
    supervised.terminal.key("Left")
    supervised.terminal.key("Left")
    supervised.say("again")
    second = supervised.wait_status(over(2), "the second turn is over")
    assert second["conversation"] == first["conversation"]
    assert second["agent"]["pid"] == first["agent"]["pid"]
