"""A screen as a client holds it: rows replaced as the engine reports them."""

from __future__ import annotations

from agentsup.core.screen import Row, row_text
from agentsup.terminal import open_engine
from agentsup.terminal.engine import Engine


class Shown:
    """Follow one engine the way the interface does."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.rows: dict[int, Row] = {}
        self.update()

    def update(self) -> bool:
        """Take over what changed; return whether it was everything."""
        every, rows = self.engine.changes()
        if every:
            assert sorted(rows) == list(range(self.engine.rows))
            self.rows = rows
        else:
            assert set(rows) <= set(self.rows)
            self.rows |= rows
        return every

    def feed(self, data: bytes | str) -> Shown:
        """Feed the engine and take over what changed."""
        self.engine.feed(data.encode() if isinstance(data, str) else data)
        self.update()
        return self

    def text(self, row: int = 0) -> str:
        """Return the text of one row."""
        return row_text(self.rows[row])

    def texts(self) -> list[str]:
        """Return the text of all rows, without blank ones at the end."""
        lines = [self.text(number) for number in sorted(self.rows)]
        while lines and not lines[-1]:
            lines.pop()
        return lines


def shown(columns: int = 40, rows: int = 6) -> Shown:
    """Return a fresh screen."""
    return Shown(open_engine(columns, rows))
