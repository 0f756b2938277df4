"""A project's own templates: plain text files, or as if they were not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentsup.store.templates import FOLDER, SIZE_LIMIT, project_template

NAME = "instructions.md"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / FOLDER).mkdir(parents=True)
    return tmp_path / FOLDER / NAME


def test_a_projects_template_is_read_as_it_is(tmp_path: Path, file: Path) -> None:
    assert project_template(tmp_path, NAME) is None
    file.write_bytes("\ufeffKeep {state}.\r\n记住\n".encode())
    assert project_template(tmp_path, NAME) == "Keep {state}.\r\n记住\n"
    file.write_bytes(b"")
    assert project_template(tmp_path, NAME) == ""  # which switches it off


def test_without_the_folder_there_is_none(tmp_path: Path) -> None:
    assert project_template(tmp_path, NAME) is None
    (tmp_path / ".agent").write_text("a file")
    assert project_template(tmp_path, NAME) is None


def test_what_is_no_plain_text_file_of_a_moderate_size_is_none(tmp_path: Path, file: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("outside")
    file.symlink_to(secret)
    assert project_template(tmp_path, NAME) is None
    file.unlink()
    os.mkfifo(file)
    assert project_template(tmp_path, NAME) is None
    file.unlink()
    file.mkdir()
    assert project_template(tmp_path, NAME) is None
    file.rmdir()
    file.write_bytes(b"\xff\xfe\x00")
    assert project_template(tmp_path, NAME) is None
    file.write_bytes(b"x" * SIZE_LIMIT)
    assert project_template(tmp_path, NAME) == "x" * SIZE_LIMIT
    file.write_bytes(b"x" * (SIZE_LIMIT + 1))
    assert project_template(tmp_path, NAME) is None


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_one_that_may_not_be_read_is_none(tmp_path: Path, file: Path) -> None:
    file.write_text("words")
    file.chmod(0)
    assert project_template(tmp_path, NAME) is None
