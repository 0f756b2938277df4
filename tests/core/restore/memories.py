"""Memories for the tests: a usual one, a huge one, and random ones."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import strategies as st

from agentsup.core.memory.decisions import read_decisions
from agentsup.core.memory.model import Document, InitUnit, Memory, Work
from agentsup.core.trust.model import Accepted, Origin, Trust, UnitOutput
from agentsup.core.trust.rules import is_claim, rule_of
from agentsup.locale import LANGUAGES, restore_frame

FRAMES = {language: restore_frame(language) for language in LANGUAGES}

ENGRAM = """\
[Task] Make add() in calc.py safe against overflow.
[Progress] Wrote add() and its type hints.
[Files] calc.py:1-20
[Pending] Write test_add in test_calc.py.
[Taboo] Never touch README.md: its owner edits it.
"""

STATE = """\
# State
## Scope
calc.py
## Completed
- add() has type hints (commit 8bd1a50)
## In progress
- overflow check in add()
## Next
1. Ensure test_add in test_calc.py covers 2**63
2. Run `pytest -q` until it passes
## Evidence
- `pytest -q`: 3 passed
"""

DECISIONS = """\
# Decisions
## Integers stay arbitrary precision
- reason: callers rely on it
- confidence: [HARD] user
- date: 2026-11-01
## Use numpy
- status: rejected
- reason: one more dependency for one function
## Raise OverflowError
- reason: as the standard library does
- confidence: [SOFT] agent, reviewed
"""

OPERATIONS = "".join(
    json.dumps({"id": f"op-{n:03}", "type": "edit", "target": "calc.py", "summary": f"step {n} of the check",
                "log_path": f"log/ops/op-{n:03}.json", "timestamp": 1_700_000_000 + n}) + "\n"
    for n in range(1, 31)
)  # fmt: skip


def approved(memory: Memory) -> Memory:
    """Return a memory of which a person has approved all that is HARD."""
    claimed = filter(is_claim, read_decisions(memory.decisions.text or "").decisions)
    return replace(memory, trust=replace(memory.trust, rules=tuple(map(rule_of, claimed))))


def usual() -> Memory:
    """Return the memory of a project in the middle of its work; its one rule is approved."""
    return approved(_usual())


def _usual() -> Memory:
    return Memory(
        engram=Document(".agent/engram.md", ENGRAM),
        state=Document(".agent/STATE.md", STATE),
        task=Document(".agent/TASK.md", "# Task\n## Goal\nadd() never overflows\n## Acceptance\n- `pytest -q`\n"),
        contract=Document(".agent/CONTRACT.md", "- `add(a: int, b: int) -> int` in calc.py\n"),
        decisions=Document(".agent/DECISIONS.md", DECISIONS),
        identity=Document(".agent/identity.md", "language: Python\ntest_command: pytest -q\nforbidden: README.md\n"),
        handoff=Document(".agent/handoff.md", "Yesterday the overflow check was half done.\n"),
        questions=Document(".agent/open-questions.md", "- [ ] Is 2**64 enough? [TENTATIVE]\n- [x] py3.11? [HARD]\n"),
        conventions=Document(".agent/init.d/20-conventions.md", "Names are nouns.\nTests are sentences.\n"),
        operations=Document(".agent/log/index.jsonl", OPERATIONS),
        structure=(".agent/", ".agent/engram.md", "README.md", "calc.py", "src/", "src/a.py", "test_calc.py"),
    )


def huge() -> Memory:
    """Return a memory in which every file is far too long."""
    many = range(10_000)
    decisions = "".join(
        f"## Decision number {n} about module_{n}\n- reason: it was measured {n} times\n"
        f"- confidence: [{('HARD', 'SOFT', 'TENTATIVE')[n % 3]}] agent\n"
        + ("- status: rejected\n" if n % 7 == 0 else "")
        for n in many
    )  # fmt: skip
    steps = "".join(f"- Ensure step_{n}() in file_{n}.py exists (commit {n:07x}a)\n" for n in many)
    state = f"## Scope\n{'all ' * 500}\n## Completed\n{steps}\n## In progress\n{steps}\n## Next\n{steps}"
    return approved(Memory(
        engram=Document(".agent/engram.md", "".join(f"[Taboo] never touch file_{n}.py: {'why ' * 60}\n" for n in many)),
        state=Document(".agent/STATE.md", state),
        decisions=Document(".agent/DECISIONS.md", decisions),
        identity=Document(".agent/identity.md", "".join(f"key_{n}: value {n}\n" for n in many)),
        handoff=Document(".agent/handoff.md", "x" * 3_000_000),
        questions=Document(".agent/open-questions.md", "".join(f"- [ ] question {n}? [SOFT]\n" for n in many)),
        conventions=Document(".agent/init.d/20-conventions.md", "".join(f"convention {n}\n" for n in many)),
        operations=Document(".agent/log/index.jsonl", OPERATIONS * 300),
        structure=tuple(f"folder_{n // 20:04}/file_{n}.py" for n in many),
    ))  # fmt: skip


_WORDS = st.text(alphabet=st.characters(codec="utf-8"), max_size=60)
_LINES = st.one_of(
    _WORDS,
    st.sampled_from(["## Next", "## 已完成", "## Completed", "# x", "- status: rejected", "- confidence: [HARD] user",
                     "- reason: r", "", "<!-- c -->", "```"]),
    st.builds("[{}] {}".format, st.sampled_from(["Task", "Taboo", "进度", "Pending", "X"]), _WORDS),
    st.builds("- {}".format, _WORDS),
    st.builds("## {}".format, _WORDS),
    st.builds("{}: {}".format, _WORDS, _WORDS),
    st.builds(lambda text, times: text * times, _WORDS, st.integers(1, 60)),
)  # fmt: skip
_TEXTS = st.builds(lambda lines, times: "\n".join(lines) * times, st.lists(_LINES, max_size=25), st.integers(1, 30))


def documents(path: str) -> st.SearchStrategy[Document]:
    """Return documents that are missing, unreadable, or hold anything."""
    return st.one_of(
        st.just(Document(path)),
        st.just(Document(path, problem="memory.not-text")),
        st.builds(lambda text: Document(path, text), _TEXTS),
    )


_PATHS = (".agent/engram.md", ".agent/STATE.md", ".agent/TASK.md", ".agent/CONTRACT.md", ".agent/DECISIONS.md",
          ".agent/identity.md", ".agent/handoff.md", ".agent/init.d/x.md", ".agent/init.d/77-gone.md")  # fmt: skip


def trusts() -> st.SearchStrategy[Trust]:
    """Return anything that may be approved, and anything that may have come from others."""
    rules = st.lists(
        st.builds(lambda text: [rule_of(each) for each in read_decisions(text).decisions], _TEXTS), max_size=2
    ).map(lambda found: tuple(rule for rules in found for rule in rules))  # fmt: skip
    path = st.sampled_from(_PATHS)
    return st.builds(
        Trust,
        rules=rules,
        contents=st.lists(st.builds(Accepted, path, st.just("0"), st.none() | _TEXTS), max_size=3).map(tuple),
        foreign=st.lists(
            st.tuples(path, st.builds(Origin, _WORDS, _WORDS)), max_size=9, unique_by=lambda pair: pair[0]
        ).map(tuple),
        may_run=st.booleans(),
        outputs=st.lists(
            st.builds(UnitOutput, st.sampled_from(["10-structure", "35-own"]), _TEXTS,
                      st.sampled_from(["", "unit.late", "unit.other"]), _WORDS), max_size=2
        ).map(tuple),
    )  # fmt: skip


def random_memories() -> st.SearchStrategy[Memory]:
    """Return any memory."""
    operations = st.lists(
        st.builds(lambda s, t: json.dumps({"id": "op-1", "type": t, "summary": s}), _WORDS, _WORDS), max_size=30
    )  # fmt: skip
    units = st.lists(
        st.builds(InitUnit, st.sampled_from(["10-structure", "35-own", "90-engram", "05-identity", "99-x"]),
                  documents(".agent/init.d/x.md"), st.booleans()), max_size=4
    )  # fmt: skip
    return st.builds(
        Memory,
        engram=documents(".agent/engram.md"),
        state=documents(".agent/STATE.md"),
        state_form=st.sampled_from(["markdown", "progress", "task"]),
        task=documents(".agent/TASK.md"),
        contract=documents(".agent/CONTRACT.md"),
        decisions=documents(".agent/DECISIONS.md"),
        identity=documents(".agent/identity.md"),
        handoff=documents(".agent/handoff.md"),
        questions=documents(".agent/open-questions.md"),
        conventions=documents(".agent/init.d/20-conventions.md"),
        operations=operations.map(lambda rows: Document(".agent/log/index.jsonl", "\n".join(rows))),
        units=units.map(tuple),
        structure=st.lists(_WORDS, max_size=40).map(lambda names: tuple(sorted(set(names)))),
        task_name=_WORDS,
        trust=trusts(),
    )


def works() -> st.SearchStrategy[Work]:
    """Return what an agent may have done."""
    paths = st.lists(_WORDS, max_size=30).map(tuple)
    return st.builds(Work, _WORDS, paths, paths, st.integers(0, 50), st.integers(0, 50), st.just(()), paths)
