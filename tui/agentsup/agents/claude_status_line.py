"""The status line command that a supervised Claude Code runs: it keeps what it is told, and prints nothing.

    python -I -S claude_status_line.py FILE [COMMAND]

Claude Code tells the size of its context window nowhere else. What comes on stdin is written to FILE, replaced
as a whole. Where the person has a status line of their own, COMMAND is theirs: it is run by a shell with the
same input, and what it prints is what is shown. Whatever goes wrong with FILE, COMMAND is run.

Run as a file of its own, without site-packages: it imports as little as it can, for the agent waits for it.
"""

import os
import sys

READ_MOST = 1 << 20


def keep(path: str, data: bytes) -> None:
    """Write the data, so that a reader sees all of it or what was there before."""
    temporary = f"{path}.{os.getpid()}"
    try:
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError:
        return  # the session is over: the person's status line matters more
    try:
        whole = os.write(file, data) == len(data)
        os.close(file)
        if whole:
            os.replace(temporary, path)
            return
    except OSError:
        pass  # the disk is full: what was there before stays
    try:  # noqa: SIM105  the import of contextlib would cost as much as all the rest
        os.unlink(temporary)
    except OSError:
        pass


def run(command: str, data: bytes) -> int:
    """Run the person's own command as Claude Code would; returns its exit code."""
    import subprocess

    done = subprocess.run(["/bin/sh", "-c", command], input=data, check=False)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def main(arguments: list[str]) -> int:
    """Do both; returns the exit code."""
    data = sys.stdin.buffer.read()
    if len(data) <= READ_MOST:
        keep(arguments[0], data)
    return run(arguments[1], data) if len(arguments) > 1 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
