"""A project, and where what belongs to its person is kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path) -> Mapping[str, str]:
    """Return the environment of a person with a folder of their own."""
    return {"XDG_DATA_HOME": str(tmp_path / "data")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return the folder of a project."""
    (tmp_path / "project").mkdir()
    return tmp_path / "project"
