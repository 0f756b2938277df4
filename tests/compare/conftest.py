"""The pairs of panes, one for all tests of a kind: a start takes a second."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.compare.pair import Players
from tests.compare.shells import Shells, needed


@pytest.fixture(scope="session")
def players(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Players]:
    """Two players, ours and bare."""
    pair = Players(tmp_path_factory.mktemp("players"))
    yield pair
    pair.close()


@pytest.fixture(scope="session")
def _shells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shells]:
    needed("bash")
    pair = Shells(tmp_path_factory.mktemp("shells"))
    yield pair
    pair.close()


@pytest.fixture
def shells(_shells: Shells) -> Shells:
    """Two shells with an empty screen."""
    _shells.fresh()
    return _shells
