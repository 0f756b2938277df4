"""progress.json and task.json: read whatever their types are, written without touching what is not ours."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.memory.model import Spot, StateForm
from agentsup.core.memory.problems import Unparsable
from agentsup.core.memory.state import TaskState, steps, with_progress
from agentsup.core.memory.state_forms import read_state, write_state
from agentsup.core.memory.state_json import KEYS, read_json_state, write_json_state
from tests.core.memory.written_texts import plain_states, states

FORMS: tuple[StateForm, ...] = ("progress", "task")

PROGRESS = """\
{
  "current_task": "Halve the sleep current",
  "completed": [
    "The converter is off (commit 8bd1a50)",
    "校验和 is tested (`make test`)"
  ],
  "in_progress": null,
  "blocked": ["new battery holders"],
  "next_steps": [],
  "last_updated": "2026-01-12T07:45:00Z",
  "board": {"revision": "C", "figures": [1.50, 1e400]}
}
"""

TASK = """\
{
    "status": "in_progress",
    "current_task": "prune",
    "completed": [],
    "next": [
        "ensure Doomed() never returns the newest"
    ],
    "blocked_by": [],
    "ticket": 1184,
    "last_updated": "session-42"
}
"""


def texts_of(state: TaskState, field: str) -> list[str]:
    return [step.text for step in getattr(state, field)]


def test_the_fields_of_both_forms_are_read() -> None:
    progress = read_json_state("progress", PROGRESS)
    assert texts_of(progress, "scope") == ["Halve the sleep current"]
    assert texts_of(progress, "completed") == [
        "The converter is off (commit 8bd1a50)", "校验和 is tested (`make test`)"
    ]  # fmt: skip
    assert (progress.in_progress, progress.next) == ((), ())
    assert texts_of(progress, "blocked") == ["new battery holders"]
    assert (progress.updated_at, progress.form) == ("2026-01-12T07:45:00Z", "progress")
    task = read_state("task", TASK, "zh")
    assert (task.status, task.next_step, task.updated_at) == (
        "in_progress", "ensure Doomed() never returns the newest", "session-42"
    )  # fmt: skip
    assert (task.form, task.language) == ("task", "zh")


def test_each_item_knows_where_its_text_begins() -> None:
    progress = read_json_state("progress", "\ufeff\r\n" + PROGRESS.replace("\n", "\r\n"))
    assert [step.spot for step in (*progress.scope, *progress.completed, *progress.blocked)] == [
        Spot(3, 20), Spot(5, 6), Spot(6, 6), Spot(9, 16)
    ]  # fmt: skip
    objects = read_json_state("task", '{"completed": [{"commit": "8bd1a50",\n "task": "a"}, 12, [["b"]]]}')
    assert [step.spot for step in objects.completed] == [Spot(2, 11), Spot(2, 16), Spot(2, 20)]


def test_an_unchanged_file_comes_back_to_the_byte() -> None:
    assert write_json_state(read_json_state("progress", PROGRESS)) == PROGRESS
    assert write_json_state(read_json_state("task", TASK)) == TASK
    for text in ('{"a":1,"completed":["x"]}', '{\n\t"completed": []\n}', "{}", "{ }", '{"next": [\n"a" ]  }'):
        assert write_json_state(read_json_state("task", text)) == text + "\n"


def test_only_what_changed_is_written_anew() -> None:
    state = read_json_state("progress", PROGRESS)
    changed = with_progress(
        state, done="Radio sleeps (commit 9c0ffee)", now="测量 it", following=("run `make test`",), at="2026-02-01"
    )
    assert write_json_state(changed) == PROGRESS.replace(
        '(`make test`)"\n', '(`make test`)",\n    "Radio sleeps (commit 9c0ffee)"\n'
    ).replace("null", '"测量 it"').replace("[],", '[\n    "run `make test`"\n  ],').replace(
        "2026-01-12T07:45:00Z", "2026-02-01"
    )
    assert write_json_state(replace(state, blocked=(), scope=())) == PROGRESS.replace(
        '["new battery holders"]', "[]"
    ).replace("Halve the sleep current", "")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('{"completed":["a"],"n":1}', '{"completed":["a","b"],"n":1}'),
        ('{"completed": ["a"], "n": 1}', '{"completed": ["a", "b"], "n": 1}'),
        ('{\n\t"completed": []\n}', '{\n\t"completed": [\n\t\t"b"\n\t]\n}'),
        ('{\n    "completed": [ "a" ],\n    "n": 1\n}', '{\n    "completed": ["a", "b"],\n    "n": 1\n}'),
        ('{\n  "completed": [\n      "a"\n      ]\n}', '{\n  "completed": [\n      "a",\n      "b"\n      ]\n}'),
        ('{\n  "n": 1\n}', '{\n  "n": 1,\n  "completed": [\n    "b"\n  ]\n}'),
        ('{"n":1}', '{"n":1,"completed":["b"]}'),
        ('{"completed": "a"}', '{"completed": ["a", "b"]}'),
        ('{"completed": null}', '{"completed": ["b"]}'),
        ('{"completed": [], "completed": ["a"]}', '{"completed": [], "completed": ["a", "b"]}'),
        ('{"done": ["a"]}', '{"done": ["a", "b"]}'),
        ('{"done": true}', '{"done": true, "completed": ["b"]}'),
    ],
)
def test_a_new_item_is_set_as_the_file_is(text: str, written: str) -> None:
    assert write_json_state(with_progress(read_json_state("task", text), done="b")) == written + "\n"


def test_a_new_file_has_the_keys_of_its_form() -> None:
    for form in FORMS:
        for text in ("", "\ufeff \n", "{}"):
            written = write_json_state(with_progress(read_json_state(form, text), done="b", at="2026-02-01"))
            assert list(json.loads(written)) == list(KEYS[form].values())
    assert write_json_state(TaskState(form="task", next=steps("a", "b"))) == (
        '{\n  "current_task": "",\n  "status": "",\n  "completed": [],\n  "next": [\n    "a",\n    "b"\n  ],\n'
        '  "blocked_by": [],\n  "last_updated": ""\n}\n'
    )
    assert json.loads(write_json_state(TaskState(form="progress")))["in_progress"] is None


def test_an_empty_file_is_an_empty_state() -> None:
    for text in ("", "\n", "\ufeff"):
        state = read_json_state("task", text)
        assert replace(state, others=()) == TaskState(form="task")
        assert write_json_state(state) == ""


def test_objects_in_place_of_items_are_read_and_stay_as_they_are() -> None:
    text = (
        '{"completed": [{"task": "add calc", "commit": "8bd1a50", "by": 3}, {"name": "a", "evidence": "9c0ffee"},'
        ' {"evidence": ["`pytest`", "ok"], "title": "b"}, {"step": "c", "command": "make test"}, {"k": "v", "n": 2}]}'
    )
    state = read_json_state("progress", text)
    assert texts_of(state, "completed") == [
        "add calc (commit 8bd1a50)", "a (commit 9c0ffee)", "b (`pytest`; ok)", "c (`make test`)", "k: v; n: 2",
    ]  # fmt: skip
    changed = replace(state, completed=(state.completed[3], *steps("new"), state.completed[0]))
    assert write_json_state(changed) == (
        '{"completed": [{"step": "c", "command": "make test"}, "new", '
        '{"task": "add calc", "commit": "8bd1a50", "by": 3}]}\n'
    )


@pytest.mark.parametrize(
    ("value", "items"),
    [
        ('"a"', ["a"]), ("null", []), ("true", []), ("12", ["12"]), ("-1.5e3", ["-1.5e3"]), ("NaN", ["NaN"]),
        ('""', []), ('"none"', []), ('["", "无", null, false, "a"]', ["a"]), ('["a\\nb"]', ["a b"]),
        ('[["a", "b"], []]', ["a; b"]), ('{"task": "a", "commit": "8bd1a50"}', ["a (commit 8bd1a50)"]),
        ('{"calc": "8bd1a50", "parser": true, "x": "half", "y": null}', ["calc (commit 8bd1a50)", "parser", "x: half"]),
        ('"\\ud800x"', ["\ufffdx"]), ('["[x] a"]', ["a"]), ("[[[[[[[[[[1]]]]]]]]]]", []), ("1" * 5000, ["1" * 5000]),
    ],
)  # fmt: skip
def test_wrong_types_are_taken_for_what_they_can_mean(value: str, items: list[str]) -> None:
    text = f'{{"completed": {value}, "in_progress": {value}}}'
    state = read_json_state("progress", text)
    assert (texts_of(state, "completed"), texts_of(state, "in_progress")) == (items, items)
    assert write_json_state(state) == text + "\n"
    changed = write_json_state(with_progress(state, done="z", now="y"))
    assert texts_of(read_json_state("progress", changed), "completed") == [*items, "z"]
    assert texts_of(read_json_state("progress", changed), "in_progress") == ["y"]


def test_texts_of_other_types_are_texts() -> None:
    state = read_json_state("task", '{"last_updated": 1764460800, "status": ["a", "b"], "current_task": {"name": "c"}}')
    assert (state.updated_at, state.status, texts_of(state, "scope")) == ("1764460800", "a; b", ["c"])
    assert read_json_state("task", '{"last_updated": null, "status": {}}').updated_at == ""


def test_keys_of_the_other_form_or_another_language_are_known_where_the_own_are_missing() -> None:
    state = read_json_state("progress", '{"next": "a", "blocked-by": ["b"], "任务": "c", "updated_at": "2026"}')
    assert (state.next_step, texts_of(state, "blocked"), texts_of(state, "scope")) == ("a", ["b"], ["c"])
    assert state.updated_at == "2026"
    both = '{"next": ["other"], "next_steps": ["own"]}'
    assert read_json_state("progress", both).next_step == "own"
    assert read_json_state("task", both).next_step == "other"


def test_evidence_is_kept_where_the_file_has_it_and_work_under_way_everywhere() -> None:
    state = TaskState(evidence=steps("e"), in_progress=steps("i"), updated_by="codex", form="task")
    assert set(json.loads(write_json_state(state))) == {*KEYS["task"].values(), "in_progress"}
    kept = read_json_state("task", '{"evidence": ["a"], "updated_by": "ann"}')
    assert texts_of(kept, "evidence") == ["a"]
    assert json.loads(write_json_state(replace(kept, evidence=steps("b"), updated_by="codex"))) == {
        "evidence": ["b"], "updated_by": "codex"
    }  # fmt: skip


def test_work_under_way_keeps_the_type_that_the_file_has() -> None:
    for value, now, written in (
        ("[]", ("a",), ["a"]), ('"x"', ("a",), "a"), ("null", ("a", "b"), ["a", "b"]), ('"x"', (), None),
        ('["x"]', (), []),
    ):  # fmt: skip
        state = replace(read_json_state("progress", f'{{"in_progress": {value}}}'), in_progress=steps(*now))
        assert json.loads(write_json_state(state))["in_progress"] == written


def test_half_a_pair_is_written_so_that_a_file_can_hold_it() -> None:
    state = with_progress(read_json_state("task", '{"completed": ["\\ud800"]}'), done="\udfff é 😀")
    written = write_json_state(state)
    assert written.encode()
    assert texts_of(read_json_state("task", written), "completed") == ["\ufffd é 😀"]


@pytest.mark.parametrize(
    ("text", "spot", "reason"),
    [
        ("nul", Spot(1, 1), "Expecting value"),
        ("[1]", Spot(1, 1), "Expecting an object"),
        ('\n "a"', Spot(2, 2), "Expecting an object"),
        pytest.param(
            '{"a": 1,}', *(
                (Spot(1, 8), "Illegal trailing comma before end of object") if sys.version_info >= (3, 13)
                else (Spot(1, 9), "Expecting property name enclosed in double quotes")
            ), id="a comma at the end",
        ),
        ('{\n  "a": 1\n  "b": 2\n}', Spot(3, 3), "Expecting ',' delimiter"),
        ('{"a": "b\n"}', Spot(1, 9), "Invalid control character at"),
        ('{"a": 1}\n{"b": 2}', Spot(2, 1), "Extra data"),
        ("{", Spot(1, 2), "Expecting property name enclosed in double quotes"),
        ('\ufeff{"a"}', Spot(1, 5), "Expecting ':' delimiter"),
    ],
)  # fmt: skip
def test_what_is_no_object_is_said_to_be_so_and_where(text: str, spot: Spot, reason: str) -> None:
    with pytest.raises(Unparsable) as caught:
        read_json_state("task", text)
    assert (caught.value.spot, caught.value.reason) == (spot, reason)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"])
def test_endless_nesting_is_unparsable(text: str) -> None:
    with pytest.raises(Unparsable, match="Nested too deeply"):
        read_json_state("progress", text)


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    st.sampled_from(("a", "b (commit 8bd1a50)", "none", "[x] c", "8bd1a50", "…", "a\nb")),
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("task", "name", "commit", "evidence", "cmd", "k")), inner, max_size=3)
    ),
    max_leaves=6,
)
keys = st.sampled_from(
    ("current_task", "status", "completed", "in_progress", "blocked", "next", "next_steps", "blocked_by", "evidence",
     "last_updated", "updated_by", "todo", "任务", "x", "", "done")
)  # fmt: skip


def _dumped(value: dict[str, Any], indent: int | str | None, tight: bool, escaped: bool, around: str) -> str:
    separators = (",", ":") if tight and indent is None else None
    dumped = json.dumps(value, indent=indent, separators=separators, ensure_ascii=escaped)
    return around.replace("-", dumped) if around.count("-") == 1 else dumped


files = st.builds(
    _dumped,
    st.dictionaries(keys, values, max_size=6),
    st.sampled_from((None, 0, 2, 4, "\t")),
    st.booleans(),
    st.booleans(),
    st.sampled_from(("-", "-\n", "\ufeff-\r\n", "\n\n -  ")),
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FORMS), files)
def test_any_object_is_read_and_written_as_it_is(form: StateForm, text: str) -> None:
    state = read_state(form, text)
    written = write_state(state)
    assert written.strip(" \t\n") == text.lstrip("\ufeff").replace("\r\n", "\n").strip(" \t\n")
    assert read_state(form, written) == state


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FORMS), st.text(max_size=60) | st.text('{}[]":,\\u0dnul 1.e\n', max_size=30))
def test_any_text_is_an_object_or_unparsable(form: StateForm, text: str) -> None:
    try:
        state = read_state(form, text)
    except Unparsable:
        return
    assert read_state(form, write_state(state)) == state


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FORMS), files, states)
def test_any_state_in_any_file_is_written_in_a_form_that_stays(form: StateForm, text: str, state: TaskState) -> None:
    for others in (read_state(form, text).others, ()):
        written = write_state(replace(state, form=form, others=others))
        assert json.loads(written or "{}") is not None
        assert write_state(read_state(form, written)) == written


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FORMS), files, plain_states)
def test_a_state_written_into_any_file_is_read_back_and_the_rest_stays(
    form: StateForm, text: str, state: TaskState
) -> None:
    before = read_state(form, text)
    written = write_state(replace(state, form=form, others=before.others))
    read = read_state(form, written)
    assert (read.completed, read.in_progress, read.next, read.blocked) == (
        state.completed, state.in_progress, state.next, state.blocked
    )  # fmt: skip
    assert texts_of(read, "scope") in (texts_of(state, "scope"), ["; ".join(texts_of(state, "scope"))])
    assert read.updated_at == state.updated_at
    old, new = (
        dict(json.loads(each, parse_constant=str, parse_float=str)) for each in (text.lstrip("\ufeff"), written)
    )
    assert [key for key in new if key in old] == list(old)
    assert all(new[key] == old[key] for key in ("x", "") if key in old)


def test_a_long_file_is_read_at_once() -> None:
    text = json.dumps({"completed": [f"item {i} in src/mod_{i}.py (commit {i:07x})" for i in range(20_000)]}, indent=2)
    started = time.process_time()
    state = read_json_state("progress", text)
    assert (len(state.completed), state.completed[-1].spot) == (20_000, Spot(20_002, 6))
    assert write_json_state(with_progress(state, done="z")).count("\n") == text.count("\n") + 2
    assert time.process_time() - started < 5
