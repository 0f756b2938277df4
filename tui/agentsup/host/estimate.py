"""Estimates the tokens of a conversation of which nothing is told: a lower bound, from what was shown and pasted.

It misses the agent's own prompts and tools, files it read without showing them, and whatever was drawn over
before it had stood for a second. What empties the conversation begins it anew, as far as that can be seen.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from agentsup.agents.screen_patterns import Patterns
from agentsup.core import events as ev
from agentsup.core.screen import Row, row_text
from agentsup.host.screen_reader import ShownScreen
from agentsup.host.shown_text import ShownText
from agentsup.tokens import Count

SAMPLE_INTERVAL = 1.0
"""Seconds from a frame to the sample: a row has to stay the same for that long."""

REPORT_INTERVAL = 2.0
"""Seconds between two reports, at least."""

LINES_AT_ONCE = 32
LINES_PAUSE = 0.02
"""Scrolled lines that are read in one turn of the loop, about 1 ms, and the seconds until the next turn."""

LINES_BEHIND = 2000
"""Lines that may wait to be read; older ones are left out: a flood is not worth more."""

PASTE_MOST = 1 << 17
"""Bytes of what was pasted that are kept until Enter."""

_KEYS = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)")
_ENTER = (b"\r", b"\x1b[13u", b"\x1b[13;1u")
_CLEARING = (b"\x03", b"\x15", b"\x1b")
_COMMAND_SHORTEST, _COMMAND_LONGEST = 3, 40


class Counter(Protocol):
    """Counts texts in another process; see `TokenCounter`."""

    def count(self, text: str, tag: int = 0) -> bool:
        """Have a text counted; False where it is dropped."""

    def close(self) -> None:
        """End the process."""


class Estimate:
    """Watches the screen and the person's input, and reports what it found at most every two seconds."""

    def __init__(
        self,
        screen: ShownScreen,
        on_event: Callable[[ev.Event], None],
        *,
        patterns: Callable[[], Patterns],
        has_figures: Callable[[], bool],
        counter: Callable[[Callable[[Count, int], None]], Counter],
    ) -> None:
        self._screen, self._on_event = screen, on_event
        self._patterns, self._has_figures = patterns, has_figures
        self._counter = counter(self._counted)
        self._loop = asyncio.get_running_loop()
        self._shown = ShownText()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._done = False
        self._samples_due = 0
        self._size = screen.size
        self._line = self._bottom = 0
        self._gap = False
        self._rows: frozenset[Row] = frozenset()
        self._typed, self._pasted = b"", b""
        self._total, self._reported, self._period = 0, 0, 0
        self._last_report = -REPORT_INTERVAL

    # --- what is told

    def frame(self) -> None:
        """The screen has changed: it is looked at twice, as only what stays counts."""
        if self._done:
            return
        self._samples_due = 2
        self._later("sample", SAMPLE_INTERVAL, self._sample)

    def keys(self, data: bytes) -> None:
        """The person has typed: what stays of it is shown, so only what it does counts here."""
        if self._done:
            return
        if data in _CLEARING:
            self._typed, self._pasted = b"", b""
            return
        for enter in _ENTER[1:]:
            data = data.replace(enter, b"\r")
        *ended, rest = _KEYS.sub(b"", data).split(b"\r")
        for part in ended:
            self._entered(self._edited(self._typed + part))
            self._typed = b""
        self._typed = self._edited(self._typed + rest)[-_COMMAND_LONGEST:]

    def pasted(self, data: bytes) -> None:
        """The person has pasted: agents show a long paste by its size only."""
        if not self._done:
            self._pasted = (self._pasted + data)[:PASTE_MOST]

    def restart(self) -> None:
        """Another process is on the screen."""
        self._done = False
        self._shown = ShownText()
        self._line = self._bottom = self._screen.scrollback.end
        self._rows = frozenset()
        self._typed, self._pasted = b"", b""
        self._begin_anew()

    def close(self) -> None:
        """Look no more, and end the process that counts."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._counter.close()

    # --- the person's input

    @staticmethod
    def _edited(data: bytes) -> bytes:
        """Return typed bytes after their backspaces."""
        kept = bytearray()
        for byte in data:
            if byte not in b"\x7f\x08":
                kept.append(byte)
            elif kept:
                del kept[-1]
        return bytes(kept)

    def _entered(self, typed: bytes) -> None:
        """Count a paste that was sent; begin anew where the conversation was emptied by a command."""
        pasted, self._pasted = self._pasted, b""
        if pasted:
            text = pasted.decode("utf-8", "replace")
            self._shown.know(text)
            self._counter.count(text, self._period)
        line = typed.decode("utf-8", "replace").strip()
        # Popups complete what was begun: /cle and Enter may be /clear.
        if len(line) >= _COMMAND_SHORTEST and any(
            command.startswith(line) or f"{line} ".startswith(f"{command} ") for command in self._patterns().commands
        ):
            self._begin_anew()

    # --- the screen

    def _sample(self) -> None:
        if self._has_figures():
            # The agent's own figures say more, and nothing has to be counted for them.
            self._done = True
            self.close()
            return
        rows = tuple(self._screen.lines)
        if self._screen.size != self._size:
            # Lines are broken anew and have other numbers.
            self._size = self._screen.size
            self._shown.skip(rows)
            self._line = self._screen.scrollback.end
        else:
            self._read_scrolled()
            self._look_for_end([row for row in rows if row not in self._rows])
            unread = self._line < self._screen.scrollback.end
            self._count(self._shown.sample(rows, self._screen.cursor.row, unread=unread))
        self._rows = frozenset(rows)
        self._bottom = self._screen.scrollback.end + len(rows)
        self._samples_due -= 1
        if self._samples_due > 0:
            self._later("sample", SAMPLE_INTERVAL, self._sample)

    def _read_scrolled(self) -> None:
        """Read some of the lines that have scrolled off, and the others soon."""
        scrollback = self._screen.scrollback
        oldest = max(scrollback.lost, scrollback.end - LINES_BEHIND)
        if oldest > self._line:
            self._line, self._gap = oldest, True
        wanted = min(LINES_AT_ONCE, scrollback.end - self._line)
        if wanted <= 0:
            return
        first, rows = self._screen.read_lines(self._line, wanted)
        sampled = max(0, self._bottom - first)
        self._look_for_end(rows[sampled:])
        self._count(self._shown.scrolled(rows, sampled=sampled, gap=self._gap or first > self._line))
        self._gap = not rows
        self._line += wanted
        if self._line < scrollback.end:
            self._later("lines", LINES_PAUSE, self._read_scrolled)

    def _look_for_end(self, rows: Sequence[Row]) -> None:
        """Begin anew where a row says that the conversation was compacted or emptied."""
        patterns = self._patterns().emptied
        if patterns and any(regex.search(row_text(row)) for row in rows for regex in patterns):
            self._begin_anew()

    # --- counting

    def _count(self, text: str) -> None:
        if text:
            self._counter.count(text, self._period)

    def _counted(self, count: Count, period: int) -> None:
        if period == self._period:
            # A guess by the size is too high by some; a lower bound must not be.
            self._total += count.tokens if count.exact else count.tokens // 2
            self._report_soon()

    def _begin_anew(self) -> None:
        self._period += 1
        self._total = 0
        self._report_soon()

    def _report_soon(self) -> None:
        wait = self._last_report + REPORT_INTERVAL - self._loop.time()
        self._later("report", max(0.0, wait), self._report)

    def _report(self) -> None:
        if self._total == self._reported:
            return
        self._reported, self._last_report = self._total, self._loop.time()
        self._on_event(ev.TokensReported(time.time(), self._total, None, "estimate", at_least=True))

    def _later(self, name: str, seconds: float, call: Callable[[], None]) -> None:
        """Call something later, once for all who ask meanwhile."""

        def run() -> None:
            del self._timers[name]
            call()

        if name not in self._timers:
            self._timers[name] = self._loop.call_later(seconds, run)
