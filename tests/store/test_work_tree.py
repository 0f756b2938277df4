"""A unit that changes the work tree is noticed, with the names of what it has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agentsup.store import work_tree
from agentsup.store.work_tree import changes, snapshot
from tests.store.project import write
from tests.store.units import run, script


def git(root: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments], cwd=root, check=True,
        capture_output=True,
    )  # fmt: skip


@pytest.fixture(params=["git", "no git"])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return a project with committed, changed, untracked and ignored files; or the same without git."""
    root = tmp_path / "project"
    write(root, {"src/a.py": "a", "src/b.py": "b", "src/c.py": "c", ".gitignore": "ignored\n", ".agent/STATE.md": "s"})
    if request.param == "git":
        git(root, "init", "-q")
        git(root, "add", ".")
        git(root, "commit", "-qm", "x")
    write(root, {"src/b.py": "changed", "new": "n", "node_modules/x.js": "x"})
    return root


UNIT = """
echo x >src/a.py; echo y >>src/b.py; rm src/c.py; echo z >new; echo w >"other
one"; mkdir -p .agent/state; echo 1 >.agent/state/it; echo t >.agent/STATE.md
"""


def test_what_units_change_is_reported(project: Path) -> None:
    script(project, "15-a.sh", "cat src/* new; git status; git log; ls -lR")
    assert run(project).changed == ()
    script(project, "16-b.sh", UNIT)
    names = {".agent/STATE.md", ".agent/state", ".agent/state/it", "new", "other\\x0aone", "src/a.py", "src/b.py",
             "src/c.py"}  # fmt: skip
    assert run(project).changed == tuple(sorted(names))


def test_a_change_that_hides_its_time_and_size_is_seen(tmp_path: Path) -> None:
    write(tmp_path, {"a": "one"})
    status = (tmp_path / "a").stat()
    before = snapshot(tmp_path)
    (tmp_path / "a").write_text("two")
    os.utime(tmp_path / "a", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert changes(before, snapshot(tmp_path)) == ("a",)


def test_a_commit_is_a_change(tmp_path: Path) -> None:
    write(tmp_path, {"a": "one"})
    git(tmp_path, "init", "-q")
    before = snapshot(tmp_path)
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "-qm", "x")
    assert changes(before, snapshot(tmp_path)) == (".git/HEAD", "a")


def test_a_folder_of_a_repository_is_looked_at_alone(tmp_path: Path) -> None:
    write(tmp_path, {"a/x": "x", "b/y": "y"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    before = snapshot(tmp_path / "a")
    write(tmp_path, {"a/x": "z", "b/y": "z"})
    assert changes(before, snapshot(tmp_path / "a")) == ("x",)


def test_ignored_memory_is_looked_at_too_and_other_ignored_files_are_not(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": ".agent\nbuilt\n", ".agent/STATE.md": "s", "built": "b"})
    git(tmp_path, "init", "-q")
    before = snapshot(tmp_path)
    write(tmp_path, {".agent/STATE.md": "t", "built": "c"})
    assert changes(before, snapshot(tmp_path)) == (".agent/STATE.md",)


def test_where_git_stops_answering_memory_is_still_compared(tmp_path: Path) -> None:
    write(tmp_path, {"a": "one", ".agent/STATE.md": "s"})
    git(tmp_path, "init", "-q")
    before = snapshot(tmp_path)
    shutil.rmtree(tmp_path / ".git")
    write(tmp_path, {"a": "two", ".agent/STATE.md": "t"})
    assert changes(before, snapshot(tmp_path)) == (".agent/STATE.md",)


def test_a_tree_that_is_too_large_gives_no_false_alarm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {f"{folder}/{number}": "x" for folder in "abc" for number in range(9)})
    monkeypatch.setattr(work_tree, "_MOST", 12)
    before = snapshot(tmp_path)
    assert not before.whole
    write(tmp_path, {"new": "n"})
    assert changes(before, snapshot(tmp_path)) == ()
