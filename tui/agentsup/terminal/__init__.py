"""The terminal engine behind a small Protocol: bytes in; rows, modes and replies out."""

from __future__ import annotations

from agentsup.terminal.engine import Engine


def open_engine(
    columns: int,
    rows: int,
    *,
    scrollback: int = 10_000,
    foreground: tuple[int, int, int] = (0xE0, 0xE0, 0xE0),
    background: tuple[int, int, int] = (0x10, 0x10, 0x18),
) -> Engine:
    """Return a terminal; loads the library at the first call and raises EngineUnavailable when it can't."""
    from agentsup.terminal.ghostty import GhosttyEngine

    return GhosttyEngine(columns, rows, scrollback=scrollback, foreground=foreground, background=background)
