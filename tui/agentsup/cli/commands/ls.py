"""`agentsup ls [--json]`: the running sessions."""

from __future__ import annotations

import argparse
import json
import sys
import time

from agentsup.cli import sessions
from agentsup.cli.commands.status import as_json, session_of
from agentsup.core.problems import Problem
from agentsup.locale import load


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Print one row a session; a session that does not answer is shown as such."""
    rows = []
    for found in sessions.running():
        try:
            changed = session_of(found)
            rows.append(as_json(changed.session, changed.interfaces))
        except Problem:
            rows.append({"session": found.record.session, "agent": {"name": found.record.agent}, "phase": "unknown"})
    if arguments.json:
        print(json.dumps({"sessions": rows}, ensure_ascii=False))
        return 0
    if not rows:
        print(load(arguments.language).text("session.none.what"), file=sys.stderr)
        return 0
    _print_table(rows, arguments.language)
    return 0


def _print_table(rows: list[dict[str, object]], language: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    catalogue = load(language)
    table = Table(box=None, pad_edge=False)
    for name in ("session", "agent", "project", "state", "context", "age"):
        table.add_column(catalogue.text(f"ls.{name}"))
    for row in rows:
        context, agent = row.get("context") or {}, row.get("agent") or {}
        assert isinstance(context, dict)
        assert isinstance(agent, dict)
        fraction, started = context.get("fraction"), row.get("started")
        cells = (
            row["session"], agent.get("name", ""), row.get("project", ""),
            catalogue.text(f"phase.{row['phase']}"),
            f"{fraction:.0%}" if isinstance(fraction, float) else "",
            age(time.time() - started) if isinstance(started, float) else "",
        )  # fmt: skip
        table.add_row(*(Text(str(cell)) for cell in cells))
    Console(highlight=False, soft_wrap=True).print(table)


def age(seconds: float) -> str:
    """Return a time span in its largest whole unit."""
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{int(seconds)}s"
