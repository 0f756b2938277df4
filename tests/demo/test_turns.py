"""What a script sets going, in exact time: turns, queue, compactions, dialogs, reports, log."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from agentsup.agents.demo import Demo
from tests.demo.conftest import StartPlay


def script(*actions: dict[str, Any], prompt: str = "^go", **behaviour: Any) -> dict[str, Any]:
    """Return a script with one step."""
    return {"behaviour": behaviour, "step": [{"prompt": prompt, "actions": list(actions)}]}


def test_a_turn_in_log_reports_and_time(play: StartPlay) -> None:
    agent = play(script({"say": "abcdef", "chunk": 2, "delay": 50}, {"read": "a.py", "takes": 70}, {"usage": 900}))
    agent.type("go\r")
    agent.advance(1000)
    assert [(r["time"], r["type"]) for r in agent.timed_log()] == [
        (0, "conversation"), (0, "turn_started"), (0, "user"), (150, "assistant"), (220, "tool"), (220, "usage"),
        (220, "turn_ended"),
    ]  # fmt: skip
    assert agent.reports() == [(0, "idle"), (0, "working"), (220, "done")]
    assert agent.of("turn_ended")[0] | {"turn": ""} == {"turn": "", "interrupted": False, "message": "abcdef"}
    agent.type("x")
    assert agent.reports()[-1] == (1000, "idle")


@pytest.mark.parametrize(("after", "expected"), [("report_after", 10), ("draw_after", -10)])
def test_an_approval_is_drawn_before_or_after_its_report(play: StartPlay, after: str, expected: int) -> None:
    agent = play(script({"sleep": 100}, {"approve": "rm x", after: 10}))
    agent.type("go\r")
    agent.advance(500)
    reported = next(time for time, state in agent.reports() if state == "blocked:kind=permission")
    assert reported - agent.first_shown("$ rm x") == expected
    assert min(reported, agent.first_shown("$ rm x")) == 100


def test_an_approval_that_is_not_drawn_yet_takes_keys(play: StartPlay) -> None:
    agent = play(script({"approve": "rm x", "draw_after": 10}))
    agent.type("go\r")
    assert "$ rm x" not in agent.text()
    agent.type("\r")
    assert agent.of("approval") == [{"command": "rm x", "approved": True, "key": "enter"}]


@pytest.mark.parametrize(
    ("keys", "approved", "key"),
    [
        ("\r", True, "enter"), ("y", True, "y"), ("1", True, "1"), ("\x1b[B\r", False, "enter"), ("n", False, "n"),
        ("\x1b", False, "escape"), ("\x03", False, "ctrl-c"), ("yes\r", True, "enter"),
    ],
)  # fmt: skip
def test_answers_to_an_approval(play: StartPlay, keys: str, approved: bool, key: str) -> None:
    agent = play(script({"approve": "rm x"}, {"say": "Gone.", "delay": 0}))
    agent.type("go\r")
    agent.type(keys)
    agent.advance(100)
    assert agent.of("approval") == [{"command": "rm x", "approved": approved, "key": key}]
    assert bool(agent.of("tool")) == bool(agent.of("assistant")) == approved
    assert agent.of("turn_ended")[0]["interrupted"] is not approved
    assert agent.stage.composer.is_empty


def test_messages_of_a_turn_come_at_its_end(play: StartPlay) -> None:
    agent = play(script({"run": "a", "takes": 100}, {"run": "b", "takes": 100}))
    agent.type("go\r")
    agent.paste("one\nmore")
    agent.type("\r")
    agent.type("go on\r")
    assert "queued: one more" in agent.text()
    agent.advance(450)
    assert agent.of("queued") == [
        {"text": "one\nmore", "deliver": "turn-end"}, {"text": "go on", "deliver": "turn-end"}
    ]  # fmt: skip
    assert [(r["type"], r.get("text")) for r in agent.log() if r["type"] in ("user", "turn_ended", "tool")] == [
        ("user", "go"), ("tool", None), ("tool", None), ("turn_ended", None),
        ("user", "one\nmore"), ("turn_ended", None), ("user", "go on"), ("tool", None), ("tool", None),
        ("turn_ended", None),
    ]  # fmt: skip
    assert [r["source"] for r in agent.of("user")] == ["typed", "queued", "queued"]
    assert [state for _, state in agent.reports()] == ["idle", "working", "done"]


def test_messages_of_a_turn_come_after_the_next_tool(play: StartPlay) -> None:
    steps = {"step": [
        {"prompt": "^go", "actions": [{"run": "a", "takes": 100}, {"run": "b", "takes": 100}]},
        {"prompt": "^more", "actions": [{"say": "More.", "delay": 0}]},
    ]}  # fmt: skip
    agent = play({"behaviour": {"queue": "tool"}, **steps})
    agent.type("go\r")
    agent.type("more\r")
    agent.type("at the end\t")
    agent.advance(300)
    assert [r.get("text") or r.get("target") for r in agent.log() if r["type"] in ("user", "tool", "assistant")] == [
        "go", "a", "more", "More.", "b", "at the end", "Understood.",
    ]  # fmt: skip
    assert len(agent.of("turn_started")) == 2


def test_idleness_flashes_between_queued_turns(play: StartPlay) -> None:
    agent = play(script({"sleep": 100}, idle_flash=30))
    for _ in range(3):
        agent.type("go\r")
    agent.advance(1000)
    assert agent.reports() == [
        (0, "idle"), (0, "working"), (100, "idle"), (130, "working"), (230, "idle"), (260, "working"), (360, "done"),
    ]  # fmt: skip


def test_what_is_submitted_in_a_flash_waits_behind_the_queue(play: StartPlay) -> None:
    agent = play(script({"sleep": 100}, idle_flash=30))
    agent.type("go 1\r")
    agent.type("go 2\r")
    agent.advance(110)
    agent.type("go 3\r")
    agent.advance(1000)
    assert [r["text"] for r in agent.of("user")] == ["go 1", "go 2", "go 3"]


@pytest.mark.parametrize("escape", ["return", "deliver"])
def test_escape_in_a_turn_and_the_queue(play: StartPlay, escape: str) -> None:
    agent = play(script({"sleep": 5000}, escape=escape))
    agent.type("go\r")
    agent.type("one\r")
    agent.type("two\r")
    agent.type("half")
    agent.type("\x1b")
    agent.advance(100)
    assert agent.of("turn_ended")[0]["interrupted"]
    if escape == "return":
        assert agent.stage.composer.text == "one\ntwo\nhalf"
        assert [r["text"] for r in agent.of("user")] == ["go"]
        assert agent.of("returned") == [{"text": "one\ntwo"}]
    else:
        assert agent.stage.composer.text == "half"
        assert [r["text"] for r in agent.of("user")] == ["go", "one", "two"]


def test_half_a_message_leaves_no_record(play: StartPlay) -> None:
    agent = play(script({"say": "A long message", "chunk": 1, "delay": 100}))
    agent.type("go\r")
    agent.advance(350)
    agent.type("\x1b")
    assert agent.of("assistant") == []
    assert "A l" in agent.text()
    assert agent.reports()[-1] == (350, "idle")


def test_a_notice_in_a_message_stands_apart(play: StartPlay) -> None:
    agent = play(script({"say": "abcdef", "chunk": 3, "delay": 50}))
    agent.type("go\r")
    agent.advance(60)
    agent.type("/new\r")
    agent.advance(50)
    kinds = [(entry.kind, entry.text) for entry in agent.stage.transcript.entries[-3:]]
    assert kinds == [("assistant", "abc"), ("notice", "/new must wait until the turn has ended."), ("assistant", "def")]
    assert agent.of("assistant") == [{"text": "abcdef"}]


def test_ctrl_c_clears_a_draft_then_interrupts_then_leaves(play: StartPlay) -> None:
    agent = play(script({"sleep": 5000}))
    agent.type("go\r")
    agent.type("half")
    agent.type("\x03")
    assert agent.stage.composer.is_empty
    assert agent.of("turn_ended") == []
    agent.type("\x03")
    assert agent.of("turn_ended")[0]["interrupted"]
    agent.type("\x1b[A")
    assert agent.stage.composer.text == "half"
    agent.type("\x03")
    assert agent.stage.exit_code is None
    agent.type("\x03")
    assert agent.stage.exit_code == 0


def test_its_quit_keys_end_it_whatever_it_does(play: StartPlay) -> None:
    agent = play(script({"sleep": 5000}))
    agent.type("go\r")
    agent.type("queued\r")
    agent.type("half")
    for keys in Demo().quit_keys():
        assert agent.stage.exit_code is None
        agent.type(keys.decode())
    assert agent.stage.exit_code == 0


def test_three_compactions_in_one_turn(play: StartPlay) -> None:
    compact = {"compact": "auto", "takes": 40, "after": 1000}
    agent = play(script({"usage": 9000}, compact, {"usage": 8000}, compact, {"usage": 7000}, compact))
    agent.type("go\r")
    agent.advance(1000)
    assert [(r["before"], r["after"], r["trigger"]) for r in agent.of("compacted")] == [
        (9000, 1000, "auto"), (8000, 1000, "auto"), (7000, 1000, "auto"),
    ]  # fmt: skip
    assert len({r["id"] for r in agent.of("compacted")}) == 3
    assert len(agent.of("turn_started")) == len(agent.of("turn_ended")) == 1
    assert [state for _, state in agent.reports()] == ["idle", "working", "done"]


@pytest.mark.parametrize(("outcome", "goes_on"), [("failed", True), ("cancelled", False)])
def test_a_compaction_that_does_not_happen(play: StartPlay, outcome: str, goes_on: bool) -> None:
    compact = {"compact": "auto", "takes": 40, "outcome": outcome}
    agent = play(script({"usage": 9000}, compact, {"say": "On.", "delay": 0}))
    agent.type("go\r")
    agent.advance(100)
    assert agent.of("compaction_failed") == [{"reason": outcome, "trigger": "auto"}]
    assert agent.of("compacted") == []
    assert bool(agent.of("assistant")) is goes_on
    assert agent.of("turn_ended")[0]["interrupted"] is not goes_on
    assert agent.stage.meter.used == 9000


def test_escape_cancels_a_compaction(play: StartPlay) -> None:
    agent = play({})
    agent.type("/compact\r")
    agent.advance(100)
    assert "Compacting" in agent.text()
    agent.type("\x1b")
    agent.advance(5000)
    assert [r["type"] for r in agent.log()] == [
        "conversation", "command", "turn_started", "compaction_started", "compaction_failed", "turn_ended",
    ]  # fmt: skip
    assert agent.of("turn_started")[0]["asked"] is False


def test_a_picker_opens_while_the_state_says_idle(play: StartPlay) -> None:
    agent = play({})
    agent.type("/model\r")
    assert "Which model?" in agent.text()
    assert [state for _, state in agent.reports()] == ["idle"]
    agent.paste("for the composer")
    agent.type("\x1b[B\r")
    assert agent.of("picked") == [{"title": "Which model?", "choice": "large", "key": "enter"}]
    assert agent.of("turn_started") == []
    assert agent.stage.composer.is_empty


def test_a_step_may_follow_by_itself(play: StartPlay) -> None:
    agent = play({"step": [
        {"prompt": "^go", "actions": []},
        {"after": 100, "turn": False, "actions": [{"pick": "Still there?"}]},
        {"after": 50, "actions": [{"say": "I work again.", "delay": 0}]},
    ]})  # fmt: skip
    agent.type("go\r")
    agent.advance(99)
    assert "Still there?" not in agent.text()
    agent.advance(1)
    assert "Still there?" in agent.text()
    agent.type("\x1b")
    agent.advance(60)
    assert [r["asked"] for r in agent.of("turn_started")] == [True, False]


def test_a_prompt_forgets_what_would_follow(play: StartPlay) -> None:
    agent = play({"step": [{"prompt": "^go", "actions": []}, {"after": 100, "actions": [{"say": "Late."}]}]})
    agent.type("go\r")
    agent.advance(50)
    agent.type("something else\r")
    agent.advance(1000)
    assert [r["text"] for r in agent.of("assistant")] == ["Understood."]


def test_records_and_reports_come_late(play: StartPlay) -> None:
    agent = play(script({"say": "Hi.", "delay": 0}, log_delay=300, report_delay=200))
    agent.type("go\r")
    agent.advance(250)
    assert agent.reports() == [(200, "idle"), (200, "working"), (200, "done")]
    assert [r["type"] for r in agent.log()] == ["conversation"]
    agent.advance(50)
    times = [(r["type"], r["time"]) for r in agent.timed_log()]
    assert times == [("conversation", 0), ("turn_started", 0), ("user", 0), ("assistant", 0), ("turn_ended", 0)]


def test_a_new_conversation_is_a_newer_file_beside_the_old_one(play: StartPlay) -> None:
    agent = play({})
    agent.type("first\r")
    agent.advance(0)
    ids = [agent.stage.log.id]
    for _ in range(3):
        agent.type("/new\r")
        ids.append(agent.stage.log.id)
    assert all(older < newer for older, newer in pairwise(ids))
    assert agent.of("user") == []
    assert agent.stage.meter.used == 0


def test_a_conversation_is_taken_up_again(play: StartPlay) -> None:
    agent = play(script({"say": "Done.", "delay": 0}, {"usage": 700, "window": 1000}))
    agent.type("go\r")
    agent.advance(0)
    again = play({}, resumed=agent.stage.log.id)
    assert again.stage.log.id == agent.stage.log.id
    assert (again.stage.meter.used, again.stage.meter.window) == (700, 1000)
    assert "Done." in again.text()
    assert [r["resumed"] for r in again.of("conversation")] == [False, True]


@pytest.mark.parametrize(("burst", "submitted"), [(0, True), (50, False)])
def test_enter_right_behind_typed_text(play: StartPlay, burst: int, submitted: bool) -> None:
    agent = play({"behaviour": {"paste_burst": burst}})
    agent.type("hello\r")
    assert bool(agent.of("user")) is submitted
    if not submitted:
        assert agent.stage.composer.text == "hello\n"
        agent.advance(50)
        agent.type("\r")
        assert agent.of("user") == [{"text": "hello\n", "source": "typed"}]


def test_enter_right_behind_a_paste(play: StartPlay) -> None:
    agent = play({"behaviour": {"paste_guard": 120}})
    agent.type("\x1b[200~hello\x1b[201~\r")
    agent.advance(119)
    agent.type("\r")
    assert (agent.of("user"), agent.stage.composer.text) == ([], "hello")
    agent.advance(1)
    agent.type("\r")
    assert agent.of("user") == [{"text": "hello", "source": "typed"}]


def test_a_long_paste_is_submitted_whole(play: StartPlay) -> None:
    text = "line é語\n" * 300
    agent = play({})
    agent.paste(text)
    assert f"[Pasted {len(text)} characters]" in agent.text()
    agent.type("\r")
    assert agent.of("user")[0]["text"] == text


def test_unknown_commands_stay_and_commands_wait_for_the_turn(play: StartPlay) -> None:
    agent = play(script({"sleep": 100}))
    agent.type("/restore\r")
    assert agent.stage.composer.text == "/restore"
    assert "Unknown command /restore" in agent.text()
    agent.type("\x15go\r")
    agent.type("/new\r")
    assert agent.stage.composer.text == "/new "
    assert agent.of("command") == []


def test_popups_complete_commands_and_files(play: StartPlay) -> None:
    agent = play({})
    agent.type("see @retry")
    assert "@src/retry.py" in agent.text()
    agent.type("\r")
    assert (agent.stage.composer.text, agent.of("user")) == ("see @src/retry.py ", [])
    agent.type("@up\x1b[B\t")
    assert agent.stage.composer.text == "see @src/retry.py @tests/test_upload.py "
    agent.type("\x15/mo\r")
    assert "Which model?" in agent.text()


def test_a_speed_makes_the_script_faster_and_nothing_else(play: StartPlay) -> None:
    agent = play(script({"sleep": 1000}, {"approve": "rm x", "report_after": 10}), speed=10)
    agent.type("go\r")
    agent.advance(1000)
    assert agent.first_shown("$ rm x") == 100
    assert agent.reports()[-1] == (110, "blocked:kind=permission")
