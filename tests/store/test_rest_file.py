"""What a short restore text names is where an agent may read it, and where nothing of anybody's is in its way."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agentsup.store.rest_file import FOLDER, RestFile

OURS = "Restored from disk by agentsup (restore {id}, number 2).\n\nall of it\n\n(end of restore {id})"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with memory."""
    (tmp_path / "project" / ".agent").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """Return where the file is that is in no project."""
    (tmp_path / "sessions").mkdir()
    return tmp_path / "sessions" / "kf4nw.restore.txt"


def written(rest: RestFile, text: str) -> Path:
    """Write it as a text is sent: for where the text says that it is."""
    path = rest.path
    rest.write(f"read {path} before", text)
    return path


def test_it_is_in_the_project_and_git_sees_nothing_of_it(root: Path, beside: Path) -> None:
    subprocess.run(["git", "init", "-q", root], check=True)
    rest = RestFile(beside, root)
    for text in ("one", "two"):
        path = written(rest, text)
        assert path == root / FOLDER / "kf4nw.restore.txt"
        assert path.read_text() == text
    assert path.stat().st_mode & 0o777 == 0o600
    assert not beside.exists()
    done = subprocess.run(["git", "status", "--porcelain", "-uall"], cwd=root, capture_output=True, check=True)
    assert done.stdout == b""


def test_without_a_folder_for_memory_none_is_made(tmp_path: Path, beside: Path) -> None:
    assert written(RestFile(beside, tmp_path), "text") == beside
    assert written(RestFile(beside), "text") == beside
    assert beside.read_text() == "text"
    assert not (tmp_path / ".agent").exists()


def test_a_text_of_before_the_folder_for_memory_was_there_gets_the_file_that_it_names(
    tmp_path: Path, beside: Path
) -> None:
    rest = RestFile(beside, tmp_path)
    named = f"read {rest.path} before"
    (tmp_path / ".agent").mkdir()
    assert rest.path != beside
    assert rest.is_named(named)
    rest.write(named, "text")
    assert beside.read_text() == "text"
    assert rest.is_named(f"read {rest.path} before")
    assert not rest.is_named("read nothing")


def somebody_elses_folder(root: Path, elsewhere: Path) -> None:
    (root / FOLDER).mkdir()
    (root / FOLDER / "notes.md").write_text("mine")


def a_link_for_a_folder(root: Path, elsewhere: Path) -> None:
    (root / FOLDER).symlink_to(elsewhere)


def a_link_for_the_file(root: Path, elsewhere: Path) -> None:
    (root / FOLDER).mkdir()
    (root / FOLDER / ".gitignore").write_text("*\n")
    (root / FOLDER / "kf4nw.restore.txt").symlink_to(elsewhere / "theirs")


def a_file_of_somebodys(root: Path, elsewhere: Path) -> None:
    (root / FOLDER).mkdir()
    (root / FOLDER / ".gitignore").write_text("*\n")
    (root / FOLDER / "kf4nw.restore.txt").write_text("mine")


def a_file_for_the_folder(root: Path, elsewhere: Path) -> None:
    (root / FOLDER).write_text("mine")


@pytest.mark.parametrize(
    "lay",
    [somebody_elses_folder, a_link_for_a_folder, a_link_for_the_file, a_file_of_somebodys, a_file_for_the_folder],
)  # fmt: skip
def test_what_is_in_its_way_stays_and_the_next_text_names_the_file_outside(
    root: Path, beside: Path, tmp_path: Path, lay: object
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "theirs").write_text("theirs")
    assert callable(lay)
    lay(root, elsewhere)
    before = everything(tmp_path)
    rest = RestFile(beside, root)
    named = f"read {rest.path} before"
    for _ in range(2):
        with pytest.raises(OSError, match=r"else|link|changed|folder|directory"):
            rest.write(named, "text")
    assert everything(tmp_path) == before
    assert written(rest, "text") == beside


def test_what_somebody_changed_since_stays(root: Path, beside: Path) -> None:
    rest = RestFile(beside, root)
    path = written(rest, OURS.format(id="kkk234"))
    path.write_text(path.read_text().replace("all of it", "other"))
    with pytest.raises(OSError, match=r"else|link|changed|folder|directory"):
        written(rest, "text")
    assert "other" in path.read_text()
    assert written(rest, "text") == beside


def test_what_a_host_before_this_one_has_written_is_replaced(root: Path, beside: Path) -> None:
    path = written(RestFile(beside, root), OURS.format(id="kkk234"))
    assert written(RestFile(beside, root), "text") == path
    assert path.read_text() == "text"


def everything(folder: Path) -> dict[Path, bytes]:
    """Return every file below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
