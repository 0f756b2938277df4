"""The ring: what a new host gets is the end of the output, from a place whose modes are known."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.screen import Cursor, Modes
from agentsup.host.ring import SEGMENT, Ring, sequences
from agentsup.terminal import open_engine


def test_a_new_host_finds_what_the_last_one_kept(tmp_path: Path) -> None:
    ring = Ring(tmp_path / "ring")
    assert ring.begin_replay() is None
    ring.append(b"hello ", lambda: b"")
    ring.append(b"world", lambda: b"")
    ring.set_paste(True)
    ring.set_kept(1_000)
    # Not closed: the process is gone, the pages stay.
    again = Ring(tmp_path / "ring")
    replay = again.begin_replay()
    assert replay is not None
    assert (replay.modes, replay.output, again.paste_open) == (b"", b"hello world", True)
    assert again.kept == 255
    again.end_replay()
    again.append(b"more", lambda: b"")
    again.set_paste(False)
    assert again.kept == 255
    again.set_kept(3)
    assert ring.kept == 3
    again.clear()
    assert again.kept == 0


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, SEGMENT + 10), min_size=1, max_size=8))
def test_the_replay_is_a_suffix_that_begins_where_its_modes_were_taken(
    tmp_path_factory: object, sizes: list[int]
) -> None:
    folder: Path = tmp_path_factory.mktemp("ring")  # type: ignore[attr-defined]
    ring = Ring(folder / "ring")
    written = b""
    for number, size in enumerate(sizes):
        data = bytes([number + 1]) * size
        at = len(written)
        ring.append(data, lambda at=at: b"%d" % at)  # type: ignore[misc]
        written += data[-SEGMENT:]
    replay = ring.begin_replay()
    assert replay is not None
    assert written.endswith(replay.output)
    assert len(replay.output) >= min(len(written), SEGMENT // 8) or len(replay.output) == len(written)
    assert written[int(replay.modes or b"0") :] == replay.output
    ring.close()


def test_a_replay_that_crashes_twice_is_skipped(tmp_path: Path) -> None:
    for expected in (True, True, False, False):
        ring = Ring(tmp_path / "ring")
        if expected:
            ring.append(b"deadly", lambda: b"")
        assert (ring.begin_replay() is not None) is expected
    ring.append(b"harmless", lambda: b"")
    assert ring.begin_replay() is not None
    ring.end_replay()
    for _ in range(3):
        ring = Ring(tmp_path / "ring")
        assert ring.begin_replay() is not None
        ring.end_replay()


def test_a_file_of_another_size_or_kind_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "ring").write_bytes(b"something else")
    assert Ring(tmp_path / "ring").begin_replay() is None


@given(
    st.builds(
        Modes, st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.sampled_from([0, 9, 1000, 1002, 1003]),
        st.booleans(), st.integers(0, 31), st.just(False), st.booleans(), st.booleans(), st.integers(0, 2),
        st.sampled_from([0, 1005, 1015, 1016]),
    ),
    st.integers(0, 6), st.booleans(),
)  # fmt: skip
def test_the_sequences_set_exactly_these_modes(modes: Modes, shape: int, visible: bool) -> None:
    engine = open_engine(80, 24)
    engine.feed(sequences(modes, Cursor(0, 0, visible, shape)))
    assert engine.modes() == modes
    assert (engine.cursor().visible, engine.cursor().shape) == (visible, shape)
    engine.close()
