"""Judge a task's state: is what is done shown, is what comes next one small step that can be done again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from agentsup.core.checks.evidence import commands
from agentsup.core.checks.finding import Finding, Severity
from agentsup.core.checks.freshness import staleness
from agentsup.core.checks.names import path_in
from agentsup.core.checks.report import Report, shortened
from agentsup.core.checks.wording import Fault, Wordings, faults, is_path, is_too_coarse, read_line, said_anew
from agentsup.core.memory.labels import (
    NOTHING,
    SECTION_KEYS,
    SECTION_LABELS,
    SECTIONS,
    STATE_ORDER,
    UPDATED_KEYS,
)
from agentsup.core.memory.model import Memory, Repository, Work
from agentsup.core.memory.problems import Unparsable
from agentsup.core.memory.sections import Part
from agentsup.core.memory.state import UNKNOWN, Step, TaskState
from agentsup.core.memory.state_forms import read_state
from agentsup.core.memory.state_json import KEYS, Source
from agentsup.core.memory.state_markdown import unknown_sections

MANY_MODULES = 3
"""So many files make a step too coarse."""

MOST_STEPS = 500
"""Items of a section that are judged: the newest of what is done, the first of what comes."""

_FIVE = tuple(section for section in STATE_ORDER if section != "blocked")
"""Sections that a STATE.md has: agents write a sixth, and need not."""

_NEXT: Mapping[Fault, tuple[Severity, str]] = {
    "vague": ("error", "state.vague"),
    "no-place": ("warning", "state.next-without-place"),
    "not-atomic": ("warning", "state.not-atomic"),
    "not-idempotent": ("warning", "state.not-idempotent"),
}


def check_state(memory: Memory, wordings: Wordings, repository: Repository, work: Work) -> tuple[Finding, ...]:
    """Return what is wrong with the state, whatever its form."""
    document = memory.state
    if document.text is None:
        return ()
    report = Report(document)
    try:
        state = read_state(memory.state_form, document.text)
    except Unparsable as problem:
        report.add("error", "file.unparsable", problem.spot, line=problem.spot.line, column=problem.spot.column,
                   reason=problem.reason)  # fmt: skip
        return report.findings()
    completed, evidence = state.completed[-MOST_STEPS:], state.evidence[-MOST_STEPS:]
    for step in _said(completed):
        _completed(report, step, state, wordings)
    for step in _said((*completed, *evidence)):
        _evidence(report, step, wordings, repository, work)
    for step in _said((*state.scope[:MOST_STEPS], *state.in_progress[:MOST_STEPS], *state.blocked[:MOST_STEPS])):
        if faults("note", step.text, wordings):
            _add(report, "error", "state.vague", step)
    for step in _said(state.next[:MOST_STEPS]):
        _next(report, step, wordings)
    _form(report, state)
    if stale := staleness(state, document.text, repository, work):
        report.add("warning", "state.stale", stale.spot, length=stale.length, **dict(stale.values))
    return report.findings()


def _said(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Yield the items that say something: `none` is none."""
    return (step for step in steps if step.text.strip(" .。()（）_*").lower() not in NOTHING | {UNKNOWN, ""})


def _add(report: Report, severity: Severity, code: str, step: Step, **values: object) -> None:
    report.add(severity, code, step.spot, length=len(step.text), text=shortened(step.text), **values)


def _completed(report: Report, step: Step, state: TaskState, wordings: Wordings) -> None:
    found = faults("completed", step.text, wordings)
    if "no-evidence" in found:
        _add(report, "error" if state.form == "markdown" else "warning", "state.no-evidence", step)
    if "vague" in found:
        _add(report, "error", "state.vague", step)


def _evidence(report: Report, step: Step, wordings: Wordings, repository: Repository, work: Work) -> None:
    """Compare what an item shows with what git knows and what was seen to succeed."""
    for commit in step.commits:
        if repository.known.get(commit) is False:
            _add(report, "error", "state.unknown-hash", step, hash=commit)
            break
    if step.commits:
        return
    seen = [" ".join(command.split()) for command in work.succeeded]
    for command in commands(read_line(step.text, wordings).names, wordings["en"].code) if seen else ():
        if not any(" ".join(command.split()) in each for each in seen):
            _add(report, "note", "state.unverified-command", step, command=shortened(command))
            break


def _next(report: Report, step: Step, wordings: Wordings) -> None:
    found = faults("next", step.text, wordings)
    for fault in found:
        if fault == "no-place" and "vague" in found:
            continue  # who says what it is also says where
        severity, code = _NEXT[fault]
        values = {"rewrite": shortened(said_anew(step.text, wordings), 160)} if fault == "not-idempotent" else {}
        _add(report, severity, code, step, **values)
    line = read_line(step.text, wordings)
    files = {path_in(name.text) for name in line.names if is_path(name, wordings)}
    if len(files) >= MANY_MODULES or is_too_coarse(line, wordings):
        _add(report, "note", "state.too-coarse", step)


def _form(report: Report, state: TaskState) -> None:
    """Report sections that are not known, and fields that are not there."""
    if state.form == "markdown":
        for section in unknown_sections(state):
            title = section.text.strip("# ").rstrip(" #:：")
            report.add("warning", "state.unknown-section", section.spot, length=len(title), section=shortened(title))
    for field in missing_fields(state):
        report.add("note", "state.missing-field", field=field)


def missing_fields(state: TaskState) -> tuple[str, ...]:
    """Return the fields that a state's file has not, by their names in it; an empty field is there."""
    if state.form == "markdown":
        there = {part.name for part in state.others if isinstance(part, Part)}
        labels = SECTION_LABELS[state.language]
        return tuple(labels[name] for name in _FIVE if name not in there and not getattr(state, name))
    text = next((other.text for other in state.others if isinstance(other, Source)), "")
    keys = _keys(text)
    return tuple(key for name, key in KEYS[state.form].items() if key not in keys and name not in _named(keys))


def _keys(text: str) -> set[str]:
    try:
        loaded = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):  # it was read as JSON before: nested too deeply for this reader
        return set()
    return set(loaded) if isinstance(loaded, dict) else set()


def _named(keys: set[str]) -> set[str]:
    """Return the fields that these keys name in other words."""
    bare = {" ".join(key.replace("_", " ").replace("-", " ").lower().split()) for key in keys}
    others = {**SECTIONS, **SECTION_KEYS, **{name: f"{kind}_at" for name, kind in UPDATED_KEYS.items()}}
    return {others[key] for key in bare if key in others} | ({"status"} if bare & {"status", "状态"} else set())
