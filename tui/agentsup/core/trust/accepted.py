"""Guarded files are restored as a person has last accepted them, whatever stands in their place now."""

from __future__ import annotations

from dataclasses import replace

from agentsup.core.memory.model import Document, InitUnit, Memory
from agentsup.core.trust.model import Accepted, Origin
from agentsup.core.trust.untouched import UNTOUCHED, as_said

NOT_ACCEPTED = "file.not-accepted"
"""The problem of a document that is not as it was accepted; its text is the accepted one."""

NEVER_ACCEPTED = "file.never-accepted"
"""The problem of one that nobody has ever accepted, in a project whose files somebody has looked at."""

_UNITS = ".agent/init.d/"
_HOME = ".agent/"


def as_accepted(memory: Memory) -> Memory:
    """Return the memory with guarded files as they were accepted.

    One that differs has the problem `file.not-accepted`. One that was never accepted has `file.never-accepted` and
    counts as foreign, unless it is known whose it is: else it would be enough to write a new file beside an accepted
    one. Only where nothing was ever recorded all stays as it is; a record that is void is none of these.
    """
    trust = memory.trust
    if not (trust.contents or trust.begun or trust.problem):
        return memory
    return _Acceptance(memory).result()


def not_accepted(memory: Memory) -> tuple[str, ...]:
    """Return the paths of guarded files that are not as they were accepted."""
    return _with_problem(memory, NOT_ACCEPTED)


def never_accepted(memory: Memory) -> tuple[str, ...]:
    """Return the paths of guarded files that nobody ever accepted, and nobody else has committed."""
    return _with_problem(memory, NEVER_ACCEPTED)


def _with_problem(memory: Memory, problem: str) -> tuple[str, ...]:
    found = as_accepted(memory)
    documents = (found.task, found.contract, found.conventions, *(unit.document for unit in found.units))
    return tuple(sorted({document.path for document in documents if document.problem == problem}))


class _Acceptance:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._by_path = {accepted.path: as_said(accepted) for accepted in memory.trust.contents}
        self._foreign = dict(memory.trust.foreign)

    def result(self) -> Memory:
        memory = self._memory
        task, contract = self._one_of_two(memory.task), self._one_of_two(memory.contract)
        conventions = self._document(memory.conventions, self._by_path.get(memory.conventions.path))
        units = self._units()
        trust = replace(memory.trust, foreign=tuple(self._foreign.items()))
        return replace(
            memory, task=task, contract=contract, conventions=conventions, units=units, trust=trust
        )  # fmt: skip

    def _one_of_two(self, document: Document) -> Document:
        """Return a task's file, which may stand in the project's folder or in .agent: it must not change by moving."""
        name = document.path.removeprefix(_HOME)
        accepted = self._by_path.get(document.path) or self._by_path.get(_HOME + name) or self._by_path.get(name)
        return self._document(document, accepted)

    def _document(self, document: Document, accepted: Accepted | None) -> Document:
        if accepted is None or accepted.text is None:
            if document.text is None or document.sha in UNTOUCHED or document.path in self._foreign:
                return document
            self._foreign[document.path] = Origin("", "")
            return replace(document, problem=NEVER_ACCEPTED)
        self._foreign.pop(document.path, None)
        if document.sha == accepted.sha:
            return document
        return Document(document.path, accepted.text, NOT_ACCEPTED, size=len(accepted.text.encode("utf-8", "replace")))

    def _units(self) -> tuple[InitUnit, ...]:
        """Return the units, those that were accepted last: of two of one name, that one is restored."""
        memory = self._memory
        accepted_units, others = [], []
        for unit in memory.units:
            accepted = self._by_path.get(unit.document.path)
            if accepted is None:
                others.append(replace(unit, document=self._document(unit.document, None)))
                continue
            # With a text it is data, though somebody has made it executable since.
            accepted_units.append(replace(unit, document=self._document(unit.document, accepted)))
        there = {unit.document.path for unit in memory.units} | {memory.conventions.path}
        gone = [
            InitUnit(_stem(path), self._document(Document(path), accepted))
            for path, accepted in self._by_path.items()
            if path.startswith(_UNITS) and path not in there and accepted.text is not None
        ]
        return (*others, *accepted_units, *gone)


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name
