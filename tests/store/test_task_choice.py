"""One of several tasks is the current one, and always the same one."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsup.store.task_choice import NoSuchTask, Tasks, choose, tasks
from tests.store.project import write


def test_without_tasks_there_is_no_current_one(tmp_path: Path) -> None:
    assert tasks(tmp_path) == Tasks({})
    write(tmp_path, {"tasks/celery.py": "", "tasks/fixtures/data.json": ""})
    assert tasks(tmp_path) == Tasks({})
    assert tasks(tmp_path).folder == ""


def test_the_first_by_name_is_current_until_one_is_chosen(tmp_path: Path) -> None:
    write(tmp_path, {"tasks/b/STATE.md": "", "tasks/a/TASK.md": "", ".agent/tasks/c/DECISIONS.md": ""})
    assert tasks(tmp_path) == Tasks({"a": "tasks/a", "b": "tasks/b", "c": ".agent/tasks/c"}, "a")
    choose(tmp_path, "c")
    assert (tasks(tmp_path).current, tasks(tmp_path).folder) == ("c", ".agent/tasks/c")
    assert tasks(tmp_path, "b").current == "b"
    assert tasks(tmp_path, "unknown").current == "c"
    with pytest.raises(NoSuchTask) as raised:
        choose(tmp_path, "../../etc")
    assert raised.value.names == ("a", "b", "c")
    assert tasks(tmp_path).current == "c"


@pytest.mark.parametrize("text", ["gone\n", "", "\n\n", "../b\n", "b/../b\n", b"\xff\xfe\x00", ".\n"])
def test_a_choice_without_a_folder_does_not_count(tmp_path: Path, text: str | bytes) -> None:
    write(tmp_path, {"tasks/b/STATE.md": "", "tasks/a/TASK.md": "", ".agent/state/current-task": text})
    assert tasks(tmp_path).current == "a"


def test_a_choice_written_by_hand_counts(tmp_path: Path) -> None:
    write(
        tmp_path, {"tasks/b/STATE.md": "", "tasks/a/TASK.md": "", ".agent/state/current-task": "\ufeff\n  b \r\nmore"}
    )
    assert tasks(tmp_path).current == "b"


def test_a_task_in_both_places_is_a_double(tmp_path: Path) -> None:
    write(tmp_path, {"tasks/a/STATE.md": "", ".agent/tasks/a/TASK.md": ""})
    assert tasks(tmp_path) == Tasks({"a": ".agent/tasks/a"}, "a", ((".agent/tasks/a", "tasks/a"),))


def test_links_and_hidden_folders_are_no_tasks(tmp_path: Path) -> None:
    write(tmp_path, {".agent/tasks/.hidden/STATE.md": "", "elsewhere/STATE.md": "", ".agent/tasks/file": ""})
    (tmp_path / ".agent/tasks/link").symlink_to(tmp_path / "elsewhere")
    assert tasks(tmp_path) == Tasks({})
