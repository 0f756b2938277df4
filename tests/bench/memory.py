"""Memory on disk at 1, 10 and 100 times its usual size: `python -m tests.bench.memory [--quick]`.

Times are wall time of one process, medians with least and greatest in brackets. `whole` is the process that the host
starts: it begins with Python and ends with the answer, the vocabulary of the tokenizer loaded on the way.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import msgspec

from agentsup.core.checks.references import hashes
from agentsup.core.memory.decisions import read_decisions
from agentsup.core.memory.engram import read_engram
from agentsup.core.memory.identity import read_identity
from agentsup.core.memory.model import Memory
from agentsup.core.memory.operations import read_operations
from agentsup.core.memory.questions import read_questions
from agentsup.core.memory.state_forms import read_state
from agentsup.core.memory.task import read_contract, read_task
from agentsup.core.restore.composition import compose
from agentsup.core.restore.decisions_part import read_once
from agentsup.core.restore.frame import Budget
from agentsup.core.restore.preparation import Prepared, Wanted
from agentsup.locale import restore_frame
from agentsup.restoring.prepare import tokens
from agentsup.store.git import repository
from agentsup.store.project_memory import read_project

RESULTS = Path(__file__).with_name("MEMORY.md")
SIZES = (1, 10, 100)
TYPICAL, WORST = 100.0, 500.0
"""Milliseconds that building a text may take: of a usual memory, and of the largest."""

HEAD = f"| memory | bytes | read | parse | git | count | build | target | met | whole |\n{'|---' * 10}|\n"


def lay_out(root: Path, times: int) -> int:
    """Write a project's memory, `times` as large as that of a few weeks' work; return its bytes."""
    agent = root / ".agent"
    steps = range(20 * times)
    decisions = range(15 * times)
    files: Mapping[str, str] = {
        "engram.md": "[Task] Make uploads in store.py survive a flaky network.\n[Progress] Wrote retry() in net.py.\n"
                     "[Pending] Write test_retry in test_net.py.\n[Taboo] Never touch api.py: users depend on it.\n",
        "identity.md": "".join(f"convention_{n}: say what module_{n} is for\n" for n in range(10 * min(times, 10))),
        "TASK.md": "## Goal\nUploads survive a flaky network\n## Allowed paths\n- src/\n## Acceptance\n- `pytest -q`\n",
        "STATE.md": "## Scope\nstore.py\n## Completed\n"
                    + "".join(f"- Ensured step_{n}() in file_{n}.py is typed (commit {n:06x}a)\n" for n in steps)
                    + "## In progress\n- retry() in net.py\n## Next\n"
                    + "".join(f"{n}. Ensure retry_{n}() in net.py backs off\n" for n in range(1, 5 * times))
                    + "## Evidence\n- `pytest -q`: 12 passed\n",
        "DECISIONS.md": "".join(
            f"## Decision {n} about module_{n}\n- reason: it was measured {n} times and was quicker\n"
            f"- confidence: [{('HARD', 'SOFT', 'TENTATIVE')[n % 3]}] agent\n"
            f"{'- status: rejected' if n % 5 == 0 else '- date: 2026-11-01'}\n" for n in decisions),
        "open-questions.md": "".join(f"- [ ] May module_{n} raise? [TENTATIVE]\n" for n in range(4 * times)),
        "handoff.md": "Yesterday the retry was half done.\n" * times,
        "log/index.jsonl": "".join(
            f'{{"id":"op-{n:03}","type":"edit","target":"net.py","summary":"retry {n}",'
            f'"timestamp":{1_700_000_000 + n}}}\n' for n in range(60 * times)),
        "init.d/20-conventions.md": "".join(f"Convention {n} of the project.\n" for n in range(15 * times)),
    }  # fmt: skip
    for name, text in files.items():
        path = agent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for n in range(20 * times):
        source = root / "src" / f"file_{n}.py"
        source.parent.mkdir(exist_ok=True)
        source.write_text(f"def step_{n}() -> None: ...\n")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    return sum(len(text.encode()) for text in files.values())


def overgrow(root: Path) -> int:
    """Make two files of a project as long as they are feared to become; return their bytes."""
    agent = root / ".agent"
    with (agent / "STATE.md").open("w") as file:
        file.write("## Scope\nall of it\n## Completed\n")
        for start in range(0, 800_000, 10_000):
            rows = range(start, start + 10_000)
            file.write("".join(f"- Ensured step {n} in file_{n}.py is typed (commit 8bd1a50)\n" for n in rows))
        file.write("## Next\n1. Ensure last() in end.py exists\n")
    with (agent / "DECISIONS.md").open("w") as file:
        for n in range(10_000):
            tag = ("HARD", "SOFT", "TENTATIVE")[n % 3]
            file.write(f"## Decision {n} about module_{n}\n- reason: measured {n} times\n- confidence: [{tag}] agent\n")
    return sum((agent / name).stat().st_size for name in ("STATE.md", "DECISIONS.md"))


def parsed(memory: Memory) -> None:
    """Read every file form into its model."""
    read_engram(memory.engram.text or "")
    read_state(memory.state_form, memory.state.text or "")
    read_task(memory.task.text or "")
    read_contract(memory.contract.text or "")
    read_decisions(memory.decisions.text or "")
    read_identity(memory.identity.text or "")
    read_questions(memory.questions.text or "")
    read_operations(memory.operations.text or "")


def timed(function: Callable[[], object], times: int) -> list[float]:
    """Return the milliseconds that each call took."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        function()
        taken.append((time.perf_counter() - begun) * 1e3)
    return taken


def shown(milliseconds: list[float]) -> str:
    """Return the median with least and greatest."""
    return f"{median(milliseconds):.1f} ms ({min(milliseconds):.1f}–{max(milliseconds):.1f})"


def asked(root: Path) -> Prepared:
    """Ask the process that the host asks."""
    wanted = msgspec.msgpack.encode(Wanted(str(root), "en", window=200_000))
    command = [sys.executable, "-P", "-m", "agentsup.restoring"]
    done = subprocess.run(command, input=wanted, capture_output=True, check=True)
    return msgspec.msgpack.decode(done.stdout, type=Prepared)


def row(root: Path, times: int | None, repeats: int) -> tuple[str, bool]:
    """Measure one size (None: the feared one); return its row, and whether it is good enough."""
    size = lay_out(root, times or 1)
    if times is None:
        size = overgrow(root)
    memory = read_project(root)
    facts = repository(root, hashes(memory), (), ())
    frame = restore_frame("en")

    def build() -> str:
        read_once.cache_clear()
        text = compose(memory, Budget(), 200_000, frame=frame, count=tokens, repository=facts)
        return text.text(id="abc234")

    text = build()
    reading = timed(lambda: read_project(root), repeats)
    parsing = timed(lambda: parsed(memory), repeats)
    git = timed(lambda: repository(root, hashes(memory), (), ()), repeats)
    counting = timed(lambda: tokens(text), repeats)
    building = timed(build, repeats)
    prepared = asked(root).of("compaction")
    assert prepared is not None
    assert prepared.text(id="abc234") == text
    whole = timed(lambda: asked(root), min(repeats, 5))
    target = TYPICAL if times == 1 else WORST
    met = max(building) < target
    name = f"{times}×" if times else "50 MB of STATE, 10,000 decisions"
    cells = (
        name, f"{size:,}", shown(reading), shown(parsing), shown(git), shown(counting), shown(building),
        f"< {target:.0f} ms", "yes" if met else "**no**", shown(whole),
    )  # fmt: skip
    return f"| {' | '.join(cells)} |", met


def main() -> int:
    """Measure every size and write the table; return 1 where a target is missed."""
    repeats = 3 if "--quick" in sys.argv else 15
    tokens("load the vocabulary")
    rows, fine = [], True
    print(HEAD, end="")
    for times in (*SIZES, None):
        with tempfile.TemporaryDirectory() as folder:
            found, met = row(Path(folder), times, repeats)
        print(found, flush=True)
        rows.append(found)
        fine &= met
    if "--quick" not in sys.argv:
        RESULTS.write_text(
            f"# Memory at 1, 10 and 100 times its usual size\n\nLast run {datetime.now(UTC):%Y-%m-%d}: "
            f"{platform.system()} {platform.machine()}, Python {platform.python_version()}. Made by "
            f"`python -m tests.bench.memory`.\n\n{HEAD}" + "".join(f"{found}\n" for found in rows)
        )
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
