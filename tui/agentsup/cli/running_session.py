"""What the running session of a project knows, and is told: its model's window, what its agent did, what was saved."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from agentsup.cli.doctor.examination import within
from agentsup.cli.doctor.folders import is_safe
from agentsup.core.problems import Problem
from agentsup.core.session import Session
from agentsup.store.project_root import project_root

if TYPE_CHECKING:
    from agentsup.cli.sessions import Found
    from agentsup.protocol import messages as m

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


def tell(root: Path, request: m.ClientMessage) -> list[m.HostMessage | None]:
    """Say something to every session that runs in a project; return their answers, None of one that gives none."""
    if not is_safe(os.environ):
        return []
    try:
        found = within(DEADLINE, lambda: _running_in(root))
    except (TimeoutError, OSError, Problem):
        return []
    return [_answer(each, request) for each in found]


def _answer(found: Found, request: m.ClientMessage) -> m.HostMessage | None:
    from agentsup.cli import sessions

    try:
        return within(DEADLINE, lambda: sessions.ask(found, request))
    except (TimeoutError, OSError, Problem):
        return None


def _running_in(root: Path) -> list[Found]:
    from agentsup.cli import sessions

    here = os.path.realpath(root)
    return [each for each in sessions.running() if os.path.realpath(project_root(Path(each.record.cwd))) == here]


def _answers(root: Path) -> list[Session]:
    from agentsup.cli import sessions
    from agentsup.protocol import messages as m

    found = []
    for each in _running_in(root):
        try:
            answer = sessions.ask(each, m.StatusRequest())
        except Problem:
            continue
        if isinstance(answer, m.SessionChanged):
            found.append(answer.session)
    return found
