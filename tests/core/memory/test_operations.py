"""The index is read whatever its form; a torn line costs no other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.memory.model import Spot
from agentsup.core.memory.operations import Operation, archived, line, next_id, read_operations, write_operations

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["id", "type", "target", "summary", "log_path", "timestamp", "agent"]) | st.text(max_size=3)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=7)
BROKEN = st.sampled_from(
    ["{", '{"id": "op-1"', "[", "]", "x", "1", "[1]", "NaN", "{}{}", ",", '{"a": 1e999}', "\ufeff"]
)
TEXTS = st.lists(OBJECTS.map(lambda each: json.dumps(each, ensure_ascii=False)) | BROKEN, max_size=6).map("\n".join)
MADE = st.builds(
    Operation,
    *[st.text()] * 5,
    timestamp=st.none() | st.text() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
    others=st.lists(st.tuples(st.text(max_size=4), VALUES), max_size=3, unique_by=lambda pair: pair[0]).map(tuple),
)


@settings(max_examples=300, deadline=None)
@given(TEXTS | st.text(), st.booleans())
def test_writing_what_was_read_changes_nothing_that_is_read(text: str, from_middle: bool) -> None:
    read = read_operations(text, from_middle)
    written = write_operations(read.operations)
    assert read_operations(written) == (read.operations, ())
    assert write_operations(read_operations(written).operations) == written


@settings(max_examples=300, deadline=None)
@given(st.lists(MADE, max_size=4))
def test_what_programs_make_is_written_the_same_after_reading(made: list[Operation]) -> None:
    written = write_operations(made)
    assert len(read_operations(written).operations) == len(made)
    assert write_operations(read_operations(written).operations) == written


@settings(max_examples=300, deadline=None)
@given(st.lists(OBJECTS, max_size=5), st.sampled_from([None, 1]))
def test_an_array_and_an_object_say_the_same_as_lines(objects: list[dict[str, Any]], indent: int | None) -> None:
    wanted = read_operations("\n".join(map(json.dumps, objects)))
    assert wanted.bad == ()
    assert read_operations(json.dumps(objects, indent=indent)) == wanted
    assert read_operations(json.dumps({"version": 1, "operations": objects}, indent=indent)) == wanted
    assert read_operations("\n".join(json.dumps(each, indent=indent) for each in objects)) == wanted


def test_an_operation_with_everything() -> None:
    text = (
        '{"id": "op-017", "type": "edit", "target": "src/a.py", "summary": "确保 f 有类型", '
        '"log_path": "log/ops/op-017.json", "timestamp": 1700000000, "agent": "codex"}\n'
    )
    operation = Operation(
        "op-017", "edit", "src/a.py", "确保 f 有类型", "log/ops/op-017.json", 1700000000, (("agent", "codex"),)
    )
    assert read_operations(text) == ((operation,), ())
    assert line(operation) == text


def test_what_is_missing_is_empty_and_stays_missing() -> None:
    read = read_operations('{"type": "edit"}')
    assert read.operations == (Operation(type="edit"),)
    assert line(read.operations[0]) == '{"type": "edit"}\n'


def test_a_value_of_another_kind_is_shown_as_text_and_kept() -> None:
    text = '{"id": 17, "target": ["a.py", "b.py"], "summary": null, "timestamp": true}\n'
    operation = read_operations(text).operations[0]
    assert (operation.id, operation.target, operation.summary, operation.timestamp) == ("17", "a.py, b.py", "", None)
    assert line(operation) == text


def test_a_torn_last_line_is_bad_and_the_rest_is_read() -> None:
    read = read_operations('{"id": "op-1"}\n{"id": "op-2"}\n{"id": "op-3", "summ')
    assert [operation.id for operation in read.operations] == ["op-1", "op-2"]
    assert read.bad == ((Spot(3, 16), "Unterminated string starting at"),)


def test_a_torn_line_in_the_middle_costs_only_itself() -> None:
    read = read_operations('{"id": "op-1"}\n{"id": "o\n\n{"id": "op-3"}{"id": "op-4"}\nnull\n')
    assert [(operation.id, operation.spot) for operation in read.operations] == [
        ("op-1", Spot(1, 1)), ("op-3", Spot(4, 1)), ("op-4", Spot(4, 15)),
    ]  # fmt: skip
    assert [(spot.line, reason) for spot, reason in read.bad] == [
        (2, "Invalid control character at"), (5, "not an object"),
    ]  # fmt: skip


def test_a_torn_array_gives_what_stands_before_the_tear() -> None:
    read = read_operations('[\n  {"id": "op-1"},\n  {"id": "op-2"},\n  {"id": "op')
    assert [(operation.id, operation.spot.line) for operation in read.operations] == [("op-1", 2), ("op-2", 3)]
    assert [spot.line for spot, _ in read.bad] == [4]


def test_a_torn_object_over_lines_costs_only_itself() -> None:
    read = read_operations('{\n "id": "op-1"\n}\n{\n "id": "op-\n}\n{\n "id": "op-3"\n}\n')
    assert [operation.id for operation in read.operations] == ["op-1", "op-3"]
    assert [spot.line for spot, _ in read.bad] == [5]


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_text_from_the_middle_of_a_file_loses_its_first_line_only(cut: int) -> None:
    text = '{"id": "op-1", "summary": "a [b] {c}"}\n{"id": "op-2"}\n{"id": "op-3"}\n'
    read = read_operations(text[cut - 1 :] if cut < 39 else text[38:], from_middle=True)
    assert [operation.id for operation in read.operations] == ["op-2", "op-3"]
    assert read.operations[0].spot.line == 2
    assert read.bad == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 100_000, "nested too deep"),
        ('{"a":' * 100_000, "nested too deep"),
        ('{"a": ' + "[" * 70 + "]" * 70 + "}", "nested too deep"),
        ('{"timestamp": NaN}', "NaN is no JSON number"),
        ('{"timestamp": 1e999}', "1e999 is too large"),
        ('{"timestamp": ' + "9" * 5000 + "}", "Exceeds the limit"),
    ],
)
def test_what_could_not_be_written_again_is_bad(text: str, reason: str) -> None:
    read = read_operations(text)
    assert read.operations == ()
    assert read.bad[0][1].startswith(reason)


def test_half_a_character_does_not_become_one_that_no_file_can_hold() -> None:
    written = line(read_operations('{"summary": "\\ud83d"}').operations[0])
    assert written == '{"summary": "\\ud83d"}\n'
    written.encode()


@pytest.mark.parametrize(
    ("ids", "following"),
    [
        ([], "op-001"), (["op-017"], "op-018"), (["op-9", "op-012", "OP_3"], "op-013"), (["op-999"], "op-1000"),
        (["", "x", "op-x"], "op-001"), (["41"], "op-042"),
    ],
)  # fmt: skip
def test_the_next_id_follows_the_highest(ids: list[str], following: str) -> None:
    assert next_id(Operation(id) for id in ids) == following


@given(st.integers(0, 12), st.integers(0, 12))
def test_archiving_keeps_the_newest_and_does_nothing_twice(count: int, keep: int) -> None:
    operations = tuple(Operation(f"op-{number:03d}") for number in range(count))
    kept, moved = archived(operations, keep)
    assert (*moved, *kept) == operations
    assert len(kept) == min(count, keep)
    assert archived(kept, keep) == (kept, ())


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [
        (1700000000, 1700000000), (1.5, 1.5), ("2023-11-14T22:13:20Z", 1700000000), ("2023-11-14T22:13:20", 1700000000),
        ("2023-11-14T23:13:20+01:00", 1700000000), ("yesterday", None), (None, None),
    ],
)  # fmt: skip
def test_a_time_in_seconds(stamp: float | str | None, seconds: float | None) -> None:
    assert Operation(timestamp=stamp).seconds == seconds
