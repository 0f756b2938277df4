"""The real Codex under agentsup: what is asked of the product's main job, from the requests the server got."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MakeCodexHome
from tests.real_agents.codex import EMPTY_HINT, CodexSettings
from tests.real_agents.supervised import ENGRAM, NOTHING, Supervised, restores_in
from tests.servers.model_server import ModelServer, Request
from tests.servers.responses import Command, Gate, Turn, Usage

pytestmark = pytest.mark.real_agent

Start = Callable[..., Supervised]
OVER, UNDER = Usage(21_500, output=100), Usage(7_000, output=50)
"""Above and below the limit of 20,000 tokens at which Codex compacts by itself."""


@pytest.fixture
def start(make_codex_home: MakeCodexHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(
            script: Any = (),
            *,
            settings: CodexSettings | None = None,
            size: tuple[int, int] = (120, 40),
            environment: Mapping[str, str] = NOTHING,
            **server: Any,
        ) -> Supervised:
            model = stack.enter_context(ModelServer(script, **server))
            supervised = Supervised(make_codex_home(model, settings), model, size, environment=environment)
            stack.callback(supervised.close)
            return supervised

        yield begin


def assert_restored_once(supervised: Supervised, ids: list[str]) -> None:
    """The newest restore stands once in the first turn after it was typed, and in no message twice."""
    requests = supervised.turns_with(f"(restore {ids[-1]}")
    assert requests, "the restore is in no model request"
    first = requests[0]
    assert restores_in(first, ids)[ids[-1]] == 1
    own = next(text for text in first.texts("user") if f"(restore {ids[-1]}" in text.partition("\n")[0])
    assert own.count(ENGRAM.strip()) == 1
    for request in requests:
        assert max(restores_in(request, ids).values()) <= 1


def test_three_automatic_compactions_are_each_restored_once_at_the_next_turn(start: Start) -> None:
    def play(request: Request) -> Turn:
        text = request.last_user_text()
        if text.startswith("work on") and not request.tool_outputs():
            return Turn("Looking.", (Command("ls"),), usage=OVER)
        return Turn("Done.", usage=UNDER)

    supervised = start(play, compaction=Turn("SUMMARY: work so far.", usage=Usage(21_600, output=200)))
    ids: list[str] = []
    for number in (1, 2, 3):
        supervised.say(f"work on part {number}")
        ids.append(supervised.wait_restored(number))
        compaction = supervised.model.requests("compaction")
        assert len(compaction) == number
        assert compaction[-1].metadata["compaction"]["trigger"] == "auto"
        assert_restored_once(supervised, ids)
        assert supervised.turns_with(f"(restore {ids[-1]}")[0].last_user_text().count("Then go on with the turn") == 1
        later = [r for r in supervised.model.requests("turn") if r.number > compaction[-1].number]
        turns = [r.metadata["turn_id"] for r in later]
        own = supervised.turns_with(f"(restore {ids[-1]}")[0].metadata["turn_id"]
        # The rest of the interrupted turn, then the restore: nothing comes between them.
        assert list(dict.fromkeys(turns))[:2] == [compaction[-1].metadata["turn_id"], own]
    assert len(set(ids)) == 3


def test_after_a_turn_that_the_person_has_interrupted_it_asks_to_wait(start: Start) -> None:
    gate = Gate()
    supervised = start(
        [Turn("Looking.", (Command("ls"),), usage=OVER), Turn("Now I delete.", usage=UNDER, hold=gate)],
        default=Turn("Fine.", usage=UNDER), compaction=Turn("SUMMARY: work so far.", usage=Usage(21_600, output=200)),
    )  # fmt: skip
    supervised.say("clean up")
    gate.wait_reached()
    supervised.wait_status(
        lambda s: s["compactions"] == 1 and bool(s["injection"]) and s["injection"]["state"] == "held", "it waits"
    )
    supervised.terminal.key("Escape")
    id = supervised.wait_restored(1)
    text = supervised.turns_with(f"(restore {id}")[0].last_user_text()
    assert text.endswith(f"Then wait.\n\n(end of restore {id})")


def test_what_was_still_owed_when_a_session_ended_comes_when_its_conversation_is_resumed(start: Start) -> None:
    gate = Gate()
    summary = Turn("SUMMARY: work so far.", usage=Usage(21_600, output=200), hold=gate)
    supervised = start(default=Turn("Fine.", usage=UNDER), compaction=summary)
    supervised.say("hello there")
    supervised.wait_status(lambda s: s["turns"] == 1 and s["phase"] == "idle", "the first turn is over")
    supervised.say("/compact")
    gate.wait_reached()
    supervised.terminal.type("half a thought")
    supervised.terminal.wait_for(f"{supervised.PROMPT}half a thought")
    gate.release()
    left = supervised.wait_status(
        lambda s: s["compactions"] == 1 and bool(s["injection"]) and s["injection"]["state"] == "held", "it waits"
    )
    assert supervised.command("stop").returncode == 0
    supervised.terminal = supervised.open("codex", "resume", left["conversation"])
    supervised.terminal.wait_for(supervised.EMPTY)
    id = supervised.wait_restored(1)
    assert id != left["injection"]["id"]
    assert_restored_once(supervised, [id])


def test_three_manual_compactions_are_each_restored_once_at_the_next_turn(start: Start) -> None:
    # With hardly any work between them, three are the storm after which nothing more is sent.
    calm = {"AGENTSUP_INJECTION_BREAKER_COMPACTIONS": "4"}
    supervised = start(default=Turn("Fine.", usage=UNDER), environment=calm)
    supervised.say("hello there")
    supervised.wait_status(lambda s: s["turns"] == 1 and s["phase"] == "idle", "the first turn is over")
    ids: list[str] = []
    for number in (1, 2, 3):
        supervised.say("/compact")
        ids.append(supervised.wait_restored(number))
        compaction = supervised.model.requests("compaction")
        assert len(compaction) == number
        assert compaction[-1].metadata["compaction"]["trigger"] == "manual"
        assert_restored_once(supervised, ids)
        following = next(r for r in supervised.model.requests("turn") if r.number > compaction[-1].number)
        assert restores_in(following, ids)[ids[-1]] == 1
    final = supervised.turns_with(f"(restore {ids[-1]}")[0].last_user_text()
    assert final.endswith(f"Then wait.\n\n(end of restore {ids[-1]})")


def test_all_that_the_project_remembers_arrives_and_what_is_written_later_with_the_next(start: Start) -> None:
    supervised = start(default=Turn("Fine.", usage=UNDER))
    memory = supervised.home.project / ".agent"
    (memory / "identity.md").write_text("test_command: pytest -q\nforbidden: README.md\n")
    (memory / "DECISIONS.md").write_text(
        "## Use numpy\n- status: rejected\n- reason: one more dependency\n"
        "## Integers stay unbounded\n- confidence: [HARD] user\n- reason: callers rely on it\n"
    )
    supervised.approve()
    supervised.say("hello there")
    supervised.wait_status(lambda s: s["turns"] == 1 and s["phase"] == "idle", "the first turn is over")
    supervised.say("/compact")
    first = supervised.wait_restored(1)
    (text,) = [t for t in supervised.turns_with(f"(restore {first}")[0].texts("user") if f"(restore {first}" in t]
    assert "test_command: pytest -q\nforbidden: README.md\n" in text
    assert "[HARD] Integers stay unbounded: callers rely on it (user)\n[✗] Use numpy\n" in text
    assert text.count(ENGRAM.strip()) == 1
    assert text.endswith(f"(end of restore {first})")
    done = supervised.command("decide", "Raise OverflowError", "--why", "as the standard library does")
    assert done.returncode == 0, done.stderr
    done = supervised.command("progress", "--next", "Ensure test_mul in test_calc.py exists")
    assert done.returncode == 0, done.stderr
    supervised.say("/compact")
    second = supervised.wait_restored(2)
    (text,) = [t for t in supervised.turns_with(f"(restore {second}")[0].texts("user") if f"(restore {second}" in t]
    # The second one is typed in short: the rest stands in a file that it names.
    assert "Next 1: Ensure test_mul in test_calc.py exists" in text
    named = re.search(r"/\S+\.restore\.txt", text)
    assert named is not None
    assert "Raise OverflowError: as the standard library does" in Path(named[0]).read_text()
    shown = supervised.command("restore", "--diff")
    assert (shown.returncode, shown.stdout.strip()) == (0, ""), shown.stderr


def test_a_half_typed_draft_holds_the_restore_until_the_persons_enter(start: Start) -> None:
    gate = Gate()
    supervised = start(
        [Turn("Looking.", (Command("ls"),), usage=OVER), Turn("Done.", usage=UNDER, hold=gate)],
        default=Turn("Fine.", usage=UNDER),
    )
    supervised.say("work on it")
    gate.wait_reached()
    supervised.terminal.type("half a thought")
    supervised.terminal.wait_for("› half a thought")
    gate.release()
    held = supervised.wait_status(
        lambda s: s["phase"] == "idle" and bool(s["injection"]) and s["injection"]["state"] == "held"
        and s["injection"]["reason"] == "injection.draft", "held for the draft",
    )["injection"]  # fmt: skip
    supervised.terminal.wait_for("you have a draft")
    assert "› half a thought" in supervised.terminal.text()
    assert not supervised.turns_with(f"(restore {held['id']}")
    supervised.terminal.type(", now whole")
    supervised.terminal.wait_for("› half a thought, now whole")
    supervised.terminal.key("Enter")
    assert supervised.wait_restored(1) == held["id"]
    users = [r.last_user_text() for r in supervised.model.requests("turn")]
    assert "half a thought, now whole" in users
    assert users.index("half a thought, now whole") < len(users) - 1
    assert_restored_once(supervised, [held["id"]])


def test_the_gauge_is_what_the_server_sent_at_every_step(start: Start) -> None:
    usages = [Usage(6_000 + 1_357 * n, cached=500 * n, output=31 + n, reasoning=7 * n) for n in range(6)]
    supervised = start([Turn(f"Answer {n}.", usage=usage) for n, usage in enumerate(usages)])
    for number, usage in enumerate(usages):
        supervised.say(f"question {number}")
        expected = usage.input + usage.output
        status = supervised.wait_status(
            lambda s, n=number: s["turns"] == n + 1 and s["phase"] == "idle",  # type: ignore[misc]
            "the turn is over",
        )
        assert status["context"]["used"] == expected
        context = status["context"]
        assert (context["window"], context["source"], context["fraction"]) == (38_000, "exact", expected / 38_000)
        supervised.terminal.wait_for(f"{round(100 * expected / 38_000)} %")


def test_nothing_is_typed_while_an_approval_is_open(start: Start) -> None:
    supervised = start(
        [
            Turn("Looking.", (Command("ls"),), usage=OVER),
            Turn("I need approval.", (Command("touch asked.txt", escalate=True),), usage=UNDER),
        ],
        default=Turn("Fine.", usage=UNDER),
    )
    supervised.say("work on it")
    supervised.terminal.wait_for("Would you like to run the following command?")
    status = supervised.wait_status(
        lambda s: s["phase"] == "waiting-for-approval" and bool(s["injection"]), "an approval is open"
    )
    assert (status["injection"]["state"], status["injection"]["reason"]) == ("held", "injection.approval")
    shown = supervised.terminal.wait_still(1.0)
    assert any("1. Yes, proceed" in row for row in shown)
    assert not (supervised.home.project / "asked.txt").exists()
    supervised.terminal.key("Escape")
    supervised.wait_restored(1)
    assert not (supervised.home.project / "asked.txt").exists()


def test_a_cold_restart_starts_afresh_with_the_restore_text_as_prompt(start: Start) -> None:
    supervised = start(default=Turn("Fine.", usage=UNDER))
    supervised.say("hello there")
    first = supervised.wait_status(lambda s: s["turns"] == 1 and s["phase"] == "idle", "the first turn is over")
    supervised.terminal.key("C-\\")
    supervised.terminal.key("r")
    supervised.terminal.wait_for("Make add() in calc.py safe.")
    supervised.terminal.key("y")
    status = supervised.wait_status(
        lambda s: s["agent"]["pid"] != first["agent"]["pid"] and s["turns"] == 1 and s["phase"] == "idle",
        "a fresh agent has done its first turn",
    )
    assert status["conversation"] != first["conversation"]
    request = supervised.model.requests("turn")[-1]
    assert request.last_user_text().count(ENGRAM.strip()) == 1
    assert not request.contains("hello there")


def test_the_compaction_of_a_codex_that_codex_runs_as_a_tool_is_not_restored(start: Start, codex_program: Path) -> None:
    nested = Command(f"{codex_program} exec --skip-git-repo-check 'inner task' 2>&1 | tail -3; sleep 1")

    def play(request: Request) -> Turn:
        looked = bool(request.tool_outputs())
        if request.last_user_text().startswith("inner"):
            return Turn("Inner.", () if looked else (Command("ls"),), usage=UNDER if looked else OVER)
        if request.last_user_text().startswith("outer") and not looked:
            return Turn("Running it.", (nested,), usage=UNDER)
        return Turn("Outer is done.", usage=UNDER)

    supervised = start(play, settings=CodexSettings(extra='sandbox_mode = "danger-full-access"\n'))
    supervised.say("outer task")
    supervised.terminal.wait_for("Outer is done.", timeout=40)
    status = supervised.wait_status(lambda s: s["phase"] == "idle" and s["turns"] == 1, "the turn is over")
    assert len(supervised.model.requests("compaction")) == 1
    assert len(supervised.codex.rollouts()) == 2
    assert (status["compactions"], status["injection"]) == (0, None)
    assert status["conversation"] in supervised.codex.rollouts()[0].name


def test_a_held_restore_does_not_follow_the_person_into_another_conversation(start: Start) -> None:
    gate = Gate()
    supervised = start(
        [Turn("Looking.", (Command("ls"),), usage=OVER), Turn("Done.", usage=UNDER, hold=gate)],
        default=Turn("Fine.", usage=UNDER),
    )
    supervised.say("work on it")
    gate.wait_reached()
    supervised.terminal.type("/new")
    supervised.terminal.wait_for("› /new")
    gate.release()
    first = supervised.wait_injection("held")
    supervised.terminal.key("Enter")
    supervised.terminal.wait_for("Where should the new conversation run?")
    supervised.terminal.wait_still(0.6)
    supervised.terminal.key("Enter")
    dropped = supervised.wait_injection("dropped")
    assert (dropped["id"], dropped["reason"]) == (first["id"], "injection.other-conversation")
    supervised.say("hello again")
    supervised.terminal.wait_for("Fine.")
    assert not supervised.turns_with("Restored from disk")


def test_a_detached_session_of_the_project_is_offered_first(start: Start) -> None:
    supervised = start(default=Turn("Fine.", usage=UNDER))
    supervised.terminal.wait_for(EMPTY_HINT)
    first = supervised.status()
    supervised.terminal.key("C-\\", "d")
    assert supervised.terminal.wait_exit() == 0
    again = supervised.open("codex")
    again.wait_for("Attach to it?")
    again.key("Enter")
    again.wait_for(EMPTY_HINT)
    status = supervised.status()
    assert (status["session"], status["interface"]) == (first["session"], True)
    again.key("C-\\", "d")
    assert again.wait_exit() == 0
    picker = supervised.open()
    picker.wait_for(f"attach {first['session']}")
    picker.type("1")
    picker.key("Enter")
    picker.wait_for(EMPTY_HINT)
    assert supervised.status()["agent"]["pid"] == first["agent"]["pid"]
