"""Run the interface without a terminal, in the test's own event loop."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from textual.pilot import Pilot

from agentsup.core.layout import Layout
from agentsup.locale import load
from agentsup.ui import themes
from agentsup.ui.input_messages import LeaderPressed
from agentsup.ui.interface import Interface
from agentsup.ui.leader import Leader
from agentsup.ui.status_bar import StatusBar
from tests.ui.fake_host import FakeHost

DEADLINE = 20.0


def interface(host: FakeHost, *, layout: Layout = "auto", language: str = "en", theme: str = themes.AUTO) -> Interface:
    """Return an interface on a host, not yet running."""
    return Interface(str(host.path), layout=layout, catalogue=load(language), leader=Leader(), theme=theme)


async def until(pilot: Pilot[object], happened: Callable[[], object]) -> None:
    """Let the app work until something is true."""
    deadline = time.monotonic() + DEADLINE
    while not happened():
        assert time.monotonic() < deadline
        await pilot.pause(0.01)


def pressing(keys: str, host: FakeHost) -> Callable[[Pilot[object]], Awaitable[None]]:
    """Return what waits for the host's word and then presses keys, `leader` among them."""

    async def run(pilot: Pilot[object]) -> None:
        status = pilot.app.query_one(StatusBar)
        await until(pilot, lambda: status.session == host.session)
        for key in keys.split():
            if key == "leader":
                pilot.app.post_message(LeaderPressed(b"\x1c"))
                await pilot.pause()
            else:
                await pilot.press(key)
        await pilot.pause()

    return run
