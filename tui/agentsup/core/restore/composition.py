"""Compose the restore text of a project's memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from agentsup.core.memory.model import Memory, Repository, Work
from agentsup.core.redaction import without_secrets, work_without_secrets
from agentsup.core.restore.built_in import built_in
from agentsup.core.restore.cutting import Count, Cutter, Fitted, most_listed
from agentsup.core.restore.foreign import fenced, weighed
from agentsup.core.restore.frame import SHORT, SHORT_FORMS, Budget, Frame, RestoreForm, Then
from agentsup.core.restore.harmless import Harmless
from agentsup.core.restore.hiding import without_secrets_of
from agentsup.core.restore.own_units import with_own
from agentsup.core.restore.parts import Part, listed
from agentsup.core.restore.short_form import shortest
from agentsup.core.text import on_one_line, sanitise
from agentsup.core.trust.accepted import as_accepted
from agentsup.core.trust.fence import walled

RULE = "━" * 12
"""What marks the engram as a special block: alone this took agents' use of it from 34 % to 61 %."""


@dataclass(frozen=True)
class Name:
    """What a text is called, and the file that a short one names."""

    id: str = ""
    number: int = 1
    rest: str = ""


_WIDEST = Name("wwwwww", 9999, "/home/person/.local/share/agentsup/sessions/wwwww.restore.txt")
"""What the header is counted with: a text is composed before it is known what it will be called."""

_ROUNDS = 40
"""Attempts to come below the limit: tokens of a text are not exactly the sum of those of its lines."""


@dataclass(frozen=True)
class UnitCount:
    """What a unit has come to."""

    name: str
    source: str
    tokens: int
    whole: int
    """Tokens it would have uncut."""
    left_out: int
    """Lines that were cut."""
    squeezed: bool
    """Whether something had to go that never should: for a person to shorten."""


@dataclass(frozen=True)
class RestoreText:
    """A restore text, but for its name: `text` gives it. A plain value, fit to be sent to another process."""

    frame: Frame
    occasion: RestoreForm
    facts: str = ""
    """The units, each under its rule line; empty where there is nothing to restore."""
    units: tuple[UnitCount, ...] = ()
    """In their order; those of which nothing is left have no tokens."""
    tokens: int = 0
    """Of the whole text at its longest: with the widest id, and the longest closing."""
    limit: int = 0
    """The most tokens it may have."""

    def __bool__(self) -> bool:
        """Say whether there is anything to restore."""
        return bool(self.facts)

    @property
    def frame_tokens(self) -> int:
        """Tokens of what stands around the units."""
        return self.tokens - sum(unit.tokens for unit in self.units)

    def text(self, *, id: str = "", number: int = 1, then: Then = "wait", rest: str = "") -> str:
        """Return the text; empty where there is nothing to restore.

        `then` is what the agent is to do once it has read back; `rest` the file that a short text names. No control
        characters are in it.
        """
        if not self:
            return ""
        return _framed(self.frame, self.occasion, self.facts, Name(id, number, on_one_line(rest)), then)


def compose(
    memory: Memory,
    budget: Budget,
    window: int | None,
    *,
    frame: Frame,
    count: Count,
    occasion: RestoreForm = "compaction",
    work: Work | None = None,
    repository: Repository | None = None,
) -> RestoreText:
    """Return the restore text of a memory in at most `budget` tokens of a model with `window` tokens."""
    limit = budget.limit(window)
    parts = parts_of(memory, frame, work or Work(), repository or Repository(), limit=limit)
    return compose_parts(parts, budget, window, frame=frame, count=count, occasion=occasion)


def parts_of(memory: Memory, frame: Frame, work: Work, repository: Repository, *, limit: int) -> tuple[Part, ...]:
    """Return the units of a memory, with the pieces that can stand in `limit` tokens: the same for every occasion."""
    # Whole files first, where what belongs together stands together; then what became of them.
    memory, work = as_accepted(without_secrets(memory)), work_without_secrets(work)
    parts = with_own(built_in(memory, frame, work, repository), memory, frame)
    # A file may have ten thousand lines: those that can't be in the text need no looking at.
    listed_parts = (listed(weighed(part, memory), most_listed(limit)) for part in parts)
    harmless = Harmless(frame)
    return without_secrets_of(fenced(harmless.part(part), memory, frame) for part in listed_parts)


def compose_parts(
    parts: Sequence[Part], budget: Budget, window: int | None, *, frame: Frame, count: Count, occasion: RestoreForm
) -> RestoreText:
    """Return the restore text of these units."""
    if occasion in SHORT_FORMS:
        parts, budget = shortest(parts, frame), Budget(min(SHORT, budget.target), budget.ceiling_percent)
    limit = budget.limit(window)
    cutter = Cutter(frame, count)
    around = frame_tokens(frame, occasion, count)
    margin = 0
    for _ in range(_ROUNDS):
        fitted = cutter.fit(parts, max(0, limit - around - margin), min(budget.target, limit))
        facts = _facts(frame, fitted)
        tokens = _longest(frame, occasion, facts, count)
        if tokens <= limit:
            return RestoreText(frame, occasion, facts, tuple(map(_counted, fitted)) if facts else (), tokens, limit)
        # First what stands between the units; then more and more, until what is over is gone.
        between = tokens - around - sum(unit.tokens for unit in fitted)
        margin = between if margin < between else margin + max(tokens - limit, margin // 4)
    return RestoreText(frame, occasion, limit=limit)


def frame_tokens(frame: Frame, occasion: RestoreForm, count: Count) -> int:
    """Return the tokens of what stands around the facts, at its longest."""
    return _longest(frame, occasion, "", count)


def _counted(fitted: Fitted) -> UnitCount:
    part = fitted.part
    return UnitCount(part.name, part.source, fitted.tokens, fitted.whole, fitted.left_out, fitted.squeezed)


def _facts(frame: Frame, units: Sequence[Fitted]) -> str:
    """Return the units' text; none where only files are listed: that is no memory."""
    if not any(unit.lines and unit.part.kind != "structure" for unit in units):
        return ""
    return sanitise("\n\n".join(_section(frame, unit) for unit in units if unit.lines))


def _section(frame: Frame, unit: Fitted) -> str:
    lines = "\n".join(walled(unit.lines, unit.part.fence))
    if unit.part.kind == "engram":
        return f"{RULE} {frame.engram} {RULE}\n{lines}\n{RULE}{RULE}"
    return f"{unit.part.heading}\n{lines}"


def _longest(frame: Frame, occasion: RestoreForm, facts: str, count: Count) -> int:
    """Return the tokens of a text whose name is as wide as any."""
    return max(count(_framed(frame, occasion, facts, _WIDEST, then)) for then in get_args(Then))


def _framed(frame: Frame, occasion: RestoreForm, facts: str, name: Name, then: Then) -> str:
    header = {
        "compaction": frame.header, "again": frame.again_header, "start": frame.start_header,
        "cold-start": frame.cold_header, "asked": frame.sent_header if name.id else frame.asked_header,
        "asked-again": frame.sent_again_header,
    }[occasion]  # fmt: skip
    closing = ""
    if occasion in ("compaction", "again"):
        closing = f"{frame.recite}\n{frame.following(then)}"
    elif occasion == "cold-start":
        closing = frame.begin
    elif name.id and then == "wait":
        closing = frame.unasked
    sections = (
        header.replace("{id}", name.id).replace("{number}", str(name.number)).replace("{rest}", name.rest),
        frame.protocol.strip() if occasion == "cold-start" else "",
        frame.legend if occasion not in SHORT_FORMS else "",
        facts,
        closing,
        frame.trailer.replace("{id}", name.id) if name.id else "",
    )
    return sanitise("\n\n".join(section for section in sections if section))
