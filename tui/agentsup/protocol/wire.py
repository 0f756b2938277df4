"""Length-prefixed msgpack frames: four bytes of length, big-endian, then one message."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Generic, TypeVar

import msgspec

from agentsup.protocol.messages import ClientMessage, HostMessage

MAXIMUM = 8 << 20
"""Largest frame either side accepts, in bytes."""

_LENGTH = struct.Struct("!I")
_encoder = msgspec.msgpack.Encoder()
M = TypeVar("M")


class BadFrame(Exception):
    """A peer sent something that is no message of ours."""


def encode(message: ClientMessage | HostMessage) -> bytes:
    """Return the frame for one message."""
    body = _encoder.encode(message)
    return _LENGTH.pack(len(body)) + body


class Decoder(Generic[M]):
    """Collect bytes, yield whole messages of one direction; raises BadFrame and is then of no more use."""

    def __init__(self, union: object) -> None:
        self._decoder: msgspec.msgpack.Decoder[M] = msgspec.msgpack.Decoder(union)
        self._held = bytearray()

    def feed(self, data: bytes) -> Iterator[M]:
        """Yield the messages that `data` completes."""
        held = self._held
        held += data
        while len(held) >= 4:
            (length,) = _LENGTH.unpack_from(held)
            if length > MAXIMUM:
                raise BadFrame(f"a frame of {length} bytes")
            if len(held) < 4 + length:
                return
            body = bytes(held[4 : 4 + length])
            del held[: 4 + length]
            try:
                message = self._decoder.decode(body)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise BadFrame(str(error)) from error
            yield message


def client_messages() -> Decoder[ClientMessage]:
    """Return a decoder for what clients send."""
    return Decoder(ClientMessage)


def host_messages() -> Decoder[HostMessage]:
    """Return a decoder for what the host sends."""
    return Decoder(HostMessage)
