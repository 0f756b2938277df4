"""Escape, the leader, pastes and the mouse, from the outer terminal to the program, through the real host."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator

import pytest

from agentsup.core.layout import arrange
from tests.keys.conftest import Seat, seated
from tests.keys.table import MODES

END = b"\x0eend\x0f"
pause = threading.Event().wait
"""What comes slowly comes slowly: part of the input, never a wait for an outcome."""


@pytest.fixture(scope="module")
def seat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    with seated(tmp_path_factory.mktemp("input"), bare=False) as seats:
        yield seats[0]


@pytest.fixture(scope="module", params=[(100, 40), (160, 40)], ids=["strip", "side"])
def seat_with_panels(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    with seated(tmp_path_factory.mktemp("panels"), "auto", request.param, bare=False) as seats:
        yield seats[0]


@pytest.mark.parametrize("mode", ["normal", "application cursor", "modifyOtherKeys 2"])
def test_escape_arrives_before_anything_else_is_typed(seat: Seat, mode: str) -> None:
    seat.set_modes(MODES[mode], f"[escape {mode}]")
    for _ in range(3):
        seat.terminal.type(b"\x1b")
        assert seat.recording.take(1) == b"\x1b"


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.012])
@pytest.mark.parametrize(
    "key", [b"\x1b[A", b"\x1b[1;5C", b"\x1bOP", b"\x1b[27;5;13~", "\x1bü".encode(), b"\x1b[97;5:3u"]
)
def test_a_key_that_comes_in_pieces_stays_whole(seat: Seat, key: bytes, seconds: float) -> None:
    seat.set_modes(b"", f"[pieces {key.hex()} {seconds}]")
    for byte in key:
        seat.terminal.type(bytes([byte]))
        pause(seconds)
    assert seat.recording.take(len(key)) == key


@pytest.mark.parametrize("report", [b"\x1b[<35;11;5M", b"\x1b[?2026;2$y", b"\x1b[I"])
def test_a_report_that_trickles_in_is_not_typed(seat: Seat, report: bytes) -> None:
    """A busy machine hands a byte on later than it was written: then its Escape is one that a person has pressed."""
    seat.set_modes(b"", f"[trickle {report.hex()}]")
    seen: list[bytes] = []
    while len(seen) < 20 and b"" not in seen:
        for byte in report:
            seat.terminal.type(bytes([byte]))
            pause(0.004)
        seat.terminal.type(END)
        seen.append(seat.recording.take_until(END))
    assert seen[-1] == b""


@pytest.mark.parametrize(
    ("mode", "press", "between"),
    [
        ("normal", b"\x1c", b""),
        ("kitty 1", b"\x1b[92;5u", b""),
        ("kitty 7, as Codex", b"\x1b[92;5u", b"\x1b[92;5:3u"),
        ("kitty 7, as Codex", b"\x1b[92;5:1u", b"\x1b[92;5:2u\x1b[92;5:2u\x1b[92;5:3u"),
        ("modifyOtherKeys 2", b"\x1b[27;5;92~", b""),
        ("kitty 31", b"\x1b[92;5u", b"\x1b[92;5:3u\x1b[57442;1:3u\x1b[57442;5u"),
    ],
)
def test_the_leader_twice_is_the_programs_in_the_form_it_came_in(
    seat: Seat, mode: str, press: bytes, between: bytes
) -> None:
    """Key repeats and modifiers between the two are neither a choice nor a second press."""
    seat.set_modes(MODES[mode], "[leader]")
    seat.terminal.type(b"a" + press)
    seat.terminal.wait_for("detach")
    seat.terminal.type(between + press)
    seat.terminal.wait(lambda: "detach" not in seat.terminal._text(), "the menu closed")
    seat.terminal.type(END)
    assert seat.recording.take_until(END) == b"a" + press


@pytest.mark.parametrize("escape", [b"\x1b", b"\x1b[27u", b"\x1b[27;1:1u", b"\x1b[27;1;27~"])
def test_the_menu_understands_keys_in_every_form(seat: Seat, escape: bytes) -> None:
    seat.set_modes(b"", f"[menu {escape.hex()}]")
    seat.terminal.type(b"\x1c")
    seat.terminal.wait_for("detach")
    seat.terminal.type(escape)
    seat.terminal.wait(lambda: "detach" not in seat.terminal._text(), "the menu closed")
    seat.terminal.type(END)
    assert seat.recording.take_until(END) == b""


def _text() -> bytes:
    """A megabyte of anything at all but the end marker: no UTF-8, escape sequences, the leader, line ends."""
    source = random.Random(1)
    pieces = [
        b"\x1b[A",
        b"\x1b[200~",
        b"\x1b[201",
        b"\x1c",
        b"\x1b]52;c;?\x07",
        "余额🎉".encode(),
        b"\xff\xfe",
        b"\x1b",
    ]
    text = b"".join(source.randbytes(1000) + source.choice(pieces) for _ in range(1040))
    return text.replace(b"\x1b[201~", b"")[: 1 << 20] + b"."


def test_a_megabyte_arrives_in_brackets_byte_for_byte(seat: Seat) -> None:
    text = _text()
    seat.set_modes(b"\x1b[?2004h", "[brackets]")
    seat.terminal.type(b"x\x1b[200~" + text + b"\x1b[201~y" + END)
    assert seat.recording.take_until(END) == b"x\x1b[200~" + text + b"\x1b[201~y"


def test_a_megabyte_arrives_without_brackets_where_none_were_asked_for(seat: Seat) -> None:
    text = _text().replace(END, b"")
    seat.set_modes(b"", "[no brackets]")
    seat.terminal.type(b"x\x1b[200~" + text + b"\x1b[201~y" + END)
    typed = text.replace(b"\r\n", b"\r").replace(b"\n", b"\r")
    assert seat.recording.take_until(END) == b"x" + typed + b"y"


def test_every_paste_is_as_the_program_wants_it_then(seat: Seat) -> None:
    for bracketed in (True, False, True):
        seat.set_modes(b"\x1b[?2004h" if bracketed else b"", f"[then {bracketed}]")
        seat.terminal.type(b"\x1b[200~one\r\ntwo\n\x1b[201~" + END)
        wanted = b"\x1b[200~one\r\ntwo\n\x1b[201~" if bracketed else b"one\rtwo\r"
        assert seat.recording.take_until(END) == wanted


MOUSE = {
    "1000 SGR": (b"\x1b[?1000h\x1b[?1006h", [b"\x1b[<0;3;4M", b"\x1b[<0;3;4m", b"\x1b[<64;5;6M", b"\x1b[<18;7;8M",
                                             b"\x1b[<18;7;8m"]),
    "1002 SGR": (b"\x1b[?1002h\x1b[?1006h", [b"\x1b[<2;3;4M", b"\x1b[<34;9;4M", b"\x1b[<2;9;4m", b"\x1b[<65;1;1M"]),
    "1003 SGR": (b"\x1b[?1003h\x1b[?1006h", [b"\x1b[<35;3;4M", b"\x1b[<35;4;4M", b"\x1b[<0;4;4M", b"\x1b[<32;8;9M",
                                             b"\x1b[<0;8;9m"]),
    "1000 legacy": (b"\x1b[?1000h", [b"\x1b[<0;3;4M", b"\x1b[<0;3;4m", b"\x1b[<64;5;6M"]),
    "1003 legacy": (b"\x1b[?1003h", [b"\x1b[<35;3;4M", b"\x1b[<1;3;4M", b"\x1b[<33;5;4M", b"\x1b[<1;5;4m"]),
    "9": (b"\x1b[?9h", [b"\x1b[<0;3;4M", b"\x1b[<0;3;4m", b"\x1b[<2;60;20M", b"\x1b[<2;60;20m"]),
}  # fmt: skip
"""What the program asked for, and what it should get; the outer terminal reports the same, moved."""


@pytest.mark.parametrize("mode", MOUSE)
def test_the_mouse_is_reported_from_the_panes_own_corner(seat_with_panels: Seat, mode: str) -> None:
    terminal, recording = seat_with_panels
    sequences, reports = MOUSE[mode]
    recording.write(b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?9l\x1b[?1006l" + sequences)
    recording.write(b"\x1b[H\x1b[2J@corner\x1b[5;1H[%s]" % mode.encode())
    terminal.wait_for(f"[{mode}]")
    rows = terminal.text().split("\n")
    down = next(number for number, row in enumerate(rows) if "@corner" in row)
    right = rows[down].index("@corner")
    area = arrange(*terminal.size, "auto").terminal
    assert (area.columns, area.rows) != terminal.size
    outside = b"".join(
        b"\x1b[<0;%d;%dM\x1b[<0;%d;%dm\x1b[<35;%d;%dM\x1b[<64;%d;%dM" % (place * 4)
        for place in (terminal.size, (area.columns + 1, 5), (3, area.rows + 1))
        if place[0] <= terminal.size[0] and place[1] <= terminal.size[1]
    )
    # Keys overtake the mouse, so what must not come is looked for before the next click that does.
    for inside in (reports, [b"\x1b[<1;1;1M", b"\x1b[<1;1;1m"]):
        terminal.type(outside + b"".join(_moved(report, right, down) for report in inside))
        wanted = b"".join(_legacy(report, mode) for report in inside)
        assert recording.take(len(wanted)) == wanted


def _moved(report: bytes, right: int, down: int) -> bytes:
    code, column, row = report[3:-1].split(b";")
    return b"\x1b[<%s;%d;%d%s" % (code, int(column) + right, int(row) + down, report[-1:])


def _legacy(report: bytes, mode: str) -> bytes:
    if "SGR" in mode:
        return report
    code, column, row = map(int, report[3:-1].split(b";"))
    if report.endswith(b"m"):
        if mode == "9":
            return b""
        code = code & ~3 | 3
    return b"\x1b[M" + bytes((32 + code, 32 + column, 32 + row))
