"""A project's own templates: plain text files whose very bytes a person has approved, or as if they were not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsup.store.templates import FOLDER, SIZE_LIMIT, approved_templates
from agentsup.store.trust_review import Answer, record_answer, review

NAME = "instructions.md"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with a folder for templates; what is approved is kept beside it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "work" / FOLDER).mkdir(parents=True)
    return tmp_path / "work"


def approve(root: Path) -> None:
    record_answer(root, review(root), Answer(scripts=True), by="interface")


def test_a_template_is_used_once_a_person_has_approved_it_and_as_it_is(root: Path) -> None:
    (root / FOLDER / NAME).write_bytes("\ufeffKeep {state}.\r\n记住\n".encode())
    assert approved_templates(root) == {}
    approve(root)
    assert approved_templates(root) == {NAME: "Keep {state}.\r\n记住\n"}


def test_an_empty_one_is_there_and_says_nothing(root: Path) -> None:
    (root / FOLDER / NAME).write_bytes(b"")
    approve(root)
    assert approved_templates(root) == {NAME: ""}


def test_any_change_of_what_runs_or_instructs_takes_the_templates_away(root: Path) -> None:
    (root / FOLDER / NAME).write_text("words")
    approve(root)
    (root / FOLDER / "recite.md").write_text("other words")
    assert approved_templates(root) == {}
    (root / FOLDER / "recite.md").unlink()
    assert approved_templates(root) == {NAME: "words"}
    (root / FOLDER / NAME).write_text("Words")
    assert approved_templates(root) == {}


def test_a_witness_that_has_not_seen_the_approval_does_not_believe_it(root: Path) -> None:
    (root / FOLDER / NAME).write_text("words")
    approve(root)
    assert approved_templates(root, witnessed=()) == {}


def test_without_a_folder_of_templates_there_are_none(tmp_path: Path, root: Path) -> None:
    (root / FOLDER).rmdir()
    assert approved_templates(root) == {}
    (root / ".agent").rmdir()
    (root / ".agent").write_text("a file")
    assert approved_templates(root) == {}


def test_what_is_no_plain_text_file_of_a_moderate_size_is_none(tmp_path: Path, root: Path) -> None:
    (tmp_path / "outside").write_text("outside")
    (root / FOLDER / "link.md").symlink_to(tmp_path / "outside")
    (root / FOLDER / "binary.md").write_bytes(b"\xff\xfe\x00")
    (root / FOLDER / "most.md").write_bytes(b"x" * SIZE_LIMIT)
    (root / FOLDER / "more.md").write_bytes(b"x" * (SIZE_LIMIT + 1))
    approve(root)
    assert approved_templates(root) == {"most.md": "x" * SIZE_LIMIT}
