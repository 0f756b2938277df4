"""Answers, modes and events: what the engine says beside the screen."""

from __future__ import annotations

import gc
import weakref

import pytest

from agentsup import __version__
from agentsup.core.screen import Modes
from agentsup.terminal import open_engine
from agentsup.terminal.engine import (
    BellRang,
    ClipboardWritten,
    NotificationSent,
    StatusReported,
    TerminalEvent,
    TitleChanged,
)
from agentsup.terminal.ghostty_callbacks import Outbox


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("\x1b[c", "\x1b[?62;22c"),
        ("\x1b[5n", "\x1b[0n"),
        ("\x1b[2;3H\x1b[6n", "\x1b[2;3R"),
        ("\x1b[?2026$p", "\x1b[?2026;2$y"),
        ("\x1b[?2026h\x1b[?2026$p", "\x1b[?2026;1$y"),
        ("\x1b[?2027$p", "\x1b[?2027;1$y"),
        ("\x1b[?5522$p", "\x1b[?5522;0$y"),
        ("\x1b]10;?\x07", "\x1b]10;rgb:0101/0202/0303\x07"),
        ("\x1b]11;?\x1b\\", "\x1b]11;rgb:f0f0/f1f1/f2f2\x1b\\"),
        ("\x1b[?996n", "\x1b[?997;2n"),
        ("\x1b[?u", "\x1b[?0u"),
        ("\x1b[>7u\x1b[?u", "\x1b[?7u"),
        ("\x1b[>q", f"\x1bP>|agentsup {__version__}\x1b\\"),
        ("\x1b[18t", "\x1b[8;24;80t"),
        ("\x1b[14t", "\x1b[4;384;640t"),
        ("\x1b[16t", "\x1b[6;16;8t"),
        ("\x1bP$qm\x1b\\", "\x1bP1$r0m\x1b\\"),
    ],
)
def test_a_query_is_answered_exactly_once(query: str, answer: str) -> None:
    engine = open_engine(80, 24, foreground=(1, 2, 3), background=(0xF0, 0xF1, 0xF2))
    engine.feed(query.encode())
    assert engine.replies().decode() == answer
    assert engine.replies() == b""
    engine.feed(b"text\r\n")
    assert engine.replies() == b""


@pytest.mark.parametrize(
    "query",
    [
        "\x1b]52;c;?\x07",
        "\x1b]52;c;MARK\x07\x1b]52;c;?\x07",
        "\x1b]0;MARK\x07\x1b[21t",
        "\x1b]1;MARK\x07\x1b[20t",
        "\x1b]7;file:///MARK\x07",
        "\x05",
        "\x1bP$qMARK\r\x1b\\",
        "\x1bP+q4d41524b\x1b\\",
        "\x1b]7501;?\x07",
        "\x1b]21;MARK=?\x07",
        "\x1b]5522;type=read:id=MARK;Lg==\x07",
        "\x1b]5522;type=write:id=MARK\x07\x1b]5522;type=wdata:mime=dGV4dC9wbGFpbg==;aGk=\x07\x1b]5522;type=wdata\x07",
        "\x1b]99;i=MARK:p=?;\x07",
        "\x1b]1337;ReportVariable=MARK\x07",
        "\x1b]22;?MARK\x07",
        "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\",
        "\x1b_25a1;s\x1b\\",
        "\x1b_MARK\x1b\\",
    ],
)
def test_nothing_the_program_chose_comes_back_as_input(query: str) -> None:
    engine = open_engine(80, 24)
    engine.feed(query.encode())
    assert engine.replies() in (b"", b"\x1b]21;\x07")


@pytest.mark.parametrize(
    ("sequence", "modes"),
    [
        ("", Modes()),
        ("\x1b[?1h", Modes(application_cursor=True)),
        ("\x1b[?2004h", Modes(bracketed_paste=True)),
        ("\x1b[?1004h", Modes(focus_reports=True)),
        ("\x1b[?1049h", Modes(alternate_screen=True)),
        ("\x1b[?47h", Modes(alternate_screen=True)),
        ("\x1b[?9h", Modes(mouse=9)),
        ("\x1b[?1000h", Modes(mouse=1000)),
        ("\x1b[?1002h", Modes(mouse=1002)),
        ("\x1b[?1000h\x1b[?1002h\x1b[?1003h", Modes(mouse=1003)),
        ("\x1b[?1006h", Modes(mouse_sgr=True)),
        ("\x1b[>7u", Modes(kitty_flags=7)),
        ("\x1b[>7u\x1b[<u", Modes()),
        ("\x1b[?2026h", Modes(synchronized=True)),
        (
            "\x1b[?1;1003;1004;1006;1049;2004;2026h\x1b[>31u",
            Modes(True, True, True, True, 1003, True, 31, True),
        ),
        ("\x1b[?1;1003;1004;1006;1049;2004;2026h\x1b[>31u\x1bc", Modes()),
    ],
)
def test_modes_are_what_the_program_set(sequence: str, modes: Modes) -> None:
    engine = open_engine(80, 24)
    engine.feed(sequence.encode())
    assert engine.modes() == modes


@pytest.mark.parametrize(
    ("sequence", "events"),
    [
        ("\a", [BellRang()]),
        ("\a\a", [BellRang(), BellRang()]),
        ("\x1b]0;✳ Claude Code\a", [TitleChanged("✳ Claude Code")]),
        ("\x1b]2;a\x1b\\\x1b]2;b\x1b\\", [TitleChanged("a"), TitleChanged("b")]),
        ("\x1b]2;a\u009bb\n\x07", [TitleChanged("ab")]),
        ("\x1b]9;done\a", [NotificationSent("", "done")]),
        ("\x1b]777;notify;title;body\a", [NotificationSent("title", "body")]),
        ("\x1b]52;c;aGk=\a", [ClipboardWritten(b"hi")]),
        ("\x1b]52;;aGk=\a", [ClipboardWritten(b"hi")]),
        ("\x1b]52;p;aGk=\a", []),
        ("\x1b]52;c;?\a", []),
        ("\x1b]7501;state=idle:app=codex\x1b\\", [StatusReported({"state": "idle", "app": "codex"})]),
    ],
)
def test_what_happens_beside_the_screen_is_an_event(sequence: str, events: list[TerminalEvent]) -> None:
    engine = open_engine(80, 24)
    engine.feed(sequence.encode())
    assert list(engine.events()) == events
    assert engine.events() == ()


def test_the_title_can_be_read_at_any_time() -> None:
    engine = open_engine(80, 24)
    assert engine.title() == ""
    engine.feed(b"\x1b]2;one\x07")
    assert engine.title() == "one"


def test_a_program_that_asked_for_sizes_is_told_of_a_resize() -> None:
    engine = open_engine(80, 24)
    engine.feed(b"\x1b[?2048h")
    engine.replies()
    engine.resize(100, 30)
    assert engine.replies() == b"\x1b[48;30;100;480;800t"


def test_an_error_inside_a_callback_is_raised_by_feed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Outbox, "_bell", broken)
    engine = open_engine(80, 24)
    with pytest.raises(ZeroDivisionError):
        engine.feed(b"a\x07b")
    engine.feed(b"\x1b[6n")
    assert engine.replies() == b"\x1b[1;3R"


def test_an_engine_nobody_holds_is_freed_without_the_collector() -> None:
    engine = open_engine(80, 24)
    gone = weakref.ref(engine)
    gc.disable()
    try:
        del engine
        assert gone() is None
    finally:
        gc.enable()
