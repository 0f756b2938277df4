"""Make a text fit to be typed into a terminal."""

from __future__ import annotations

_REMOVED = dict.fromkeys((*(code for code in range(0x20) if chr(code) not in "\n\t"), *range(0x7F, 0xA0)))
_REPLACED = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
"""Halves of a character, as JSON may hold them where a program cut a text in two: no UTF-8 can be made of them."""

_TABLE = {**_REMOVED, **_REPLACED}


def sanitise(text: str) -> str:
    """Return `text` without control characters except newline and tab, fit for UTF-8; line ends become newlines.

    One pass over code points, after decoding: an ESC[201~ inside a text would end the paste and run the
    rest as keys, and a C1 control is an escape of its own.
    """
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return unified.translate(_TABLE)


def on_one_line(text: str) -> str:
    """Return `text` without control characters, every run of blanks and line ends as one blank."""
    return " ".join(sanitise(text).split())


def starts_plainly(text: str) -> bool:
    """Say whether the first character is a letter: a leading / ! @ or # is a command to an agent."""
    return text[:1].isalpha()


def squeezed(text: str) -> str:
    """Return `text` without any blanks: what is comparable after a screen has wrapped and padded it."""
    return "".join(text.split())
