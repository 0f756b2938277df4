"""Count texts for another process: `python -m agentsup.tokens`, texts on standard input, counts on standard output.

Every text is answered, in order; the forms are in `pipe.py`. The process ends with its input.
"""

from __future__ import annotations

import os
import signal
import sys

from agentsup.tokens import count, pipe

NICENESS = 10
"""What is counted must not slow down what is typed."""


def main() -> None:
    """Answer until the input ends."""
    # It ends with its input, and not with a Ctrl-C that was meant for somebody else.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    source = sys.stdin.buffer
    try:
        while len(head := source.read(pipe.LENGTH_SIZE)) == pipe.LENGTH_SIZE:
            text = source.read(pipe.length(head)).decode("utf-8", "replace")
            os.write(1, pipe.pack_count(count(text)))
    except BrokenPipeError:
        return


if __name__ == "__main__":
    main()
