"""A person is asked to review the engram after the first compactions of a project, each once, for good."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from agentsup.store.engram_history import project_folder
from agentsup.store.reviews import MOST, count


def test_the_first_ones_are_counted_each_once(tmp_path: Path, home: Mapping[str, str]) -> None:
    names = [f"c:{number}" for number in range(MOST + 2)]
    found = [count(tmp_path, name, home) for name in names for _ in range(2)]
    assert found == [1, None, 2, None, 3, None, None, None, None, None]
    assert count(tmp_path / "other", names[0], home) == 1


@pytest.mark.parametrize("data", [b"", b"\xff", b"{}", b"[1]"])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, home: Mapping[str, str], data: bytes) -> None:
    count(tmp_path, "a", home)
    (project_folder(tmp_path, home) / "reviews.json").write_bytes(data)
    assert count(tmp_path, "b", home) == 1
