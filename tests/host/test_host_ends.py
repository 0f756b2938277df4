"""When the host ends, its parts are closed."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import MagicMock

from agentsup.host.main import Host


async def test_the_loops_parts_are_closed_too() -> None:
    host: Any = MagicMock()
    host._over = asyncio.Event()
    host._over.set()
    await Host.run(host)
    host._restores.close.assert_called_once_with()
    host._close_loop.assert_called_once_with()
