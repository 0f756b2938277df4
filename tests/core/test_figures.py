"""Figures carry the marks that say how they are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsup.core import figures
from agentsup.core.meter import Context
from agentsup.core.session import Agent, CompactionSeen, Log, Session
from agentsup.locale import load

ENGLISH = load("en")
SESSION = Session("abcde", "/project", Agent("codex"), phase="idle")


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (0, "0"), (999, "999"), (1_000, "1k"), (12_345, "12.3k"), (999_949, "999.9k"), (999_950, "1M"),
        (1_050_000, "1.05M"),
    ],
)  # fmt: skip
def test_short_counts(tokens: int, text: str) -> None:
    assert figures.short(tokens) == text


@pytest.mark.parametrize(
    ("context", "summary", "tokens"),
    [
        (Context(148_300, 200_000, "exact"), "74 %", "148.3k / 200k"),
        (Context(148_300, 200_000, "estimate"), "~74 %", "~148.3k / 200k"),
        (Context(148_300, 200_000, "estimate", at_least=True), "≥ ~74 %", "≥ ~148.3k / 200k"),
        (Context(148_300, 200_000, "stale"), "74 % stale", "148.3k / 200k"),
        (Context(148_300, 200_000, "unknown"), "~74 %", "~148.3k / 200k"),
        (Context(148_300, None, "exact"), "148.3k tokens", "148.3k tokens"),
        (Context(148_300, None, "estimate"), "~148.3k tokens", "~148.3k tokens"),
        (Context(None, 200_000, "exact", share=0.5), "50 %", "without figures"),
        (Context(None, 200_000), "?", "no figures yet"),
        (Context(940_000, 200_000, "exact"), "940k / 200k window wrong", "940k / 200k"),
        (Context(None, None, "exact", share=4.7), "?", "no figures yet"),
        (Context(200_000, 200_000, "exact"), "100 %", "200k / 200k"),
    ],
)
def test_a_context_in_words(context: Context, summary: str, tokens: str) -> None:
    assert (figures.summary(context, ENGLISH), figures.tokens(context, ENGLISH)) == (summary, tokens)


@pytest.mark.parametrize(
    ("context", "text"),
    [
        (Context(167_700, 200_000, "exact", compacts_at=180_000), "compacts in 12.3k"),
        (Context(167_700, 200_000, "estimate", compacts_at=180_000), "compacts in ~12.3k"),
        (Context(167_700, 200_000, "estimate", compacts_at=180_000, at_least=True), "compacts in ≤ ~12.3k"),
        (Context(180_000, 200_000, "exact", compacts_at=180_000), "compacts at any moment"),
        (Context(167_700, 200_000, "stale", compacts_at=180_000), ""),
        (Context(210_000, 200_000, "exact", compacts_at=180_000), ""),
        (Context(167_700, 200_000, "exact"), ""),
        (Context(None, 200_000, compacts_at=180_000), ""),
    ],
)
def test_the_distance_to_a_compaction(context: Context, text: str) -> None:
    assert figures.distance(replace(SESSION, context=context), ENGLISH) == text
    assert figures.distance(replace(SESSION, context=context, phase="exited"), ENGLISH) == ""


def test_codexs_own_figure_is_shown_for_codex_alone() -> None:
    session = replace(SESSION, context=Context(20_000, 38_000, "estimate"))
    shown, why = figures.agents_own(session, ENGLISH)
    assert shown == "Codex shows ~69 % left"
    assert "12,000" in why
    assert figures.agents_percent_left(replace(session, agent=Agent("claude"))) is None
    assert figures.agents_percent_left(replace(session, context=replace(session.context, source="stale"))) is None


def test_what_a_compaction_changed() -> None:
    seen = CompactionSeen("c", 1.0, 186_000, 24_000, "auto")
    assert figures.last_compaction(seen, ENGLISH) == "last 186k → 24k"
    assert figures.last_compaction(replace(seen, after=None), ENGLISH, figures.full) == "last 186,000 → ?"
    assert figures.last_compaction(replace(seen, before=None, after=None), ENGLISH) == ""


def test_counts_of_a_part_of_the_log_are_lower_bounds() -> None:
    assert figures.count(12, Log("/log", skipped=1, unreadable=1)) == "12"
    assert figures.count(12, Log("/log", from_middle=True)) == "≥ 12"
    assert figures.count(0, Log("/log", unknown_format=True)) == "≥ 0"


def test_without_figures_it_is_said_whether_the_log_is_known() -> None:
    catalogue = load("en")
    starting = Session("s", "/p", Agent("claude"))
    assert figures.nothing(starting, catalogue) == "no figures yet"
    assert figures.nothing(replace(starting, phase="idle"), catalogue) == "its log is not identified yet"
    assert figures.nothing(replace(starting, phase="idle", conversation="c"), catalogue) == "no figures yet"
    assert figures.nothing(replace(starting, phase="unknown"), catalogue) == "no figures yet"
