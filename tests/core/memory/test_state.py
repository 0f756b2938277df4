"""What an item of the state names, and what progress does to a state."""

from __future__ import annotations

import time

import pytest

from agentsup.core.memory.state import Step, TaskState, steps, with_progress


@pytest.mark.parametrize(
    ("text", "commits"),
    [
        ("add calc (commit 8bd1a50)", ["8bd1a50"]),
        ("`8bd1a50`, then 9c0ffee.", ["8bd1a50", "9c0ffee"]),
        ("提交8bd1a50，完成", ["8bd1a50"]),
        ("https://example.org/x/commit/8bd1a50f", ["8bd1a50f"]),
        ("8bd1a50..9ac0f12", ["8bd1a50", "9ac0f12"]),
        ("(commit 1234567)", ["1234567"]),
        ("commit: `1234567`", ["1234567"]),
        ("提交 1234567", ["1234567"]),
        ("1" * 40, ["1" * 40]),
        ("8bd1a50 and 8bd1a50", ["8bd1a50"]),
        ("on 20261130 at 1234567", []),
        ("a feedbag, a deadbeef, a decade", []),
        ("colour #8bd1a5ff, 0x8bd1a50f", []),
        ("src/8bd1a50.txt and 8bd1a50.log", []),
        ("f47ac10b-58cc-4372-a567-0e02b2c3d479", []),
        ("sha256 " + "a1" * 32, []),
        ("8bd1a5", []),
        ("8BD1A50", []),
    ],
)
def test_commits_are_told_from_what_looks_like_them(text: str, commits: list[str]) -> None:
    assert list(Step(text).commits) == commits


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("ran `pytest -q` and `ruff check`", ["pytest -q", "ruff check"]),
        ("`8bd1a50`: ` make test `", ["make test"]),
        ("``pytest -q``, ` `, `open", ["pytest -q"]),
        ("`a` `a`", ["a"]),
        ("no command", []),
    ],
)
def test_commands_stand_in_backticks(text: str, commands: list[str]) -> None:
    assert list(Step(text).commands) == commands


STATE = TaskState(
    scope=steps("calc"), completed=steps("add (commit 8bd1a50)"), in_progress=steps("sub"),
    next=steps("mul", "div"), blocked=steps("sub"), updated_at="2026-11-30", updated_by="codex",
)  # fmt: skip


def test_what_is_done_moves_to_the_completed_ones() -> None:
    state = with_progress(STATE, done="Sub  (`pytest -q`)", now="mul.", at="2026-12-01")
    assert state.completed == steps("add (commit 8bd1a50)", "Sub  (`pytest -q`)")
    assert (state.in_progress, state.next, state.blocked) == (steps("mul."), steps("div"), ())
    assert (state.scope, state.updated_at, state.updated_by) == (steps("calc"), "2026-12-01", "codex")


def test_done_twice_is_done_once_and_the_newer_evidence_counts() -> None:
    for again in ("add", "add (commit 8bd1a50)", "ADD (commit 8bd1a50)."):
        assert with_progress(STATE, done=again) == STATE
    newer = with_progress(with_progress(STATE, done="sub"), done="add（commit 9c0ffee）")
    assert newer.completed == steps("sub", "add（commit 9c0ffee）")
    assert with_progress(newer, done="add（commit 9c0ffee）") == newer


def test_next_steps_and_blocks_are_replaced_and_none_clears_them() -> None:
    state = with_progress(STATE, following=("a", "b"), blocked="the key", task="parser", by="ann")
    assert (state.next, state.blocked, state.scope) == (steps("a", "b"), steps("the key"), steps("parser"))
    assert (state.next_step, state.updated_by) == ("a", "ann")
    cleared = with_progress(state, following=("none",), blocked="无", now="None.")
    assert (cleared.next, cleared.blocked, cleared.in_progress, cleared.next_step) == ((), (), (), "")
    assert with_progress(STATE) == STATE


@pytest.mark.parametrize(
    ("done", "open_item"),
    [
        ("ensure parse() (commit 8bd1a50)", "ensure parse()"),
        ("ensure parse(x) (`pytest -q`, see `f()`)", "Ensure parse(x)."),
        ("add calc(commit 8bd1a50)", "add calc"),
        ("add calc(`make test`)", "add calc"),
        ("加法（提交 8bd1a50）", "加法"),
        ("add calc (b) (3 passed)", "add calc (b)"),
    ],
)
def test_evidence_behind_an_item_is_told_from_the_brackets_of_a_call(done: str, open_item: str) -> None:
    state = with_progress(TaskState(next=steps(open_item, "ensure parse(y)")), done=done)
    assert (state.completed, state.next) == (steps(done), steps("ensure parse(y)"))
    assert with_progress(TaskState(next=steps("ensure parse(y)")), done="ensure parse(x)").next


def test_items_that_differ_in_their_brackets_are_two() -> None:
    state = TaskState(next=steps("write tests (unit)", "write tests (integration)"))
    state = with_progress(state, done="write tests (unit)")
    assert state.next == steps("write tests (integration)")
    assert with_progress(state, done="write tests (unit)") == state
    proven = with_progress(state, done="write tests (unit) (commit 8bd1a50)")
    assert (proven.next, proven.completed) == (state.next, steps("write tests (unit) (commit 8bd1a50)"))
    state = with_progress(state, done="Write tests (integration) (commit 8bd1a50)")
    assert (state.next, state.completed) == (
        (), steps("write tests (unit)", "Write tests (integration) (commit 8bd1a50)")
    )  # fmt: skip


def test_an_open_item_with_an_explanation_is_known_without_it_if_it_is_the_only_one() -> None:
    state = TaskState(next=steps("mul (in calc.py)", "div (half)", "div (rest)"))
    assert with_progress(state, done="mul (commit 8bd1a50)").next == steps("div (half)", "div (rest)")
    assert with_progress(state, done="div").next == state.next


@pytest.mark.parametrize("text", ["(" + "a1" * 50_000, " (`a" * 50_000, "（" * 50_000 + "）", "(`" * 50_000 + ")"])
def test_no_item_takes_long(text: str) -> None:
    started = time.process_time()
    state = with_progress(TaskState(next=steps(text)), done=text)
    assert (state.next, len(state.completed)) == ((), 1)
    assert len(state.completed[0].commits) + len(state.completed[0].commands) < len(text)
    assert time.process_time() - started < 5


def test_an_item_that_is_only_a_bracket_is_compared_as_it_is() -> None:
    state = with_progress(TaskState(next=steps("(a)", "(b)")), done="(a)")
    assert (state.completed, state.next) == (steps("(a)"), steps("(b)"))
