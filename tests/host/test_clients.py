"""A client that has left: what it typed before, it has typed."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from agentsup.core.screen import Cursor, Modes, Scrollback
from agentsup.core.session import Agent, Session
from agentsup.host.clients import Client, Clients
from agentsup.protocol import messages as m
from agentsup.protocol import wire


async def test_keys_of_an_interface_that_was_killed_arrive_though_it_takes_nothing_more(tmp_path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "socket"))
    listener.listen(1)
    came: list[m.ClientMessage] = []
    gone: list[Client] = []
    screen: Any = SimpleNamespace(
        size=(10, 1), lines=[()], cursor=Cursor(), modes=Modes(), title="", scrollback=Scrollback()
    )  # fmt: skip

    def take(client: Client, message: m.ClientMessage) -> None:
        client.role = "ui"
        came.append(message)

    clients = Clients(
        listener, screen, own_uid=os.getuid(), on_message=take, on_gone=gone.append,
        session=lambda: m.SessionChanged(Session("abcde", "/p", Agent("demo"))),
    )  # fmt: skip
    try:
        ours = socket.socket(socket.AF_UNIX)
        ours.connect(str(tmp_path / "socket"))
        ours.sendall(wire.encode(m.Hello(m.VERSION, "ui")))
        async with asyncio.timeout(10):
            while not came:
                await asyncio.sleep(0)
        ours.sendall(wire.encode(m.Keys(b"the last word")))
        ours.close()
        # The screen changes in this very moment, and nobody is left to be told.
        clients.damaged(True, {0})
        clients.session_changed()
        async with asyncio.timeout(10):
            while not gone:
                await asyncio.sleep(0)
        assert came[1:] == [m.Keys(b"the last word")]
        assert clients.interfaces == []
    finally:
        clients.close_all()
        listener.close()
