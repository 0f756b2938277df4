"""What memory names: the hashes, paths and symbols that git and the work tree have to be asked about.

Without the data of the checks, so that a shell can ask while it reads: it may name more than a check wants to know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentsup.core.checks.names import candidates
from agentsup.core.memory.engram import read_engram
from agentsup.core.memory.model import Memory
from agentsup.core.memory.problems import Unparsable
from agentsup.core.memory.state import Step
from agentsup.core.memory.state_forms import read_state

MOST = 500
"""Of each kind: what a memory names beyond that is not asked for."""


def hashes(memory: Memory) -> tuple[str, ...]:
    """Return the commit hashes that the state names, as they are written, each once."""
    return _first(commit for step in _steps(memory) for commit in step.commits)


def paths(memory: Memory) -> tuple[str, ...]:
    """Return what can be a path in the engram, without line numbers, each once."""
    return _first(path for text in _items(memory) for path in candidates(text)[0])


def symbols(memory: Memory) -> tuple[str, ...]:
    """Return what can be a function or class in the engram, without brackets, each once."""
    return _first(symbol for text in _items(memory) for symbol in candidates(text)[1])


def _items(memory: Memory) -> Iterator[str]:
    for item in read_engram(memory.engram.text or "").items:
        yield item.text


def _steps(memory: Memory) -> Iterator[Step]:
    try:
        state = read_state(memory.state_form, memory.state.text or "")
    except Unparsable:
        return
    for steps in (state.completed, state.evidence, state.in_progress, state.next, state.blocked, state.scope):
        yield from steps


def _first(found: Iterable[str]) -> tuple[str, ...]:
    """Return the first of what was found, each once."""
    seen: dict[str, None] = {}
    for each in found:
        seen.setdefault(each)
        if len(seen) >= MOST:
            break
    return tuple(seen)
