"""The test sheet, page by page: every attribute, colour, width, move, edit and screen, as tmux shows it bare."""

from __future__ import annotations

import pytest

from tests.compare.listed import listed
from tests.compare.pair import SIZE, Players
from tests.compare.sheet import PAGES


@pytest.mark.parametrize("page", PAGES)
def test_a_page_looks_as_it_does_in_tmux(players: Players, page: str) -> None:
    players.begin(*SIZE)
    players.write(PAGES[page])
    players.assert_same(listed(page))
