"""What to do is always seen, however long what is."""

from __future__ import annotations

import pytest

from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Notice
from agentsup.ui.notice_bar import notice_lines

LONG = {"long.what": "What happened here " + "and here " * 30, "long.todo": "Do this. " + "Then that. " * 30}
WIDE = {"wide.what": "发生了什么" * 30, "wide.todo": "该做什么" * 30}
SHORT = {"short.what": "It happened.", "short.todo": "Do this."}
CATALOGUE = Catalogue({}, {**LONG, **WIDE, **SHORT, "notice.dismiss": "{leader} n"}, "en")


@pytest.mark.parametrize("width", [1, 2, 20, 78, 79, 160])
@pytest.mark.parametrize("key", ["long", "wide", "short"])
def test_both_lines_fit_the_width(key: str, width: int) -> None:
    what, todo = notice_lines((Notice(key),), CATALOGUE, "F1", width).split("\n")
    assert what.cell_length <= width
    assert todo.cell_length <= width


def test_a_line_that_was_cut_says_so() -> None:
    what, todo = notice_lines((Notice("long"),), CATALOGUE, "F1", 78).split("\n")
    assert what.plain.startswith("▲ What happened here and here")
    assert what.plain.endswith("…")
    assert todo.plain.startswith("  Do this. Then that.")
    assert todo.plain.endswith("…")


@pytest.mark.parametrize("rows", [2, 3, 5, 9])
@pytest.mark.parametrize("key", ["long", "wide", "short"])
def test_all_rows_are_used_and_no_more(key: str, rows: int) -> None:
    lines = notice_lines((Notice(key),), CATALOGUE, "F1", 58, rows=rows).split("\n")
    assert all(line.cell_length <= 58 for line in lines)
    assert len(lines) == (2 if key == "short" else rows)
    assert any(line.plain.startswith("  ") for line in lines[1:])


def test_a_line_that_fits_is_whole() -> None:
    what, todo = notice_lines((Notice("short"),), CATALOGUE, "F1", 78).split("\n")
    assert what.plain.startswith("▲ It happened. ")
    assert what.plain.endswith(" F1 n")
    assert todo.plain == "  Do this."
