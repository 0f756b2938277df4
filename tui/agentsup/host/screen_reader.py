"""Reads off the screen what the agent shows of its context, and that it compacts now."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from agentsup.agents.screen_patterns import BadPatterns, Patterns, Seen, built_in, parse, seen_on
from agentsup.core import events as ev
from agentsup.core.screen import Cursor, Row, Screen, Scrollback
from agentsup.store.folders import config_file

INTERVAL = 0.25
"""Seconds from a frame to the reading; all frames in between are read as one."""

OWN_FILE = "screen_patterns.toml"
"""The person's patterns, beside their settings; `agents/screen_patterns.toml` says how they are written."""


class ShownScreen(Protocol):
    """The program's screen as those see it who only read it; a `PtyScreen` is one."""

    lines: list[Row]
    scrollback: Scrollback

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""

    @property
    def cursor(self) -> Cursor:
        """The cursor now."""

    def read_lines(self, first: int, count: int) -> tuple[int, list[Row]]:
        """Return lines by their numbers, those there are, and the first one's number."""


class ScreenReader:
    """Looks at the screen after it has changed, and tells what is new.

    What it reads decides a figure and a phase, and nothing else. `figures`: whether figures are wanted, which an
    agent with a log of its own gives better.
    """

    def __init__(
        self,
        name: str,
        screen: ShownScreen,
        on_event: Callable[[ev.Event], None],
        *,
        figures: bool,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._name, self._screen, self._on_event, self._figures = name, screen, on_event, figures
        self._environment = environment
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._patterns: Patterns | None = None
        self._read_patterns = False
        self._last = Seen()
        self._doubted = False
        self.has_figures = False
        """Whether the screen has shown figures so far."""

    @property
    def patterns(self) -> Patterns:
        """What is looked for; the files are read when this is first needed."""
        if not self._read_patterns:
            self._read_patterns = True
            self._patterns = self._load()
        return self._patterns or Patterns()

    def frame(self) -> None:
        """The screen has changed."""
        if self._timer is None and not (self._read_patterns and self._patterns is None):
            self._timer = self._loop.call_later(INTERVAL, self._read)

    def restart(self) -> None:
        """Another process is on the screen: nothing that was said holds any more."""
        self._last, self._doubted, self.has_figures = Seen(), False, False

    def close(self) -> None:
        """Read no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _read(self) -> None:
        self._timer = None
        patterns = self.patterns
        if self._patterns is None:
            return
        seen = seen_on(Screen(self._screen.size[0], tuple(self._screen.lines)), patterns)
        self._tell_activity(seen.compacting)
        if seen.has_figures and self._figures:
            self._tell_figures(seen)

    def _tell_activity(self, compacting: bool) -> None:
        if compacting == self._last.compacting:
            self._doubted = False
        elif not compacting and not self._doubted:
            # A frame that is half drawn has no status line: only a second look tells that it is gone.
            self._doubted = True
            self.frame()
        else:
            self._doubted = False
            self._last = self._last._replace(compacting=compacting)
            self._on_event(ev.ActivitySeen(time.time(), compacting))

    def _tell_figures(self, seen: Seen) -> None:
        self.has_figures = True
        if seen[:3] != self._last[:3]:
            self._last = seen._replace(compacting=self._last.compacting)
            self._on_event(ev.TokensReported(time.time(), seen.used, seen.window, "estimate", seen.share))

    def _load(self) -> Patterns | None:
        """Return the patterns of the person's own file, or else ours; None where neither knows the program."""
        path = config_file(self._environment).with_name(OWN_FILE)
        try:
            own = parse(path.read_text(encoding="utf-8"), self._name)
        except FileNotFoundError:
            own = None
        except (OSError, UnicodeDecodeError, BadPatterns) as error:
            own = None
            reason = (error.strerror or "") if isinstance(error, OSError) else str(error)
            values = (("place", str(path)), ("reason", reason))
            self._on_event(ev.NoticeRaised(time.time(), "patterns.broken", values))
        return own or built_in(self._name)
