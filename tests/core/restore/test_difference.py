"""What has changed since a restore text was sent: its name never counts, and everything else does."""

from __future__ import annotations

from typing import get_args

import pytest

from agentsup.core.memory.model import Document, Memory
from agentsup.core.restore.composition import compose
from agentsup.core.restore.difference import Name, difference, name_of
from agentsup.core.restore.frame import Budget, Frame, RestoreForm, Then
from agentsup.core.restore.preparation import OCCASIONS
from agentsup.locale import restore_frame

LANGUAGES = ("en", "zh-CN")


def few(text: str) -> int:
    return len(text) // 4


def text(frame: Frame, occasion: RestoreForm, engram: str = "[Task] x", *, name: Name | None = None) -> str:
    memory = Memory(engram=Document(".agent/engram.md", engram))
    composed = compose(memory, Budget(), None, frame=frame, count=few, occasion=occasion)
    name = name or Name(occasion)
    return composed.text(id=name.id, number=name.number, then=name.then)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("occasion", OCCASIONS)
@pytest.mark.parametrize("then", get_args(Then))
def test_a_text_that_was_sent_tells_its_name(language: str, occasion: RestoreForm, then: Then) -> None:
    frame = restore_frame(language)
    number = 1 if occasion in ("cold-start", "asked") else 12
    id = "" if occasion == "asked" else "k3w9zz"
    tells = occasion in ("compaction", "again") or (occasion == "start" and then in ("wait", "answer"))
    name = Name(occasion, id, number, then if tells else "wait")
    assert name_of(text(frame, occasion, name=name), frame) == name


def test_a_text_of_other_sentences_has_no_name() -> None:
    assert name_of(text(restore_frame("en"), "start", name=Name("start", "k3w9zz")), restore_frame("zh-CN")) is None
    assert name_of("", restore_frame("en")) is None


def test_a_header_of_the_projects_own_may_hold_anything() -> None:
    frame = restore_frame("en", {"header": "Back (a+b)* {id}, again {id}: {number} of {number}. {other}"})
    name = Name("compaction", "k3w9zz", 7)
    assert name_of(text(frame, "compaction", name=name), frame) == name


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_that_a_person_has_had_sent_has_a_name(language: str) -> None:
    frame = restore_frame(language)
    name = Name("asked", "k3w9zz", 12)
    assert name_of(text(frame, "asked", name=name), frame) == name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("occasion", OCCASIONS)
def test_equal_memory_has_no_difference_whatever_it_was_called(language: str, occasion: RestoreForm) -> None:
    frame = restore_frame(language)
    id = "" if occasion == "asked" else "k3w9zz"  # one that was asked for has no name
    sent = text(frame, occasion, name=Name(occasion, id, 12, "go-on" if occasion == "compaction" else "wait"))
    name = name_of(sent, frame)
    assert difference(sent, text(frame, occasion, name=name)) == ""
    assert difference(f"{sent}\n", text(frame, occasion, name=name)) == ""


def test_what_changed_stands_in_a_unified_diff() -> None:
    frame = restore_frame("en")
    sent = text(frame, "start", "[Task] one", name=Name("start", "k3w9zz"))
    now = text(frame, "start", "[Task] two", name=name_of(sent, frame))
    lines = difference(sent, now, names=("last sent", "now")).split("\n")
    assert lines[:2] == ["--- last sent", "+++ now"]
    assert [line for line in lines[2:] if line[0] in "+-"] == ["-[Task] one", "+[Task] two"]


def test_only_line_ends_part_lines() -> None:
    assert difference("a\x0cb\u2028c\n", "a\x0cb\u2028d").split("\n")[-2:] == ["-a\x0cb\u2028c", "+a\x0cb\u2028d"]
