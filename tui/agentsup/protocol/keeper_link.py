"""What keeper and host say to each other: JSON objects over a socketpair, file descriptors beside them.

Standard library only: the keeper imports next to nothing. Messages, by their "kind":

    keeper → host   spec {spec}                    with the listening socket
                    agent {pid, started, columns, rows, restored}   with the pty's master
                    exited {code, signal}
                    not-restarted {reason}         the agent that ran before is gone, or goes on if it was not ended
                    end {}                         the session is over
    host → keeper   beat {}
                    ready {}                       it has the agent's screen: worth replacing at once
                    restart {argv, columns, rows}  end the tree, start this instead
                    stop {}                        end the tree, then the session
                    finish {}                      the agent is gone and nobody looks: end the session
"""

from __future__ import annotations

import array
import json
import socket
import struct
from typing import Any

_HEAD = struct.Struct("!IB")
_MOST_DESCRIPTORS = 4

Message = dict[str, Any]


def send(link: socket.socket, message: Message, descriptors: tuple[int, ...] = ()) -> None:
    """Send one message, with file descriptors; raises OSError where the other side is gone."""
    body = json.dumps(message).encode()
    data = _HEAD.pack(len(body), len(descriptors)) + body
    ancillary = []
    if descriptors:
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
    sent = link.sendmsg([data], ancillary)
    while sent < len(data):
        sent += link.send(data[sent:])


class Receiver:
    """Collects messages and the descriptors that belong to them."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._held = bytearray()
        self._descriptors: list[int] = []

    def receive(self) -> list[tuple[Message, tuple[int, ...]]] | None:
        """Read what is there; return whole messages, or None where the other side is gone."""
        room = socket.CMSG_SPACE(_MOST_DESCRIPTORS * array.array("i").itemsize)
        try:
            data, ancillary, _flags, _address = self._link.recvmsg(65536, room, socket.MSG_DONTWAIT)
        except (BlockingIOError, InterruptedError):
            return []
        except OSError:
            return None
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                received = array.array("i")
                received.frombytes(payload[: len(payload) - len(payload) % received.itemsize])
                self._descriptors.extend(received)
        if not data:
            return None
        self._held += data
        return self._whole()

    def _whole(self) -> list[tuple[Message, tuple[int, ...]]]:
        messages = []
        while len(self._held) >= _HEAD.size:
            length, count = _HEAD.unpack_from(self._held)
            end = _HEAD.size + length
            if len(self._held) < end:
                break
            message = json.loads(bytes(self._held[_HEAD.size : end]))
            del self._held[:end]
            taken, self._descriptors = tuple(self._descriptors[:count]), self._descriptors[count:]
            messages.append((message, taken))
        return messages
