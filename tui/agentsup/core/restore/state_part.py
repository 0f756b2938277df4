"""Where the task stands: what was to be done, what is done, what is next, and what git says about it."""

from __future__ import annotations

from dataclasses import replace

from agentsup.core.checks.freshness import staleness
from agentsup.core.memory.labels import SECTION_LABELS
from agentsup.core.memory.model import Document, Memory, Repository, Work
from agentsup.core.memory.problems import Unparsable
from agentsup.core.memory.state import Step, TaskState
from agentsup.core.memory.state_forms import read_state
from agentsup.core.memory.task import read_contract, read_task
from agentsup.core.restore.frame import Frame
from agentsup.core.restore.parts import Part, kept
from agentsup.core.restore.sources import complaints, is_of_acceptance, unreadable
from agentsup.core.text import on_one_line
from agentsup.core.trust.names import named

NEWEST_COMPLETED = 5
NEWEST_EVIDENCE = 3
CALLS_WITHOUT_STATE = 20
"""Tool calls after which a state is taken for forgotten, and what was done is told beside it."""
_FILES_MOST = 10
_CALLS_MOST = 10
_MEMORY = ".agent/"


def state_part(memory: Memory, frame: Frame, work: Work, repository: Repository) -> Part:
    """Return the unit of task and state; never cut. What matters most stands first and falls last."""
    state, notes = _read(memory.state, memory, frame)
    if staleness(state, memory.state.text or "", repository, Work()) is not None:
        notes.append(frame.state_old)
    texts = [*notes, *_state(state, memory, frame, repository)]
    texts += [*_snapshot(work, frame), *_task(memory, frame), *_completed(state, memory, frame, repository)]
    if not texts:
        return Part("30-task-state", "state", memory.state.path, ())
    texts += _git(repository, frame)
    # What became of a task that nobody accepted stands before the fence, not in it.
    ours = {
        note for each in (memory.task, memory.contract) if is_of_acceptance(each) for note in complaints(each, frame)
    }
    pieces = (replace(piece, ours=piece.text in ours) for piece in kept(texts))
    return Part("30-task-state", "state", memory.state.path, tuple(pieces))


def _read(document: Document, memory: Memory, frame: Frame) -> tuple[TaskState, list[str]]:
    notes = list(complaints(document, frame))
    if document.text is None:
        return TaskState(), notes
    try:
        return read_state(memory.state_form, document.text, frame.language), notes
    except Unparsable as problem:
        broken = Document(document.path, spot=problem.spot, problem="memory.unparsable")
        return TaskState(), [unreadable(broken, frame)]


def _state(state: TaskState, memory: Memory, frame: Frame, repository: Repository) -> list[str]:
    labels = SECTION_LABELS[frame.language]
    texts = [f"{labels['in_progress']}: {step.text}" for step in state.in_progress]
    texts += [f"{labels['next']} {number}: {step.text}" for number, step in enumerate(state.next, 1)]
    texts += [f"{labels['blocked']}: {step.text}" for step in state.blocked]
    texts += [f"{labels['scope']}: {step.text}" for step in state.scope]
    if memory.task_name:
        texts.append(f"{labels['task']}: {named(memory.task_name)}")
    return texts


def _completed(state: TaskState, memory: Memory, frame: Frame, repository: Repository) -> list[str]:
    """Return the newest completed steps, and the rest as a count; a commit that git does not know is said."""
    labels = SECTION_LABELS[frame.language]
    newest = state.completed[-NEWEST_COMPLETED:]
    texts = [f"{labels['completed']}: {_checked(step, frame, repository)}" for step in reversed(newest)]
    if len(state.completed) > len(newest):
        count = len(state.completed) - len(newest)
        texts.append(frame.completed_more.format(count=count, path=named(memory.state.path)))
    texts += [f"{labels['evidence']}: {step.text}" for step in state.evidence[-NEWEST_EVIDENCE:]]
    return texts


def _checked(step: Step, frame: Frame, repository: Repository) -> str:
    unknown = any(repository.known.get(commit) is False for commit in step.commits)
    return f"{step.text} {frame.commit_unknown}" if unknown else step.text


def _task(memory: Memory, frame: Frame) -> list[str]:
    """Return what TASK.md asks for, and where the contract is: read it there."""
    labels = SECTION_LABELS[frame.language]
    task = read_task(memory.task.text or "")
    texts = list(complaints(memory.task, frame))
    for name, items in (("goal", task.goal), ("acceptance", task.acceptance), ("allowed", task.allowed),
                        ("forbidden", task.forbidden)):  # fmt: skip
        if items:
            texts.append(f"{labels[name]}: {'; '.join(step.text for step in items)}")
    contract = memory.contract
    texts += complaints(contract, frame)
    if contract.text and (entries := read_contract(contract.text).entries):
        texts.append(frame.contract.format(count=len(entries), path=named(contract.path)))
    return texts


def _snapshot(work: Work, frame: Frame) -> list[str]:
    """Return what the log says was done since the state was written, where that is long ago."""
    if work.calls_since_state <= CALLS_WITHOUT_STATE:
        return []
    calls = [on_one_line(call) for call in work.recent_calls[-_CALLS_MOST:]]
    return [frame.snapshot.format(calls=work.calls_since_state), *calls]


def _git(repository: Repository, frame: Frame) -> list[str]:
    if repository.head is None:
        return []
    # Memory itself is written all the time: what counts is the work.
    changed = [path for path in repository.changed if not path.startswith(_MEMORY)]
    if not changed:
        return [frame.git_clean.format(head=repository.head[:8])]
    shown = [named(path) for path in changed[:_FILES_MOST]]
    more = len(changed) - len(shown)
    files = ", ".join(shown) + (f" (+{more})" if more else "")
    return [frame.git.format(head=repository.head[:8], files=files)]
