"""Make a text fit to be typed into a terminal."""

from __future__ import annotations

_KEPT = {"\n", "\t"}


def sanitise(text: str) -> str:
    """Return `text` without control characters except newline and tab; line ends become newlines.

    One pass over code points, after decoding: an ESC[201~ inside a text would end the paste and run the
    rest as keys, and a C1 control is an escape of its own.
    """
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in unified if c in _KEPT or not (c < " " or "\x7f" <= c <= "\x9f"))


def starts_plainly(text: str) -> bool:
    """Say whether the first character is a letter: a leading / ! @ or # is a command to an agent."""
    return text[:1].isalpha()


def squeezed(text: str) -> str:
    """Return `text` without any blanks: what is comparable after a screen has wrapped and padded it."""
    return "".join(text.split())
