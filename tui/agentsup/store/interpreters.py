"""What a script is run by: what its first line says, as long as nothing of the project itself is run that way."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

_SHELL = "/bin/sh"

_OTHER_NAMES = ("/proc", "/dev", "/sys")
"""What is below these stands for other files, for each process for others: /proc/self/cwd is the project."""

_LINKS_MOST = 40


class Refused(Exception):
    """A first line leads to bytes that nobody has approved; its only argument is what it names."""


def command(root: str, data: bytes, path: str, *, by_shell: bool) -> list[str]:
    """Return what runs a script that lies at a path: its first line is read as the system would.

    `by_shell`: whether it is one for the shell where nothing else is said. Raises Refused.
    """
    if by_shell:
        return [_SHELL, path]
    line = data[2:].partition(b"\n")[0] if data.startswith(b"#!") else b""
    words = line.strip(b" \t").replace(b"\t", b" ").split(b" ", 1)
    if not words[0]:
        return [path]
    interpreter, *argument = map(os.fsdecode, words)
    if not os.path.isabs(interpreter) or _leads_astray(root, interpreter):
        raise Refused(interpreter)
    for text in argument:
        _look_at(root, interpreter, text)
    return [interpreter, *(text.strip() for text in argument), path]


def _look_at(root: str, interpreter: str, argument: str) -> None:
    """Refuse an argument that names a file of the project: `env -S tools/run` runs it."""
    # With quotes and variables a path can be written in a way that no look at it would tell.
    quoted = os.path.basename(interpreter) == "env" and re.search(r"[\\\"'$]", argument)
    if quoted or any(_is_astray(root, word) for word in argument.split()):
        raise Refused(f"{interpreter} {argument.strip()}")


def _is_astray(root: str, word: str) -> bool:
    # A changed PATH could name any folder of the project; one without a slash, too.
    return re.match(r"(.*=|-[A-Za-z]*)?PATH=", word) is not None or any(
        not os.path.isabs(path) or _leads_astray(root, path) for path in _paths_in(word)
    )


def _paths_in(word: str) -> Iterator[str]:
    """Yield what may be a path in a word: itself, what is behind an option's letter, an equals sign, a colon."""
    for piece in re.split("[=:]", word):
        if "/" in piece:
            yield piece[2:] if piece.startswith("-") else piece


def _leads_astray(root: str, path: str) -> bool:
    """Whether a path passes through the project, or through what stands for other files."""
    rest = path.split("/")
    here, links = "/", 0
    while rest:
        name = rest.pop(0)
        if name in ("", "."):
            continue
        here = os.path.dirname(here) if name == ".." else os.path.join(here, name)
        if here in _OTHER_NAMES or _is_same(here, root):
            return True
        target = _target(here)
        if target:
            links += 1
            if links > _LINKS_MOST:
                return True
            here = "/" if os.path.isabs(target) else os.path.dirname(here)
            rest[:0] = target.split("/")
    return False


def _target(path: str) -> str:
    try:
        return os.readlink(path)
    except (OSError, ValueError):
        return ""


def _is_same(path: str, root: str) -> bool:
    """Whether it is the project's folder, by whatever name."""
    try:
        return os.path.samefile(path, root)
    except (OSError, ValueError):
        return False
