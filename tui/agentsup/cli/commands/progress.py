"""`agentsup progress`: record what was done and what comes next, in whatever file the project keeps its state.

    agentsup progress [--task T] [--done D --evidence E] [--now N] [--next N]... [--blocked B] [--json]

--task is what the work is about. --done moves an item to the completed ones; --evidence is a commit (a hash, or
HEAD) or a command, and stands behind it. --now is what is under way. --next, repeated, are the next steps in their
order: they replace those that were there. --blocked is what stops the work. An empty text (--blocked "") clears its
list. What is not named stays as it is; many may record at once, and none of it is lost. Where the project has no
state yet, one is made. Prints the next step; what is questionable in what was recorded is told on stderr, and is
recorded all the same.

The JSON object:

    path, form      the file, relative to the project, and its form: markdown, progress, task
    created         whether there was none before
    task, now, next, blocked
                    what stands there now: lists of texts
    next_step       the first of next, empty without one
    completed       how many items are completed
    at, by          when it was recorded (ISO 8601), and by whom: person, agent
    findings        list of what is questionable in what was recorded, as in `agentsup state check --json`

Exit 0: recorded; 1: it could not be; 2: wrong usage.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from agentsup.cli import finding_lines
from agentsup.cli.author import author
from agentsup.cli.evidence_words import OURS, Evidence, evidence
from agentsup.cli.memory_changes import Changed, change_file, given_item, label_language
from agentsup.cli.memory_view import current_root
from agentsup.cli.option_help import option_help
from agentsup.cli.plain_text import one_line
from agentsup.cli.printing import print_json, printing
from agentsup.core.checks.finding import Finding
from agentsup.core.checks.state import check_state
from agentsup.core.memory.model import Document, Memory, Work
from agentsup.core.memory.own_lines import with_own_lines
from agentsup.core.memory.state import Step, TaskState, steps, with_progress
from agentsup.core.memory.state_forms import read_state, write_state
from agentsup.core.problems import Problem, UsageProblem
from agentsup.locale import load, wording
from agentsup.store.placements import CURRENT_TASK, find
from agentsup.store.project_memory import read_parts
from agentsup.store.task_choice import tasks

_LISTS = {"task": "scope", "now": "in_progress", "next": "next", "blocked": "blocked"}
"""Options by the part of the state that they are about."""


@dataclass(frozen=True)
class Progress:
    """What is to be recorded; None where nothing was said, empty where a list is to be cleared."""

    task: str | None
    done: str
    now: str | None
    next: tuple[str, ...] | None
    blocked: str | None
    evidence: Evidence
    at: str
    by: str

    @property
    def item(self) -> str:
        """What is done, with its evidence."""
        return f"{self.done} ({self.evidence.words})" if self.done and self.evidence.words else self.done

    @property
    def cleared(self) -> dict[str, tuple[Step, ...]]:
        """The parts of a state that are to be empty."""
        return {part: () for option, part in _LISTS.items() if getattr(self, option) in ("", ())}

    def applied(self, state: TaskState) -> TaskState:
        """Return a state with this progress."""
        state = with_progress(
            state, task=self.task or "", done=self.item, now=self.now or "", following=self.next or (),
            blocked=self.blocked or "", at=self.at, by=self.by,
        )  # fmt: skip
        state = replace(state, **self.cleared)  # type: ignore[arg-type]  # parts of a state by name
        if self.evidence.words and state.form == "markdown":
            # What people wrote there stays; of our own lines only the newest: it is the last evidence, not a log.
            kept = (step for step in state.evidence if not OURS.fullmatch(step.text))
            state = replace(state, evidence=(*kept, *steps(self.evidence.words)))
        return state


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    said = option_help(parser, "progress")
    parser.add_argument("--task", metavar="T", help=said("task"))
    parser.add_argument("--done", metavar="D", help=said("done"))
    parser.add_argument("--evidence", metavar="E", help=said("evidence"))
    parser.add_argument("--now", metavar="N", help=said("now"))
    parser.add_argument("--next", metavar="N", action="append", help=said("next"))
    parser.add_argument("--blocked", metavar="B", help=said("blocked"))
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Record it and print the next step; returns the exit code."""
    root = current_root()
    progress = _progress(arguments, root)
    chosen = tasks(root)
    if chosen.missing:
        # Another task's state is no place for this.
        raise Problem("progress.no-task", name=one_line(chosen.missing), file=CURRENT_TASK,
                      names=one_line(", ".join(chosen.folders)))  # fmt: skip
    place = find(root, "state", chosen.folder)
    form = read_parts(root, chosen, {"state": place}).state_form
    language = label_language(arguments.language)

    def change(text: str) -> str:
        before = read_state(form, text, language)
        after = write_state(progress.applied(before))
        return with_own_lines(text, write_state(before), after, lambda text: read_state(form, text, language))

    changed = change_file(root, place.path, change)
    state = read_state(form, changed.text, language)
    findings = _findings(progress, state, Document(place.path, changed.text))
    catalogue = load(arguments.language)
    with printing(exact=arguments.json):
        if arguments.json:
            print_json(_as_json(progress, changed, state, findings))
            return 0
        if changed.created:
            print(catalogue.text("write.created", path=place.path), file=sys.stderr)
        finding_lines.show(findings, catalogue, sys.stderr)
        key = "progress.next" if state.next else "progress.no-next"
        print(catalogue.text(key, step=one_line(state.next_step)))
    return 0


def _progress(arguments: argparse.Namespace, root: Path) -> Progress:
    """Return what is to be recorded; raises UsageProblem."""
    texts = {
        name: None if given is None else given_item(given)
        for name in ("task", "done", "now", "blocked", "evidence")
        for given in (getattr(arguments, name),)
    }
    following = arguments.next if arguments.next is None else tuple(filter(None, map(given_item, arguments.next)))
    if following is None and all(text is None for text in texts.values()):
        raise UsageProblem("progress.nothing")
    done, proof = texts["done"] or "", texts["evidence"] or ""
    if texts["done"] == "" or (proof and not done):
        raise UsageProblem("progress.no-done")
    return Progress(
        texts["task"], done, texts["now"], following, texts["blocked"], evidence(root, proof),
        at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"), by=author().kind,
    )  # fmt: skip


def _findings(progress: Progress, state: TaskState, document: Document) -> tuple[Finding, ...]:
    """Return what is questionable in the items that were recorded just now, and only in those.

    Nothing of it is an error here: it has been recorded.
    """
    own = {text for text in (progress.task, progress.now, progress.blocked, *(progress.next or ())) if text}
    touched = [step for part in _LISTS.values() for step in getattr(state, part) if step.text in own]
    touched += [step for step in state.completed if step.text == progress.item]
    lines = {step.spot.line for step in touched}
    memory = Memory(state=document, state_form=state.form)
    found = check_state(memory, wording(), progress.evidence.facts, Work())
    return tuple(
        replace(finding, severity="warning")
        for finding in found
        if finding.spot.line in lines and finding.severity != "note"
    )


def _as_json(
    progress: Progress, changed: Changed, state: TaskState, findings: tuple[Finding, ...]
) -> dict[str, object]:
    lists = {option: [step.text for step in getattr(state, part)] for option, part in _LISTS.items()}
    return {
        "path": changed.path, "form": state.form, "created": changed.created, **lists,
        "next_step": state.next_step, "completed": len(state.completed), "at": progress.at,
        "by": progress.by, "findings": finding_lines.as_json(findings),
    }  # fmt: skip
