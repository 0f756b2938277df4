"""What the tests of the injector begin with."""

from __future__ import annotations

from dataclasses import replace

from agentsup.core import injector as inj
from agentsup.core.occasion import as_written

TEXT = "Restored from disk by agentsup (restore abc123).\n" + "a line of memory\n" * 20
EMPTY = inj.Composer("empty")
OURS = inj.Composer("text", TEXT)
GOOD = inj.Proof(
    now=100.0, alive=True, idle=True, blocked=False, composer=EMPTY, bracketed_paste=True, raw=True,
    last_key=0.0, echoed=True,
)  # fmt: skip
ORDER = inj.Order("abc123", as_written("compaction:one:1"), TEXT, anew=True)


def order(id: str, occasion: str, **more: object) -> inj.Order:
    """Return an order whose text names it."""
    return replace(inj.Order(id, as_written(occasion), TEXT.replace("abc123", id)), **more)  # type: ignore[arg-type]


def flying(state: str = "queued", taken: inj.Order = ORDER) -> inj.Injector:
    """Return an injector with one text on its way."""
    injector, _ = inj.enqueue(inj.Injector(), taken, 100.0)
    assert injector.flight is not None
    return replace(injector, flight=replace(injector.flight, state=state, since=100.0))  # type: ignore[arg-type]


def told(commands: tuple[inj.Command, ...]) -> list[tuple[str, str, str]]:
    """Return what was announced: id, state and reason."""
    events = [command.event for command in commands if isinstance(command, inj.Announce)]
    return [(event.id, event.state, event.reason) for event in events]


def kinds(commands: tuple[inj.Command, ...]) -> list[str]:
    """Return the names of the commands, those to look again apart."""
    return [type(command).__name__ for command in commands if not isinstance(command, inj.WakeAt)]
