"""Kitty's notifications (OSC 99): put together from their parts, however the stream is cut."""

from __future__ import annotations

import pytest
from hypothesis import given

from agentsup.terminal import open_engine
from agentsup.terminal.engine import NotificationSent
from agentsup.terminal.kitty_notifications import KittyNotifications
from tests.terminal.streams import cuts, pieces_of

ST = "\x1b\\"


@pytest.mark.parametrize(
    ("stream", "sent"),
    [
        (f"\x1b]99;;Hello{ST}", [("Hello", "")]),
        ("\x1b]99;i=1;Hello\x07", [("Hello", "")]),
        (f"\x1b]99;i=1:d=0;Hel{ST}x\x1b]99;i=1:d=0;lo{ST}\x1b]99;i=1:p=body;there{ST}", [("Hello", "there")]),
        (f"\x1b]99;i=1:d=0;one{ST}\x1b]99;i=2;two{ST}\x1b]99;i=1:p=body;{ST}", [("two", ""), ("one", "")]),
        (f"\x1b]99;e=1;SGVsbG8={ST}", [("Hello", "")]),
        (f"\x1b]99;e=1;not base64!{ST}", []),
        (f"\x1b]99;i=1:p=?;{ST}\x1b]99;i=1:p=close;{ST}\x1b]99;i=1:p=icon;x{ST}", []),
        (f"\x1b]99;;a\x9b31mb{ST}", [("a\ufffd31mb", "")]),
        ("\x1b]99;;never ended", []),
        ("\x1b]99;;broken off\x18", []),
        ("\x1b]99\x07\x1b]99;\x07\x1b]99;;\x07", []),
    ],
)
def test_notifications_are_read(stream: str, sent: list[tuple[str, str]]) -> None:
    found = KittyNotifications().feed(stream.encode("latin-1"))
    assert [(each.title, each.body) for each in found] == sent


@given(cuts)
def test_any_split_gives_the_same_notifications(places: list[int]) -> None:
    stream = f"text\x1b]99;i=a:d=0;你好{ST}\x1b]99;i=a:p=body;余额{ST}\x1b]99;;again\x07".encode()
    tap = KittyNotifications()
    found = [sent for piece in pieces_of(stream, places) for sent in tap.feed(piece)]
    assert found == [NotificationSent("你好", "余额"), NotificationSent("again", "")]


def test_what_is_begun_and_not_ended_does_not_grow_without_end() -> None:
    tap = KittyNotifications()
    for number in range(1000):
        tap.feed(f"\x1b]99;i={number}:d=0;{'x' * 4000}{ST}".encode())
    assert len(tap._open) == 16
    for _ in range(10):
        tap.feed(f"\x1b]99;i=1:d=0;{'x' * 4000}{ST}".encode())
    assert len(tap._open["1"]["title"]) == 4096


def test_the_engine_tells_them_and_answers_no_query() -> None:
    engine = open_engine(20, 4)
    engine.feed(f"\x1b]99;i=1;Hello{ST}\x1b]99;i=MARK:p=?;{ST}shown".encode())
    assert engine.events() == (NotificationSent("Hello", ""),)
    assert b"MARK" not in engine.replies()
