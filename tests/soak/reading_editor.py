"""An editor that keeps every byte it is given, and leaves at a q: `python -I reading_editor.py RECORD FILE`."""

from __future__ import annotations

import os
import sys
import tty


def main() -> None:
    """Read until somebody types a q."""
    tty.setraw(0)
    os.write(1, b"\x1b[2J\x1b[HEDITOR\r\n")
    with open(sys.argv[1], "ab", buffering=0) as record:
        while data := os.read(0, 4096):
            record.write(data)
            if b"q" in data:
                return


if __name__ == "__main__":
    main()
