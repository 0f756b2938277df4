"""Standard output that may disappear: a terminal that hangs up must not end the app halfway through a write."""

from __future__ import annotations

from contextlib import suppress
from io import TextIOBase
from typing import TextIO


class Outlet(TextIOBase):
    """Standard output that takes what it is given also after the terminal is gone."""

    def __init__(self, file: TextIO | None) -> None:
        super().__init__()
        self._to = file

    def write(self, text: str, /) -> int:
        """Write; the hang-up itself is noticed where input is read."""
        with suppress(OSError):
            if self._to is not None:
                self._to.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush."""
        with suppress(OSError):
            if self._to is not None:
                self._to.flush()
