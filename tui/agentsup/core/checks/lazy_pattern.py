"""Expressions that are compiled when they are first needed: most commands meet no secret, and start quickly."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cached_property


class LazyPattern:
    """An expression of `re`, with those of its methods that are used here."""

    def __init__(self, expression: str) -> None:
        self._expression = expression

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression as `re` has it."""
        return re.compile(self._expression)

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Return what matches at a place."""
        return self.compiled.match(text, start, end)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return a match of the whole text."""
        return self.compiled.fullmatch(text)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Return the first match."""
        return self.compiled.search(text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        """Yield every match."""
        return self.compiled.finditer(text, start, end)
