"""The real Codex without agentsup: server, terminal and home drive it, and its screen is what we rely on.

When a test here fails after a change of the pinned version, Codex changed and not agentsup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.conftest import MakeCodexHome
from tests.real_agents.codex import EMPTY_COMPOSER, EMPTY_HINT, CodexHome, CodexSettings
from tests.servers.model_server import ModelServer
from tests.servers.responses import Command, Gate, Patch, Turn, Usage
from tests.terminals.tmux import Tmux

pytestmark = pytest.mark.real_agent

NOTE = "*** Begin Patch\n*** Add File: note.txt\n+written by a patch\n*** End Patch\n"


SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class Stage:
    """One server, one home, one terminal with a Codex that stands at its empty composer."""

    def __init__(self, make_codex_home: MakeCodexHome, stack: ExitStack) -> None:
        self._make, self._stack = make_codex_home, stack

    def start(
        self,
        *script: Turn,
        settings: CodexSettings | None = None,
        first: str = EMPTY_HINT,
        **server: Any,
    ) -> None:
        """Start everything and wait for the composer, or whatever comes first."""
        self.model = self._stack.enter_context(ModelServer(script, **server))
        self.home: CodexHome = self._make(self.model, settings)
        self.terminal: Tmux = self.home.start()
        self._stack.callback(self.terminal.kill)
        self.terminal.wait_for(first)

    def say(self, text: str) -> None:
        """Paste a prompt and submit it."""
        self.terminal.paste(text)
        self.terminal.key("Enter")

    def wait_turn_end(self, count: int = 1) -> None:
        """Wait until the session log has `count` finished turns and the composer is empty."""
        self.terminal.wait_until(
            lambda: len(self.home.events("task_complete")) >= count, what=f"{count} finished turns"
        )
        self.terminal.wait_for(EMPTY_HINT)


@pytest.fixture
def stage(make_codex_home: MakeCodexHome) -> Iterator[Stage]:
    with ExitStack() as stack:
        yield Stage(make_codex_home, stack)


def row_of(rows: list[str], text: str) -> int:
    return next(number for number, row in enumerate(rows) if text in row)


def test_it_starts_at_an_empty_composer_without_any_dialog(stage: Stage) -> None:
    stage.start()
    rows = stage.terminal.wait_still()
    composer = row_of(rows, EMPTY_COMPOSER)
    cursor = stage.terminal.cursor()
    assert (cursor.column, cursor.row, cursor.visible) == (2, composer, True)
    assert rows[composer + 1] == ""
    assert composer + 2 <= row_of(rows, EMPTY_HINT) == 29  # between them the status row, once it is there
    assert "\x1b[1m›\x1b[0m" in stage.terminal.screen_styled()
    assert re.search(r"\x1b\[2mAsk Codex to do anything", stage.terminal.screen_styled())
    assert stage.terminal.alternate_screen
    assert not stage.model.requests()


@pytest.mark.parametrize(
    ("settings", "question"),
    [
        (CodexSettings(answer_trust=False), "Trust this folder?"),
        (CodexSettings(answer_migration=False), "Meet GPT-6 Sol"),
    ],
)
def test_first_start_dialogs_come_unless_the_configuration_answers_them(
    stage: Stage, settings: CodexSettings, question: str
) -> None:
    stage.start(settings=settings, first=question)
    assert EMPTY_COMPOSER not in stage.terminal.text()


def test_a_plain_turn_reaches_the_model_and_its_usage_comes_back(stage: Stage) -> None:
    stage.start(Turn("Hello from the script.", usage=Usage(1200, cached=400, output=30)))
    stage.say("say hello\nin two lines")
    stage.terminal.wait_for("Hello from the script.")
    stage.wait_turn_end()
    request = stage.model.wait_for_count("turn", 1)
    assert request.last_user_text() == "say hello\nin two lines"
    stage.model.wait_for_outcome(stage.model.wait_for_count("title", 1), "completed")
    stage.terminal.wait_until(lambda: len(stage.home.events("token_count")) > 0, what="a token count")
    used = stage.home.events("token_count")[-1]["info"]["last_token_usage"]
    assert (used["input_tokens"], used["cached_input_tokens"], used["output_tokens"]) == (1200, 400, 30)
    # Ctrl-C in the instant the turn ends would only interrupt: the title says when Codex has settled.
    stage.terminal.wait_until(lambda: stage.terminal.title[0] not in SPINNER, what="a title without spinner")
    stage.terminal.key("C-c")
    assert stage.terminal.wait_exit() == 0


def test_tool_calls_run_and_their_output_goes_back(stage: Stage) -> None:
    stage.start(Turn("Looking.", (Command("cat calc.py"),)), Turn("Writing.", (Patch(NOTE),)), Turn("Finished."))
    stage.say("work")
    stage.terminal.wait_for("Finished.")
    stage.wait_turn_end()
    first, second = (stage.model.wait_for_count("turn", number).tool_outputs() for number in (2, 3))
    assert "def add" in first[-1]
    assert len(second) == 2
    assert (stage.home.project / "note.txt").read_text() == "written by a patch\n"


def test_a_full_window_is_compacted_in_the_middle_of_a_turn(stage: Stage) -> None:
    gate = Gate()
    stage.start(
        Turn("Looking.", (Command("ls"),), usage=Usage(21_500, output=100)),
        Turn("Done after the compaction."),
        compaction=Turn("SUMMARY: looked around.", hold=gate),
    )
    stage.say("work")
    gate.wait_reached()
    assert stage.model.requests("compaction")[0].metadata["compaction"]["trigger"] == "auto"
    gate.release()
    stage.terminal.wait_for("Done after the compaction.")
    stage.wait_turn_end()
    assert stage.model.wait_for_count("turn", 2).contains("SUMMARY: looked around.")
    assert sum(record["type"] == "compacted" for record in stage.home.records()) == 1


def test_a_person_compacts_by_command(stage: Stage) -> None:
    stage.start(Turn("First answer."), Turn("Second answer."))
    stage.say("first")
    stage.terminal.wait_for("First answer.")
    stage.wait_turn_end()
    stage.terminal.type("/compact")
    stage.terminal.wait_for("/compact")
    stage.terminal.key("Enter")
    compaction = stage.model.wait_for_count("compaction", 1)
    assert compaction.metadata["compaction"]["trigger"] == "manual"
    stage.wait_turn_end(2)
    stage.say("second")
    stage.terminal.wait_for("Second answer.")
    assert stage.model.wait_for_count("turn", 2).contains("SUMMARY: scripted summary")


def test_an_approval_replaces_the_composer_and_escape_declines(stage: Stage) -> None:
    stage.start(Turn("May I?", (Command("touch note.txt", escalate=True),)))
    stage.say("work")
    rows = stage.terminal.wait_for("Yes, proceed")
    assert EMPTY_COMPOSER not in "\n".join(rows)
    assert EMPTY_HINT not in "\n".join(rows)
    stage.terminal.wait_until(lambda: not stage.terminal.cursor().visible, what="a hidden cursor")
    assert "Action Required" in stage.terminal.title
    stage.terminal.wait_still(0.6)  # Codex passes over keys that come in the moment the question appears
    stage.terminal.key("Escape")
    stage.terminal.wait_for(EMPTY_HINT)
    stage.terminal.wait_until(lambda: len(stage.home.events("turn_aborted")) == 1, what="an aborted turn")
    assert not (stage.home.project / "note.txt").exists()


def test_a_held_answer_shows_work_until_it_is_released_or_interrupted(stage: Stage) -> None:
    gate = Gate()
    stage.start(Turn("One two three four.", hold=gate), Turn("And again."))
    stage.say("work")
    gate.wait_reached()
    rows = stage.terminal.wait_for("One two")
    assert EMPTY_COMPOSER in "\n".join(rows)  # looks idle: only the title and the state report say "working"
    stage.terminal.wait_until(lambda: stage.terminal.title[0] in SPINNER, what="a spinner in the title")
    held = stage.model.wait_for_count("turn", 1)
    assert held.outcome == "streaming"
    stage.terminal.key("Escape")
    stage.model.wait_for_outcome(held, "disconnected")
    stage.terminal.wait_for(EMPTY_HINT)
    stage.say("once more")
    stage.terminal.wait_for("And again.")


def test_endless_turns_come_from_a_function(make_codex_home: MakeCodexHome) -> None:
    with (
        ModelServer(lambda request: Turn(f"Answer to request {request.number}.")) as model,
        ExitStack() as stack,
    ):
        home = make_codex_home(model)
        terminal = home.start()
        stack.callback(terminal.kill)
        terminal.wait_for(EMPTY_HINT)
        for count in range(1, 4):
            terminal.paste(f"question {count}")
            terminal.key("Enter")
            request = model.wait_for_count("turn", count)
            assert request.last_user_text() == f"question {count}"
            terminal.wait_for(f"Answer to request {request.number}.")
            terminal.wait_for(EMPTY_HINT)
