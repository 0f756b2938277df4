"""Sessions in which a person has something to decide about the loop around compactions."""

from __future__ import annotations

from dataclasses import replace

from agentsup.core.breaker import Breaker
from agentsup.core.continuity import Continuity, Hooks, Recital
from agentsup.core.occasion import as_written
from agentsup.core.recital import MISSING_NEXT, MISSING_TASK, TABOO
from agentsup.core.session import Injection, Notice
from tests.ui.scenes import CALM

SAID = """\
My current task is to speed up the invoice export; I will keep its figures as they are.

Next I rewrite billing/tax.py with [bold]Decimal[/bold] and\x1b[31m compare it with last month's export,
因为 tax.py 里仍然逐行舍入。"""

_INSTALLED = Continuity(Hooks(installed=True))

WRONG = replace(
    CALM,
    phase="idle",
    injection=Injection("k3f2ab", as_written("compaction:c:1"), "confirmed", channel="hook"),
    loop=Continuity(recital=Recital("k3f2ab", "wrong", SAID, missing=(MISSING_TASK, MISSING_NEXT, TABOO))),
    notices=(Notice("recital.wrong-taboo"),),
)
RIGHT = replace(
    WRONG,
    loop=Continuity(recital=Recital("k3f2ab", "right", "Task: exact rounding. Next: run the whole suite.")),
    notices=(),
)
UNCLEAR = replace(RIGHT, loop=Continuity(recital=Recital("k3f2ab", "unclear", "Weiter geht's.")))
LONG = replace(
    WRONG, loop=Continuity(recital=Recital("k3f2ab", "wrong", f"{SAID}\n" * 30, missing=(MISSING_TASK,)))
)  # fmt: skip

DRAFT = replace(
    CALM, injection=Injection("k3f2ab", as_written("compaction:c:1"), "held", "injection.draft"), loop=_INSTALLED
)
TYPED_ONLY = replace(DRAFT, loop=Continuity())
GATED = replace(DRAFT, injection=Injection("k3f2ab", as_written("compaction:c:1"), "held", "injection.gate"))
STORM = replace(
    DRAFT,
    injection=Injection("k3f2ab", as_written("compaction:c:4"), "held", "injection.breaker"),
    loop=Continuity(Hooks(installed=True), breaker=Breaker(in_a_row=3, burnt=412_000)),
    notices=(Notice("breaker.open", (("count", "3"), ("tokens", "412k"))),),
)
BY_HOOK = replace(
    DRAFT,
    injection=Injection("k3f2ab", as_written("compaction:c:1"), "held", "injection.waits-for-hook", channel="hook"),
)
FAILED = replace(DRAFT, injection=Injection("k3f2ab", as_written("compaction:c:1"), "failed", "injection.not-recorded"))
OURS_STANDS = replace(DRAFT, notices=(Notice("composer.ours", (("id", "b3f2ab"), ("size", "1,204"))),))
OURS_IS_STUCK = replace(DRAFT, notices=(Notice("composer.ours-stuck", (("id", "b3f2ab"), ("size", "1,204"))),))

SCENES = {
    "wrong": WRONG, "right": RIGHT, "unclear": UNCLEAR, "long": LONG, "draft": DRAFT, "gated": GATED, "storm": STORM,
    "by-hook": BY_HOOK, "failed": FAILED, "ours-stands": OURS_STANDS,
}  # fmt: skip
