"""What no program should print: sequences that never end, random bytes, and markup of the libraries we draw with."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil

from tests.end_to_end.place import Place
from tests.soak.tally import Tally
from tests.terminals.tmux import Tmux

SIZE = (100, 30)
GROWTH = 8 << 20
"""Bytes the host may grow by."""

GREW = "grew by < 8 MB"

LIVE_WITHIN = 2.0
"""Seconds in which the interface must open and close its menu while the flood goes on."""

MENU = "r restart"
INTRODUCERS: Mapping[str, str] = {
    "OSC": "\x1b]2;", "OSC 52": "\x1b]52;c;", "OSC 8": "\x1b]8;;x:", "OSC 7501": "\x1b]7501;a=", "OSC 9": "\x1b]9;",
    "DCS": "\x1bP$q", "DCS +q": "\x1bP+q", "DCS q": "\x1bPq", "APC": "\x1b_G", "CSI": "\x1b[", "PM": "\x1b^",
}  # fmt: skip

WRITER = r"""
import os, random, sys, tty
tty.setraw(0)
def write(data):
    left = memoryview(data)
    while left:
        left = left[os.write(1, left[:65536]):]
def mixed(seed, size):
    source, left = random.Random(seed), size
    pieces = (b"\x1b[", b"\x1b]", b"\x1bP", b"\x1b", b";", b"?", b"\x07", b"\x1b\\", b"h", b"m", b"\xf0\x9f\x98\x80")
    while left > 0:
        piece = source.choice(pieces) if source.random() < 0.3 else source.randbytes(source.randint(1, 60))
        left -= len(piece)
        yield piece
write(b"ready")
for line in open(sys.argv[1]):
    kind, *words = line.split()
    if kind == "flood":
        introducer = bytes.fromhex(words[0])
        payload = (b"1;" if introducer == b"\x1b[" else b"AAAA") * (1 << 14)
        write(introducer)
        for _ in range(int(words[1]) // len(payload)):
            write(payload)
    elif kind == "random":
        write(b"".join(mixed(int(words[0]), int(words[1]))))
        write(b"\x18\x1b\\\x1bc")
    elif kind == "text":
        write(bytes.fromhex(words[0]))
    with open(sys.argv[2], "a") as done:
        done.write(".")
"""
"""Writes what the file it follows (a FIFO) tells it to, and a dot into another after each."""


class Flooded:
    """A program in agentsup that writes what it is told to, and the host that reads it."""

    def __init__(self, folder: Path) -> None:
        self.place = Place(folder)
        self._orders, self._done = self.place.work / "orders", self.place.work / "done"
        os.mkfifo(self._orders)
        self._done.touch()
        words = ["--layout", "agent", "--", sys.executable, "-c", WRITER, str(self._orders), str(self._done)]
        self.terminal = self.place.open(*words, size=SIZE)
        self._pipe = open(self._orders, "w", buffering=1)  # noqa: SIM115 - closed with the session
        self.terminal.wait_for("ready")
        self.host = host_of(self.place)
        self._told = 0

    def tell(self, order: str) -> None:
        """Give an order."""
        self._told += 1
        self._pipe.write(f"{order}\n")

    def is_done(self) -> bool:
        """Whether all orders were carried out."""
        return self._done.stat().st_size >= self._told

    def write(self, text: str) -> None:
        """Let it write a text."""
        self.tell(f"text {text.encode().hex()}")

    def wait_done(self, look: Callable[[], object] = lambda: None) -> None:
        """Wait until it has written everything, and look meanwhile."""

        def done() -> bool:
            look()
            return self.is_done()

        self.terminal.wait_until(done, 60.0, what="all is written")

    def is_live(self) -> bool:
        """Whether the interface opens its menu and closes it."""
        started = time.monotonic()
        try:
            self.terminal.key("C-\\")
            self.terminal.wait_for(MENU, timeout=LIVE_WITHIN)
            self.terminal.key("Escape")
            self.terminal.wait_gone(MENU, timeout=LIVE_WITHIN)
        except AssertionError as error:
            print(error, file=sys.stderr)
            return False
        return time.monotonic() - started < 2 * LIVE_WITHIN

    def shows(self, text: str) -> bool:
        """Whether a text comes onto the screen."""
        try:
            self.terminal.wait_for(text, timeout=10.0)
        except AssertionError as error:
            print(error, file=sys.stderr)
            return False
        return True

    def close(self) -> None:
        """End it."""
        self._pipe.close()
        self.place.close()


def host_of(place: Place) -> psutil.Process:
    """Return the host of the only session."""
    keeper = psutil.Process(place.record()["keeper_pid"])
    return next(process for process in keeper.children() if "agentsup.host" in process.cmdline())


def run_unterminated(megabytes: int, folder: Path) -> Tally:
    """Write a sequence of so many megabytes that does not end, of every kind."""
    flooded = Flooded(folder)
    held = {GREW: 0, "interface live": 0, "text after it shown": 0, "same host": 0}
    grown: dict[str, int] = {}
    try:
        flooded.tell(f"random 0 {4 << 20}")  # fills what the host keeps for its successor, and warms everything up
        flooded.wait_done()
        for name, introducer in INTRODUCERS.items():
            before = flooded.host.memory_info().rss
            peak = [before]

            def look(peak: list[int] = peak) -> None:
                peak[0] = max(peak[0], flooded.host.memory_info().rss)

            flooded.tell(f"flood {introducer.encode().hex()} {megabytes << 20}")
            live = flooded.is_live()
            flooded.wait_done(look)
            live = live and flooded.is_live()
            look()
            end = "m" if name == "CSI" else "\x1b\\"
            flooded.write(f"{end}\x1b[H\x1b[2Jafter {name}")
            held["text after it shown"] += flooded.shows(f"after {name}")
            held["interface live"] += live
            held[GREW] += peak[0] - before < GROWTH
            held["same host"] += host_of(flooded.place).pid == flooded.host.pid
            grown[name] = max(0, peak[0] - before)
    finally:
        flooded.close()
    most = max(grown, key=lambda name: grown[name])
    note = f"{', '.join(INTRODUCERS)}; the host grew most by {most}: {grown[most] / (1 << 20):.1f} MB"
    return Tally(f"{megabytes} MB of a sequence without an end", len(INTRODUCERS), held, note)


def run_random(count: int, seed: int, folder: Path) -> Tally:
    """Write a megabyte of random bytes `count` times, half of them sequences."""
    flooded = Flooded(folder)
    seeds = random.Random(seed)
    held = {"same host": 0, "interface live": 0, "text after it shown": 0}
    try:
        for number in range(count):
            flooded.tell(f"random {seeds.randrange(1 << 30)} {1 << 20}")
            flooded.wait_done()
            flooded.write(f"after {number}.")
            held["text after it shown"] += flooded.shows(f"after {number}.")
            held["interface live"] += flooded.is_live()
            held["same host"] += host_of(flooded.place).pid == flooded.host.pid
    finally:
        flooded.close()
    return Tally("1 MB of random bytes", count, held)


MARKUP = (
    "[/x]", "[bold]b[/bold]", "[@click=app.quit]press[/]", "[link=https://x]y[/link]", "[", "\\[z]", "{e}", "$panel",
)  # fmt: skip
PRINTER = """\
import sys
for number, markup in enumerate(sys.argv[1:]):
    print(f"Row{number} {markup}")
for markup in sys.argv[1:]:
    sys.stdout.write(f"\\033]2;Title {markup}\\007")
    sys.stdout.flush()
    input()
input()
"""


def run_markup(folder: Path) -> Tally:
    """Show markup everywhere foreign text is shown: as it is written, and nothing happens, also when clicked."""
    held = {"in the rows": 0, "in the title": 0, "in the engram": 0, "in STATE": 0, "no action": 0}
    place = Place(folder / "place")
    memory = place.work / ".agent"
    memory.mkdir()
    tags = ["Task", "Progress", "Pending", "Taboo"] * len(MARKUP)
    engram = [f"[{tag}] En{number} {markup}\n" for number, (tag, markup) in enumerate(zip(tags, MARKUP, strict=False))]
    (memory / "engram.md").write_text("".join(engram))
    (memory / "STATE.md").write_text("# STATE\n## Scope\n" + "".join(f"- St{n} {m}\n" for n, m in enumerate(MARKUP)))
    try:
        terminal = place.open("--", sys.executable, "-c", PRINTER, *MARKUP, size=(200, 60))
        terminal.wait_for("Row0 ")
        for number, markup in enumerate(MARKUP):
            held["in the rows"] += _appears(terminal, f"Row{number} {markup}")
            held["in the engram"] += _appears(terminal, f"En{number} {markup}")
            held["in STATE"] += _appears(terminal, f"St{number} {markup}")
            held["in the title"] += _titled(terminal, f"Title {markup}")
            held["no action"] += _nothing_when_clicked(terminal, markup)
            terminal.key("Enter")
    finally:
        place.close()
    return Tally("markup in foreign text", len(MARKUP), held)


def _appears(terminal: Tmux, text: str) -> bool:
    try:
        terminal.wait_for(text, timeout=5.0)
    except AssertionError as error:
        print(error, file=sys.stderr)
        return False
    return True


def _titled(terminal: Tmux, title: str) -> bool:
    try:
        terminal.wait_until(lambda: terminal.title == title, 5.0, what=title)
    except AssertionError as error:
        print(error, file=sys.stderr)
        return False
    return True


def _nothing_when_clicked(terminal: Tmux, markup: str) -> bool:
    before = terminal.wait_still()
    for row, text in enumerate(before):
        column = text.find(markup)
        if column >= 0:
            place = f"{column + len(markup) // 2 + 1};{row + 1}"
            terminal.type(f"\x1b[<0;{place}M\x1b[<0;{place}m")
    return terminal.wait_still() == before and not terminal.dead
