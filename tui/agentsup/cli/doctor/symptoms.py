"""What goes wrong with an agent's memory, where to look, and what helps: a table, told from the catalogue."""

from __future__ import annotations

from agentsup.core.catalogue import Catalogue

NAMES = (
    "reads-again", "undoes-fix", "vague-engram", "beside-the-point", "ignores-read-back", "writes-again",
    "unrelated-modules", "going-well", "revives-rejected", "repeats-finished", "restore-compacted",
    "reads-only-restore", "structure-changed", "broken-json", "slow-restore", "constraints-ignored",
)  # fmt: skip
"""The rows, in the order of the specification (memory.md § 11)."""

COLUMNS = ("symptom", "look", "remedy")


def as_json(catalogue: Catalogue) -> dict[str, object]:
    """Return the documented object: `symptoms`, a list of name, symptom, look, remedy."""
    return {"symptoms": [{"name": name, **_row(name, catalogue)} for name in NAMES]}


def print_table(catalogue: Catalogue) -> None:
    """Print the table, as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1, 1, 0), expand=True)
    for ratio, name in zip((3, 4, 5), COLUMNS, strict=True):
        table.add_column(catalogue.text(f"symptoms.{name}"), ratio=ratio, overflow="fold")
    for name in NAMES:
        table.add_row(*(Text(cell) for cell in _row(name, catalogue).values()))
    Console(highlight=False).print(table)


def _row(name: str, catalogue: Catalogue) -> dict[str, str]:
    return {column: catalogue.text(f"symptoms.{name}.{column}") for column in COLUMNS}
