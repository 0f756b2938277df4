"""The program whose input is looked at: says what it reads, writes what it is told to.

Run as a script of its own (`python -I recorder.py SOCKET`), so it imports nothing of ours. Over the socket
come pieces to write to the terminal, each one line of hex; back go the bytes read, exactly as they came.
"""

from __future__ import annotations

import os
import select
import socket
import sys
import tty


def main() -> None:
    """Record until the terminal or the test is gone."""
    tty.setraw(0)
    test = socket.socket(socket.AF_UNIX)
    test.connect(sys.argv[1])
    orders = b""
    while True:
        ready, _, _ = select.select([0, test.fileno()], [], [])
        if 0 in ready:
            data = os.read(0, 1 << 16)
            if not data:
                return
            test.sendall(data)
        if test.fileno() in ready:
            order = test.recv(1 << 16)
            if not order:
                return
            *lines, orders = (orders + order).split(b"\n")
            for line in lines:
                os.write(1, bytes.fromhex(line.decode()))


if __name__ == "__main__":
    main()
