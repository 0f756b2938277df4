"""The gauge as a function of the session: what it says at every size, and what it never says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from agentsup.core.breaker import Breaker
from agentsup.core.continuity import Continuity, Recital
from agentsup.core.events import InjectionState, Spent, UsageSource
from agentsup.core.meter import Context
from agentsup.core.occasion import Occasion, as_written
from agentsup.core.session import Agent, Injection, Log, Session
from agentsup.locale import load
from agentsup.ui.panels.gauge import gauge
from agentsup.ui.panels.gauge_bar import bar_line, shown_colour
from agentsup.ui.panels.sparkline import sparkline
from agentsup.ui.status_bar import status_line
from tests.ui.scenes import CALM, COMPACTING, LOG_TROUBLE, UNKNOWN, WORKING, WRONG_WINDOW
from tests.ui.sessions import sessions

CATALOGUES = {language: load(language) for language in ("en", "zh-CN")}
ENGLISH = CATALOGUES["en"]
SOURCES: tuple[UsageSource, ...] = ("exact", "estimate", "stale", "unknown")
SIZES = ((20, 3), (22, 5), (28, 8), (60, 30), (77, 9))


def drawn(session: Session, width: int = 40, height: int = 30, language: str = "en") -> list[str]:
    return gauge(session, CATALOGUES[language], width, height).plain.split("\n")


def bar(context: Context, width: int = 46) -> str:
    return bar_line(context, ENGLISH, width).plain


@given(sessions(), st.integers(1, 80), st.integers(1, 40), st.sampled_from(["en", "zh-CN"]))
def test_any_session_fits_any_size(session: Session, width: int, height: int, language: str) -> None:
    catalogue = CATALOGUES[language]
    lines = drawn(session, width, height, language)
    assert max(Content(line).cell_length for line in lines) <= width
    if session.injection is None:
        assert len(lines) <= height
    status = status_line(session, catalogue, width, leader="Ctrl+\\", notices=session.notices)
    assert status.cell_length <= width


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("window", [200_000, None])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("at_least", [False, True])
def test_how_figures_are_known_is_always_told(
    source: UsageSource, window: int | None, size: tuple[int, int], at_least: bool
) -> None:
    first, second, *_ = drawn(replace(CALM, context=Context(148_300, window, source, at_least=at_least)), *size)
    mark = "≥ ~" if at_least else "" if source in ("exact", "stale") else "~"
    assert second.startswith(f"{mark}148.3k")
    assert ("stale" in second) == (source == "stale")
    if window is None:
        assert first.endswith(" ? %")
        assert not set(first) & set("━╸╍")
    else:
        assert first.endswith(f" {mark}74 %")
        assert ("╍" in first) == (source == "stale")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(
    "context", [Context(), Context(None, 200_000), Context(-5, 200_000), Context(None, None, "exact", share=4.7)]
)
def test_an_unknown_share_is_an_empty_bar(context: Context, size: tuple[int, int]) -> None:
    first = drawn(replace(CALM, context=context), *size)[0]
    assert first.endswith(" ? %")
    assert not set(first) & set("━╸╍┿")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(("language", "words"), [("en", "window wrong"), ("zh-CN", "窗口值有误")])
def test_more_in_use_than_the_window_holds_is_a_wrong_window(size: tuple[int, int], language: str, words: str) -> None:
    wrong = replace(WRONG_WINDOW, context=Context(940_000, 200_000, "exact", compacts_at=180_000), injection=None)
    lines = drawn(wrong, *size, language)
    assert lines[0].endswith(f" {words}")
    assert set(lines[0].removesuffix(f" {words}")) == {"─"}
    assert lines[1].strip() == "940k / 200k"
    assert "%" not in "\n".join(lines)


@pytest.mark.parametrize(
    ("used", "style"),
    [
        (0, "$gauge-calm"), (69_999, "$gauge-calm"), (70_000, "$gauge-70"), (79_999, "$gauge-70"),
        (80_000, "$gauge-80"), (84_999, "$gauge-80"), (85_000, "$gauge-85"), (100_000, "$gauge-85"),
    ],
)  # fmt: skip
def test_thresholds_change_the_colour(used: int, style: str) -> None:
    context = Context(used, 100_000, "exact")
    assert shown_colour(context) == style
    assert shown_colour(replace(context, source="stale")) == "$quiet"
    label = bar_line(context, ENGLISH, 40).spans[-1]
    assert str(label.style) == f"bold {style}"


@pytest.mark.parametrize(
    ("used", "text"),
    [
        (0, "────────────────────────────┼───┼─┼─┃───   0 %"),
        (69_000, "━━━━━━━━━━━━━━━━━━━━━━━━━━━╸┼───┼─┼─┃───  69 %"),
        (71_000, "━━━━━━━━━━━━━━━━━━━━━━━━━━━━┽───┼─┼─┃───  71 %"),
        (83_000, "━━━━━━━━━━━━━━━━━━━━━━━━━━━━┿━━━┿─┼─┃───  83 %"),
        (91_000, "━━━━━━━━━━━━━━━━━━━━━━━━━━━━┿━━━┿━┿━┃───  91 %"),
        (100_000, "━━━━━━━━━━━━━━━━━━━━━━━━━━━━┿━━━┿━┿━┃━━━ 100 %"),
    ],
)
def test_ticks_and_the_agents_own_limit_stand_on_the_bar(used: int, text: str) -> None:
    assert bar(Context(used, 100_000, "exact", compacts_at=90_000)) == text


@pytest.mark.parametrize(
    "context",
    [
        Context(50_000, 100_000, "exact"), Context(50_000, 100_000, "exact", compacts_at=120_000),
        Context(50_000, None, "exact", compacts_at=90_000),
    ],
)  # fmt: skip
def test_no_limit_where_none_is_known_or_the_window_is_smaller(context: Context) -> None:
    assert "┃" not in bar(context)


def test_a_narrow_bar_has_no_ticks() -> None:
    assert bar(Context(85_000, 100_000, "exact", compacts_at=90_000), 12) == "━━━━━─  85 %"


FULL = replace(LOG_TROUBLE, usage=CALM.usage[:20])


@pytest.mark.parametrize(
    ("height", "shown"),
    [
        (1, "bar"), (2, "bar tokens"), (3, "bar tokens phase"), (4, "bar tokens phase injection"),
        (5, "bar tokens phase log injection"), (6, "bar tokens distance phase log injection"),
        (7, "bar tokens distance phase counts log injection"),
        (8, "bar tokens distance phase counts failed log injection"),
        (9, "bar tokens distance phase counts failed log injection curve"),
        (10, "bar tokens distance phase counts failed log injection curve curve"),
        (11, "bar tokens distance phase counts failed log injection spent curve curve"),
        (12, "bar tokens distance phase counts failed log injection spent own curve curve"),
        (14, "bar tokens distance phase counts failed log injection spent own why why curve curve"),
        (16, "bar tokens distance - phase counts failed log injection spent own why why - curve curve"),
    ],
)  # fmt: skip
def test_a_lower_panel_loses_the_least_important_lines_first(height: int, shown: str) -> None:
    starts: dict[str, str | tuple[str, ...]] = {
        "bar": "━", "tokens": "148", "distance": "compacts in", "phase": "●", "counts": "turns", "failed": "failed",
        "log": "▲", "injection": "no restore", "spent": "spent", "own": "Codex", "why": ("it counts", "of 12,000"),
        "curve": tuple(" ▁▂▃▄▅▆▇█"), "-": "",
    }  # fmt: skip
    lines, names = drawn(FULL, 28, height), shown.split()
    assert len(lines) == len(names)
    for line, name in zip(lines, names, strict=True):
        assert line.startswith(starts[name]), (line, name)
        assert line or name == "-"


@pytest.mark.parametrize("height", [1, 2, 3, 4, 5, 8])
def test_why_something_is_held_comes_before_all_but_the_bar_and_is_never_cut(height: int) -> None:
    unseen = replace(WORKING, injection=Injection("k3f2", Occasion("restore"), "held", "injection.unseen"))
    lines = drawn(unseen, 22, height)
    reason = {
        4: ["━━━━━━━━━━━┿┼┼┃─  74 %", "148.3k / 200k    exact", "held — the input box", "is not clearly empty"],
        8: ["restore #k3f2: held —", "the input box is not", "clearly empty"],
    }.get(height, ["held — the input box", "is not clearly empty"])
    assert lines[-len(reason) :] == reason
    assert ("● working" in lines) == (height > 4)


@pytest.mark.parametrize(
    ("occasion", "state", "reason", "words"),
    [
        ("start:c", "confirmed", "", ["restore ✓"]),
        ("start:c", "held", "injection.draft", ["held — you have a", "draft: after Enter"]),
        ("compaction:c:1", "failed", "injection.not-recorded", ["failed — the agent's", "log does not show it"]),
        ("start:c", "held", "injection.waits-for-hook", ["restore: next request"]),
    ],
)
def test_a_low_gauge_says_state_and_reason_first(
    occasion: str, state: InjectionState, reason: str, words: list[str]
) -> None:
    lines = drawn(replace(WORKING, injection=Injection("twf5r9", as_written(occasion), state, reason)), 22, 5)
    assert "\n".join(words) in "\n".join(lines)


@pytest.mark.parametrize(("language", "words"), [("en", "restore ✓ read-back ✓"), ("zh-CN", "恢复 ✓ · 复述 ✓")])
def test_the_narrowest_gauge_has_a_restore_and_its_verdict_in_one_line(language: str, words: str) -> None:
    confirmed = Injection("twf5r9", as_written("start:c"), "confirmed")
    session = replace(WORKING, injection=confirmed, loop=Continuity(recital=Recital("twf5r9", "right", "all of it")))
    assert words in drawn(session, 22, 3, language)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_status_says_why_something_is_held_before_how_full_it_is(width: int) -> None:
    failed = Injection("twf5r9", as_written("start:c"), "failed", "injection.not-recorded")
    line = status_line(replace(WORKING, injection=failed), ENGLISH, width, leader="Ctrl+\\").plain
    assert "failed — the agent's log" in line
    assert ("…" in line) == (width == 60)
    assert ("start" in line) == (width == 120)
    assert ("context" in line) == (width == 120)
    assert line.endswith("Ctrl+\\ menu")


def test_the_status_says_less_of_what_is_held_before_it_says_nothing_of_the_context() -> None:
    session = replace(WRONG_WINDOW, injection=Injection("twf5r9", as_written("start:c"), "held", "injection.draft"))
    line = status_line(session, ENGLISH, 118, leader="Ctrl+\\").plain
    assert "working   held — you have a draft: after Enter   context 212k / 200k window wrong" in line


@pytest.mark.parametrize(("turn", "words"), [("", "your next prompt"), ("t1", "the agent's next request")])
def test_what_a_hook_will_fetch_is_no_warning(turn: str, words: str) -> None:
    waits = Injection("twf5r9", as_written("compaction:c:1"), "held", "injection.waits-for-hook", channel="hook")
    session = replace(WORKING, injection=waits, turn=turn)
    for content in (gauge(session, ENGLISH, 60, 12), status_line(session, ENGLISH, 100, leader="Ctrl+\\")):
        assert f"restore #twf5r9 goes with {words}" in content.plain
        assert "held" not in content.plain
        assert not any("warning" in str(span.style) for span in content.spans if words in content.plain[span.start :])


def test_an_open_breaker_is_in_the_status() -> None:
    storm = replace(CALM, loop=Continuity(breaker=Breaker(in_a_row=3)))
    assert "working   breaker open   context" in status_line(storm, ENGLISH, 80, leader="Ctrl+\\").plain
    assert "已熔断" in status_line(storm, CATALOGUES["zh-CN"], 80, leader="Ctrl+\\").plain


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (20, ["148.3k / 200k  exact", "compacts in 31.7k", "● working"]),
        (25, ["148.3k / 200k       exact", "compacts in 31.7k", "● working · by its report"]),
        (40, ["148.3k / 200k · compacts in 31.7k  exact", "● working · by its report"]),
    ],
)
def test_lines_are_joined_where_they_fit(width: int, lines: list[str]) -> None:
    assert drawn(CALM, width, 8)[1 : len(lines) + 1] == lines


def test_by_what_the_phase_is_known() -> None:
    assert "◐ compacting · by its screen" in drawn(COMPACTING)
    assert "○ running · by its process" in drawn(UNKNOWN)
    assert "● 工作中 · 据其报告" in drawn(WORKING, 19, language="zh-CN")
    assert "● 工作中" in drawn(WORKING, 18, language="zh-CN")


@pytest.mark.parametrize(
    ("log", "width", "line"),
    [
        (Log("/l", unknown_format=True), 22, "▲ log: unknown format"),
        (Log("/l", from_middle=True), 22, "▲ log: from its middle"),
        (Log("/l", 3, 2, True), 22, "▲ log: 2 unreadable"),
        (Log("/l", 3, 2, True), 34, "▲ log: 2 unreadable · 3 too long"),
        (Log("/l", 3, 2, True), 60, "▲ log: 2 unreadable · 3 too long · from its middle"),
        (Log("/l", unknown_format=True), 12, "▲ log: unkn…"),
    ],
)
def test_trouble_with_the_log_is_one_line(log: Log, width: int, line: str) -> None:
    assert [found for found in drawn(replace(CALM, log=log), width) if found.startswith("▲")] == [line]
    counts = drawn(replace(CALM, log=log), width)
    lower_bound = log.from_middle or log.unknown_format
    assert any(found.startswith("turns ≥ 12" if lower_bound else "turns 12") for found in counts)


def test_a_log_that_is_read_well_is_not_mentioned() -> None:
    assert not any("▲" in line or "≥" in line for line in drawn(CALM))


def test_codexs_figure_is_not_shown_for_others() -> None:
    assert "Codex shows 28 % left" in drawn(CALM)
    assert not any("Codex" in line for line in drawn(replace(CALM, agent=Agent("claude"))))


def test_what_was_spent_stands_apart() -> None:
    session = replace(CALM, spent=Spent(1_834_500, 1_502_000, 61_300))
    assert "spent: 1.83M in, 1.5M cached, 61.3k out" in drawn(session)
    assert "spent 1.83M/1.5M/61.3k" in drawn(session, 28)
    assert not any("spent" in line for line in drawn(session, 20))


def curve(usage: tuple[int, ...], width: int, rows: int, context: Context) -> list[str]:
    return [line.plain for line in sparkline(replace(CALM, usage=usage, context=context), width, rows)]


def test_the_curve_is_a_sawtooth_against_the_window() -> None:
    context = Context(40, 80, "exact", compacts_at=60)
    assert curve((10, 40, 60, 5, 40), 8, 1, context) == ["▁▄▆▁▄"]
    assert curve((10, 40, 60, 5, 40), 8, 2, context) == ["  ▄  ", "▂██▁█"]
    assert curve((10, 40, 60, 5, 40), 8, 4, context) == ["┈┈┈┈┈┈┈┈", "  █  ", " ██ █", "▄██▂█"]


def test_the_curve_shows_the_last_readings_and_needs_two() -> None:
    context = Context(40, None, "exact")
    assert curve((1, 2, 3, 4, 80, 40), 2, 1, context) == ["█▄"]
    assert curve((1,), 8, 2, context) == []
    assert curve((0, 0), 8, 1, context) == ["  "]
    assert curve((90, 100), 8, 1, Context(100, 50, "exact")) == ["▇█"]


@pytest.mark.parametrize(
    ("context", "part"),
    [
        (Context(148_300, 200_000, "exact"), "context 74 %"),
        (Context(148_300, 200_000, "estimate"), "context ~74 %"),
        (Context(148_300, 200_000, "estimate", at_least=True), "context ≥ ~74 %"),
        (Context(186_000, 200_000, "stale"), "context 93 % stale"),
        (Context(148_300, None, "exact"), "context 148.3k tokens"),
        (Context(None, None, "exact", share=0.5), "context 50 %"),
        (Context(212_000, 200_000, "exact"), "context 212k / 200k window wrong"),
    ],
)
def test_the_status_line_has_the_same_marks(context: Context, part: str) -> None:
    line = status_line(replace(CALM, context=context), ENGLISH, 80, leader="Ctrl+\\").plain
    assert f"   {part}   " in line
    assert "context" not in status_line(UNKNOWN, ENGLISH, 80, leader="Ctrl+\\").plain
