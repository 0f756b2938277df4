"""What real agents do to a supervisor, each reproduced by the real program on a real pty."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path
from typing import Any

import pytest

from agentsup.core.injector import Composer, one_paste, shows
from tests.demo.conftest import StartDemo
from tests.demo.terminal import DemoTerminal

RESTORE = "Restore text\n" + "\n".join(f"- line {number}, with é and 語" for number in range(4))


def script(*actions: dict[str, Any], **behaviour: Any) -> dict[str, Any]:
    """Return a script with one step for `go`."""
    return {"behaviour": behaviour, "step": [{"prompt": "^go", "actions": actions}]}


def test_paste_and_return_in_one_write_is_one_exact_prompt(demo: StartDemo) -> None:
    agent = demo({})
    agent.wait_empty()
    agent.paste(RESTORE, then="\r")
    assert agent.wait_record("user") == {"type": "user", "text": RESTORE, "source": "typed"}
    agent.wait_empty()


def test_a_return_right_behind_typed_text_becomes_a_newline(demo: StartDemo) -> None:
    agent = demo(script(paste_burst=200))
    agent.wait_empty()
    agent.write("hello there\r")
    agent.wait(lambda: agent.composer.kind == "text" and agent.screen.cursor.column == 2, "a second row")
    assert agent.log("user") == []
    agent.wait(lambda: _pressed_until_sent(agent), "submitted")
    assert agent.log("user")[0]["text"].rstrip("\n") == "hello there"


def _pressed_until_sent(agent: DemoTerminal) -> bool:
    """Press Return as an impatient person does; say whether it was taken."""
    agent.write("\r")
    agent.pump(0.05)
    return bool(agent.log("user"))


def test_a_return_right_behind_a_paste_is_swallowed(demo: StartDemo) -> None:
    agent = demo(script(paste_guard=300))
    agent.wait_empty()
    agent.paste(RESTORE, then="\r")
    agent.wait(lambda: shows(agent.composer, one_paste(RESTORE)), "the paste alone")
    assert agent.log("user") == []
    agent.wait(lambda: _pressed_until_sent(agent), "submitted")
    assert agent.log("user") == [{"type": "user", "text": RESTORE, "source": "typed"}]


def test_a_draft_is_merged_with_a_paste(demo: StartDemo) -> None:
    agent = demo({})
    agent.wait_empty()
    agent.write("half typed by hum")
    agent.wait(lambda: agent.composer == Composer("text", "half typed by hum"), "the draft")
    agent.paste(RESTORE)
    agent.wait(lambda: "line 3" in agent.composer.text, "the paste")
    assert not shows(agent.composer, one_paste(RESTORE))
    agent.write("\r")
    assert agent.wait_record("user")["text"] == "half typed by hum" + RESTORE


def test_a_paste_is_ignored_by_an_approval_and_its_return_approves(demo: StartDemo) -> None:
    agent = demo(script({"approve": "rm -r build"}))
    agent.submit("go")
    agent.wait(lambda: agent.last_report == "blocked:permission", "blocked")
    agent.wait_text("$ rm -r build")
    assert agent.composer == Composer()
    agent.paste(RESTORE, then="\r")
    assert agent.wait_record("approval") == {
        "type": "approval", "command": "rm -r build", "approved": True, "key": "enter"
    }  # fmt: skip
    agent.wait_empty()
    assert [record["text"] for record in agent.log("user")] == ["go"]


@pytest.mark.parametrize(("late", "first"), [("report_after", "$ rm -r build"), ("draw_after", "state=blocked")])
def test_an_approval_and_its_report_come_in_either_order(demo: StartDemo, late: str, first: str) -> None:
    agent = demo(script({"approve": "rm -r build", late: 10}))
    agent.submit("go")
    agent.wait(lambda: agent.last_report == "blocked:permission" and "$ rm -r build" in agent.text, "both")
    places = {what: agent.output.index(what.encode()) for what in ("$ rm -r build", "state=blocked")}
    assert min(places, key=lambda what: places[what]) == first


def test_an_approval_comes_before_its_report_however_late_both_are(demo: StartDemo) -> None:
    agent = demo(script({"sleep": 150}, {"approve": "rm -r build", "report_after": 10}))
    agent.submit("go")
    agent.wait(lambda: agent.last_report == "working", "working")
    agent.process.kill(signal.SIGSTOP)
    agent.pump(0.3)  # nothing comes, and both are due
    agent.process.kill(signal.SIGCONT)
    agent.wait(lambda: agent.last_report == "blocked:permission" and "$ rm -r build" in agent.text, "both")
    assert agent.output.index(b"$ rm -r build") < agent.output.index(b"state=blocked")


def test_escape_returns_the_queue_into_the_composer(demo: StartDemo) -> None:
    agent = demo(script({"sleep": 60_000}))
    agent.submit("go")
    agent.wait(lambda: agent.last_report == "working", "working")
    for text in ("first", "second"):
        agent.submit(text)
        agent.wait_text(f"queued: {text}")
    agent.write("\x1b")
    agent.wait(lambda: agent.last_report == "idle", "idle")
    agent.wait(lambda: agent.composer == Composer("text", "first\nsecond"), "the queue in the composer")
    assert agent.log("user", "returned")[1:] == [{"type": "returned", "text": "first\nsecond"}]


@pytest.mark.parametrize(("queue", "after"), [("tool", "tool"), ("turn-end", "turn_ended")])
def test_messages_of_a_turn_wait_for_the_tool_or_for_its_end(demo: StartDemo, queue: str, after: str) -> None:
    agent = demo(script({"run": "make", "takes": 200}, {"run": "make test", "takes": 50}, queue=queue))
    agent.submit("go")
    agent.wait(lambda: agent.last_report == "working", "working")
    agent.submit("more")
    agent.wait_record("user", 2)
    agent.wait_empty()
    kinds = [record["type"] for record in agent.log("user", "tool", "turn_ended")]
    assert kinds[kinds.index("user", 1) - 1] == after
    assert agent.log("user")[1] == {"type": "user", "text": "more", "source": "queued"}


def test_a_picker_is_open_while_the_state_says_idle(demo: StartDemo) -> None:
    agent = demo(
        {"step": [{"prompt": "^go", "actions": []}, {"after": 20, "turn": False, "actions": [{"pick": "Q?"}]}]}
    )
    agent.submit("go")
    agent.wait_text("Q?")
    assert agent.last_report == "done"
    assert agent.composer == Composer()
    agent.write("\r")
    assert agent.wait_record("picked")["choice"] == "small"
    agent.wait_empty()
    assert agent.last_report == "idle"


def test_idleness_flashes_between_queued_turns(demo: StartDemo) -> None:
    agent = demo(script({"sleep": 200}, idle_flash=30))
    agent.submit("go")
    agent.wait(lambda: agent.last_report == "working", "working")
    agent.submit("go again")
    agent.wait_record("turn_ended", 2)
    agent.wait(lambda: agent.last_report == "done", "done")
    assert agent.reports[1:] == ["working", "idle", "working", "done"]


def test_records_and_reports_come_late(demo: StartDemo) -> None:
    agent = demo(script(log_delay=400, report_delay=100))
    agent.wait_empty()
    agent.paste("go", then="\r")
    agent.wait_text("▸ go")
    assert agent.log("user", "turn_ended") == []
    agent.wait(lambda: agent.last_report == "done", "done")
    assert agent.log("user", "turn_ended") == []
    agent.wait_record("turn_ended")


def test_records_that_are_late_are_written_when_it_leaves(demo: StartDemo) -> None:
    agent = demo(script(log_delay=60_000))
    agent.submit("go")
    agent.wait_empty()
    agent.write("\x03")
    assert agent.wait_end() == 0
    assert [record["type"] for record in agent.log()] == ["conversation", "turn_started", "user", "turn_ended"]


def test_three_compactions_in_one_turn(demo: StartDemo) -> None:
    compact = {"compact": "auto", "takes": 20, "after": 4000}
    agent = demo(script({"usage": 36_000}, compact, {"usage": 37_000}, compact, {"usage": 38_000}, compact))
    agent.submit("go")
    agent.wait_record("turn_ended")
    kinds = [record["type"] for record in agent.log("turn_started", "compacted", "turn_ended")]
    assert kinds == ["turn_started", "compacted", "compacted", "compacted", "turn_ended"]
    agent.wait_text("context 90 % left")


@pytest.mark.parametrize("outcome", ["failed", "cancelled"])
def test_a_compaction_that_does_not_happen(demo: StartDemo, outcome: str) -> None:
    agent = demo(script({"compact": "auto", "takes": 20, "outcome": outcome}))
    agent.submit("go")
    assert agent.wait_record("compaction_failed")["reason"] == outcome
    assert agent.wait_record("turn_ended")["interrupted"] is (outcome == "cancelled")
    assert agent.log("compacted") == []


def test_escape_cancels_a_compaction(demo: StartDemo) -> None:
    agent = demo({})
    agent.wait_empty()
    agent.write("/compact\r")
    agent.wait_record("compaction_started")
    agent.wait_text("Compacting the context")
    agent.write("\x1b")
    assert agent.wait_record("compaction_failed") == {
        "type": "compaction_failed", "reason": "cancelled", "trigger": "manual"
    }  # fmt: skip
    agent.wait_empty()


@pytest.mark.parametrize("how", ["action", "key"])
def test_an_external_editor_takes_the_terminal(demo: StartDemo, tmp_path: Path, how: str) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\ntouch "$0.open"\nhead -n 1 >> "$1"\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    agent = demo(script({"editor": True}, {"say": "Edited."}), environment={"VISUAL": str(editor)})
    agent.wait_empty()
    if how == "key":
        agent.write("half \x07")
    else:
        agent.submit("go")
    agent.wait(lambda: Path(f"{editor}.open").exists(), "the editor runs")
    agent.wait(lambda: os.tcgetpgrp(agent.fd) not in (0, agent.process.pid), "it is in the foreground")
    agent.wait(lambda: not agent.screen.modes.bracketed_paste, "no paste marks")
    assert agent.composer == Composer()
    agent.write("from the editor\r")
    written = "half from the editor" if how == "key" else "from the editor"
    agent.wait(lambda: agent.composer == Composer("text", written), "its text is the draft")
    assert os.tcgetpgrp(agent.fd) == agent.process.pid
    assert agent.screen.modes.bracketed_paste
    if how == "action":
        agent.wait_record("turn_ended")


def test_an_editor_that_is_not_there_leaves_the_draft(demo: StartDemo) -> None:
    agent = demo({}, environment={"VISUAL": "/nowhere/editor"})
    agent.wait_empty()
    agent.write("half\x07")
    agent.wait_text("The editor did not start")
    agent.wait(lambda: agent.composer == Composer("text", "half"), "the draft")
