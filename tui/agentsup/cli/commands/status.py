"""`agentsup status [SESSION] [--json]`: one session as it is now.

The JSON object; a figure that nobody knows is null, never a guess:

    session, project, started, conversation
    agent               name, version, pid, code, signal
    phase               starting, idle, working, waiting-for-approval, compacting, exited, unknown
    phase_by            what the phase is known by: process, report, status-file, title, log, screen
    turn, turns         the running turn, empty when none runs; turns so far
    context             used, window              tokens
                        source                    exact, estimate, stale (since a compaction), unknown
                        fraction                  of the window in use, 0.0 to 1.0
                        at_least                  whether `used` is a lower bound
                        window_wrong              more in use than the window is said to hold; then no fraction
                        compacts_at               tokens at which the agent compacts by itself
                        until_compaction          tokens left until then
                        agents_percent_left       the "% left" that the agent itself shows (Codex)
    spent               null, or input, cached, output: tokens used up by the whole conversation; at_least where
                        the log leaves requests out (Claude Code: compactions, sub-agents)
    compactions         number
    compactions_failed  number of those that were begun and did not happen
    last_compaction     null, or before, after (tokens), trigger (auto, manual, unknown), mid_turn, time
    log                 path, skipped (lines too long), unreadable (lines), unknown_format,
                        from_middle               turns and compactions are lower bounds then
    injection           null, or id, occasion, state, reason, channel (stdin, hook)
    recital             null, or id (of the restore), verdict (right, wrong, unclear), by (comparison, person),
                        missing                   what is not in it, or contradicts memory
    hooks               installed                 whether the agent was started with hooks of ours
                        heard                     null, or when it ran one last
    warnings            list of key, what, todo
    interface           whether one is attached
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, replace

from agentsup.cli import sessions
from agentsup.cli.plain_text import one_line
from agentsup.core import figures
from agentsup.core.catalogue import Catalogue
from agentsup.core.problems import UsageProblem
from agentsup.core.redaction import redacted_value
from agentsup.core.session import Injection, Session
from agentsup.core.shown_injection import injection_words, reason_now, shown_injection
from agentsup.locale import load
from agentsup.locale.time_of_day import when
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
        print(json.dumps(redacted_value(as_json(changed.session, changed.interfaces)), ensure_ascii=False))
    else:
        print_lines(changed.session, changed.interfaces, catalogue)
    return 0


def session_of(found: sessions.Found) -> m.SessionChanged:
    """Ask a session's host how it is; raises UsageProblem where it does not answer."""
    answer = sessions.ask(found, m.StatusRequest())
    if not isinstance(answer, m.SessionChanged):
        raise UsageProblem("session.silent", name=found.record.session)
    return answer


def as_json(session: Session, interfaces: int) -> dict[str, object]:
    """Return the documented object."""
    injection, recital = session.injection, session.loop.recital
    return {
        "session": session.id,
        "agent": {
            "name": session.agent.name, "version": session.agent.version, "pid": session.agent.pid,
            "code": session.agent.code, "signal": session.agent.signal,
        },
        "project": session.project,
        "started": session.started,
        "phase": session.phase,
        "phase_by": session.phase_by,
        "context": _context(session),
        "spent": session.spent and asdict(session.spent),
        "turn": session.turn,
        "turns": session.turns,
        "compactions": len(session.compactions),
        "compactions_failed": session.failed_compactions,
        "last_compaction": _last_compaction(session),
        "conversation": session.conversation,
        "log": asdict(session.log),
        "injection": injection and {
            "id": injection.id, "occasion": injection.occasion.written, "state": injection.state,
            "reason": injection.reason, "channel": injection.channel,
        },
        "recital": recital and {
            "id": recital.id, "verdict": recital.verdict, "by": recital.by,
            "missing": [key.rpartition(".")[2] for key in recital.missing],
        },
        "hooks": {"installed": session.loop.hooks.installed, "heard": session.loop.hooks.heard or None},
        "warnings": _warnings(session),
        "interface": interfaces > 0,
    }  # fmt: skip


def _context(session: Session) -> dict[str, object]:
    context = session.context
    return {
        "used": context.used,
        "window": context.window,
        "source": context.source,
        "fraction": context.fraction,
        "at_least": context.at_least,
        "window_wrong": context.window_wrong,
        "compacts_at": context.compacts_at,
        "until_compaction": context.until_compaction,
        "agents_percent_left": figures.agents_percent_left(session),
    }


def _last_compaction(session: Session) -> dict[str, object] | None:
    if not session.compactions:
        return None
    seen = session.compactions[-1]
    return {
        "before": seen.before, "after": seen.after, "trigger": seen.trigger, "mid_turn": seen.mid_turn,
        "time": seen.time,
    }  # fmt: skip


def _warnings(session: Session) -> list[dict[str, str]]:
    english = load("en")
    return [
        {
            "key": notice.key,
            "what": english.text(f"{notice.key}.what", **dict(notice.values)),
            "todo": english.text(f"{notice.key}.todo", **dict(notice.values)),
        }
        for notice in session.notices
    ]


def print_lines(session: Session, interfaces: int, catalogue: Catalogue) -> None:
    """Print the session for people: a line each for what there is to say, then the warnings."""
    from rich.cells import cell_len

    rows = [(catalogue.text(f"ls.{name}"), value) for name, value in table(session, interfaces, catalogue)]
    width = max(cell_len(label) for label, _ in rows)
    for label, value in rows:
        print(f"{label}{' ' * (width - cell_len(label))}  {one_line(value)}")
    for notice in session.notices:
        for mark, part in (("!", "what"), (" ", "todo")):
            print(mark, one_line(catalogue.text(f"{notice.key}.{part}", **dict(notice.values))))


def table(session: Session, interfaces: int, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """Yield what there is to say of a session, each thing with its name."""
    agent, log, injection = session.agent, session.log, shown_injection(session)
    yield "session", session.id
    yield "agent", " ".join(filter(None, (agent.name, agent.version, f"({agent.pid})")))
    yield "project", session.project
    yield "state", _joined(catalogue.text(f"phase.{session.phase}"), catalogue.text(f"phase_by.{session.phase_by}"))
    yield "context", context_words(session, catalogue)
    own, why = figures.agents_own(session, catalogue)
    if own:
        yield "own", f"{own} ({why})"
    if spent := session.spent:
        full = figures.full
        mark = "≥ " if spent.at_least or session.log.from_middle else ""
        words = {"input": mark + full(spent.input), "cached": full(spent.cached), "output": full(spent.output)}
        yield "spent", catalogue.text("status.spent", **words)
    yield "turns", figures.count(session.turns, log)
    yield "compactions", _compactions(session, catalogue)
    if log.path:
        yield "log", _joined(log.path, *figures.log_troubles(log, catalogue))
    yield "injection", "–" if injection is None else _injection(session, injection, catalogue)
    if recital := session.loop.recital:
        verdict = catalogue.text(f"status_recital.{recital.verdict}")
        yield "recital", _joined(verdict, *(catalogue.text(key) for key in recital.missing))
    if session.loop.hooks.installed:
        yield "hooks", hook_words(session, catalogue)
    yield "interface", catalogue.text("status.attached" if interfaces else "status.detached")


def _injection(session: Session, injection: Injection, catalogue: Catalogue) -> str:
    return injection_words(replace(injection, reason=reason_now(session, injection)), catalogue)


def hook_words(session: Session, catalogue: Catalogue) -> str:
    """Return whether the hooks that were installed are loaded: heard of in this process of the agent's."""
    heard = session.loop.hooks.heard
    return catalogue.text("status.hooks-loaded" if heard else "status.hooks-not-heard", time=when(heard))


def context_words(session: Session, catalogue: Catalogue) -> str:
    """Return how full the context is, in full figures with their marks."""
    context = session.context
    if context.used is None and figures.share(context) is None:
        return figures.nothing(session, catalogue)
    return _joined(
        "" if figures.share(context) is None else figures.percent(context),
        figures.tokens(context, catalogue, figures.full),
        catalogue.text("gauge.window_wrong") if context.window_wrong else figures.source(context, catalogue),
        figures.distance(session, catalogue, figures.full),
    )


def _compactions(session: Session, catalogue: Catalogue) -> str:
    failed = session.failed_compactions
    return _joined(
        figures.count(len(session.compactions), session.log),
        catalogue.text("gauge.failed", count=figures.count(failed, session.log)) if failed else "",
        figures.last_compaction(session.compactions[-1], catalogue, figures.full) if session.compactions else "",
    )


def _joined(*parts: str) -> str:
    return " · ".join(filter(None, parts))
