"""The repetitions at about a twentieth of their counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak import interface_kills


@pytest.mark.real_agent
def test_kills_of_the_interface(tmp_path: Path, codex_program: Path) -> None:
    tally = interface_kills.run(2, 7, tmp_path, codex_program)
    assert tally.held["Codex alive"] == tally.count
    assert tally.held["same screen"] == tally.count
