"""What a person should know of a project's trust: what waits for them, what does not count, what changed."""

from __future__ import annotations

from collections.abc import Sequence

from agentsup.core.memory.model import Memory
from agentsup.core.restore.decisions_part import read_once
from agentsup.core.restore.preparation import Said
from agentsup.core.text import on_one_line
from agentsup.core.trust.accepted import not_accepted
from agentsup.core.trust.rules import judged

_SHOWN = 4
_LENGTH = 60
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
    return tuple(said)


def _listed(names: Sequence[str]) -> str:
    shown = [on_one_line(name) for name in names[:_SHOWN]]
    shown = [name if len(name) <= _LENGTH else f"{name[:_LENGTH]}…" for name in shown]
    return ", ".join(shown) + (f" (+{len(names) - _SHOWN})" if len(names) > _SHOWN else "")
