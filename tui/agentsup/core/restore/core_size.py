"""What TASK, STATE, CONTRACT and the rejected alternatives cost together: from them alone a task must be resumable."""

from __future__ import annotations

from dataclasses import dataclass

from agentsup.core.memory.decisions import read_decisions
from agentsup.core.memory.model import Memory
from agentsup.core.restore.cutting import Count

MOST = 400


@dataclass(frozen=True)
class Sized:
    """A file and its tokens."""

    file: str
    tokens: int


def core_sizes(memory: Memory, count: Count) -> tuple[Sized, ...]:
    """Return the tokens of each core file that there is; of the decisions those of the rejected titles."""
    sizes = [
        Sized(document.path, count(document.text))
        for document in (memory.task, memory.state, memory.contract)
        if document.text
    ]
    titles = "".join(f"{each.title}\n" for each in read_decisions(memory.decisions.text or "").rejected)
    if titles:
        sizes.append(Sized(memory.decisions.path, count(titles)))
    return tuple(sizes)
