"""The window is filled without holes or overlaps, at every size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.layout import Area, Layout, agent_area, arrange, line_row

layouts: st.SearchStrategy[Layout] = st.sampled_from(["auto", "agent"])


@given(st.integers(1, 300), st.integers(1, 100), layouts, st.booleans(), st.booleans())
def test_areas_tile_the_window(columns: int, rows: int, layout: Layout, panels: bool, notice: bool) -> None:
    placed = arrange(columns, rows, layout, panels_shown=panels, notice=notice)
    areas = [placed.terminal, placed.gauge, placed.engram, placed.state, placed.notice, placed.status]
    cells = [cell for area in areas if area is not None for cell in _cells(area)]
    assert len(cells) == len(set(cells)) == columns * rows
    assert set(cells) == set(_cells(Area(0, 0, columns, rows)))


@given(st.integers(1, 300), st.integers(1, 100), layouts)
def test_a_notice_takes_nothing_from_the_agent(columns: int, rows: int, layout: Layout) -> None:
    assert arrange(columns, rows, layout, notice=True).terminal == arrange(columns, rows, layout).terminal


@given(st.integers(1, 300), st.integers(1, 100), layouts)
def test_what_waits_has_a_line_at_every_size_and_takes_nothing_from_the_agent(
    columns: int, rows: int, layout: Layout
) -> None:
    waits = arrange(columns, rows, layout, waits=True)
    assert waits.terminal == arrange(columns, rows, layout).terminal
    assert (waits.status is not None) == (rows > 1)


@given(st.integers(0, 99), st.integers(1, 100), st.sampled_from([0, 1]))
def test_a_line_over_the_agent_is_on_its_first_row_or_its_last_and_the_farther_one_from_a_near_cursor(
    cursor: int, rows: int, last: int
) -> None:
    cursor = min(cursor, rows - 1)
    row = line_row(cursor, rows, last * (rows - 1))
    assert row in (0, rows - 1)
    assert abs(cursor - row) >= min(4, (rows - 1) // 2)
    assert line_row(cursor, rows, row) == row
    assert arrange(80, rows, "agent", waits=True, line=row).status == (Area(0, row, 80, 1) if rows > 1 else None)


def test_known_windows() -> None:
    assert agent_area(80, 24, "auto") == (80, 17)
    assert agent_area(80, 24, "auto", panels_shown=False) == (80, 23)
    assert agent_area(80, 24, "agent") == (80, 24)
    assert agent_area(120, 40, "auto") == (120, 30)
    assert agent_area(150, 40, "auto") == (100, 39)
    assert agent_area(180, 50, "auto") == (100, 49)
    assert agent_area(300, 50, "auto") == (216, 49)
    assert agent_area(80, 19, "auto") == (80, 18)
    assert agent_area(1, 1, "auto") == (1, 1)
    assert agent_area(0, 0, "auto") == (1, 1)


def _cells(area: Area) -> list[tuple[int, int]]:
    return [(area.column + x, area.row + y) for x in range(area.columns) for y in range(area.rows)]
