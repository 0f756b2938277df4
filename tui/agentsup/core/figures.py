"""How figures are written, with the marks that say how they are known: the same in panels, bars and commands."""

from __future__ import annotations

from collections.abc import Callable

from agentsup.core.catalogue import Catalogue
from agentsup.core.meter import CODEX_BASELINE, Context, codex_percent_left
from agentsup.core.session import CompactionSeen, Log, Session

UNKNOWN = "?"

Write = Callable[[int], str]
"""Writes a number of tokens: short, or in full."""


def short(tokens: int) -> str:
    """Return a token count in a few characters: 950, 12.3k, 1.05M."""
    if tokens < 1000:
        return str(tokens)
    if tokens < 999_950:
        return f"{tokens / 1000:.1f}".removesuffix(".0") + "k"
    return f"{tokens / 1_000_000:.2f}".rstrip("0").rstrip(".") + "M"


def full(tokens: int) -> str:
    """Return a token count to the last token: 148,300."""
    return f"{tokens:,}"


def mark(context: Context) -> str:
    """Return what stands before a figure of what is in use: `~` about, `≥ ~` at least, nothing where it is exact."""
    return "≥ ~" if context.at_least else _about(context)


def mark_of_rest(context: Context) -> str:
    """Return what stands before a figure of what is left: the more is in use, the less is left."""
    return "≤ ~" if context.at_least else _about(context)


def _about(context: Context) -> str:
    # A stale figure is not about right, it was right: a word says so.
    return "" if context.source in ("exact", "stale") else "~"


def share(context: Context) -> float | None:
    """Return the share of the window in use that can be shown, 0.0 to 1.0; None where there is none."""
    fraction = context.fraction
    return fraction if fraction is not None and 0 <= fraction <= 1 else None


def percent(context: Context) -> str:
    """Return the share of the window in use as a percentage with its mark, `? %` where it is not known."""
    known = share(context)
    return f"{UNKNOWN} %" if known is None else f"{mark(context)}{known * 100:.0f} %"


def tokens(context: Context, catalogue: Catalogue, write: Write = short) -> str:
    """Return used and window with their mark; where the window is unknown, used alone."""
    if context.used is None:
        return catalogue.text("gauge.nothing" if share(context) is None else "gauge.share_only")
    key = "gauge.tokens" if context.window else "gauge.tokens_without_window"
    return catalogue.text(key, used=mark(context) + write(context.used), window=write(context.window or 0))


def nothing(session: Session, catalogue: Catalogue) -> str:
    """Return why there are no figures: no request so far, or no log that is surely this agent's."""
    sought = session.phase in ("idle", "working", "waiting-for-approval", "compacting")
    return catalogue.text("gauge.not_identified" if sought and not session.conversation else "gauge.nothing")


def source(context: Context, catalogue: Catalogue) -> str:
    """Return in a word how the figures are known."""
    lower_bound = context.at_least and context.source != "stale"
    return catalogue.text("source.at_least" if lower_bound else f"source.{context.source}")


def summary(context: Context, catalogue: Catalogue) -> str:
    """Return how full the context is in a few words: the share, else the figures, and what is wrong with them."""
    if share(context) is None and context.used is None:
        return UNKNOWN
    text = tokens(context, catalogue) if share(context) is None else percent(context)
    if context.window_wrong:
        return f"{text} {catalogue.text('gauge.window_wrong')}"
    return f"{text} {catalogue.text('source.stale')}" if context.source == "stale" else text


def distance(session: Session, catalogue: Catalogue, write: Write = short) -> str:
    """Return how far the agent is from compacting by itself; empty where that is unknown or does not matter."""
    context = session.context
    left = context.until_compaction
    if left is None or context.window_wrong or session.phase in ("compacting", "exited"):
        return ""
    if left == 0:
        return catalogue.text("gauge.compacts_now")
    return catalogue.text("gauge.compacts_in", tokens=mark_of_rest(context) + write(left))


def last_compaction(seen: CompactionSeen, catalogue: Catalogue, write: Write = short) -> str:
    """Return what a compaction has changed, empty where neither side is known."""
    if seen.before is None and seen.after is None:
        return ""
    before, after = (UNKNOWN if known is None else write(known) for known in (seen.before, seen.after))
    return catalogue.text("gauge.last_compaction", before=before, after=after)


def log_troubles(log: Log, catalogue: Catalogue) -> list[str]:
    """Return what could not be taken from the log, the worst first."""
    found = (
        ("unknown_format", log.unknown_format),
        ("unreadable", log.unreadable),
        ("skipped", log.skipped),
        ("from_middle", log.from_middle),
    )
    return [catalogue.text(f"gauge.log.{name}", count=number) for name, number in found if number]


def count(number: int, log: Log) -> str:
    """Return a count taken from the log; of a log that was not read as a whole it is a lower bound."""
    return f"≥ {number}" if log.from_middle or log.unknown_format else str(number)


def agents_percent_left(session: Session) -> int | None:
    """Return the "% context left" that the agent itself shows for these figures; None where it shows none."""
    if session.agent.name != "codex" or session.context.source == "stale":
        return None
    return codex_percent_left(session.context)


def agents_own(session: Session, catalogue: Catalogue) -> tuple[str, str]:
    """Return the percentage that the agent itself shows, and why it is another one; empty where there is none."""
    left = agents_percent_left(session)
    if left is None or session.context.window_wrong:
        return "", ""
    return (
        catalogue.text("gauge.codex_left", percent=f"{mark_of_rest(session.context)}{left}"),
        catalogue.text("gauge.codex_left_why", baseline=full(CODEX_BASELINE)),
    )
