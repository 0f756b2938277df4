"""Claude Code's input box as its screen shows it, measured on 2.1.332 in both of its renderers.

The box stands between two rules over the whole width; its first row begins with `❯` and a no-break space, unless
it has scrolled, which the rules say. The agent draws its own cursor and parks the real, hidden one in the box.
Whatever takes the box's place (a permission prompt, a picker, the transcript) has no such two rules around such
a row.
"""

from __future__ import annotations

import re

from agentsup.core.injector import Composer
from agentsup.core.screen import DIM, INVERSE, Row, Screen, row_text

_PROMPT = "❯\N{NO-BREAK SPACE}"
_INDENT = 2
"""Column at which the text begins."""

_RULE = "─"
_MORE_ABOVE = re.compile(rf"^{_RULE}+ ↑ \d+ more {_RULE}+$")
_MORE_BELOW = re.compile(rf"^{_RULE}+ ↓ \d+ more {_RULE}+$")
"""The rules of a box that is too high for the screen."""

_MAIN_LEFT = "◯ main"
"""Below the box, where another agent's conversation is shown instead of the main one."""

_TO_ANOTHER = "Message @"
"""How the placeholder of a sub-agent's box begins."""

_INSERTING = "-- INSERT --"
"""Below the box, in vim's insert mode; its normal mode shows nothing there."""
_PASTED = re.compile(r"^(?P<lead>(?:.*\n)?)\[Pasted text #\d+(?: \+(?P<lines>\d+) lines?)?\]$", re.DOTALL)
"""A longer paste at the end of the box, on a row of its own."""


def composer(screen: Screen, *, vim_keys: bool = False, shows_cursor: bool = False) -> Composer:
    """Read the box; unknown unless it is positively there with the cursor in it, ready for text.

    A cursor that is seen is that of another program, an editor with a picture of the box in its text, unless the
    agent was asked to show it (`shows_cursor`).
    """
    rows, cursor = screen.rows, screen.cursor
    if cursor.visible and not shows_cursor:
        return Composer()
    if cursor.row >= len(rows) or cursor.column < _INDENT:
        return Composer()
    top = _before(rows, cursor.row, screen.columns)
    bottom = _after(rows, cursor.row, screen.columns)
    if top is None or bottom is None:
        return Composer()
    box = rows[top + 1 : bottom]
    if any(row_text(row).strip().startswith(_MAIN_LEFT) for row in rows[bottom + 1 :]):
        return Composer()  # the box is that of a sub-agent which is looked at
    if vim_keys and not any(_INSERTING in row_text(row) for row in rows[bottom + 1 :]):
        return Composer()
    texts = [row_text(row) for row in box]
    scrolled = _MORE_ABOVE.match(row_text(rows[top])) is not None
    if not scrolled and (not box[0] or not box[0][0].text.startswith(_PROMPT)):
        return Composer()
    if any(text[:_INDENT].strip() for text in texts[0 if scrolled else 1 :]):
        return Composer()
    if len(box) == 1 and not scrolled and cursor.column == _INDENT and _nothing_typed(box[0]):
        return Composer("empty")
    shown = "\n".join(text[_INDENT:] for text in texts)
    pasted = _PASTED.match(shown.strip())
    if pasted is None:
        return Composer("text", shown, None, scrolled)
    return Composer("text", shown, None, scrolled, int(pasted["lines"] or 0), pasted["lead"])


def _before(rows: tuple[Row, ...], start: int, columns: int) -> int | None:
    """Return the nearest rule above; the upper one may carry the session's name."""
    for number in range(start - 1, -1, -1):
        text = row_text(rows[number]).rstrip()
        if len(text) == columns and text.startswith(_RULE * 3) and text.endswith(_RULE):
            return number
    return None


def _after(rows: tuple[Row, ...], start: int, columns: int) -> int | None:
    for number in range(start + 1, len(rows)):
        text = row_text(rows[number]).rstrip()
        if text == _RULE * columns or (len(text) == columns and _MORE_BELOW.match(text)):
            return number
    return None


def _nothing_typed(row: Row) -> bool:
    """Say whether all behind the prompt mark is blank, or a suggestion: dim, its first letter under the cursor."""
    (first, *rest) = row
    behind = [run for run in (first._replace(text=first.text[len(_PROMPT) :]), *rest) if run.text.strip()]
    if not behind:
        return True
    if "".join(run.text for run in behind).startswith(_TO_ANOTHER):
        return False
    under, *suggested = behind
    # One letter alone may be typed, with the cursor moved back onto it.
    is_cursor = len(under.text) == 1 and bool(under.style.flags & INVERSE) and bool(suggested)
    return (is_cursor or bool(under.style.flags & DIM)) and all(run.style.flags & DIM for run in suggested)
