"""What reaches the outer terminal beside the screen, and the mouse and pastes while older lines are shown."""

from __future__ import annotations

import base64

import pytest

from agentsup.core.screen import CellStyle, Cursor, Modes
from agentsup.protocol.messages import (
    Bell,
    ClipboardWritten,
    Frame,
    Mouse,
    Notification,
    ReadLines,
)
from tests.ui.fake_host import FakeHost
from tests.ui.outer import Outer

LEADER = b"\x1c"
WHEEL_UP = b"\x1b[<64;5;5M"


def copied(text: str) -> bytes:
    """Return the sequence that puts a text on the clipboard."""
    return b"\x1b]52;c;" + base64.b64encode(text.encode()) + b"\x07"


def drag(start: tuple[int, int], end: tuple[int, int], modifiers: int = 0) -> bytes:
    """Return the reports of a drag with the left button, places from 0."""
    (x, y), (to_x, to_y) = start, end
    press = f"\x1b[<{modifiers};{x + 1};{y + 1}M"
    move = f"\x1b[<{32 + modifiers};{to_x + 1};{to_y + 1}M"
    return f"{press}{move}\x1b[<{modifiers};{to_x + 1};{to_y + 1}m".encode()


def test_a_drag_copies_and_the_leaders_y_copies_again(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        at = outer.wait_until_ready()
        outer.type(drag((2, 0), (6, 0)))
        at = outer.wait_for(copied("Round"), after=at)
        outer.type(drag((2, 2), (12, 3)))
        at = outer.wait_for(copied("Explored\n  └ Read bill"), after=at)
        outer.type(LEADER + b"y")
        at = outer.wait_for(copied("Explored\n  └ Read bill"), after=at)
        press = b"\x1b[<0;5;1M\x1b[<0;5;1m"
        outer.type(press * 2)
        at = outer.wait_for(copied("Round"), after=at)
        outer.type(press)
        outer.wait_for(copied("› Round every invoice once, at the end, and keep the ledger exact."), after=at)
        assert not any(isinstance(message, Mouse) for message in host.received)
        assert host.keys == b""


def test_shift_selects_where_the_program_has_the_mouse_and_it_keeps_the_rest(host: FakeHost) -> None:
    host.modes = Modes(mouse=1002, mouse_sgr=True)
    with Outer(host.path) as outer:
        at = outer.wait_until_ready()
        outer.type(drag((2, 0), (6, 0)))
        host.wait(lambda: Mouse("release", 0, 6, 0) in host.received)
        outer.type(drag((2, 0), (6, 0), modifiers=4))
        outer.wait_for(copied("Round"), after=at)
        outer.type(WHEEL_UP)
        host.wait(lambda: Mouse("press", 64, 4, 4) in host.received)
        mice = [message for message in host.received if isinstance(message, Mouse)]
        assert [(mouse.kind, mouse.shift) for mouse in mice] == [
            ("press", False), ("move", False), ("release", False), ("press", False),
        ]  # fmt: skip


def test_older_lines_are_selected_as_the_screens_are(host: FakeHost) -> None:
    host.older = [f"older {number}" for number in range(100)]
    with Outer(host.path) as outer:
        at = outer.wait_until_ready()
        outer.type(WHEEL_UP)
        at = outer.wait_for(b"-3/100", b"older 99", after=at)
        outer.type(drag((0, 1), (3, 3)))
        outer.wait_for(copied("older 98\nolder 99\n› Ro"), after=at)


def test_a_paste_while_scrolled_reaches_the_program_whole_and_leads_back(host: FakeHost) -> None:
    host.older = [f"older {number}" for number in range(100)]
    with Outer(host.path) as outer:
        at = outer.wait_until_ready()
        outer.type(WHEEL_UP)
        at = outer.wait_for(b"-3/100", after=at)
        outer.type(b"\x1b[200~pasted\x1b[201~")
        host.wait(lambda: host.pasted == b"pasted")
        outer.wait_for(b"\x1b[2 q\x1b[?25h", after=at)
        outer.type(b"k")
        host.wait(lambda: host.keys == b"k")


def test_the_leader_leads_to_older_lines_and_typing_back(host: FakeHost) -> None:
    host.older = [f"older {number}" for number in range(100)]
    host.older[20] = "needle"
    with Outer(host.path) as outer:
        at = outer.wait_until_ready()
        outer.type(LEADER + b"\x1b[5~")
        at = outer.wait_for(b"-16/100", after=at)
        outer.type(b"\x1b[A\x1b[A")
        at = outer.wait_for(b"-18/100", after=at)
        outer.type(b"/needle\r")
        at = outer.wait_for(b"/needle -", after=at)
        outer.type(b"xyz")  # in one read: the first key leads back, and none overtakes another
        host.wait(lambda: host.keys == b"xyz")
        outer.wait_for(b"\x1b[2 q\x1b[?25h", after=at)
        assert host.pasted == b""
        assert any(isinstance(message, ReadLines) for message in host.received)


@pytest.mark.parametrize("data", [b"from the agent", b"\xff\x00"])
def test_what_the_program_copies_is_copied(host: FakeHost, data: bytes) -> None:
    with Outer(host.path) as outer:
        at = outer.wait_until_ready()
        host.say(ClipboardWritten(data))
        outer.wait_for(b"\x1b]52;c;" + base64.b64encode(data) + b"\x07", after=at)


def test_a_copy_that_is_cut_is_told(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        at = outer.wait_until_ready()
        host.say(ClipboardWritten(b"x" * 80_000, True))
        outer.wait_for(base64.b64encode(b"x" * 75_000) + b"\x07", b"75 kB", after=at)


def test_bell_title_and_notifications_are_passed_on(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        at = outer.wait_until_ready()
        host.say(Notification("codex", "done\x1b]52;c;x\x07"), Bell())
        at = outer.wait_for(b"\x1b]9;codex: done]52;c;x\x07", b"\x07", after=at)
        host.say(Frame(False, 80, 17, (), (), Cursor(2, 2), host.modes, "a title\x1b]"))
        outer.wait_for(b"\x1b]2;a title]\x07", after=at)


def test_links_are_links_in_the_outer_terminal_too(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        at = outer.wait_until_ready()
        styles = (CellStyle(link="https://a.example/?q=1;2", underline=3, underline_colour=1),)
        host.say(Frame(False, 80, 17, styles, ((1, (("link", 4, 0),)),), Cursor(2, 2), host.modes))
        outer.wait_for(b";https://a.example/?q=1;2\x1b\\", b"link", b"\x1b]8;;\x1b\\", after=at)
