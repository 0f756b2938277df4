"""A leader that can't be one is refused before anything starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentsup.core.settings import BY_KEY, BadSetting, checked
from agentsup.ui.leader import BadLeader, Leader
from tests.end_to_end.place import Place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("words", "variable"), [(("--leader", "nonsense"), ""), (("--leader", "ctrl+m"), ""), ((), "ctrl+f1")]
)
def test_a_leader_that_is_none_is_two_lines(place: Place, words: tuple[str, ...], variable: str) -> None:
    if variable:
        place.env["AGENTSUP_INTERFACE_LEADER"] = variable
    terminal = place.open(*words, "--", "sh")
    assert terminal.wait_exit() == 2
    text = " ".join(row for row in terminal.screen() if row.strip())
    assert text.count("agentsup: ") == 2
    assert "can't have this value" in text
    assert "Allowed: ctrl+ and a letter" in text
    assert not terminal.alternate_screen
    assert not terminal.mouse_reported
    assert not list((place.runtime / "agentsup").glob("*/socket"))


def test_the_setting_takes_what_the_leader_takes() -> None:
    """The pattern of the setting and the class that means it say the same."""
    names = [f"ctrl+{chr(code)}" for code in range(32, 127)] + ["ctrl+space", "Ctrl+G", "alt+x", "ctrl+", "", "ctrl+ab"]
    for name in names:
        if name == "ctrl+ ":
            continue  # written as ctrl+space in the settings
        try:
            Leader(name)
            is_leader = True
        except BadLeader:
            is_leader = False
        try:
            checked("interface.leader", name)
            is_setting = True
        except BadSetting:
            is_setting = False
        assert is_leader == is_setting, name
    assert BY_KEY["interface.leader"].pattern
