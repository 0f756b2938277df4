"""Judge an agent's engram and write it, once: `python -m agentsup.restoring.intake`.

The host asks this process for it at turn ends: git is asked, the words of two languages are read, and the lock of a
folder may be somebody else's for seconds.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from agentsup.core.checks import references
from agentsup.core.checks.engram import check_engram
from agentsup.core.checks.finding import Finding
from agentsup.core.engram_block import is_same, joined
from agentsup.core.engram_commands import PLACE
from agentsup.core.engram_intake import Judged, Message, Wanted, is_overtaken, knows
from agentsup.core.engram_reasons import JOINED, REFUSED, STAYS, TURN_END
from agentsup.core.memory.engram import MOST_ITEMS
from agentsup.core.memory.merge_conflict import conflict_line
from agentsup.core.memory.model import Document, Memory
from agentsup.core.problems import Problem
from agentsup.core.redaction import redacted
from agentsup.core.text import on_one_line
from agentsup.locale import wording
from agentsup.store import atomic, judged_engrams
from agentsup.store.decoding import NotText, decode
from agentsup.store.engram_history import (
    Version,
    confirm,
    history,
    keep_unwritten,
    record_found,
    write_engram_file,
    written_at,
)
from agentsup.store.engram_history import standing as standing_version
from agentsup.store.git import repository
from agentsup.store.opening import status_beneath
from agentsup.store.trust_reading import read_facts

NICENESS = 10
"""What nobody waits for must not slow down what is typed."""

LIFETIME = 30
"""Seconds after which it ends, whatever it waits for."""

ATTEMPTS = 3
"""How often it is judged anew because another program has written the file meanwhile."""


@dataclass(frozen=True)
class _Standing:
    """The engram that is in the file; `text` is None without one."""

    token: str
    text: str | None = None
    modified: float = 0.0
    version: Version | None = None
    """The newest version, where it is this."""

    @property
    def since(self) -> float:
        """Since when it stands: no later than its version, whatever has touched the file since."""
        return self.modified if self.version is None else min(self.modified, self.version.time)

    @property
    def is_agents(self) -> bool:
        """Say whether the agent has written it, or it was made from the agent's log."""
        return self.version is not None and self.version.author in ("agent", "automatic")


def judge(wanted: Wanted, environment: Mapping[str, str] | None = None) -> Judged:
    """Return what has become of an agent's engram. Nothing is raised: what was not written says why."""
    root = Path(wanted.root)
    for _ in range(ATTEMPTS):
        try:
            answer = _judged(root, wanted, environment)
            if answer.outcome != "known" and (answer.outcome != "faulty" or wanted.last):
                with suppress(OSError, Problem, atomic.Conflict):  # then it is judged once more, when it is read again
                    judged_engrams.remember(root, wanted.message.id, answer.outcome, environment)
            return answer
        except atomic.Conflict as conflict:
            if conflict.kept is not None:  # it is in the message, and judged anew
                conflict.kept.unlink(missing_ok=True)
        except NotText:
            return Judged("not-written")
        except OSError as error:
            return Judged("not-written", reason=on_one_line(error.strerror or str(error)))
        except Problem as problem:
            return Judged("not-written", reason=on_one_line(problem.values.get("reason", problem.key)))
    return Judged("not-written", reason=os.strerror(errno.EBUSY))


def _judged(root: Path, wanted: Wanted, environment: Mapping[str, str] | None) -> Judged:
    message = wanted.message
    earlier = ""
    with suppress(OSError):  # what can't be remembered is judged once more
        earlier = judged_engrams.outcome_of(root, message.id, environment)
    if earlier in ("stored", "same"):
        return Judged("known")
    standing = _standing(root, environment)
    if standing.text is not None and is_same(standing.text, message.block):
        with suppress(OSError, Problem):  # where nothing is written nothing is lost
            _recorded(root, standing, message, environment)
            confirm(root, message.time)
        return Judged("same")
    if standing.text is not None and conflict_line(standing.text):
        return Judged("not-written")  # a person is at work there
    standing = _recorded(root, standing, message, environment)
    if standing.is_agents and standing.since <= time.time() and is_overtaken(message, standing.since):
        return Judged("same")  # a log that is read once more: the agent has written another one since
    version = standing.version
    if version is not None and _stays(root, standing, message, environment):
        if not earlier:
            keep_unwritten(root, message.block, "agent", STAYS, environment)
        if version.author == "found":
            return Judged("found-stays")
        persons = "" if version.sha == wanted.untold else redacted(standing.text or "")
        return Judged("persons-stays", persons=persons, modified=standing.modified)
    block, findings = message.block, _findings(root, message.block)
    if wanted.last and {each.code for each in findings if each.severity == "error"} == {"engram.too-many-items"}:
        block = joined(block, MOST_ITEMS)
        findings = _findings(root, block)
    if any(finding.severity == "error" for finding in findings):
        if wanted.last and not earlier:
            keep_unwritten(root, message.block, "agent", REFUSED, environment)
        return Judged("faulty", tuple(sorted(findings, key=lambda each: each.severity != "error")))
    if earlier:
        return Judged("known")  # it was not written, and is out of date by now
    _write(root, block, standing, message, environment)
    return Judged("stored")


def _write(
    root: Path, block: str, standing: _Standing, message: Message, environment: Mapping[str, str] | None
) -> None:  # fmt: skip
    reason = TURN_END if block == message.block else JOINED
    try:
        write_engram_file(root, block, standing.token, "agent", reason, environment, when=message.time)
    except (OSError, Problem):
        # Written, and only its version could not be added.
        if atomic.read(root / PLACE, beneath=root).data != block.encode():
            raise


def _standing(root: Path, environment: Mapping[str, str] | None) -> _Standing:
    content = atomic.read(root / PLACE, beneath=root)
    text = decode(content.data or b"")
    if not text.strip("\ufeff \t\r\n"):
        return _Standing(content.token)
    status = status_beneath(root, PLACE)
    newest = standing_version(history(root, environment))
    # A history has texts without secrets.
    is_newest = newest is not None and newest.text.strip() == redacted(text).strip()
    return _Standing(content.token, text, written_at(status) if status else 0.0, newest if is_newest else None)


def _recorded(
    root: Path, standing: _Standing, message: Message, environment: Mapping[str, str] | None
) -> _Standing:  # fmt: skip
    """Add what stands in the file to the history, where nobody has said whose it is: it may be replaced."""
    if standing.text is None or (standing.version is not None and standing.version.author != "found"):
        return standing
    version = record_found(root, standing.text, standing.modified, message.known, environment)
    return replace(standing, version=version)


def _stays(root: Path, standing: _Standing, message: Message, environment: Mapping[str, str] | None) -> bool:
    """Say whether what stands is not the agent's, and it did not know it when it wrote its own."""
    if standing.text is None or standing.version is None or standing.is_agents:
        return False
    is_found = standing.version.author == "found"
    if knows(message.known, redacted(standing.text), standing.since, is_found=is_found):
        return False
    return not (is_found and _came_from_others(root, standing, environment))


def _came_from_others(root: Path, standing: _Standing, environment: Mapping[str, str] | None) -> bool:
    """Say whether a commit of somebody else brought it: then it is data, and no correction of this person's."""
    memory = Memory(engram=Document(PLACE, standing.text, sha=standing.token))
    facts = read_facts(root, memory, environment=environment)
    return any(path == PLACE for path, _ in facts.provenance.files)


def _findings(root: Path, block: str) -> tuple[Finding, ...]:
    memory = Memory(engram=Document(PLACE, block))
    facts = repository(root, (), references.paths(memory), references.symbols(memory))
    return check_engram(memory.engram, wording(), facts, by="agent")


def main() -> None:
    """Answer one request on standard input."""
    signal.alarm(LIFETIME)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    wanted = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Wanted)
    sys.stdout.buffer.write(msgspec.msgpack.encode(judge(wanted)))


if __name__ == "__main__":
    main()
