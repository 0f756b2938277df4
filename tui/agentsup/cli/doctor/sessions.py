"""The running sessions: does each answer, and does it get from the agent's log what it needs?"""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from agentsup.agents.claude_settings import STATUS_FILE
from agentsup.agents.registry import names_with_log
from agentsup.cli import sessions
from agentsup.cli.doctor import folders
from agentsup.cli.doctor.finding import Finding
from agentsup.core.problems import UsageProblem
from agentsup.core.session import Log, Session
from agentsup.locale.time_of_day import when
from agentsup.protocol import messages as m
from agentsup.store.content import LARGEST, read_plain
from agentsup.store.folders import runtime_path

GRACE = 60.0
"""Seconds for which a folder without a session in it may be one that is just being made."""

_KEEPER = "agentsup.keeper"


def running(environment: Mapping[str, str]) -> list[sessions.Found]:
    """Return the sessions that accept a connection; nothing where looking would first have to make a folder."""
    return sessions.running() if folders.is_safe(environment) else []


def look(found: sessions.Found) -> Iterator[Finding]:
    """Ask one session's host how it is, and judge the answer."""
    answer = sessions.ask(found, m.StatusRequest())
    if not isinstance(answer, m.SessionChanged):
        raise UsageProblem("session.silent", name=found.record.session)
    path = answer.session.log.path
    yield from judged(answer.session, found.record.argv, _why_unreadable(path) if path else "")


def look_for_stale(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Look for folders of sessions whose keeper has ended without removing them."""
    runtime = runtime_path(environment)[0]
    if os.path.lexists(runtime) and not folders.is_safe(environment):
        yield Finding("sessions.all", "unknown", "doctor.sessions-unseen", {"path": str(runtime)})
        return
    stale = [folder for folder in runtime.iterdir() if _is_stale(folder)] if runtime.exists() else []
    if not stale:
        yield Finding("sessions.stale", "ok", "doctor.no-stale")
    for folder in sorted(stale):
        values = {"session": folder.name, "path": shlex.quote(str(folder))}
        yield Finding("sessions.stale", "warning", "doctor.stale", values)


def judged(session: Session, argv: Sequence[str], unreadable: str) -> Iterator[Finding]:
    """Judge a session; `unreadable` says why its log can't be opened, if it can't."""
    check = f"sessions.{session.id}"
    values = {"session": session.id, "agent": session.agent.name, "phase": session.phase, "by": session.phase_by}
    terms = {"phase": "phase", "by": "doctor.phase-by"}
    yield Finding(check, "ok", "doctor.session", values, terms)
    if session.agent.name in names_with_log():
        yield _judged_log(f"{check}-log", session, unreadable)
        yield from _judged_lines(f"{check}-lines", session.log)
        if session.phase != "exited":
            yield _judged_window(f"{check}-window", session, argv)
            yield _judged_hooks(f"{check}-hooks", session)
    else:
        yield Finding(f"{check}-log", "ok", "doctor.log-none", values)
    for notice in session.notices:
        yield Finding(f"{check}-notice", "warning", notice.key, dict(notice.values))


def _judged_log(check: str, session: Session, unreadable: str) -> Finding:
    log = session.log
    values = {"agent": session.agent.name, "path": log.path, "reason": unreadable, "file": shlex.quote(log.path)}
    if not session.conversation:
        return Finding(check, "unknown", "doctor.log-not-identified", values)
    if not log.path:
        return Finding(check, "ok", "doctor.log-not-yet", values)
    if unreadable:
        return Finding(check, "problem", "log.unreadable", values)
    if log.unknown_format:
        return Finding(check, "problem", "doctor.log-unknown-format", values)
    return Finding(check, "ok", "doctor.log-from-middle" if log.from_middle else "doctor.log-read", values)


def _judged_lines(check: str, log: Log) -> Iterator[Finding]:
    for key, count in (("log.unreadable-line", log.unreadable), ("log.line-too-long", log.skipped)):
        if count:
            yield Finding(check, "warning", key, {"count": str(count)})


def _judged_hooks(check: str, session: Session) -> Finding:
    hooks = session.loop.hooks
    values = {"agent": session.agent.name, "time": when(hooks.heard)}
    if not hooks.installed:
        return Finding(check, "ok", "doctor.hooks-off", values)
    return Finding(check, "ok", "doctor.hooks-loaded" if hooks.heard else "doctor.hooks-not-heard", values)


def _judged_window(check: str, session: Session, argv: Sequence[str]) -> Finding:
    context = session.context
    values = {"agent": session.agent.name, "used": str(context.used), "window": str(context.window)}
    if context.window_wrong:
        return Finding(check, "warning", "doctor.window-wrong", values)
    if context.window is not None:
        return Finding(check, "ok", "doctor.window", values)
    if session.agent.name == "claude" and not any(STATUS_FILE in word for word in argv):
        # Without a status line of ours there is none on its command line: the person's own, or the setting, is why.
        return Finding(check, "warning", "doctor.window-own-status-line", values)
    return Finding(check, "ok", "doctor.window-not-yet", values)


def _why_unreadable(path: str) -> str:
    try:
        # Not blocking: a path that turns out to be a pipe must not hold us up.
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _is_stale(folder: Path) -> bool:
    """Say whether this is the folder of a session that has no keeper any more."""
    try:
        pid = json.loads(read_plain(folder / "session.json", None, LARGEST) or b"")["keeper_pid"]
    except FileNotFoundError:
        return folder.is_dir() and time.time() - folder.stat().st_mtime > GRACE
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return isinstance(pid, int) and not _is_keeper(pid)


def _is_keeper(pid: int) -> bool:
    """Say whether a keeper has this pid: after a crash it may be anybody's."""
    import psutil

    try:
        return _KEEPER in " ".join(psutil.Process(pid).cmdline())
    except (psutil.NoSuchProcess, ValueError, OverflowError):
        return False
    except psutil.AccessDenied:
        return True
