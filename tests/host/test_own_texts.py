"""What a person has sent is queued under a name of its own, or it is said why it is not."""

from __future__ import annotations

import pytest

from agentsup.core.session import Agent, Phase, Session
from agentsup.host.own_texts import TEXT_MOST, OwnTexts
from agentsup.locale import load
from agentsup.protocol import messages as m
from tests.host.fake_queue import FakeQueue

HEADER = load("en").text("inject.header")


class Asked:
    """A session to send things to."""

    def __init__(self, *, phase: Phase = "idle", has_log: bool = True, raw: bool = True, memory: bool = True) -> None:
        self.queue = FakeQueue()
        self.queue.refuses = not memory
        self.prepared = 0
        session = Session("s", "/p", Agent("demo"), phase=phase)

        def prepare() -> None:
            self.prepared += 1

        self.texts = OwnTexts(
            self.queue, header=HEADER, session=lambda: session, has_log=has_log, is_raw=lambda: raw, prepare=prepare
        )  # fmt: skip

    def send(self, text: str) -> m.Outcome:
        return self.texts.inject(m.InjectRequest("text", text))


def test_a_text_goes_below_a_line_that_names_it() -> None:
    asked = Asked()
    outcome = asked.send("Look at\r\n\tcalc.py\n\n")
    ((occasion, text),) = asked.queue.texts.items()
    assert outcome == m.Outcome(True, "", (("id", "kkkkk2"),))
    assert occasion.startswith("inject:")
    header, blank, *lines = text.split("\n")
    assert header.startswith("agentsup")
    assert "kkkkk2" in header
    assert (blank, lines) == ("", ["Look at", "\tcalc.py"])


def test_it_can_not_end_its_paste_or_give_keys() -> None:
    asked = Asked()
    asked.send("a\x1b[201~\rrm -rf\x9b\x7f")
    assert next(iter(asked.queue.texts.values())).endswith("\n\na[201~\nrm -rf")


def test_it_has_no_byte_order_mark_and_one_kind_of_line_end() -> None:
    asked = Asked()
    asked.send("\ufeffone\u2028two\u2029three\r\nfour")
    assert next(iter(asked.queue.texts.values())).endswith("\n\none\ntwo\nthree\nfour")


def test_who_asks_twice_has_it_sent_twice() -> None:
    asked = Asked()
    asked.send("go on")
    asked.send("go on")
    assert len(asked.queue.texts) == 2


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "inject.empty"), (" \n\x1b\t", "inject.empty"),
        ("x" * (TEXT_MOST + 1), "inject.too-long"), ("好" * (TEXT_MOST // 3 + 1), "inject.too-long"),
    ],
)  # fmt: skip
def test_what_is_no_text_to_send_is_refused(text: str, key: str) -> None:
    asked = Asked()
    assert asked.send(text) == m.Outcome(False, key)
    assert asked.queue.texts == {}


@pytest.mark.parametrize("text", ["x", "x" * TEXT_MOST, "好" * (TEXT_MOST // 3)])
def test_the_shortest_and_the_longest_are_taken(text: str) -> None:
    asked = Asked()
    assert asked.send(text).done
    assert next(iter(asked.queue.texts.values())).endswith(f"\n\n{text}")


def test_memory_is_composed_of_what_is_on_disk_now() -> None:
    asked = Asked()
    assert asked.texts.inject(m.InjectRequest("restore")).done
    assert list(asked.queue.restored.values()) == ["asked"]
    assert asked.prepared == 1
    assert Asked(memory=False).texts.inject(m.InjectRequest("restore")) == m.Outcome(False, "inject.nothing")


def test_nothing_is_queued_where_it_could_not_be_proven_to_arrive() -> None:
    for asked, key in (
        (Asked(phase="exited"), "inject.exited"),
        (Asked(has_log=False), "inject.no-log"),
        (Asked(has_log=False, raw=False), "inject.whole-lines"),
    ):
        assert asked.send("go on") == m.Outcome(False, key)
        assert asked.texts.inject(m.InjectRequest("restore")) == m.Outcome(False, key)
        assert (asked.queue.texts, asked.queue.restored) == ({}, {})
        for part in ("what", "todo"):
            assert load("en").has(f"{key}.{part}")
