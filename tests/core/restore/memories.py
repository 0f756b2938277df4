"""Memories for the tests: a usual one, a huge one, and random ones."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from agentsup.core.memory.model import Document, InitUnit, Memory, Work
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


def usual() -> Memory:
    """Return the memory of a project in the middle of its work."""
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
    return Memory(
        engram=Document(".agent/engram.md", "".join(f"[Taboo] never touch file_{n}.py: {'why ' * 60}\n" for n in many)),
        state=Document(".agent/STATE.md", state),
        decisions=Document(".agent/DECISIONS.md", decisions),
        identity=Document(".agent/identity.md", "".join(f"key_{n}: value {n}\n" for n in many)),
        handoff=Document(".agent/handoff.md", "x" * 3_000_000),
        questions=Document(".agent/open-questions.md", "".join(f"- [ ] question {n}? [SOFT]\n" for n in many)),
        conventions=Document(".agent/init.d/20-conventions.md", "".join(f"convention {n}\n" for n in many)),
        operations=Document(".agent/log/index.jsonl", OPERATIONS * 300),
        structure=tuple(f"folder_{n // 20:04}/file_{n}.py" for n in many),
    )


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
    )


def works() -> st.SearchStrategy[Work]:
    """Return what an agent may have done."""
    paths = st.lists(_WORDS, max_size=30).map(tuple)
    return st.builds(Work, _WORDS, paths, paths, st.integers(0, 50), st.integers(0, 50), st.just(()), paths)
