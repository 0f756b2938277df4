"""Change a memory file of the project: safe against others who write it, and told in words where that fails."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agentsup.core.checks.secrets import secrets
from agentsup.core.memory.merge_conflict import conflict_line
from agentsup.core.memory.model import Language
from agentsup.core.memory.problems import Unparsable
from agentsup.core.problems import Problem, UsageProblem
from agentsup.core.text import on_one_line, sanitise
from agentsup.locale import load
from agentsup.store import atomic
from agentsup.store.decoding import NotText, decode, encoding_of
from agentsup.store.documents import exists
from agentsup.store.engram_history import keep_conflict

GIVEN_MOST = 1 << 20
"""Bytes of a text that a command takes from a file or from standard input."""


@dataclass(frozen=True)
class Changed:
    """What a file holds after a change; `text` is all of it."""

    path: str
    """Relative to the project's root."""
    text: str
    created: bool


def change_file(root: Path, place: str, change: Callable[[str], str], *, most: int = atomic.MOST) -> Changed:
    """Read a memory file, change its text, write it; once more where another program came between.

    `change` gets an empty text where there is no file; it may run several times, and raise what a codec raises.
    The folders on the way are made. Raises Problem, and the file is as it was then.
    """
    was_there = True

    def changed(data: bytes | None) -> bytes:
        nonlocal was_there
        was_there = data is not None
        text = decode(data or b"")
        if line := conflict_line(text):
            # Either side may be the right one, and a codec would read both as one.
            raise Problem("write.merge-conflict", path=place, line=line)
        return encoded(change(text), data or b"")

    with told(place):
        path = root / place
        if not exists(root, str(Path(place).parent)):
            change("")  # where that is refused no folder is made
        written = atomic.update(path, changed, most, beneath=root)
    return Changed(place, decode(written), not was_there)


def read_file(root: Path, place: str) -> atomic.Content:
    """Return what a file holds before a command begins; raises Problem."""
    with told(place):
        return atomic.read(root / place, beneath=root)


def write_file(root: Path, place: str, text: str, before: atomic.Content) -> None:
    """Write a file that must still hold what it did `before`; else that stays and the text is kept beside.

    The folders on the way are made. Raises Problem, which says where the text was kept.
    """
    with told(place):
        try:
            atomic.replace(root / place, encoded(text, before.data or b""), before.token, beneath=root)
        except atomic.Conflict as conflict:
            keep_conflict(root, conflict)
            raise


def encoded(text: str, like: bytes) -> bytes:
    """Return a text as bytes, in the encoding of what stood there before."""
    encoding = encoding_of(like)
    if encoding != "utf-8" and not text.startswith("\ufeff"):
        text = f"\ufeff{text}"
    return text.encode(encoding)


@contextmanager
def told(place: str) -> Iterator[None]:
    """Turn what can go wrong with a memory file into a problem for the person."""
    try:
        yield
    except atomic.Conflict as conflict:
        if conflict.kept is not None:
            raise Problem("write.kept", path=place, kept=conflict.kept) from conflict
        raise Problem("write.conflict", path=place) from conflict
    except NotText as error:
        raise Problem("write.not-text", path=place, line=error.spot.line, column=error.spot.column) from error
    except Unparsable as error:
        spot = error.spot
        raise Problem(
            "write.unparsable", path=place, line=spot.line, column=spot.column, reason=on_one_line(error.reason)
        ) from error
    except atomic.UnsafeFile as error:
        # Of the file itself only its name may be known, or its whole path: a folder on the way is named as it is.
        name = str(error.filename or place)
        path = place if Path(name).name == Path(place).name else name
        raise Problem("write.unsafe", path=path, reason=error.strerror) from error
    except TimeoutError as error:
        raise Problem("write.busy", path=place) from error
    except OSError as error:
        raise Problem(_key(error), path=place, reason=error.strerror or error) from error


def _key(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "write.disk-full"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "write.read-only"
    return "write.failed"


def given_text(name: str) -> str:
    """Return the text of a file, or of standard input for `-`; raises UsageProblem, or Problem for a secret."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read(GIVEN_MOST + 1)
        else:
            with open(name, "rb") as file:
                data = file.read(GIVEN_MOST + 1)
        text = decode(data)
    except OSError as error:
        raise UsageProblem("given.unreadable", path=on_one_line(name), reason=error.strerror or error) from error
    except NotText as error:
        raise UsageProblem("given.not-text", path=on_one_line(name), line=error.spot.line) from error
    if len(data) > GIVEN_MOST:
        raise UsageProblem("given.too-long", path=on_one_line(name), most=f"{GIVEN_MOST:,}")
    refuse_secrets(text, name)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def given_item(text: str) -> str:
    """Return what was given on a command line as one line that can be written down: no controls, no secret, UTF-8."""
    text = _in_utf_8(text)
    refuse_secrets(text)
    item = on_one_line(text)
    refuse_secrets(item)
    return item


def given_words(text: str) -> str:
    """Return what was given on a command line as lines that can be written down."""
    words = sanitise(_in_utf_8(text))
    refuse_secrets(words)
    return words


def refuse_secrets(text: str, path: str = "") -> None:
    """Raise Problem where a text that was given to be written down holds what looks like a secret.

    It says what and where, never the secret itself: this goes to a screen, and into the log of an agent.
    """
    found = secrets(text)
    if found:
        kind, spot, _ = found[0]
        key = "secret.in-file" if path not in ("", "-") else "secret.given"
        raise Problem(key, kind=kind, line=spot.line, column=spot.column, path=on_one_line(path))


def _in_utf_8(text: str) -> str:
    # A word of a command line that was no UTF-8 has surrogates, and nobody could read them back.
    return text.encode(errors="replace").decode()


def label_language(setting: str) -> Language:
    """Return the language in which new memory files are written: that of the person's texts."""
    return "zh" if load(setting).language.startswith("zh") else "en"
