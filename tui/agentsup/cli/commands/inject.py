"""`agentsup inject [SESSION] (--restore | --text T | -) [--timeout S] [--json]`: send the agent a text.

It goes the way of every restore: typed only into an idle agent with an empty input box, and confirmed by the
agent's own log. Why it waits is told on standard error, what became of it on standard output. Exit 0 when it is
confirmed, 1 when it is not, 3 for agents: this is for people.

The JSON object:

    session, id
    state     confirmed, failed, dropped (was not sent), submitted (typed; the log does not show it so far),
              queued or held where it could not be taken back
    reason    of a failure or a drop: a key; empty where the state says all
    held      the reasons for which it had to wait, in order
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, field

from agentsup.cli import sessions
from agentsup.cli.option_help import option_help
from agentsup.cli.plain_text import one_line
from agentsup.cli.sent_text import SentText, Standing
from agentsup.core.catalogue import Catalogue
from agentsup.core.problems import Problem, RefusedProblem, UsageProblem
from agentsup.locale import load
from agentsup.protocol import messages as m

TIMEOUT = 120.0
"""Seconds after which a text that could not be typed is taken back."""

READ_MOST = 1 << 20
"""Bytes of standard input that are read: far more than is sent."""

TIMED_OUT, HOST_LOST, BY_PERSON = "inject.withdrawn", "inject.lost", "inject.chosen"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = option_help(parser, "inject")
    parser.usage = "agentsup inject [SESSION] (--restore | --text T | -) [--timeout S] [--json]"
    parser.add_argument("words", nargs="*", metavar="SESSION, -", help=text("stdin"))
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--restore", action="store_true", help=text("restore"))
    what.add_argument("--text", metavar="T", help=text("text"))
    timeout = text("timeout").replace("{seconds}", f"{TIMEOUT:g}")
    parser.add_argument("--timeout", type=seconds, default=TIMEOUT, metavar="S", help=timeout)
    parser.add_argument("--json", action="store_true", help=text("json"))


def run(arguments: argparse.Namespace) -> int:
    """Queue it and wait; returns the exit code."""
    session, request = _asked(arguments)
    found = sessions.choose(session)
    answer = sessions.ask(found, request)
    if not isinstance(answer, m.Outcome):
        raise UsageProblem("session.silent", name=found.record.session)
    if not answer.done:
        raise (RefusedProblem if answer.key.startswith("guard.") else Problem)(answer.key)
    text = SentText(found, dict(answer.values)["id"])
    catalogue = load(arguments.language)
    report = _Report(catalogue, text.id)
    report.line("inject.queued", id=text.id)
    try:
        standing = text.follow(arguments.timeout, report.changed)
    except KeyboardInterrupt:
        text.take_back()
        raise
    waited = standing.reason
    standing, key = _ended(text, standing)
    if arguments.json:
        print(json.dumps(_as_json(found, text.id, standing, report.held), ensure_ascii=False))
    else:
        limit = f"{arguments.timeout:g}"
        reason = catalogue.text((waited if key == TIMED_OUT else standing.reason) or BY_PERSON)
        key = f"{key}-held" if key == TIMED_OUT and waited else key
        print(catalogue.text(key, id=text.id, reason=reason, seconds=limit))
    return 0 if standing.state == "confirmed" else 1


def seconds(word: str) -> float:
    """Return a number of seconds; raises ValueError. The parser's message says its name."""
    number = float(word)
    if not 0 <= number < float("inf"):
        raise ValueError(word)
    return number


def _asked(arguments: argparse.Namespace) -> tuple[str | None, m.InjectRequest]:
    """Return the session's name and what is to be sent; raises UsageProblem."""
    words = [word for word in arguments.words if word != "-"]
    by_pipe = len(words) < len(arguments.words)
    given = arguments.restore + (arguments.text is not None) + by_pipe
    if given != 1:
        raise UsageProblem("inject.several" if given else "inject.what")
    if len(words) > 1:
        raise UsageProblem("inject.sessions", names=one_line(", ".join(words)))
    session = words[0] if words else None
    if arguments.restore:
        return session, m.InjectRequest("restore")
    # Words of a command line that are no UTF-8 have halves of characters in them.
    text = _piped() if by_pipe else _utf8(arguments.text.encode(errors="surrogateescape"))
    return session, m.InjectRequest("text", text)


def _piped() -> str:
    data = sys.stdin.buffer.read(READ_MOST)
    if len(data) == READ_MOST:
        raise Problem("inject.too-long")
    return _utf8(data)


def _utf8(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UsageProblem("inject.not-text") from error


def _ended(text: SentText, standing: Standing) -> tuple[Standing, str]:
    """Return how it stands at the end, taken back where it still waits, and the key of the sentence that says so."""
    if standing.state in ("queued", "held"):
        standing = text.take_back()
        if standing.state in ("dropped", "unknown"):
            return Standing("dropped", TIMED_OUT), TIMED_OUT
        if standing.state in ("queued", "held"):
            return standing, "inject.still-queued"
    match standing.state:
        case "confirmed" | "failed" | "dropped":
            return standing, f"inject.{standing.state}"
        case "unknown":
            return Standing("dropped", HOST_LOST), HOST_LOST
        case _:
            return standing, "inject.unconfirmed"


def _as_json(found: sessions.Found, id: str, standing: Standing, held: list[str]) -> dict[str, object]:
    return {
        "session": found.record.session, "id": id, "state": standing.state, "reason": standing.reason, "held": held,
    }  # fmt: skip


@dataclass
class _Report:
    """Tells on standard error how it goes."""

    catalogue: Catalogue
    id: str
    held: list[str] = field(default_factory=list)

    def line(self, key: str, **values: str) -> None:
        """Print a line."""
        print(self.catalogue.text(key, **values), file=sys.stderr, flush=True)

    def changed(self, standing: Standing) -> None:
        """Tell what it waits for, or that it is under way."""
        match standing.state:
            case "held":
                self.held.append(standing.reason)
                self.line("inject.waits", reason=self.catalogue.text(standing.reason))
            case "queued" if standing.behind and standing.reason:
                self.line("inject.behind", reason=self.catalogue.text(standing.reason))
            case "writing":
                self.line("inject.typing")
            case "submitted":
                self.line("inject.submitted")
            case _:
                pass
