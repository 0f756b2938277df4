"""`agentsup events FILE [--agent NAME] [--json]`: decode any rollout or transcript.

FILE is a log of one of the known agents, `-` standard input; the agent is told by how the log begins.
With --json one object a line: `event`, the name; `time`, Unix seconds, 0 where the log gives none; and the
event's own fields, always all of them, null where the log does not say:

    TurnStarted             turn, asked
    TurnEnded               turn, message, interrupted
    UserMessageRecorded     text
    TurnTakenBack           texts: what the model does not have any more; compaction: the one that it goes on with
    TokensReported          used, window, source (exact, estimate, stale, unknown), share,
                            spent: null or {input, cached, output}, at_least: `used` is a lower bound
    ToolUsed                kind (read, edit, run, search, list), path, command, exit_code, failed (or declined),
                            part: only a part was read; content: what an engram's file was given as a whole
    CompactionStarted       trigger (auto, manual, unknown)
    Compacted               id, before, after, trigger, mid_turn, evidence
    CompactionFailed        reason (failed, cancelled), trigger

Text is as the log has it; control characters are escaped. Without --json: local time, name, what matters
of the fields. Lines that can't be read or are too long are counted on stderr. Exit 1: nothing was understood.
"""

from __future__ import annotations

import argparse
import io
import itertools
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator

from agentsup.agents import sniff
from agentsup.agents.adapter import Adapter
from agentsup.agents.log_reader import LogReader
from agentsup.agents.registry import KNOWN, adapter_for, names_with_log
from agentsup.cli import event_lines
from agentsup.cli.main import report
from agentsup.cli.plain_text import one_line
from agentsup.cli.reader_gone import until_reader_is_gone
from agentsup.core.events import Event
from agentsup.core.problems import Problem, UsageProblem

BLOCK = 1 << 16
"""Bytes that are read at once; what they say is printed before more is read."""

Show = Callable[[Iterable[Event]], None]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file")
    parser.add_argument("--agent", choices=names_with_log())
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Print the events; returns the exit code."""
    with until_reader_is_gone():
        reader = _read(arguments.file, arguments.agent, _shower(as_json=arguments.json))
        for key, count in (("events.unreadable-lines", reader.unreadable), ("events.long-lines", reader.skipped)):
            if count:
                report(Problem(key, count=count), arguments.language)
    return 0


def _read(name: str, agent: str | None, show: Show) -> LogReader:
    """Show a log's events; raises Problem where it can't be read, or nothing in it is understood."""
    with _opened(name) as file:
        blocks = _blocks(file, name)
        head, told = _begun(blocks)
        adapter = adapter_for(agent) if agent else told
        if adapter is not None:
            reader = LogReader(adapter.decoder())
            for block in itertools.chain([head], blocks):
                show(reader.events(block))
            show(reader.last_events())
            if reader.decoder.recognised:
                return reader
    key = "events.unknown-format" if head.strip() else "events.empty"
    raise Problem(key, path=one_line(name), seen=one_line(sniff.seen(head)), known=", ".join(names_with_log()))


def _opened(name: str) -> io.FileIO:
    try:
        return io.FileIO(0, closefd=False) if name == "-" else io.FileIO(name)
    except OSError as error:
        raise _unreadable(name, error) from error


def _blocks(file: io.FileIO, name: str) -> Iterator[bytes]:
    try:
        while block := file.read(BLOCK):
            yield block
    except OSError as error:
        raise _unreadable(name, error) from error


def _begun(blocks: Iterator[bytes]) -> tuple[bytes, Adapter | None]:
    """Read as much as it takes to tell whose log it is; return that and the agent, None where it can't be told."""
    agents = [known() for known in KNOWN]
    head = b""
    for block in blocks:
        head += block
        told = sniff.agent_of(head, agents)
        if told is not None or len(head) >= sniff.HEAD:
            return head, told
    return head, None


def _unreadable(name: str, error: OSError) -> UsageProblem:
    return UsageProblem("events.unreadable", path=one_line(name), reason=error.strerror or error)


def _shower(*, as_json: bool) -> Show:
    """Return what prints events and sends them on their way."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A lone surrogate in a foreign text is no reason to stop; in JSON this writes it as an escape.
        sys.stdout.reconfigure(encoding="utf-8" if as_json else None, errors="backslashreplace")
    is_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else None
    coloured = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def show(events: Iterable[Event]) -> None:
        for event in events:
            line = event_lines.as_json(event) if as_json else event_lines.as_line(event, width, coloured=coloured)
            sys.stdout.write(line + "\n")
        sys.stdout.flush()

    return show
