"""Screens and sessions to show: a coding agent's screen at any size, sessions in every state of interest."""

from __future__ import annotations

from dataclasses import replace

from agentsup.core.events import Spent
from agentsup.core.memory.model import Document, Memory
from agentsup.core.meter import Context
from agentsup.core.occasion import Occasion
from agentsup.core.screen import BOLD, DIM, RGB_FLAG, CellStyle, Cursor, Modes, Scrollback
from agentsup.core.session import Agent, CompactionSeen, Injection, Log, Notice, Session
from agentsup.protocol.messages import Frame, WireRun

STYLES = (
    CellStyle(),
    CellStyle(flags=DIM),
    CellStyle(flags=BOLD),
    CellStyle(foreground=6),
    CellStyle(foreground=2),
    CellStyle(foreground=1),
    CellStyle(foreground=RGB_FLAG | 0xC0A36E),
    CellStyle(background=RGB_FLAG | 0x2B2F38),
)
PLAIN, QUIET, STRONG, CYAN, GREEN, RED, GOLD, BOX = range(len(STYLES))

_LINES: tuple[tuple[WireRun, ...], ...] = (
    (("› ", 2, CYAN), ("Round every invoice once, at the end, and keep the ledger exact.", 64, PLAIN)),
    (),
    (("• ", 2, QUIET), ("Explored", 8, STRONG)),
    (("  └ ", 4, QUIET), ("Read ", 5, CYAN), ("billing/ledger.py, billing/rounding.py", 38, PLAIN)),
    (("    ", 4, QUIET), ("Search ", 7, CYAN), ("round_half_even in billing/", 27, PLAIN)),
    (),
    (("• ", 2, QUIET), ("Edited ", 7, STRONG), ("billing/rounding.py (+3 -2)", 27, PLAIN)),
    (("    41 ", 7, QUIET), ("-    return round(amount, 2)", 28, RED)),
    (("    41 ", 7, QUIET), ("+    return amount.quantize(CENT, ROUND_HALF_EVEN)", 50, GREEN)),
    (),
    (("• ", 2, QUIET), ("Ran ", 4, STRONG), ("pytest -q tests/test_rounding.py", 32, PLAIN)),
    (("  └ ", 4, QUIET), ("3 passed in 0.41s  余额 ✓", 25, PLAIN)),
    (),
    (("• ", 2, GOLD), ("Working ", 8, STRONG), ("(12s • esc to interrupt)", 24, QUIET)),
)


def frame(columns: int, rows: int, modes: Modes, scrollback: Scrollback | None = None) -> Frame:
    """Return a whole screen: an agent at work, its composer at the bottom."""
    composer = max(0, rows - 3)
    lines: dict[int, tuple[WireRun, ...]] = dict(enumerate(_LINES[: max(0, composer - 1)]))
    lines[composer] = (("› ", 2, BOX), (" " * max(0, columns - 2), max(0, columns - 2), BOX))
    lines[rows - 1] = (("  ? for shortcuts", 17, QUIET),)
    known = tuple((row, lines.get(row, ())) for row in range(rows))
    cursor = Cursor(2, composer, True, 2)
    return Frame(True, columns, rows, STYLES, known, cursor, modes, "fix rounding", scrollback or Scrollback())


ENGRAM = """\
[Task] Make invoice rounding exact: round once, at the end
[Progress] Replaced round() by Decimal.quantize in billing/rounding.py
[Files] billing/rounding.py:30-58 billing/ledger.py:12-40
[Pending] billing/ledger.py: Ledger.close still sums rounded lines
[Taboo] Don't touch billing/tax.py: its figures are audited
"""

STATE = """\
# STATE
## Scope
- billing/ only
## Completed
- quantize in rounding.py (3f2a91c)
- property test for half-even (pytest -q tests/test_rounding.py)
## In progress
- Ledger.close sums exact amounts
## Next
1. run the whole suite
2. compare with last month's export
## Evidence
- pytest -q tests/test_rounding.py: 3 passed
"""

SAWTOOTH = (*range(9_000, 182_000, 19_000), *range(22_000, 187_000, 18_000), *range(24_000, 149_000, 12_000))
"""Readings with two compactions between them."""

WORKING = Session(
    id="s1",
    project="/home/ann/shop",
    agent=Agent("codex", 4711, "0.171.0"),
    started=1.0,
    phase="working",
    phase_by="report",
    reported="working",
    turn="t12",
    turns=12,
    context=Context(148_300, 200_000, "exact", compacts_at=180_000),
    spent=Spent(1_834_500, 1_502_000, 61_300),
    usage=SAWTOOTH,
    compactions=(
        CompactionSeen("c1", 2.0, 181_000, 22_000, "auto"),
        CompactionSeen("c2", 3.0, 186_000, 24_000, "auto"),
    ),
    injection=Injection("k3f2", Occasion("restore"), "held", "injection.draft"),
    memory=Memory(Document(".agent/engram.md", ENGRAM), Document(".agent/STATE.md", STATE)),
)

CONFIRMED = replace(
    WORKING,
    phase="idle",
    context=Context(31_000, 200_000, "exact", compacts_at=180_000),
    injection=Injection("k3f2", Occasion("restore"), "confirmed"),
)
FRESH = Session(id="s2", project="/home/ann/shop", agent=Agent("codex"), phase="starting")
CALM = replace(WORKING, injection=None)
"""Nothing waits: the gauge has all its rows for figures."""
ESTIMATE = replace(CALM, context=replace(CALM.context, used=162_000, source="estimate"))
AT_LEAST = replace(CALM, context=replace(CALM.context, used=24_000, source="estimate", at_least=True))
STALE = replace(CALM, phase="idle", context=replace(CALM.context, used=186_000, source="stale"))
UNKNOWN = replace(CALM, phase="unknown", phase_by="process", context=Context(), usage=(), compactions=(), spent=None)
WRONG_WINDOW = replace(WORKING, context=replace(WORKING.context, used=212_000))
WAITING = replace(CALM, phase="waiting-for-approval", context=replace(CALM.context, used=171_000))
COMPACTING = replace(CALM, phase="compacting", phase_by="screen", context=replace(CALM.context, used=181_200))
LOG_TROUBLE = replace(CALM, log=Log("/log", skipped=3, unreadable=2, from_middle=True), failed_compactions=1)
NOTICED = replace(WORKING, notices=(Notice("memory.no-engram"), Notice("interface.version")))
EXITED = replace(
    WORKING, phase="exited", phase_by="process", agent=Agent("codex", 4711, "0.171.0", code=1), injection=None
)

SCENES: dict[str, Session] = {
    "working": WORKING,
    "confirmed": CONFIRMED,
    "fresh": FRESH,
    "estimate": ESTIMATE,
    "at-least": AT_LEAST,
    "stale": STALE,
    "unknown": UNKNOWN,
    "wrong": WRONG_WINDOW,
    "waiting": WAITING,
    "compacting": COMPACTING,
    "log-trouble": LOG_TROUBLE,
    "noticed": NOTICED,
    "exited": EXITED,
}
