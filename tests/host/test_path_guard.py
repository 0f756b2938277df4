"""An edit that TASK.md does not allow is told at once; the agent's own memory is never one."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsup.core import events as ev
from agentsup.core.memory.model import Document, Memory
from agentsup.host.path_guard import PathGuard

ROOT = Path("/project")
TASK = "## Goal\nx\n## Allowed paths\n- src/\n## Forbidden paths\n- src/api/\n"


def judged(path: str, *, task: str | None = TASK, folder: str = "/project", kind: str = "edit") -> list[str]:
    guard = PathGuard(Path(folder), ROOT)
    guard.read(Memory(task=Document(".agent/TASK.md", task), state=Document("STATE.md", "")))
    event = ev.ToolUsed(1.0, kind, path)  # type: ignore[arg-type]
    return [dict(notice.values)["path"] for notice in guard.judged(event)]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("src/a.py", []), ("/project/src/a.py", []), ("src/api/a.py", ["src/api/a.py"]), ("b.py", ["b.py"]),
        ("/project/b.py", ["b.py"]), (".agent/STATE.md", []), ("STATE.md", []), ("/project/STATE.md", []),
        ("/elsewhere/c.py", []), ("", []),
    ],
)  # fmt: skip
def test_an_edit_outside_the_allowed_paths_is_told(path: str, told: list[str]) -> None:
    assert judged(path) == told


def test_paths_count_from_where_the_agent_was_started() -> None:
    assert judged("a.py", folder="/project/src") == []
    assert judged("api/a.py", folder="/project/src") == ["src/api/a.py"]
    assert judged("../b.py", folder="/project/src") == ["b.py"]


def test_nothing_is_told_of_reading_or_without_a_task() -> None:
    assert judged("b.py", kind="read") == []
    assert judged("b.py", task=None) == []
    assert judged("b.py", task="") == []


def test_a_path_that_names_the_project_by_a_link_to_it_is_inside(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (tmp_path / "link").symlink_to(root)
    guard = PathGuard(root, root)
    guard.read(Memory(task=Document(".agent/TASK.md", TASK)))
    assert guard.judged(ev.ToolUsed(1.0, "edit", str(tmp_path / "link" / "src" / "a.py"))) == ()
    (told,) = guard.judged(ev.ToolUsed(1.0, "edit", str(tmp_path / "link" / "b\ud83d.py")))
    assert dict(told.values)["path"] == "b\ufffd.py"  # half a character could not be sent to anybody
