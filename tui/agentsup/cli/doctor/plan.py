"""All checks, in the order in which they are made and shown."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from agentsup.agents.registry import adapter_for, names
from agentsup.cli import sessions
from agentsup.cli.doctor import agents, folders, memory, project, system, terminal, trust
from agentsup.cli.doctor import sessions as sessions_check
from agentsup.cli.doctor.examination import Check
from agentsup.core.problems import UsageProblem

ASK_DEADLINE = sessions.ANSWER_DEADLINE + 2.0
"""Seconds to ask a session: its own deadline says more than ours would."""


def chosen(name: str, running: Sequence[sessions.Found]) -> tuple[str, list[sessions.Found]]:
    """Return the agent and the sessions that a word means: all where it is empty; raises UsageProblem."""
    if not name:
        return "", list(running)
    if name in names():
        return name, [found for found in running if found.record.agent == name]
    meant = [found for found in running if found.record.session.startswith(name)]
    if not meant:
        raise UsageProblem("doctor.unknown", name=name, known=", ".join(names()))
    agent = meant[0].record.agent
    return agent if agent in names() else "", meant


def checks(environment: Mapping[str, str], here: Path, agent: str, running: Sequence[sessions.Found]) -> list[Check]:
    """Return the checks for an agent, or for all of them, and for these sessions."""
    adapters = [adapter_for(name) for name in names()]
    return [
        Check("agents.all", partial(agents.look, adapters, environment, agent)),
        *(
            Check(f"sessions.{found.record.session}", partial(sessions_check.look, found), ASK_DEADLINE)
            for found in running
        ),
        Check("sessions.stale", partial(sessions_check.look_for_stale, environment)),
        Check("folders.runtime", partial(folders.look_runtime, environment)),
        Check("folders.data", partial(folders.look_data, environment)),
        Check("folders.config", partial(folders.look_config, environment)),
        Check("folders.project", partial(folders.look_project, here)),
        Check("project.settings", partial(project.look_settings, environment, here)),
        Check("project.git", partial(project.look_git, environment, here)),
        Check("memory.files", partial(memory.look, here)),
        Check("trust.record", partial(trust.look, environment, here)),
        Check("terminal.size", partial(terminal.look, environment, terminal.size())),
        *([Check("terminal.tmux", terminal.look_tmux)] if environment.get("TMUX") else []),
        Check("system.python", system.look_python),
        Check("system.engine", system.look_engine),
        Check("system.tokens", system.look_tokens),
        Check("system.pty", system.look_pty),
        Check("system.inotify", partial(system.look_inotify, here)),
    ]


def here() -> Path:
    """Return the current folder; raises UsageProblem where it is gone."""
    try:
        return Path(os.getcwd())
    except OSError as error:
        raise UsageProblem("doctor.no-folder", reason=error.strerror) from error
