"""What the gauge says in words, each line at most as wide as it may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual.content import Content

from agentsup.core.catalogue import Catalogue
from agentsup.core.continuity import Recital
from agentsup.core.events import Verdict
from agentsup.core.figures import (
    agents_own,
    count,
    distance,
    last_compaction,
    log_troubles,
    mark,
    nothing,
    share,
    short,
    source,
    tokens,
)
from agentsup.core.meter import Context
from agentsup.core.session import Log, Phase, Session
from agentsup.core.shown_injection import goes_by_itself, injection_words, reason_now, shown_injection

PHASE_MARKS: dict[Phase, tuple[str, str]] = {
    "starting": ("○", "$quiet"),
    "idle": ("●", "$success"),
    "working": ("●", "$primary"),
    "waiting-for-approval": ("◆", "$warning"),
    "compacting": ("◐", "$warning"),
    "exited": ("■", "$quiet"),
    "unknown": ("○", "$quiet"),
}

_VERDICT_STYLES: dict[Verdict, str] = {"right": "$success", "wrong": "$error", "unclear": "$warning"}

DOT = Content.styled(" · ", "$quiet")


def tokens_lines(session: Session, catalogue: Catalogue, width: int) -> list[Content]:
    """Return used and window, how they are known, and how far it is to a compaction: in two lines or in one."""
    context, left = session.context, distance(session, catalogue)
    if context.used is None and share(context) is None:
        return [Content.styled(nothing(session, catalogue), "$quiet")]
    tokens_only = tokens_line(context, catalogue, width)
    if not left:
        return [tokens_only]
    far = Content.styled(left, "$quiet" if context.until_compaction else "$warning")
    one = Content.assemble(tokens(context, catalogue), DOT, far)
    word = source_word(context, catalogue)
    space = width - one.cell_length - word.cell_length
    return [Content.assemble(one, " " * space, word)] if space > 0 else [tokens_only, far]


def tokens_line(context: Context, catalogue: Catalogue, width: int) -> Content:
    """Return used and window, and how they are known; in a narrow panel only what no mark says."""
    text = tokens(context, catalogue)
    word = source_word(context, catalogue)
    space = width - Content(text).cell_length - word.cell_length
    if space <= 0 and context.source == "stale" and context.used is not None:
        text = mark(context) + short(context.used)
        space = width - len(text) - word.cell_length
    return Content.assemble(text, " " * space, word) if space > 0 and word else Content(text)


def source_word(context: Context, catalogue: Catalogue) -> Content:
    """Return how the figures are known; nothing where one of them must be wrong."""
    word = "" if context.window_wrong else source(context, catalogue)
    return Content.styled(word, "$warning" if context.source == "stale" else "$quiet")


def phase_line(session: Session, catalogue: Catalogue) -> Content:
    """Return what the agent is doing."""
    symbol, style = PHASE_MARKS[session.phase]
    return Content.assemble((f"{symbol} ", style), catalogue.text(f"phase.{session.phase}"))


def phase_with_source(session: Session, catalogue: Catalogue, width: int) -> Content:
    """Return what the agent is doing and, where there is room, by what that is known."""
    phase = phase_line(session, catalogue)
    whole = Content.assemble(phase, DOT, (catalogue.text(f"phase_by.{session.phase_by}"), "$quiet"))
    return whole if whole.cell_length <= width else phase


def counts_lines(session: Session, catalogue: Catalogue, width: int) -> list[Content]:
    """Return turns and compactions, in as many lines as they need."""
    log, failed = session.log, session.failed_compactions
    parts = [
        Content.styled(catalogue.text("gauge.turns", count=count(session.turns, log)), "$quiet"),
        Content.styled(catalogue.text("gauge.compactions", count=count(len(session.compactions), log)), "$quiet"),
    ]
    if failed:
        parts.append(Content.styled(catalogue.text("gauge.failed", count=count(failed, log)), "$warning"))
    if session.compactions and (last := last_compaction(session.compactions[-1], catalogue)):
        parts.append(Content.styled(last, "$quiet"))
    return flowing(parts, width)


def log_line(log: Log, catalogue: Catalogue, width: int) -> Content | None:
    """Return what could not be taken from the log, the worst first and as much as fits; None where all is well."""
    troubles = log_troubles(log, catalogue)
    if not troubles:
        return None
    lines = [catalogue.text("gauge.log_trouble", troubles=" · ".join(troubles[: n + 1])) for n in range(len(troubles))]
    fitting = [line for line in lines if Content(line).cell_length <= width]
    return Content.styled(fitting[-1] if fitting else lines[0], "$warning")


def injection_line(session: Session, catalogue: Catalogue, *, brief: bool = False) -> Content:
    """Return where the injection stands that a person should see; `brief`: its state and reason alone."""
    injection = shown_injection(session)
    if injection is None:
        return Content.styled(catalogue.text("injection.none"), "$quiet")
    styles = {"confirmed": "$success", "failed": "$error", "held": "$warning"}
    style = "" if goes_by_itself(injection) else styles.get(injection.state, "")
    now = replace(injection, reason=reason_now(session, injection))
    return Content.styled(injection_words(now, catalogue, brief=brief), style)


def recital_line(recital: Recital | None, catalogue: Catalogue, *, brief: bool = False) -> Content | None:
    """Return how what the agent has read back compares with memory; None where it has read nothing back."""
    if recital is None:
        return None
    key = f"{recital.verdict}_short" if brief else recital.verdict
    return Content.styled(catalogue.text(f"recital_line.{key}"), _VERDICT_STYLES[recital.verdict])


def spent_line(session: Session, catalogue: Catalogue, width: int) -> Content | None:
    """Return what the conversation has used up, which is not what is in the context; None where there is no room."""
    if session.spent is None:
        return None
    mark = "≥ " if session.spent.at_least or session.log.from_middle else ""
    spent = {name: short(getattr(session.spent, name)) for name in ("cached", "output")}
    spent["input"] = mark + short(session.spent.input)
    lines = [Content.styled(catalogue.text(f"gauge.{key}", **spent), "$quiet") for key in ("spent", "spent_short")]
    return next((line for line in lines if line.cell_length <= width), None)


def agents_own_lines(session: Session, catalogue: Catalogue, width: int) -> tuple[list[Content], list[Content]]:
    """Return the percentage that the agent itself shows, and why it is another one: in one line where that fits."""
    shown, reason = (Content.styled(text, "$quiet") for text in agents_own(session, catalogue))
    if not shown:
        return [], []
    one, *more = flowing([shown, reason], width)
    return [one], wrapped(reason, width) if more else []


def flowing(parts: Sequence[Content], width: int, between: Content = DOT) -> list[Content]:
    """Return the parts, as many in a line as fit."""
    lines: list[Content] = []
    for part in parts:
        if lines and lines[-1].cell_length + between.cell_length + part.cell_length <= width:
            lines[-1] = Content.assemble(lines[-1], between, part)
        else:
            lines.append(part)
    return lines


def wrapped(text: Content, width: int) -> list[Content]:
    """Return a text in lines."""
    return [line for line in text.wrap(width) if line.plain.strip()]
