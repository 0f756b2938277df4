"""Count the tokens of a text, with no network ever.

The first count takes about half a second, in which nothing else of the process runs, and its vocabulary holds
about 60 MB for good: a process that must stay small and quick asks another one (`python -m agentsup.tokens`).
"""

from __future__ import annotations

from typing import NamedTuple

BYTES_A_TOKEN = 4
"""UTF-8 bytes to one token, about, for a mix of prose, code and Chinese; measured 14 % too high on such a mix."""


class Count(NamedTuple):
    """How many tokens, and whether they were counted: otherwise they are guessed by the size of the text."""

    tokens: int
    exact: bool


def count(text: str) -> Count:
    """Return how many tokens of o200k_base a text has; guessed where the vocabulary can't be loaded."""
    from agentsup.tokens import o200k

    encoding = o200k.load()
    if encoding is None:
        return Count(guess(text), False)
    return Count(len(encoding.encode_ordinary(text)), True)


def guess(text: str) -> int:
    """Return about how many tokens a text has, by its bytes."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)
