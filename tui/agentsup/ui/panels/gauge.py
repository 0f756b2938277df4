"""How full the context is, what the agent is doing, and where an injection stands."""

from __future__ import annotations

from textual.content import Content

from agentsup.core.catalogue import Catalogue
from agentsup.core.meter import Context
from agentsup.core.session import Injection, Phase, Session
from agentsup.ui.panels import Panel

THRESHOLDS: tuple[tuple[float, str], ...] = ((0.85, "85"), (0.80, "80"), (0.70, "70"))
"""From which share of the window on the gauge changes its colour."""

PHASE_MARKS: dict[Phase, tuple[str, str]] = {
    "starting": ("○", "$quiet"),
    "idle": ("●", "$success"),
    "working": ("●", "$primary"),
    "waiting-for-approval": ("◆", "$warning"),
    "compacting": ("◐", "$warning"),
    "exited": ("■", "$quiet"),
    "unknown": ("○", "$quiet"),
}

_LEVELS = " ▁▂▃▄▅▆▇█"
_SPARK_ROWS = 4


def gauge(session: Session, catalogue: Catalogue, width: int, height: int) -> Content:
    """Return the gauge; of a low panel the most important lines: bar, tokens, phase, injection."""
    lines = [
        bar_line(session.context, width),
        tokens_line(session.context, catalogue, width),
        phase_line(session, catalogue),
    ]
    injection = injection_line(session.injection, catalogue)
    counts = counts_line(session, catalogue).truncate(width, ellipsis=True)
    if height < 4 and session.injection is not None:
        del lines[1]
    if height >= 8:
        lines.insert(2, Content(""))
        rows = min(_SPARK_ROWS, height - 7)
        return Content("\n").join([*lines, counts, injection, *sparkline(session, width, rows)])
    if height >= 5 and injection.cell_length <= width:
        lines.append(counts)
    return Content("\n").join([*lines, injection])


def bar_line(context: Context, width: int) -> Content:
    """Return the bar and the percentage; an unknown share is an empty bar, never a guess."""
    fraction = context.fraction
    label = "  ? %" if fraction is None else f"{fraction:4.0%}".replace("%", " %").rjust(5)
    room = max(1, width - len(label) - 1)
    filled = 0 if fraction is None else round(fraction * room * 2)
    full, half = divmod(filled, 2)
    return Content.assemble(
        ("━" * full + "╸" * half, colour(fraction)),
        ("─" * (room - full - half), "$rule"),
        " ",
        (label, f"bold {colour(fraction)}"),
    )


def colour(fraction: float | None) -> str:
    """Return the theme variable for a share of the window."""
    if fraction is None:
        return "$quiet"
    return next((f"$gauge-{name}" for limit, name in THRESHOLDS if fraction >= limit), "$gauge-calm")


def tokens_line(context: Context, catalogue: Catalogue, width: int) -> Content:
    """Return used and window, and how the figures are known."""
    if context.used is None:
        return Content.styled(catalogue.text("gauge.nothing"), "$quiet")
    wrong = context.window is not None and context.used > context.window
    key = "gauge.tokens" if context.window else "gauge.tokens_without_window"
    window = "" if context.window is None else short(context.window)
    figures = catalogue.text(key, used=short(context.used), window=window)
    mark = catalogue.text("gauge.window_wrong" if wrong else f"source.{context.source}")
    style = "$warning" if wrong or context.source == "stale" else "$quiet"
    space = max(1, width - Content(figures).cell_length - Content(mark).cell_length)
    return Content.assemble(figures, " " * space, (mark, style))


def phase_line(session: Session, catalogue: Catalogue) -> Content:
    """Return what the agent is doing."""
    mark, style = PHASE_MARKS[session.phase]
    return Content.assemble((f"{mark} ", style), catalogue.text(f"phase.{session.phase}"))


def counts_line(session: Session, catalogue: Catalogue) -> Content:
    """Return turns and compactions."""
    turns = catalogue.text("gauge.turns", count=session.turns)
    compactions = catalogue.text("gauge.compactions", count=len(session.compactions))
    return Content.styled(f"{turns} · {compactions}", "$quiet")


def injection_line(injection: Injection | None, catalogue: Catalogue) -> Content:
    """Return where the newest injection stands."""
    if injection is None:
        return Content.styled(catalogue.text("injection.none"), "$quiet")
    kind = injection.occasion.partition(":")[0]
    occasion = f"occasion.{kind}"
    text = catalogue.text(
        "injection.line_with_reason" if injection.reason else "injection.line",
        occasion=catalogue.text(occasion) if catalogue.has(occasion) else kind,
        id=injection.id,
        state=catalogue.text(f"injection.{injection.state}"),
        reason=catalogue.text(injection.reason) if injection.reason else "",
    )
    styles = {"confirmed": "$success", "failed": "$error", "held": "$warning"}
    return Content.styled(text, styles.get(injection.state, ""))


def sparkline(session: Session, width: int, rows: int) -> list[Content]:
    """Return the last readings as columns, `rows` high, against the window where it is known."""
    readings = session.usage[-width:]
    if len(readings) < 2 or rows < 1:
        return []
    top = max(session.context.window or 0, *readings) or 1
    heights = [round(reading / top * rows * 8) for reading in readings]
    lines = ("".join(_LEVELS[min(8, max(0, h - 8 * row))] for h in heights) for row in reversed(range(rows)))
    return [Content.styled(line, "$quiet") for line in lines]


def short(tokens: int) -> str:
    """Return a token count in at most five characters: 950, 12.3k, 1.05M."""
    if tokens < 1000:
        return str(tokens)
    if tokens < 999_950:
        return f"{tokens / 1000:.1f}".removesuffix(".0") + "k"
    return f"{tokens / 1_000_000:.2f}".rstrip("0").rstrip(".") + "M"


class GaugePanel(Panel):
    """The gauge."""

    TITLE_KEY = "gauge.title"

    def draw(self, session: Session, catalogue: Catalogue, width: int, height: int) -> Content:
        """Return the gauge."""
        return gauge(session, catalogue, width, height)
