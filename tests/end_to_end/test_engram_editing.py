"""A person mends an engram in the panel, in a real terminal: all that reads it afterwards has what they wrote."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentsup.store.engram_history import record
from tests.end_to_end.conftest import wait_until
from tests.end_to_end.inside import Inside
from tests.end_to_end.place import Place

VAGUE = """\
[Task] Make invoice rounding exact: round once, at the end
[Progress] config work
[Pending] fix the rest
[Taboo] Don't touch billing/tax.py, because its figures are audited
"""
GOOD = VAGUE.replace("config work", "Wrote round_cents() in billing/rounding.py").replace(
    "fix the rest", "Ledger.close() in billing/ledger.py"
)

ARGUMENTS = "tr '\\0' '\\n' < /proc/$PPID/cmdline"
"""What the agent was called with."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Lay out a project whose agent has left a vague engram."""
    place = Place(tmp_path / "place")
    place.env["XDG_DATA_HOME"] = str(tmp_path / "data")
    for name in ("rounding", "ledger", "tax"):
        path = place.work / "billing" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    path = place.work / ".agent" / "engram.md"
    path.parent.mkdir()
    path.write_text(VAGUE)
    record(place.work, VAGUE, "agent", "its last message", place.env)
    yield place
    place.close()


def started(place: Place, folder: Path) -> Inside:
    """Start a session whose agent is taken for Codex and does what it is told."""
    program = folder / "bin" / "codex"
    program.parent.mkdir(parents=True)
    return Inside(place, program=program)


def test_a_vague_engram_is_flagged_mended_and_carried_on(place: Place, tmp_path: Path) -> None:
    inside = started(place, tmp_path / "one")
    assert "config work" not in inside.run("sh", "-c", ARGUMENTS).out
    terminal = place.terminals[-1]
    terminal.wait_for("e edit")  # the panel says how: F2 is Codex's own
    terminal.key("C-\\")
    terminal.wait_for("d detach")
    terminal.key("e")
    terminal.wait_for("written by the agent")
    terminal.wait_for("It does not begin with a verb: config work")
    terminal.wait_for("It says nothing that can be acted on: fix the rest")
    terminal.key("F7")
    terminal.paste(GOOD)
    terminal.wait_for("Nothing to object to.")
    terminal.key("C-s")
    terminal.wait_for("Saved.")
    terminal.wait_for("agents learn by it")
    terminal.key("Escape")
    terminal.wait_gone("Ctrl+S")

    assert (place.work / ".agent/engram.md").read_text() == GOOD
    versions = json.loads(place.run("engram", "history", "--json").stdout)["versions"]
    assert [(each["author"], each["text"]) for each in versions] == [("person", GOOD), ("agent", VAGUE)]
    assert versions[0]["sha"] == hashlib.sha256(GOOD.encode()).hexdigest()
    restored = place.run("restore").stdout
    assert GOOD.strip() in restored
    assert "config work" not in restored
    terminal.wait_for("Wrote round_cents()")  # the panel

    inside.close()
    wait_until(lambda: "ended" in terminal.text(), "the agent has ended")
    place.run("stop", place.folder().name)
    wait_until(lambda: not list((place.runtime / "agentsup").glob("*/session.json")), "the session is over")
    (place.runtime / "orders").unlink()
    again = started(place, tmp_path / "two")
    told = again.run("sh", "-c", ARGUMENTS).out
    again.close()
    good, bad = told.find(GOOD.splitlines()[1]), told.find(VAGUE.splitlines()[1])
    assert good >= 0, "the correction is the good example"
    assert bad >= 0, "what the agent wrote is the bad one"
