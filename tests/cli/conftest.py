"""A project to run commands in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.project import Project
from tests.cli.writing import WritingPlace


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    """Return a project without any memory."""
    return Project(tmp_path, monkeypatch, capsys)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> WritingPlace:
    """Return a project to write memory in."""
    return WritingPlace(tmp_path, monkeypatch, capsys)


@pytest.fixture
def chinese(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> WritingPlace:
    """Return one of a person whose language is Chinese."""
    return WritingPlace(tmp_path, monkeypatch, capsys, "zh")
