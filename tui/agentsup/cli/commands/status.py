"""`agentsup status [SESSION] [--json]`: one session as it is now.

The JSON object: session, agent{name, version, pid, code, signal}, project, started, phase,
context{used, window, source, fraction}, turn, turns, compactions, conversation, log,
injection{id, occasion, state, reason} or null, warnings[{key, what, todo}], interface (attached or not).
"""

from __future__ import annotations

import argparse
import json

from agentsup.cli import sessions
from agentsup.core.catalogue import Catalogue
from agentsup.core.problems import UsageProblem
from agentsup.core.session import Session
from agentsup.locale import load
from agentsup.protocol import messages as m


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("session", nargs="?")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Print the session; returns the exit code."""
    catalogue = load(arguments.language)
    changed = session_of(sessions.choose(arguments.session))
    if arguments.json:
        print(json.dumps(as_json(changed.session, changed.interfaces), ensure_ascii=False))
    else:
        _print(changed.session, changed.interfaces, catalogue)
    return 0


def session_of(found: sessions.Found) -> m.SessionChanged:
    """Ask a session's host how it is; raises UsageProblem where it does not answer."""
    answer = sessions.ask(found, m.StatusRequest())
    if not isinstance(answer, m.SessionChanged):
        raise UsageProblem("session.silent", name=found.record.session)
    return answer


def as_json(session: Session, interfaces: int) -> dict[str, object]:
    """Return the documented object."""
    english = load("en")
    injection = session.injection
    return {
        "session": session.id,
        "agent": {
            "name": session.agent.name, "version": session.agent.version, "pid": session.agent.pid,
            "code": session.agent.code, "signal": session.agent.signal,
        },
        "project": session.project,
        "started": session.started,
        "phase": session.phase,
        "context": {
            "used": session.context.used, "window": session.context.window,
            "source": session.context.source, "fraction": session.context.fraction,
        },
        "turn": session.turn,
        "turns": session.turns,
        "compactions": len(session.compactions),
        "conversation": session.conversation,
        "log": session.log.path,
        "injection": injection and {
            "id": injection.id, "occasion": injection.occasion, "state": injection.state,
            "reason": injection.reason,
        },
        "warnings": [
            {
                "key": notice.key,
                "what": english.text(f"{notice.key}.what", **dict(notice.values)),
                "todo": english.text(f"{notice.key}.todo", **dict(notice.values)),
            }
            for notice in session.notices
        ],
        "interface": interfaces > 0,
    }  # fmt: skip


def _print(session: Session, interfaces: int, catalogue: Catalogue) -> None:
    context, injection = session.context, session.injection
    share = f"{context.fraction:.0%} " if context.fraction is not None else ""
    tokens = "–" if context.used is None else f"{context.used:,} / {context.window or 0:,}"
    rows = [
        ("session", session.id),
        ("agent", f"{session.agent.name} ({session.agent.pid})"),
        ("project", session.project),
        ("state", catalogue.text(f"phase.{session.phase}")),
        ("context", f"{share}{tokens} ({catalogue.text(f'source.{context.source}')})"),
        ("compactions", str(len(session.compactions))),
        ("injection", "–" if injection is None else catalogue.text(f"injection.{injection.state}")),
        ("interface", catalogue.text("status.attached" if interfaces else "status.detached")),
    ]
    if injection is not None and injection.reason:
        rows[-2] = ("injection", f"{rows[-2][1]}: {catalogue.text(injection.reason)}")
    for name, value in rows:
        print(f"{catalogue.text(f'ls.{name}')}: {value}")
    for notice in session.notices:
        for part in ("what", "todo"):
            print(f"! {catalogue.text(f'{notice.key}.{part}', **dict(notice.values))}")
