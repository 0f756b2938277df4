"""What the program in the pane asked for that changes the bytes of a key, asked of the outer terminal too.

The outer terminal then encodes every key as it would for the program alone. Rewriting keys here could not:
a keypad's Enter looks like any Enter, and how Shift with Home is sent is the terminal's own affair. A key
that is already on its way when the program changes a mode arrives in the old form, as it does without us.
"""

from __future__ import annotations

from agentsup.core.screen import Modes

FOCUS = "\x1b[?1004l\x1b[?1004h"


def changes(before: Modes, after: Modes) -> str:
    """Return the sequences that bring an outer terminal from one program's keyboard to another's."""
    switched = zip(_sequences(before), _sequences(after), strict=True)
    changed = "".join(sequence for was, sequence in switched if was != sequence)
    # Focus reports are on for ourselves; some terminals (tmux) tell the present focus to whom switches them on.
    return changed + (FOCUS if after.focus_reports and not before.focus_reports else "")


def _sequences(modes: Modes) -> tuple[str, ...]:
    return (
        f"\x1b[?1{_switch(modes.application_cursor)}",
        "\x1b=" if modes.application_keypad else "\x1b>",
        f"\x1b[?67{_switch(modes.backarrow)}",
        # Without a level it is what the person's own configuration says, and that may be more than nothing.
        f"\x1b[>4;{modes.modify_other_keys}m" if modes.modify_other_keys else "\x1b[>4m",
        f"\x1b[={modes.kitty_flags};1u",
    )


def _switch(on: bool) -> str:
    return "h" if on else "l"
