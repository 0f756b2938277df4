"""What a person should know of a project's trust: what waits for them, what does not count, what changed."""

from __future__ import annotations

from collections.abc import Sequence

from agentsup.core.memory.model import Memory
from agentsup.core.restore.decisions_part import read_once
from agentsup.core.restore.preparation import Said
from agentsup.core.text import on_one_line
from agentsup.core.trust.accepted import never_accepted, not_accepted
from agentsup.core.trust.rules import judged

_LENGTH = 30
"""Characters of a name or title that are shown."""


def about_trust(memory: Memory) -> tuple[Said, ...]:
    """Return the notices; where nobody has ever answered here, everything that waits is one."""
    trust = memory.trust
    said: list[Said] = []
    if trust.problem:
        said.append((trust.problem, ()))
    decisions = read_once(memory.decisions.text or "").decisions
    void = [each.decision.title for each in judged(decisions, trust.rules) if each.standing == "void"]
    foreign = [path for path, _ in trust.foreign]
    if not trust.answered and (trust.waiting or void or foreign):
        counts = (("scripts", trust.waiting), ("rules", void), ("files", foreign))
        said.append(("trust.first-use", tuple((name, str(len(found))) for name, found in counts)))
    else:
        if trust.waiting:
            said.append(("trust.scripts", (("files", _listed(trust.waiting)),)))
        if void:
            said.append(("trust.void-hard", (("titles", _listed(void)),)))
        if foreign and trust.unseen:
            said.append(("trust.foreign", (("files", _listed(foreign)),)))
    if changed := not_accepted(memory):
        said.append(("trust.changed", (("files", _listed(changed)),)))
    if new := () if trust.problem else never_accepted(memory):
        said.append(("trust.new", (("files", _listed(new)),)))
    if failed := [each.name for each in trust.outputs if each.problem]:
        said.append(("trust.unit-failed", (("units", _listed(failed)),)))
    return tuple(said)


def _listed(names: Sequence[str]) -> str:
    """Return the first name and how many more there are: a notice is a line."""
    first = on_one_line(names[0])
    first = first if len(first) <= _LENGTH else f"{first[:_LENGTH]}…"
    return first + (f" (+{len(names) - 1})" if len(names) > 1 else "")
