"""What was answered once is remembered; a file that is gone or broken costs a question, not a start."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from agentsup.core.problems import UsageProblem
from agentsup.store import remembered


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"XDG_DATA_HOME": str(tmp_path / "data")}


def test_it_is_read_as_it_was_written(environment: dict[str, str]) -> None:
    assert remembered.recall(environment, "hooks", "codex") == ""
    remembered.remember(environment, "hooks", "codex", "no")
    remembered.remember(environment, "hooks", "claude", "yes")
    remembered.remember(environment, "reviews", "a.b", '{"x": "字\\n"}')
    remembered.remember(environment, "hooks", "codex", "yes")
    assert remembered.recall(environment, "hooks", "codex") == "yes"
    assert remembered.recall(environment, "hooks", "claude") == "yes"
    assert remembered.recall(environment, "reviews", "a.b") == '{"x": "字\\n"}'
    assert stat.S_IMODE(remembered.file(environment).stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"[hooks", b"\xff", b"hooks = 1", b"[hooks]\ncodex = 1"])
def test_a_broken_file_is_as_none(environment: dict[str, str], content: bytes) -> None:
    path = remembered.file(environment)
    path.parent.mkdir(parents=True, mode=0o700)
    path.write_bytes(content)
    assert remembered.recall(environment, "hooks", "codex") == ""
    remembered.remember(environment, "hooks", "codex", "yes")
    assert remembered.recall(environment, "hooks", "codex") == "yes"


def test_a_link_in_its_place_is_not_followed(environment: dict[str, str], tmp_path: Path) -> None:
    path = remembered.file(environment)
    path.parent.mkdir(parents=True, mode=0o700)
    (tmp_path / "other").write_text("[hooks]\ncodex = 'yes'\n")
    path.symlink_to(tmp_path / "other")
    assert remembered.recall(environment, "hooks", "codex") == ""


def test_a_table_does_not_grow_without_end(environment: dict[str, str]) -> None:
    for number in range(remembered.KEPT + 5):
        remembered.remember(environment, "reviews", f"p{number}", "x")
        if number == 10:
            remembered.remember(environment, "reviews", "p0", "y")
    assert remembered.recall(environment, "reviews", "p0") == "y"  # what was said once more is new again
    assert remembered.recall(environment, "reviews", "p5") == ""
    assert remembered.recall(environment, "reviews", "p6") == "x"
    assert remembered.recall(environment, "reviews", f"p{remembered.KEPT + 4}") == "x"


def test_a_folder_that_can_not_be_written_is_said(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    with pytest.raises((OSError, UsageProblem)):
        remembered.remember(environment, "hooks", "codex", "yes")
    assert remembered.recall(environment, "hooks", "codex") == ""
