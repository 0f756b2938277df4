"""The real agents' recordings, replayed in agentsup in tmux and bare in tmux: the same cells, four times each."""

from __future__ import annotations

import pytest

from tests.compare.listed import listed, table
from tests.compare.pair import Players
from tests.compare.recordings import Recording, recordings
from tests.compare.sheet import PAGES

RECORDINGS = recordings()


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.name)
def test_a_recording_looks_as_it_does_in_tmux(players: Players, recording: Recording) -> None:
    players.begin(recording.columns, recording.rows)
    players.ground = recording.ground
    at = 0
    for point in recording.points:
        players.order(**{"file": str(recording.path), "from": at, "to": point})
        at = point
        players.assert_same(listed(f"{recording.name} {point}"))


def test_the_table_names_only_what_is_compared_and_explains_everything() -> None:
    cases = {f"{recording.name} {point}" for recording in RECORDINGS for point in recording.points}
    assert set(table()["cases"]) <= cases | set(PAGES)
    used = {row["reason"] for rows in table()["cases"].values() for row in rows}
    assert used == set(table()["reasons"])
