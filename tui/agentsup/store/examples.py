"""The example that a project's agents are taught by: an agent's engram, and what its person has made of it.

It takes the place of the shipped pair in the instructions of the next launch, until it is forgotten or replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from agentsup.core.instructions import Examples
from agentsup.core.memory.engram import Engram, read_engram, write_engram
from agentsup.core.problems import Problem
from agentsup.core.redaction import redacted
from agentsup.core.text import legible, sanitise
from agentsup.store import atomic
from agentsup.store.engram_history import project_folder, project_path, user_data

MOST = 4_000
"""Characters of one of the two: they are a part of a command line, and an engram has 200 words at most."""

_FILE = "example.json"


def save_example(root: Path, good: str, bad: str, environment: Mapping[str, str] | None = None) -> Examples:
    """Teach by this pair from the next launch on; returns it as it is kept, which is the tagged lines alone.

    Raises Problem `example.no-engram` or `example.too-long`, UsageProblem or OSError.
    """
    examples = Examples(_shown(_lines(good)), _shown(_lines(bad)))
    if not examples.good or not examples.bad:
        raise Problem("example.no-engram")
    if max(len(examples.good), len(examples.bad)) > MOST:
        raise Problem("example.too-long", most=f"{MOST:,}")
    data = msgspec.json.encode(examples) + b"\n"
    path = project_folder(root, environment) / _FILE
    atomic.update(path, lambda _: data, mode=0o600, beneath=user_data(environment))
    return examples


def read_example(root: Path, environment: Mapping[str, str] | None = None) -> Examples | None:
    """Return the pair of a project; None where there is none, or none that can be read. Raises OSError."""
    path = project_path(root, environment) / _FILE
    data = atomic.read(path, beneath=user_data(environment)).data
    if data is None:
        return None
    try:
        kept = msgspec.json.decode(data, type=Examples)
    except msgspec.MsgspecError:
        return None  # the shipped pair teaches, too
    # Whoever has written it: what is no item is not told.
    examples = Examples(_lines(kept.good), _lines(kept.bad))
    is_whole = examples.good and examples.bad and max(len(examples.good), len(examples.bad)) <= MOST
    return examples if is_whole else None


def forget_example(root: Path, environment: Mapping[str, str] | None = None) -> bool:
    """Go back to the shipped pair; tells whether there was another one. Raises OSError."""
    path = project_path(root, environment)
    if not path.is_dir():
        return False
    with atomic.writing(path, beneath=user_data(environment)) as folder:
        content = folder.read(_FILE)
        if content.data is not None:
            folder.remove(_FILE, content.token)
            return True
    return False


def _lines(text: str) -> str:
    """Return the items of an engram, one a line.

    It becomes a part of what an agent is told before everything else: there is no room for a line that is no item.
    """
    engram = read_engram(redacted(sanitise(text)))
    items = tuple(item for item in engram.items if item.text)
    return write_engram(Engram(items, language=engram.language)).rstrip("\n")


def _shown(text: str) -> str:
    """Return lines in which nothing stands that a person could not see when correcting it."""
    return "\n".join(map(legible, text.split("\n")))
