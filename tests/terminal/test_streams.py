"""Properties that hold for whatever a program prints, and however the bytes arrive."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from agentsup.terminal import open_engine
from agentsup.terminal.engine import Engine, StatusReported
from tests.terminal.shown import Shown
from tests.terminal.streams import cuts, pieces_of, streams

Sizes = st.tuples(st.integers(4, 40), st.integers(2, 12))
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def _observed(engine: Engine) -> tuple[object, ...]:
    every, rows = engine.changes()
    assert every
    events = engine.events()
    # Reports are read beside the library, so their order among other events is not kept within one feed.
    reports = [event for event in events if isinstance(event, StatusReported)]
    others = [event for event in events if not isinstance(event, StatusReported)]
    return rows, reports, others, engine.replies(), engine.cursor(), engine.modes(), engine.title()


@given(streams, cuts)
def test_any_split_gives_the_same_screen_events_and_replies(stream: bytes, places: list[int]) -> None:
    whole, cut = open_engine(20, 6), open_engine(20, 6)
    whole.feed(stream)
    for piece in pieces_of(stream, places):
        cut.feed(piece)
    assert _observed(cut) == _observed(whole)


@given(st.lists(st.one_of(streams, streams, Sizes), max_size=8))
def test_rows_put_together_from_changes_equal_a_fresh_read(steps: list[bytes | tuple[int, int]]) -> None:
    followed, fresh = Shown(open_engine(20, 6)), open_engine(20, 6)
    for step in steps:
        for engine in (followed.engine, fresh):
            if isinstance(step, bytes):
                engine.feed(step)
            else:
                engine.resize(*step)
        followed.engine.cursor()
        followed.update()
    every, rows = fresh.changes()
    assert every
    assert followed.rows == rows
    for row in rows.values():
        assert sum(run.cells for run in row) == fresh.columns
        assert not any(CONTROL.search(run.text) for run in row)
