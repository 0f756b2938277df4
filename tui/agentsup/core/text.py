"""Make a text fit to be typed into a terminal, or to be read in one by somebody who is to judge it."""

from __future__ import annotations

import re
import unicodedata

_REMOVED = dict.fromkeys((*(code for code in range(0x20) if chr(code) not in "\n\t"), *range(0x7F, 0xA0)))
_REPLACED = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
"""Halves of a character, as JSON may hold them where a program cut a text in two: no UTF-8 can be made of them."""

_TABLE = {**_REMOVED, **_REPLACED}

_SHOWS_NOTHING = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff"
"""Characters that count as printable and show nothing: enough of them spell a text that only an agent reads."""

_WIDE_BLANK = "\u3000"
"""How Chinese texts are indented."""

ID_LETTERS = "bcdfghjkmnpqrstvwxz23456789"
"""What our ids are made of: easy to read out and to type, no vowels, nothing that looks like something else."""

TEXT_ID = f"[{ID_LETTERS}]{{6}}"
"""The id of a text of ours, as a pattern."""

_MARK = "⟨"
_BLANK = re.compile(f"[{_SHOWS_NOTHING}{_MARK}]")
INVISIBLE = re.compile(f"[{_SHOWS_NOTHING}\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
"""Those, and marks of format."""


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
    """Return `text` without blanks and what shows nothing, its letters and their marks put together (NFC).

    That is comparable after a screen has wrapped and padded it, or an agent has taken invisible characters out.
    """
    return unicodedata.normalize("NFC", INVISIBLE.sub("", "".join(text.split())))


def columns(text: str) -> int:
    """Return how many cells a text without marks takes on a screen: a wide character has two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def legible(line: str) -> str:
    """Return a line with tabs as blanks and whatever shows nothing, or turns text around, as its code: ⟨202e⟩.

    No text can imitate that: the mark itself is written as its code too.
    """
    expanded = line.expandtabs(4)
    if expanded.isprintable() and not _BLANK.search(expanded):
        return expanded
    return "".join(character if _shows(character) else f"{_MARK}{ord(character):x}⟩" for character in expanded)


def _shows(character: str) -> bool:
    return character == _WIDE_BLANK or (character.isprintable() and not _BLANK.match(character))
