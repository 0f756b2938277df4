"""The program that is pasted into: draws a counter a hundred times a second, and reads as it comes.

Run as a script of its own (`python -I animated_reader.py FILE BRACKETED`). What it read up to the word that ends
the measurement goes into FILE, as a count and a digest.
"""

from __future__ import annotations

import hashlib
import os
import select
import sys
import time
import tty
from pathlib import Path

FRAME = 0.01
END = b"[the end]"


def main() -> None:
    """Draw and read for good; report when the end word came."""
    tty.setraw(0)
    read = bytearray()
    if sys.argv[2] == "1":
        os.write(1, b"\x1b[?2004h")
    number, due = 0, time.monotonic()
    while True:
        number, due = number + 1, due + FRAME
        os.write(1, b"\x1b[1;1Hframe %08d" % number)
        while (left := due - time.monotonic()) > 0:
            if select.select([0], [], [], left)[0]:
                data = os.read(0, 1 << 16)
                if not data:
                    return
                read += data
                if read.endswith(END):
                    text = bytes(read.removesuffix(END))
                    Path(sys.argv[1]).write_text(f"{len(text)} {hashlib.sha256(text).hexdigest()}")


if __name__ == "__main__":
    main()
