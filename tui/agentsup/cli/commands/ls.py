"""`agentsup ls [--json]`: the running sessions.

The JSON object: `sessions`, a list of what `agentsup status --json` gives, newest first; of a session that does
not answer only session, agent{name} and phase ("unknown").
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from agentsup.cli import sessions
from agentsup.cli.commands.status import as_json, session_of
from agentsup.cli.plain_text import one_line
from agentsup.core.catalogue import Catalogue
from agentsup.core.figures import summary
from agentsup.core.problems import Problem
from agentsup.core.session import Session
from agentsup.locale import load
from agentsup.protocol.messages import SessionChanged


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Print one row a session; a session that does not answer is shown as such."""
    found = [(each, _answer(each)) for each in sessions.running()]
    if arguments.json:
        rows = [
            as_json(changed.session, changed.interfaces) if changed is not None else _silent(each)
            for each, changed in found
        ]  # fmt: skip
        print(json.dumps({"sessions": rows}, ensure_ascii=False))
    elif found:
        _print_table(found, load(arguments.language))
    else:
        print(load(arguments.language).text("session.none.what"), file=sys.stderr)
    return 0


def _answer(found: sessions.Found) -> SessionChanged | None:
    try:
        return session_of(found)
    except Problem:
        return None


def _silent(found: sessions.Found) -> dict[str, object]:
    return {"session": found.record.session, "agent": {"name": found.record.agent}, "phase": "unknown"}


def _print_table(found: list[tuple[sessions.Found, SessionChanged | None]], catalogue: Catalogue) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("session", "agent", "project", "state", "context", "age"):
        table.add_column(catalogue.text(f"ls.{name}"))
    for each, changed in found:
        row = cells(changed.session, catalogue) if changed is not None else _silent_cells(each, catalogue)
        table.add_row(*(Text(one_line(cell)) for cell in row))
    Console(highlight=False, soft_wrap=True).print(table)


def cells(session: Session, catalogue: Catalogue) -> tuple[str, ...]:
    """Return the row of a session that answers."""
    phase, context = catalogue.text(f"phase.{session.phase}"), summary(session.context, catalogue)
    return (
        session.id, session.agent.name, session.project, phase, context,
        age(time.time() - session.started) if session.started else "",
    )  # fmt: skip


def _silent_cells(found: sessions.Found, catalogue: Catalogue) -> tuple[str, ...]:
    record = found.record
    return record.session, record.agent, record.cwd, catalogue.text("ls.silent"), "", age(time.time() - record.started)


def age(seconds: float) -> str:
    """Return a time span in its largest whole unit."""
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{int(seconds)}s"
