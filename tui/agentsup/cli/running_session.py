"""What the running session of a project knows: its model's window, and what its agent has done."""

from __future__ import annotations

import os
from pathlib import Path

from agentsup.cli.doctor.examination import within
from agentsup.cli.doctor.folders import is_safe
from agentsup.core.problems import Problem
from agentsup.core.session import Session
from agentsup.store.project_root import project_root

DEADLINE = 5.0
"""Seconds that all sessions together may take: what they know is good to have, and never waited for longer."""


def session_of(root: Path) -> Session | None:
    """Return the session that runs in a project: that of this very process tree, else the only one that answers."""
    if not is_safe(os.environ):
        return None
    try:
        answers = within(DEADLINE, lambda: _answers(root))
    except (TimeoutError, OSError, Problem):
        return None
    own = [session for session in answers if session.id == os.environ.get("AGENTSUP_SESSION")]
    found = own or answers
    return found[0] if len(found) == 1 else None


def _answers(root: Path) -> list[Session]:
    from agentsup.cli import sessions
    from agentsup.protocol import messages as m

    found = []
    for each in sessions.running():
        if os.path.realpath(project_root(Path(each.record.cwd))) != os.path.realpath(root):
            continue
        try:
            answer = sessions.ask(each, m.StatusRequest())
        except Problem:
            continue
        if isinstance(answer, m.SessionChanged):
            found.append(answer.session)
    return found
