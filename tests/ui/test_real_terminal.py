"""The whole interface on a real pty: keys reach the host byte for byte, the terminal is given back."""

from __future__ import annotations

import os
import signal

import pytest

from agentsup.core.screen import Modes
from agentsup.protocol.messages import (
    Focus,
    InjectionChoice,
    Mouse,
    Paste,
    Resize,
    RestartRequest,
    StopRequest,
)
from tests.ui.fake_host import FakeHost
from tests.ui.outer import Outer

LEADER = b"\x1c"
KEYS = {
    "Enter": b"\r",
    "Alt+Enter": b"\x1b\r",
    "Alt+b": b"\x1bb",
    "Alt+1": b"\x1b1",
    "Alt+Backspace": b"\x1b\x7f",
    "Ctrl+C": b"\x03",
    "Ctrl+Q": b"\x11",
    "Ctrl+Z": b"\x1a",
    "Ctrl+S": b"\x13",
    "Ctrl+Space": b"\x00",
    "Ctrl+P": b"\x10",
    "Tab": b"\t",
    "Shift+Tab": b"\x1b[Z",
    "Escape": b"\x1b",
    "Up": b"\x1b[A",
    "Ctrl+Right": b"\x1b[1;5C",
    "F2": b"\x1bOQ",
    "Shift+F1": b"\x1b[1;2P",
    "F5": b"\x1b[15~",
    "modifyOtherKeys Shift+Enter": b"\x1b[27;2;13~",
    "kitty Shift+Enter": b"\x1b[13;2u",
    "text": "余额 é🎉".encode(),
    "not UTF-8": b"\xff\xfe",
}
RESTORED = (b"\x1b[?2004l", b"\x1b[?1003l", b"\x1b[<u", b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1004l")


def test_keys_reach_the_host_byte_for_byte(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        outer.wait_until_ready()
        typed = b""
        for name, key in KEYS.items():
            outer.type(key)
            typed += key
            host.wait_for_keys(len(typed))
            assert host.keys == typed, name


def test_the_outer_terminal_is_asked_for_the_keys_the_program_asked_for(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        ready = outer.wait_until_ready()
        host.set_modes(Modes(application_cursor=True, application_keypad=True))
        at = outer.wait_for(b"\x1b[?1h\x1b=", after=ready)
        host.set_modes(Modes(kitty_flags=5, modify_other_keys=2, backarrow=True))
        at = outer.wait_for(b"\x1b[?1l\x1b>\x1b[?67h\x1b[>4;2m\x1b[=5;1u", after=at)
        outer.type(b"\x1b[A\x1bOA\x1bOM")
        host.wait(lambda: host.keys == b"\x1b[A\x1bOA\x1bOM")
        outer.process.send_signal(signal.SIGTERM)
        outer.finish()
        outer.wait_for(b"\x1b[?67l\x1b[>4m\x1b[=0;1u", b"\x1b[<u", after=at)


def test_the_leader_opens_the_menu_and_twice_goes_to_the_agent(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        ready = outer.wait_until_ready()
        outer.type(b"a" + LEADER)
        menu = outer.wait_for(b"detach", after=ready)
        outer.type(LEADER)
        shown = outer.wait_for(b"\x1b[2 q\x1b[?25h", after=menu)
        outer.type(b"b" + LEADER + LEADER + b"c")  # in one read: the c comes through the menu and is not lost
        host.wait(lambda: host.keys == b"a\x1cb\x1cc")
        outer.wait_for(b"\x1b[2 q\x1b[?25h", after=shown)
        outer.type(b"\x1b[92;5u\x1b[92;5u")
        host.wait(lambda: host.keys == b"a\x1cb\x1cc\x1b[92;5u")


def test_a_leader_of_ones_own(host: FakeHost) -> None:
    with Outer(host.path, "en", "ctrl+g") as outer:
        ready = outer.wait_until_ready()
        outer.type(LEADER + b"\x07")
        outer.wait_for(b"detach", after=ready)
        outer.type(b"d")
        assert "detached" in outer.finish()
    assert host.keys == LEADER


def test_choices_reach_the_host(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        ready = outer.wait_until_ready()
        outer.wait_for(b"draft: after Enter")  # the restore that is to be chosen about has arrived
        outer.type(LEADER + b"v" + LEADER + b"x")
        host.wait(lambda: host.received[-1] == InjectionChoice("k3f2", "drop"))
        assert InjectionChoice("k3f2", "retry") in host.received
        outer.type(LEADER + b"r")
        at = outer.wait_for(b"Cold restart", after=ready)
        outer.type(b"\r")  # the default is no
        at = outer.wait_for(b"\x1b[2 q\x1b[?25h", after=at)
        assert not any(isinstance(m, RestartRequest) for m in host.received)
        outer.type(LEADER + b"r")
        at = outer.wait_for(b"Cold restart", after=at)
        outer.type(b"y")
        host.wait(lambda: RestartRequest() in host.received)
        at = outer.wait_for(b"\x1b[2 q\x1b[?25h", after=at)
        outer.type(LEADER + b"s")
        outer.wait_for(b"Stop codex?", after=at)
        outer.type(b"y")
        host.wait(lambda: StopRequest() in host.received)
    assert host.keys == b""


def test_a_megabyte_is_pasted_byte_for_byte(host: FakeHost) -> None:
    text = os.urandom(1 << 20).replace(b"\x1b[201~", b"") + b"\r\n\x1b[A end"
    with Outer(host.path) as outer:
        outer.wait_until_ready()
        outer.type(b"x\x1b[200~" + text + b"\x1b[201~y")
        host.wait(lambda: host.keys == b"xy")
    pieces = [m for m in host.received if isinstance(m, Paste)]
    assert host.pasted == text
    assert [m.first for m in pieces] == [True] + [False] * (len(pieces) - 1)
    assert [m.last for m in pieces] == [False] * (len(pieces) - 1) + [True]


def test_reports_are_no_keys(host: FakeHost) -> None:
    host.modes = Modes(mouse=1002, mouse_sgr=True)
    with Outer(host.path) as outer:
        outer.wait_until_ready()
        outer.type(
            b"\x1b[I\x1b[?2026;2$y\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\\x1b[<0;11;6M\x1b[<32;12;6M\x1b[<0;12;6m\x1b[<64;1;1M"
        )
        host.wait(lambda: Mouse("press", 64, 0, 0) in host.received)
        mice = [m for m in host.received if isinstance(m, Mouse)]
        assert mice[:3] == [Mouse("press", 0, 10, 5), Mouse("move", 0, 11, 5), Mouse("release", 0, 11, 5)]
        assert Focus(True) in host.received
        assert host.keys == b""


def test_the_theme_follows_the_ground(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        ready = outer.wait_until_ready()
        outer.wait_for(b"\x1b]11;?")
        outer.type(b"\x1b]11;rgb:fdfd/f6f6/e3e3\x07")
        outer.wait_for(b"48;2;228;231;236", after=ready)
    assert host.keys == b""


def test_a_new_size_is_told(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        outer.wait_until_ready()
        assert host.size == (80, 17)
        outer.resize(120, 40)
        host.wait(lambda: host.received[-1] == Resize(120, 30))


def test_a_new_host_is_found(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        ready = outer.wait_until_ready()
        host.drop()
        host.wait(lambda: host.connections == 2)
        outer.wait_for(b"reconnecting", b"working", after=ready)
        outer.type(b"k")
        host.wait(lambda: host.keys == b"k")


def test_keys_typed_while_the_host_is_replaced_reach_the_new_one(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        ready = outer.wait_until_ready()
        with host.away():
            outer.wait_for(b"reconnecting", after=ready)
            outer.type(b"typed ")
            outer.type(b"meanwhile")
        host.wait(lambda: host.keys == b"typed meanwhile")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_terminal_is_given_back_on_signals(host: FakeHost, number: signal.Signals) -> None:
    with Outer(host.path) as outer:
        ready = outer.wait_until_ready()
        outer.process.send_signal(number)
        assert "detached" in outer.finish()
        outer.wait_for(*RESTORED, after=ready)
        assert outer.attributes() == outer.attributes_before
        assert outer.process.returncode == 0


@pytest.mark.parametrize("where", ["fail", "fail-input"])
def test_a_failure_is_two_lines_and_gives_the_terminal_back(host: FakeHost, where: str) -> None:
    with Outer(host.path, "en", "ctrl+\\", where) as outer:
        ready = outer.wait_until_ready()
        outer.type(LEADER)
        said = outer.finish().splitlines()
        outer.wait_for(*RESTORED, after=ready)
        assert said[0] == "The interface failed: RuntimeError: made to fail"
        assert said[1].startswith("The agent goes on running.")
        assert "failed" in said[2]
        assert outer.attributes() == outer.attributes_before


def test_a_failure_while_reading_input_is_traced_for_debugging(host: FakeHost) -> None:
    with Outer(host.path, "en", "ctrl+\\", "fail-input", "debug") as outer:
        outer.wait_until_ready()
        outer.type(b"x")
        said = outer.finish().splitlines()
        assert said[0] == "Traceback (most recent call last):"
        assert any("in _read_input" in line for line in said)
        assert said[-3] == "The interface failed: RuntimeError: made to fail"
        assert "failed" in said[-1]
