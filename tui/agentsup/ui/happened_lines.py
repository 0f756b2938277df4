"""What has happened around compactions, in words: a line for each, the newest last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never, cast

from textual.content import Content

from agentsup.core.catalogue import Catalogue
from agentsup.core.continuity import Happened
from agentsup.core.events import InjectionState
from agentsup.core.figures import short
from agentsup.core.occasion import Occasion
from agentsup.core.session import Injection
from agentsup.core.shown_injection import goes_by_itself, injection_words
from agentsup.locale.time_of_day import when

_ON_THE_WAY = ("queued", "writing", "submitted")
"""States of an injection that say nothing once there is a later one."""

_STYLES = {
    "confirmed": "$success", "failed": "$error", "held": "$warning", "right": "$success", "wrong": "$error",
    "sent-back": "$warning", "refused": "$error", "open": "$error",
}  # fmt: skip


def told(happened: Sequence[Happened]) -> list[Happened]:
    """Return what is worth a line, by its time: where an injection has come further, not by which states."""
    shown = []
    later: set[Occasion] = set()
    # A log that is read once more tells its compactions again.
    by_time = sorted(dict.fromkeys(happened), key=lambda each: each.time)
    for entry in by_time[::-1]:
        if not (entry.occasion in later and _is_on_the_way(entry)):
            shown.append(entry)
        if entry.occasion is not None:
            later.add(entry.occasion)
    return shown[::-1]


def _style(entry: Happened) -> str:
    injection = _injection(entry)
    return "" if injection is not None and goes_by_itself(injection) else _STYLES.get(entry.what, "")


def _is_on_the_way(entry: Happened) -> bool:
    injection = _injection(entry)
    return entry.what in _ON_THE_WAY or (injection is not None and goes_by_itself(injection))


def lines(happened: Sequence[Happened], catalogue: Catalogue) -> list[Content]:
    """Return a line for each entry: when, and what."""
    return [
        Content.assemble((f"{when(each.time, seconds=True)}  ", "$quiet"), _line(each, catalogue)) for each in happened
    ]


def _line(entry: Happened, catalogue: Catalogue) -> Content:
    return Content.styled(words(entry, catalogue), _style(entry))


def words(entry: Happened, catalogue: Catalogue) -> str:
    """Return what an entry says."""
    text = catalogue.text
    match entry.kind:
        case "compaction":
            sizes = ""
            if entry.before is not None and entry.after is not None:
                sizes = text("happened.compaction.sizes", before=short(entry.before), after=short(entry.after))
            return text(f"happened.compaction.{entry.what}", sizes=sizes)
        case "injection":
            injection = _injection(entry)
            return "" if injection is None else injection_words(injection, catalogue)
        case "verdict":
            verdict = text(f"happened.verdict.{entry.what}")
            return verdict if entry.by != "person" else text("happened.verdict.by_person", verdict=verdict)
        case "engram" | "breaker":
            key = f"happened.{entry.kind}.{entry.what}"
            return text(key) if catalogue.has(key) else entry.what
        case _:
            assert_never(entry.kind)


def _injection(entry: Happened) -> Injection | None:
    if entry.occasion is None:
        return None
    state = cast("InjectionState", entry.what)
    return Injection(entry.id, entry.occasion, state, entry.reason, entry.time, entry.channel)
