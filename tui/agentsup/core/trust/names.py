"""Names of files, tasks and people as they stand in agentsup's own lines: one word each, so that none is a sentence.

Whoever writes a repository chooses them, and they stand outside of every fence: in headings, in notes, in the listing.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MOST = 72
"""Characters of a name that are shown: enough for a file of a task whose name is as long as any."""

_UNFIT = r"[^\w./@+-]|[\u115f\u1160\u3164\uffa0]"
"""No letters, digits and signs of paths; and letters that show nothing, as blanks do."""

_OTHERS = re.compile(f"(?:{_UNFIT})+")
_DASHES = re.compile("-{3,}")
"""The end of a rule line, and the beginning of another."""

_TASK = re.compile(r"(?!\.)[\w.-]{1,40}")


@lru_cache(maxsize=1024)  # a folder's name stands before each of its files
def named(text: str, most: int = MOST) -> str:
    """Return a name without blanks and odd signs, each run of them as one `?`; `…` marks where it was cut."""
    from agentsup.core.redaction import redacted  # not needed for telling a task's name

    # First of all: a part of a secret, or one without its signs, is not told any more.
    plain = _word(redacted(text))
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def is_plain(text: str) -> bool:
    """Tell whether a name has nothing in it that is shown otherwise."""
    return not _OTHERS.search(text)


def is_task_name(name: str) -> bool:
    """Tell whether a folder's name can be a task's: it is told to agents, so it is a word and not a sentence."""
    return _TASK.fullmatch(name) is not None and _word(name) == name


def _word(text: str) -> str:
    # A letter and its accent are one character, as it is typed.
    return _DASHES.sub("-", _OTHERS.sub("?", unicodedata.normalize("NFC", text)))
