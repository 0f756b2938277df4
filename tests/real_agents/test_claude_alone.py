"""The real Claude Code without agentsup: server, terminal and home drive it, and what it does is what we rely on.

When a test here fails after a change of the pinned version, Claude Code changed and not agentsup.
"""

from __future__ import annotations

import json
import os
import signal
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import astuple
from pathlib import Path

import pytest

from agentsup.store.rest_file import FOLDER
from tests.conftest import MakeClaudeHome
from tests.real_agents.claude import COMPOSER, EMPTY_HINT, ClaudeSettings
from tests.real_agents.claude_acts import AUTO_COMPACT, FULL, QUESTION
from tests.real_agents.claude_stage import Stage, said
from tests.servers.messages import Command, Failure, ToolUse, Turn, Usage
from tests.servers.messages_server import SUMMARY
from tests.servers.pace import Gate

pytestmark = pytest.mark.real_agent

COMPACTING = "Compacting conversation…"


@pytest.fixture
def stage(make_claude_home: MakeClaudeHome) -> Iterator[Stage]:
    with ExitStack() as stack:
        yield Stage(make_claude_home, stack)


# --- the composer and its dialogs


def test_it_starts_at_an_empty_composer_and_says_so_in_its_live_state(stage: Stage) -> None:
    stage.start()
    rows = stage.terminal.wait_still()
    composer = rows.index(COMPOSER)
    cursor = stage.terminal.cursor()
    assert (cursor.column, cursor.row, cursor.visible) == (2, composer, False)
    assert rows[composer - 1] == rows[composer + 1] == "─" * 100
    assert stage.terminal.alternate_screen
    assert stage.live["pid"] == stage.terminal.pane_pid
    assert stage.home.transcripts() == []
    assert not stage.model.requests()


def test_the_classic_renderer_stays_on_the_normal_screen(stage: Stage) -> None:
    stage.start(settings=ClaudeSettings(renderer="classic"))
    assert COMPOSER in stage.terminal.wait_still()
    assert not stage.terminal.alternate_screen


def test_nothing_runs_and_nothing_is_said_before_the_folder_is_trusted(stage: Stage, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    stage.start(
        arguments=("--settings", json.dumps({"statusLine": {"type": "command", "command": f"touch {ran}"}})),
        settings=ClaudeSettings(answer_trust=False),
        first="Yes, I trust this folder",
    )
    stage.terminal.wait_still(1.0)
    assert stage.live == {}
    assert not ran.exists()
    stage.press_until("Down", lambda: "❯ Yes, I trust" in stage.terminal.text(), "the choice of Yes")
    stage.press_until("Enter", lambda: stage.live.get("status") == "idle", "a session")
    stage.terminal.wait_until(ran.exists, what="a run of the status line's command")


def test_a_status_line_of_the_command_line_replaces_the_persons_and_knows_the_window(
    stage: Stage, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    ours = {"type": "command", "command": f'cat > {told}.new && echo "$OURS" > {told}.env && mv {told}.new {told}'}
    own = ClaudeSettings(
        settings={"statusLine": {"type": "command", "command": "echo the line of the person"}},
        environment={"OURS": "inherited"},
    )
    stage.start(
        Turn(usage=FULL), arguments=("--settings", json.dumps({"statusLine": ours})), settings=own, first=COMPOSER
    )
    stage.finish_turn()
    stage.terminal.wait_until(lambda: '"current_usage":{' in told.read_text(), what="a report with usage")
    window = json.loads(told.read_text())["context_window"]
    assert (window["total_input_tokens"], window["context_window_size"]) == (FULL.context, 1_000_000)
    assert told.with_suffix(".env").read_text() == "inherited\n"
    assert "the line of the person" not in stage.terminal.text()
    assert EMPTY_HINT not in stage.terminal.text()  # any status line takes its place


def test_a_folder_of_a_careful_person_is_asked_about_automatic_permissions(stage: Stage) -> None:
    stage.start(settings=ClaudeSettings(answer_auto_mode=False), first="Make auto mode your default")
    stage.wait_status("waiting", "dialog open")
    assert COMPOSER not in stage.terminal.screen()


def test_a_picker_is_waited_for_and_the_detailed_transcript_is_not(stage: Stage) -> None:
    stage.start()
    stage.command("/model")
    stage.terminal.wait_for("Select model")
    stage.wait_status("waiting", "dialog open")
    stage.press_until("Escape", lambda: stage.live["status"] == "idle", "a closed picker")
    stage.finish_turn()
    stage.terminal.key("C-o")
    stage.terminal.wait_for("Showing detailed transcript")
    assert COMPOSER not in stage.terminal.wait_still()
    assert stage.live["status"] == "idle"


def test_a_question_of_the_model_is_waited_for(stage: Stage) -> None:
    stage.start(Turn("Let me ask.", (QUESTION,)))
    stage.say("go")
    stage.terminal.wait_for("Which colour?")
    stage.wait_status("waiting", "input needed")


# --- turns


def test_a_turn_reaches_the_model_and_its_usage_is_in_the_transcript(stage: Stage) -> None:
    stage.start(
        Turn("Looking.", (Command("cat calc.py"),), usage=Usage(3, 1000, 20_000, 30)),
        Turn("It adds two numbers.", usage=Usage(5, 200, 21_000, 12)),
    )
    stage.finish_turn("explain\nthe file")
    first, second = stage.model.requests("turn")
    assert first.last_user_text() == "explain\nthe file"
    assert "def add" in second.tool_results()[-1]
    sent = {each.message_id: astuple(each.usage) for each in stage.model.usage_sent}
    assert stage.usage_recorded() == sent


def test_every_block_of_a_message_repeats_its_id_and_usage(stage: Stage) -> None:
    stage.start(Turn("Looking.", (Command("ls"), Command("cat calc.py"))), Turn("Done."))
    stage.finish_turn()
    messages = [record["message"] for record in stage.home.records() if record["type"] == "assistant"]
    assert len([m for m in messages if m["id"] == stage.model.usage_sent[0].message_id]) == 3
    assert len({json.dumps(m["usage"], sort_keys=True) for m in messages[:3]}) == 1


def test_a_chosen_session_id_is_the_transcripts_name(stage: Stage) -> None:
    chosen = str(uuid.uuid4())
    stage.start(arguments=("--session-id", chosen))
    assert stage.session_id == chosen
    stage.finish_turn()
    assert [path.name for path in stage.home.transcripts()] == [f"{chosen}.jsonl"]


def test_a_subagents_usage_is_not_in_the_main_transcript(stage: Stage) -> None:
    task = {"description": "Count", "prompt": "Count the files.", "subagent_type": "general-purpose"}
    report = Turn("There are two files.", usage=Usage.of_context(9_000))
    stage.start(Turn("Delegating.", (ToolUse("Agent", task),)), subagent=report)
    stage.say("go")
    told = stage.model.wait_for(lambda request: request.kind == "turn" and request.contains("<task-notification>"))
    stage.model.wait_for_outcome(told, "completed")
    sent = [each.message_id for each in stage.model.usage_sent]
    stage.terminal.wait_until(lambda: list(stage.usage_recorded()) == sent, what="the usage of the main thread")


def test_it_reads_a_file_of_the_project_without_asking_and_one_elsewhere_not(stage: Stage, tmp_path: Path) -> None:
    inside, outside = tmp_path / "claude-agent" / "demo" / FOLDER / "kf4nw.restore.txt", tmp_path / "kf4nw.restore.txt"
    reads, asks = (ToolUse("Read", {"file_path": str(path)}) for path in (inside, outside))
    stage.start(Turn("Look:", (Command(f"cat {inside}"), reads)), Turn("Read."), Turn("And:", (asks,)))
    for path in (inside, outside):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("all of the memory")
    stage.finish_turn()
    results = stage.model.requests("turn")[-1].tool_results()
    assert ["all of the memory" in result for result in results] == [True, True]
    stage.say("again")
    stage.wait_status("waiting", "permission prompt")


def test_a_permission_prompt_is_waited_for_and_escape_declines(stage: Stage) -> None:
    stage.start(Turn("May I?", (Command("touch note.txt"),)))
    stage.say("work")
    rows = stage.terminal.wait_for("Do you want to proceed?")
    assert COMPOSER not in rows
    stage.wait_status("waiting", "permission prompt")
    stage.press_until("Escape", lambda: stage.live["status"] == "idle", "a declined command")
    assert COMPOSER in stage.terminal.wait_still()
    assert not (stage.home.project / "note.txt").exists()


def test_escape_interrupts_an_answer(stage: Stage) -> None:
    gate = Gate()
    stage.start(Turn("One two\n\nthree four.", hold=gate), Turn("And again."))
    stage.say("work")
    gate.wait_reached()
    stage.terminal.wait_for("One two")  # whole lines only: a half one is not shown
    stage.wait_status("busy")
    held = stage.model.wait_for_count("turn", 1)
    stage.terminal.key("Escape")
    stage.model.wait_for_outcome(held, "disconnected")
    stage.wait_status("idle")
    stage.wait_records(lambda record: "[Request interrupted by user]" in said(record), "the interruption")
    assert stage.usage_recorded()[held.message_id][3] == 1  # what the answer began with
    assert stage.home.events("turn_duration") == []
    stage.finish_turn("once more")
    stage.terminal.wait_for("And again.")


# --- sessions


def test_clear_begins_a_new_session_in_the_same_process(stage: Stage) -> None:
    stage.start()
    stage.finish_turn()
    before = stage.session_id
    stage.command("/clear")
    stage.terminal.wait_until(lambda: stage.session_id != before, what="a new session id")
    after = stage.session_id
    stage.terminal.wait_for(EMPTY_HINT)
    stage.say("again")
    stage.terminal.wait_until(lambda: stage.home.transcript(after) is not None, what="a second transcript")
    assert stage.home.transcript(before) is not None


def test_a_killed_session_is_resumed_under_its_id(stage: Stage) -> None:
    gate = Gate()
    stage.start(Turn("First answer."), Turn("Never heard to its end.", hold=gate), Turn("Third answer."))
    stage.finish_turn("first")
    session = stage.session_id
    stage.say("second")
    gate.wait_reached()
    stage.wait_status("busy")
    killed = stage.terminal.pane_pid
    os.kill(killed, signal.SIGKILL)
    stage.terminal.wait_exit()
    assert stage.home.live(killed)["status"] == "busy"  # a killed one leaves its last state behind
    stage.open("--resume", session)
    assert stage.session_id == session
    stage.finish_turn("third")
    assert [path.stem for path in stage.home.transcripts()] == [session]
    assert stage.model.wait_for_count("turn", 3).contains("first")


# --- compaction


def test_a_person_compacts_by_command(stage: Stage) -> None:
    gate = Gate()
    stage.start(compaction=Turn(SUMMARY, hold=gate))
    stage.finish_turn("first")
    session = stage.session_id
    stage.command("/compact keep the colours")
    gate.wait_reached()
    stage.terminal.wait_for(COMPACTING)
    stage.wait_status("busy")
    assert stage.model.requests("compaction")[0].contains("keep the colours")
    assert stage.boundaries() == []
    gate.release()
    stage.terminal.wait_for("Compacted (ctrl+o to see full summary)")
    stage.wait_status("idle")
    stage.terminal.wait_until(lambda: stage.boundaries() == ["manual"], what="a recorded compaction")
    stage.finish_turn("second")
    assert stage.session_id == session
    assert stage.model.wait_for_count("turn", 2).contains("SUMMARY: scripted summary")


@pytest.mark.parametrize("calls", [(), (Command("ls"),)], ids=["before a turn", "in the middle of a turn"])
def test_a_full_window_is_compacted_by_itself(stage: Stage, calls: tuple[Command, ...]) -> None:
    gate = Gate()
    stage.start(
        Turn("Something to keep."),
        Turn("Full.", calls, usage=FULL),
        Turn("Done after the compaction."),
        arguments=AUTO_COMPACT,
        compaction=Turn(SUMMARY, hold=gate),
    )
    stage.finish_turn("first")
    if not calls:
        stage.finish_turn("second")
    stage.say("last")
    gate.wait_reached()
    stage.terminal.wait_for(COMPACTING)
    stage.wait_status("busy")
    gate.release()
    stage.terminal.wait_for("Done after the compaction.")
    stage.wait_turn_end(2 if calls else 3)
    assert stage.boundaries() == ["auto"]
    (boundary,) = stage.home.events("compact_boundary")
    assert boundary["compactMetadata"]["preTokens"] >= FULL.context
    assert stage.model.wait_for_count("turn", 3).contains("SUMMARY: scripted summary")


def test_an_interrupted_compaction_gives_the_prompt_back_to_the_composer(stage: Stage) -> None:
    gate = Gate()
    script = Turn("Something to keep."), Turn("Full.", usage=FULL)
    stage.start(*script, arguments=AUTO_COMPACT, compaction=Turn(SUMMARY, hold=gate))
    stage.finish_turn("first")
    stage.finish_turn("second")
    stage.say("do this now")
    gate.wait_reached()
    stage.terminal.wait_for(COMPACTING)
    stage.terminal.key("Escape")
    stage.model.wait_for_outcome(stage.model.requests("compaction")[0], "disconnected")
    stage.wait_status("idle")
    stage.terminal.wait_for(f"{COMPOSER}do this now\n")
    assert stage.boundaries() == []
    assert len(stage.model.requests("turn")) == 2


def test_a_failed_compaction_is_no_compaction(stage: Stage) -> None:
    stage.start(compaction=Turn(failure=Failure(400, "invalid_request_error")))
    stage.finish_turn()
    stage.command("/compact")
    stage.terminal.wait_for("Error during compaction: API Error: 400")
    stage.wait_status("idle")
    stage.wait_records(lambda record: "Error during compaction" in str(record.get("content")), "the failure")
    assert stage.boundaries() == []
