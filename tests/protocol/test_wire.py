"""Frames: any message survives, any garbage is a BadFrame, any split of the bytes gives the same messages."""

from __future__ import annotations

import contextlib
import struct

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.events import InjectionChanged, MemoryRead
from agentsup.core.memory.model import Document, Memory
from agentsup.core.occasion import as_written
from agentsup.core.screen import CellStyle, Cursor, Modes, Scrollback
from agentsup.core.session import Agent, Session, apply
from agentsup.protocol import messages as m
from agentsup.protocol import wire

SESSION = apply(
    apply(
        Session("abcde", "/p", Agent("codex")), InjectionChanged(1.0, "x", as_written("compaction:1"), "held", "why")
    ),
    MemoryRead(1.0, Memory(Document("e", "文本"))),
)
FRAME = m.Frame(
    True,
    80,
    24,
    (CellStyle(1, 2, 3, 4, 5, "http://x"),),
    ((0, (("漢", 2, 0),)),),
    Cursor(1, 2, False, 3),
    Modes(True),
    "title",
    Scrollback(10_000, 123_456),
    (0,),
)
LINES = m.Lines(7, 80, (CellStyle(link="http://x"),), ((("漢", 2, 0),), ()), (7,))
FROM_HOST: list[m.HostMessage] = [
    m.Welcome(m.VERSION, "abcde", "codex"), FRAME, LINES, m.SessionChanged(SESSION, 2), m.Bell(),
    m.Notification("a", "b"), m.ClipboardWritten(b"\xff", True),
    m.Outcome(False, "key", (("a", "b"),)), m.Goodbye("why"),
]  # fmt: skip
FROM_CLIENT: list[m.ClientMessage] = [
    m.Hello(m.VERSION, "ui", 80, 24), m.Keys(b"\x1b\r"), m.Paste(b"\xff\x00", False, True),
    m.Mouse("press", 0, 3, 4, True), m.Focus(True), m.Resize(1, 1), m.ReadLines(-1, 5), m.StatusRequest(),
    m.StopRequest(), m.RestartRequest(), m.InjectionChoice("x", "drop"), m.NoticeDismissed("k"),
]  # fmt: skip


@given(st.lists(st.integers(1, 40), max_size=200))
def test_any_split_gives_the_same_messages(cuts: list[int]) -> None:
    for decoder, sent in ((wire.host_messages(), FROM_HOST), (wire.client_messages(), FROM_CLIENT)):
        data = b"".join(wire.encode(message) for message in sent)
        received: list[object] = []
        for cut in [*cuts, len(data)]:
            received += decoder.feed(data[:cut])
            data = data[cut:]
        assert received == sent


@given(st.binary(max_size=300))
def test_garbage_is_a_bad_frame_or_nothing(data: bytes) -> None:
    decoder = wire.client_messages()
    framed = struct.pack("!I", len(data)) + data
    with contextlib.suppress(wire.BadFrame):
        assert all(isinstance(message, msgspec.Struct) for message in decoder.feed(framed))


def test_an_oversized_frame_is_refused_at_its_length() -> None:
    with pytest.raises(wire.BadFrame):
        list(wire.client_messages().feed(struct.pack("!I", wire.MAXIMUM + 1)))


@given(st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=8) | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=20,
))  # fmt: skip
def test_well_formed_msgpack_of_no_message_is_refused(value: object) -> None:
    body = msgspec.msgpack.encode(value)
    with pytest.raises(wire.BadFrame):
        list(wire.client_messages().feed(struct.pack("!I", len(body)) + body))
