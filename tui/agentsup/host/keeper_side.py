"""The host's end of the link to its keeper."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from agentsup.protocol import keeper_link

BEAT_INTERVAL = 2.0

Handle = Callable[[keeper_link.Message, tuple[int, ...]], None]


class KeeperSide:
    """Speaks to the keeper, shows it that this host lives, and notices its end."""

    def __init__(self, link: socket.socket) -> None:
        self.lost = False
        self._link = link
        self._receiver = keeper_link.Receiver(link)
        self._early: list[tuple[keeper_link.Message, tuple[int, ...]]] = []
        self._loop = asyncio.get_running_loop()

    async def spec(self) -> tuple[dict[str, Any], socket.socket]:
        """Return the session's spec and the listening socket; raises SystemExit where the keeper is gone."""
        while not self._early:
            ready = asyncio.Event()
            self._loop.add_reader(self._link.fileno(), ready.set)
            await ready.wait()
            self._loop.remove_reader(self._link.fileno())
            messages = self._receiver.receive()
            if messages is None:
                raise SystemExit(1)
            self._early += messages
        message, descriptors = self._early.pop(0)
        return message["spec"], socket.socket(fileno=descriptors[0])

    def serve(self, handle: Handle, on_lost: Callable[[], None]) -> None:
        """Hand every further message to `handle` from now on."""
        self._handle, self._on_lost = handle, on_lost
        self._loop.add_reader(self._link.fileno(), self._readable)
        self._beat()
        self._readable()

    def send(self, message: keeper_link.Message) -> None:
        """Send a whole message: half of one would spoil what follows. A keeper that is gone is noticed elsewhere."""
        try:
            keeper_link.send(self._link, message)
        except OSError:
            return

    def _beat(self) -> None:
        self.send({"kind": "beat"})
        self._loop.call_later(BEAT_INTERVAL, self._beat)

    def _readable(self) -> None:
        messages = self._receiver.receive()
        early, self._early = self._early, []
        for message, descriptors in (*early, *(messages or ())):
            self._handle(message, descriptors)
        if messages is None:
            self._loop.remove_reader(self._link.fileno())
            self.lost = True
            self._on_lost()
