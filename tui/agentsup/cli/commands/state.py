"""`agentsup state [show|check] [--json]`: where the task stands, in whatever file form the project keeps it.

    show     STATE with what TASK.md asks for
    check    what is wrong with TASK, STATE and CONTRACT: file:line:col severity code message, and what mends it

What a running session of this project saw its agent do counts for `check`: a command that ran with exit 0 is one
that was verified.

The JSON objects:

    show     file, form (markdown, progress, task), exists, problem (key of what is wrong with the file, else "")
             language (en, zh); task_name, task_names: the current one of several tasks, else ""
             scope, completed, in_progress, next, blocked, evidence: lists of text, line, column; those of completed
             also with commits and commands that the text names
             next_step: text of the first of `next`, else ""; status; updated_at, updated_by: as written
             task: file, exists, problem, goal, scope, allowed, forbidden, acceptance: lists of text
             contract: file, exists, problem, entries: list of text, place (the file it is said to be in)
    check    findings: list of file, line, column, length, severity (error, warning, note), code, message, fix
             (both in English), values

Exit 0: done; 1: check found errors, or the file can't be read.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from agentsup.cli import memory_view
from agentsup.cli.memory_changes import label_language
from agentsup.cli.plain_text import one_line
from agentsup.cli.printing import print_json, printing
from agentsup.core.memory.labels import BY_WORDS, SECTION_LABELS, TASK_LABELS, UPDATED_LABELS
from agentsup.core.memory.model import Document, Language, Memory, Work
from agentsup.core.memory.problems import Unparsable
from agentsup.core.memory.state import Step, TaskState
from agentsup.core.memory.state_forms import read_state
from agentsup.core.memory.task import TaskFile, read_contract, read_task

SECTIONS = ("scope", "in_progress", "next", "blocked", "completed", "evidence")
"""As they are shown: what is at hand first."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    memory_view.declare_actions(parser, "show", "check")


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked; returns the exit code."""
    view = memory_view.view()
    return _check(arguments, view) if arguments.action == "check" else _show(arguments, view.shown)


def _show(arguments: argparse.Namespace, memory: Memory) -> int:
    language = label_language(arguments.language)
    try:
        state = read_state(memory.state_form, memory.state.text or "", language)
        problem = None
    except Unparsable as error:
        state, problem = TaskState(form=memory.state_form, language=language), error
    task = read_task(memory.task.text or "", language)
    with printing(exact=arguments.json):
        if arguments.json:
            print_json(as_json(memory, state, task, unparsable=problem is not None))
        else:
            for line in _lines(state, task, memory, language):
                print(line)
    if problem is not None:
        raise memory_view.unparsable(memory.state, problem)
    return memory_view.told(memory.state, arguments.language)


def as_json(memory: Memory, state: TaskState, task: TaskFile, *, unparsable: bool = False) -> dict[str, object]:
    """Return the documented object of `show`."""
    return {
        "file": memory.state.path,
        "form": memory.state_form,
        **_about(memory.state, "memory.unparsable" if unparsable else ""),
        "language": state.language,
        "task_name": memory.task_name,
        "task_names": list(memory.task_names),
        **{name: [_step(step, proof=name == "completed") for step in getattr(state, name)] for name in SECTIONS},
        "next_step": state.next_step,
        "status": state.status,
        "updated_at": state.updated_at,
        "updated_by": state.updated_by,
        "task": {
            "file": memory.task.path, **_about(memory.task),
            **{name: [step.text for step in getattr(task, name)] for name in TASK_SECTIONS},
        },
        "contract": {
            "file": memory.contract.path, **_about(memory.contract),
            "entries": [
                {"text": entry.text, "place": entry.place}
                for entry in read_contract(memory.contract.text or "").entries
            ],
        },
    }  # fmt: skip


TASK_SECTIONS = ("goal", "scope", "allowed", "forbidden", "acceptance")


def _about(document: Document, problem: str = "") -> dict[str, object]:
    problem = problem or document.problem
    return {"exists": document.text is not None or bool(problem), "problem": problem}


def _step(step: Step, *, proof: bool) -> dict[str, object]:
    told: dict[str, object] = {"text": step.text, "line": step.spot.line, "column": step.spot.column}
    return {**told, "commits": list(step.commits), "commands": list(step.commands)} if proof else told


def _lines(state: TaskState, task: TaskFile, memory: Memory, language: Language) -> Iterator[str]:
    """Yield the sections that have something in them; the next steps are numbered, because the first is the one."""
    labels, of_task = SECTION_LABELS[language], TASK_LABELS[language]
    if memory.task_name:
        yield f"{labels['task']}: {one_line(memory.task_name)}"
    for name in ("goal", "allowed", "forbidden", "acceptance"):
        yield from _section(of_task[name], getattr(task, name), numbered=False)
    for name in SECTIONS:
        yield from _section(labels[name], getattr(state, name), numbered=name == "next")
    if state.updated_at:
        by = f" {BY_WORDS[language]} {state.updated_by}" if state.updated_by else ""
        yield f"{UPDATED_LABELS[language]}: {one_line(state.updated_at + by)}"


def _section(label: str, steps: tuple[Step, ...], *, numbered: bool) -> Iterator[str]:
    if steps:
        yield f"{label}:"
    for number, step in enumerate(steps, 1):
        yield f"  {f'{number}.' if numbered else '-'} {one_line(step.text)}"


def _check(arguments: argparse.Namespace, view: memory_view.View) -> int:
    from agentsup.cli.memory_findings import state_findings
    from agentsup.cli.running_session import session_of

    session = session_of(view.root)
    work = session.work if session is not None else Work()
    return memory_view.print_findings(state_findings(view, work), arguments, view.memory.state)
