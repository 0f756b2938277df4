"""Are the agents there, and in a version that was measured?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agentsup.agents.adapter import Adapter
from agentsup.agents.registry import has_log
from agentsup.cli import hook_consent
from agentsup.cli.doctor.finding import Finding

SHIPPED = "demo"
"""The agent that comes with agentsup: that it is there says nothing about agents."""


def look(adapters: Sequence[Adapter], environment: Mapping[str, str], wanted: str = "") -> Iterator[Finding]:
    """Look for every agent, or for the one that is wanted.

    Nobody has all of them. So those that are missing are told in one line, and are no problem, unless one was
    asked for or none is there.
    """
    programs = {adapter.name: adapter.find(environment) for adapter in adapters}
    has_some = any(program for name, program in programs.items() if name != SHIPPED)
    missing = []
    for adapter in adapters:
        if wanted not in ("", adapter.name):
            continue
        program = programs[adapter.name]
        if program:
            yield judged(adapter.name, program, adapter.version(program), adapter.measured)
            if why := hook_consent.last_review(adapter, program, environment):
                yield Finding(f"agents.{adapter.name}-hooks", "warning", why)
        elif wanted or (has_log(adapter) and not has_some):
            yield Finding(f"agents.{adapter.name}", "problem", f"agent.{adapter.name}-missing", {"name": adapter.name})
        else:
            missing.append(adapter.name)
    if missing:
        yield Finding("agents.missing", "ok", "doctor.agents-missing", {"names": ", ".join(missing)})


def judged(agent: str, program: str, version: str, measured: Sequence[str]) -> Finding:
    """Judge an agent that is there by its version; empty where that can't be told."""
    check = f"agents.{agent}"
    values = {"agent": agent, "version": version, "path": program, "measured": ", ".join(measured)}
    if not measured:
        return Finding(check, "ok", "doctor.agent-found", values)
    if not version:
        return Finding(check, "unknown", "doctor.agent-version-unknown", values)
    if version not in measured:
        return Finding(check, "warning", "doctor.agent-not-measured", values)
    return Finding(check, "ok", "doctor.agent-measured", values)
