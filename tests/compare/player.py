"""The program in both panes: writes what it is told, as fast as the terminal takes it, and says when it was read.

    python player.py CONTROL DONE

Orders are lines of JSON from the FIFO `CONTROL`: {"file": …, "from": …, "to": …} plays events of a
recording, {"text": …} writes a text. After each the terminal is asked for its status (DSR 5): when it has
answered it has read all that came before, and a byte goes to the FIFO `DONE`.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import tty

QUESTION, ANSWER = b"\x1b[5n", b"\x1b[0n"


def main() -> None:
    """Play until the orders end."""
    tty.setraw(0)
    done = os.open(sys.argv[2], os.O_WRONLY)
    with open(sys.argv[1], encoding="utf-8") as orders:
        for line in orders:
            play(content(json.loads(line)))
            os.write(done, b".")


def content(order: dict[str, object]) -> bytes:
    """Return the bytes an order stands for."""
    if "text" in order:
        return str(order["text"]).encode("utf-8", "surrogateescape")
    with gzip.open(str(order["file"]), "rt", encoding="utf-8") as lines:
        next(lines)
        outputs = [json.loads(line)[2] for line in lines]
    first, end = order["from"], order["to"]
    assert isinstance(first, int)
    assert isinstance(end, int)
    return "".join(outputs[first:end]).encode("utf-8", "surrogateescape")


def play(data: bytes) -> None:
    """Write, ask, and read until the answer; whatever else the terminal answers is dropped."""
    answers = data.count(QUESTION) + 1
    left = memoryview(data + QUESTION)
    while left:
        left = left[os.write(1, left[:65536]) :]
    read = b""
    while read.count(ANSWER) < answers:
        read += os.read(0, 65536)


if __name__ == "__main__":
    main()
