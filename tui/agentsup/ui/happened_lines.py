"""What has happened around compactions, in words: a line for each, the newest last."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import assert_never, cast

from textual.content import Content

from agentsup.core.catalogue import Catalogue
from agentsup.core.continuity import Happened
from agentsup.core.events import InjectionState
from agentsup.core.figures import short
from agentsup.core.session import Injection, goes_by_itself
from agentsup.ui.panels.gauge_lines import injection_words

_ON_THE_WAY = ("queued", "writing", "submitted")
"""States of an injection that say nothing once there is a later one."""

_STYLES = {
    "confirmed": "$success", "failed": "$error", "held": "$warning", "right": "$success", "wrong": "$error",
    "sent-back": "$warning", "refused": "$error", "open": "$error",
}  # fmt: skip


def told(happened: Sequence[Happened]) -> list[Happened]:
    """Return what is worth a line, by its time: where an injection has come further, not by which states."""
    shown = []
    later: set[str] = set()
    # A log that is read once more tells its compactions again.
    by_time = sorted(dict.fromkeys(happened), key=lambda each: each.time)
    for entry in by_time[::-1]:
        occasion = entry.detail.partition("\n")[0] if entry.kind == "injection" else ""
        if not (occasion in later and _is_on_the_way(entry)):
            shown.append(entry)
        if occasion:
            later.add(occasion)
    return shown[::-1]


def _style(entry: Happened) -> str:
    return "" if entry.kind == "injection" and goes_by_itself(_injection(entry)) else _STYLES.get(entry.what, "")


def _is_on_the_way(entry: Happened) -> bool:
    return entry.what in _ON_THE_WAY or goes_by_itself(_injection(entry))


def lines(happened: Sequence[Happened], catalogue: Catalogue) -> list[Content]:
    """Return a line for each entry: when, and what."""
    clock = [_when(entry.time) for entry in happened]
    return [
        Content.assemble((f"{when}  ", "$quiet"), Content.styled(words(entry, catalogue), _style(entry)))
        for when, entry in zip(clock, happened, strict=True)
    ]


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
            return injection_words(_injection(entry), catalogue)
        case "verdict":
            verdict = text(f"happened.verdict.{entry.what}")
            return verdict if entry.detail != "person" else text("happened.verdict.by_person", verdict=verdict)
        case "engram" | "breaker":
            key = f"happened.{entry.kind}.{entry.what}"
            return text(key) if catalogue.has(key) else entry.what
        case _:
            assert_never(entry.kind)


def _injection(entry: Happened) -> Injection:
    occasion, reason, id = (*entry.detail.split("\n"), "", "")[:3]
    state = cast("InjectionState", entry.what)
    return Injection(id, occasion, state, reason, entry.time, entry.channel)


def _when(moment: float) -> str:
    """Return a time of this day by the clock, another one with its date."""
    local = time.localtime(moment)
    today = time.localtime()[:3] == local[:3]
    return time.strftime("%H:%M:%S" if today else "%Y-%m-%d %H:%M:%S", local)
