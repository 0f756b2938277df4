"""What passes between a process that wants texts counted and `python -m agentsup.tokens`."""

from __future__ import annotations

import struct

from agentsup.tokens import Count

_LENGTH = struct.Struct(">I")
_COUNT = struct.Struct(">I?")

LENGTH_SIZE, COUNT_SIZE = _LENGTH.size, _COUNT.size


def pack_text(text: bytes) -> bytes:
    """Return a text in UTF-8 behind its length."""
    return _LENGTH.pack(len(text)) + text


def length(head: bytes) -> int:
    """Return how long the text is that follows."""
    return int(_LENGTH.unpack(head)[0])


def pack_count(count: Count) -> bytes:
    """Return an answer."""
    return _COUNT.pack(*count)


def counts(data: bytes) -> list[Count]:
    """Return the whole answers in what was received; a part of one at its end is left out."""
    whole = len(data) - len(data) % COUNT_SIZE
    return [Count(tokens, exact) for tokens, exact in _COUNT.iter_unpack(data[:whole])]
