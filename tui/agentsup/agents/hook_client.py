"""The command that an agent runs as a hook of ours: it asks the session's host what to say, and prints that.

    python -I -S hook_client.py AGENT EVENT

What comes on stdin goes to the socket that AGENTSUP_SOCKET names; what the host answers is printed as it is. The
agent waits for it, so whatever goes wrong, and soon (`DEADLINE`), it prints nothing and is content: exit code 0, no
word on stderr. A memory that does not come back is told by the host, which knows better.

Run as a file of its own, without site-packages: it imports as little as it can, and knows just as much of the wire
(`protocol`) as it needs. A test compares the two.
"""

import os
import select
import socket
import sys
import time

VERSION = 6
"""The protocol's version. A host of another one says goodbye, and nothing is printed."""

READ_MOST = 4 << 20
"""Bytes of what the agent tells; a longer prompt is told to nobody."""

ANSWER_MOST = 8 << 20
DEADLINE = 2.0
START_DEADLINE = 4.0
"""Seconds after which it gives up; where a session begins or was compacted, a text may have to be composed first."""

_ANSWER = b"\x92\xaaHookAnswer"
"""How the body of the one answer begins: a list of two, the name first."""


class GaveUp(Exception):
    """There is nothing to print."""


def packed(value: int | str | bytes) -> bytes:
    """Return a value in MessagePack: a number up to 127, a text below 64 kB, any bytes."""
    if isinstance(value, int):
        return bytes([value])
    if isinstance(value, str):
        data = value.encode()
        return b"\xda" + len(data).to_bytes(2, "big") + data
    return b"\xc6" + len(value).to_bytes(4, "big") + value


def frame(*values: int | str | bytes) -> bytes:
    """Return a frame of the wire with one message: its name, then its fields."""
    body = bytes([0x90 + len(values)]) + b"".join(packed(value) for value in values)
    return len(body).to_bytes(4, "big") + body


def unpacked(body: bytes) -> bytes:
    """Return the bytes that an answer carries; raises GaveUp where it is no such answer."""
    rest = body[len(_ANSWER) :]
    size = {0xC4: 1, 0xC5: 2, 0xC6: 4}.get(rest[0] if rest else 0)
    if size is None or len(rest) <= size:
        raise GaveUp
    length = int.from_bytes(rest[1 : 1 + size], "big")
    output = rest[1 + size :]
    if len(output) != length:
        raise GaveUp
    return output


def told(until: float) -> bytes:
    """Return what the agent tells on stdin."""
    data = bytearray()
    while len(data) <= READ_MOST:
        if not select.select([0], [], [], max(0.0, until - time.monotonic()))[0]:
            raise GaveUp
        piece = os.read(0, 1 << 16)
        if not piece:
            return bytes(data)
        data += piece
    raise GaveUp


def asked(path: str, request: bytes, until: float) -> bytes:
    """Return what the host answers."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(max(0.001, until - time.monotonic()))
        connection.connect(path)
        connection.sendall(request)
        held = bytearray()
        while True:
            while len(held) >= 4 and len(held) >= 4 + (length := int.from_bytes(held[:4], "big")):
                body = bytes(held[4 : 4 + length])
                if body.startswith(_ANSWER):
                    return unpacked(body)
                del held[: 4 + length]
            connection.settimeout(max(0.001, until - time.monotonic()))
            piece = connection.recv(1 << 16)
            if not piece or len(held) > ANSWER_MOST or time.monotonic() > until:
                raise GaveUp
            held += piece


def main(arguments: list[str]) -> int:
    """Ask and print; returns the exit code, which is always 0."""
    until = time.monotonic() + (START_DEADLINE if "SessionStart" in arguments else DEADLINE)
    try:
        agent, event = arguments
        data = told(until)
        request = frame("Hello", VERSION, "command") + frame("HookCalled", agent, event, data)
        output = asked(os.environ["AGENTSUP_SOCKET"], request, until)
        while output:
            output = output[os.write(1, output) :]
    except (GaveUp, OSError, ValueError, KeyError):
        pass  # the agent goes on as if there were no hook
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
