"""The environment a supervised program gets."""

from __future__ import annotations

from collections.abc import Mapping

_FOREIGN_PREFIXES = (
    "TERM_PROGRAM",
    "KITTY_",
    "VTE_",
    "WEZTERM_",
    "ITERM_",
    "GHOSTTY_",
    "ALACRITTY_",
    "KONSOLE_",
)
_FOREIGN = frozenset({
    "TMUX", "TMUX_PANE", "STY", "WINDOWID", "COLUMNS", "LINES", "TERMINFO", "LC_TERMINAL",
    "LC_TERMINAL_VERSION", "WT_SESSION", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "TERMCAP",
})  # fmt: skip
"""What describes the outer terminal or an agent around us; the program lives in our terminal."""

TERM, COLORTERM = "xterm-256color", "truecolor"


def child_environment(outer: Mapping[str, str], *, session: str, socket: str) -> dict[str, str]:
    """Return `outer` without what speaks of another terminal, with ours and the session's address."""
    kept = {
        name: value for name, value in outer.items() if name not in _FOREIGN and not name.startswith(_FOREIGN_PREFIXES)
    }
    return kept | {
        "TERM": TERM, "COLORTERM": COLORTERM, "AGENTSUP_SESSION": session, "AGENTSUP_SOCKET": socket,
    }  # fmt: skip
