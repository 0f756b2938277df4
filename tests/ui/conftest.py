"""Fixtures of the interface's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.fake_host import FakeHost
from tests.ui.scenes import WORKING


@pytest.fixture
def host(tmp_path: Path) -> Iterator[FakeHost]:
    """Return a host whose agent is at work."""
    with FakeHost(tmp_path / "s", WORKING) as fake:
        yield fake
