"""A small memory for every finding: the code, how grave it is, where it stands, and the memory that has it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agentsup.core.checks.all import check_memory
from agentsup.core.checks.engram import Author
from agentsup.core.checks.finding import Finding, Severity
from agentsup.core.memory.decisions import read_decisions
from agentsup.core.memory.model import Document, InitUnit, Memory, Repository, Spot, Work
from agentsup.core.trust.model import Accepted, Origin, Trust
from agentsup.core.trust.rules import rule_of
from agentsup.locale import wording

ENGRAM = """[Task] Port the tokenizer from flex to a hand-written scanner.
[Progress] Wrote scan() in src/scan.c.
[Pending] scan() in src/scan.c has no test for NUL.
[Taboo] Don't touch src/flex.l, because the old build still reads it.
"""
STATE = """# State
## Scope
- The scanner
## Completed
- Wrote scan() (commit 8bd1a50)
## In progress
- NUL in scan()
## Next
- Ensure scan() in src/scan.c stops at NUL
## Evidence
- 8bd1a50
"""
TASK = """# Task
## Goal
A scanner without flex.
## Allowed paths
- src/
## Forbidden paths
- src/flex.l
## Acceptance
- `make test` passes
"""
PROGRESS = (
    '{"current_task": "The scanner", "completed": [], "in_progress": "NUL in scan()", "blocked": [], "next_steps": [],'
    ' "last_updated": "2026-01-02"}'
)
TOP = Spot()
GOOD = Memory(
    engram=Document(".agent/engram.md", ENGRAM),
    state=Document(".agent/STATE.md", STATE),
    task=Document(".agent/TASK.md", TASK),
    contract=Document(".agent/CONTRACT.md", "- `scan(FILE *) -> int` in src/scan.c\n"),
    decisions=Document(".agent/DECISIONS.md", "## Keep C11\n- reason: the old compiler\n- confidence: [SOFT] user\n"),
    identity=Document(".agent/identity.md", "language: C11\ntest_command: make test\n"),
    handoff=Document(".agent/handoff.md", "The scanner is nearly whole.\n"),
    questions=Document(".agent/open-questions.md", "- [ ] Is NUL allowed? [SOFT]\n"),
    operations=Document(
        ".agent/log/index.jsonl",
        '{"id": "op-001", "type": "edit", "target": "src/scan.c", "summary": "wrote scan()", "timestamp": 1}\n',
    ),
)
"""Nothing is wrong with it."""

OTHERS_ACCEPTED = (Accepted(GOOD.contract.path, GOOD.contract.sha, GOOD.contract.text),)
"""Its guarded files but for the task."""


def found(
    memory: Memory, *, repository: Repository | None = None, work: Work | None = None, by: Author = "person"
) -> tuple[Finding, ...]:
    """Return the findings in a memory; tokens are counted as words."""
    return check_memory(
        memory, wording(), repository or Repository(), work or Work(), count=lambda text: len(text.split()), by=by
    )


RULE = "## Keep C11\n- reason: the old compiler\n- confidence: [HARD] user\n"
RULES = tuple(map(rule_of, read_decisions(RULE).decisions))


def trusting(trust: Trust, **documents: Document) -> Memory:
    """Return a memory of which something was approved, or came from others."""
    return replace(GOOD, trust=trust, **documents)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Example:
    """One finding and a memory that has it, and nothing else of the kind."""

    code: str
    severity: Severity
    file: str
    spot: Spot
    memory: Memory
    repository: Repository = Repository()
    work: Work = Work()
    by: Author = "person"
    values: tuple[tuple[str, str], ...] = ()
    """Of its values, those that matter."""


def engram(text: str) -> Memory:
    """Return the good memory with another engram."""
    return replace(GOOD, engram=Document(".agent/engram.md", text))


def with_item(line: str) -> Memory:
    """Return the good memory with one more line in its engram."""
    return engram(ENGRAM + line + "\n")


def state(text: str) -> Memory:
    """Return the good memory with another state."""
    return replace(GOOD, state=Document(".agent/STATE.md", text))


def with_next(line: str) -> Memory:
    """Return the good memory with another next step: line 9 of its state."""
    return state(STATE.replace("Ensure scan() in src/scan.c stops at NUL", line))


def with_done(line: str) -> Memory:
    """Return the good memory with another completed item: line 5 of its state."""
    return state(STATE.replace("Wrote scan() (commit 8bd1a50)", line))


def task(text: str) -> Memory:
    """Return the good memory with another task."""
    return replace(GOOD, task=Document(".agent/TASK.md", text))


def decisions(text: str) -> Memory:
    """Return the good memory with other decisions."""
    return replace(GOOD, decisions=Document(".agent/DECISIONS.md", text))


def identity(text: str) -> Memory:
    """Return the good memory with another identity."""
    return replace(GOOD, identity=Document(".agent/identity.md", text))


def operations(text: str) -> Memory:
    """Return the good memory with another index."""
    return replace(GOOD, operations=Document(".agent/log/index.jsonl", text))


def broken(problem: str, spot: Spot = TOP) -> Memory:
    """Return the good memory with a handoff that has a problem."""
    return replace(GOOD, handoff=Document(".agent/handoff.md", problem=problem, spot=spot, size=5_000_000))


def unit(name: str, text: str | None = "x\n", *, executable: bool = False) -> Memory:
    """Return the good memory with a restore unit of its own."""
    document = Document(f".agent/init.d/{name}", text)
    return replace(GOOD, units=(InitUnit(name.rpartition(".")[0], document, executable),))


def operation(number: int, id: str = "") -> str:
    """Return a line of the index."""
    name = id or f"op-{number:03}"
    return f'{{"id": "{name}", "type": "edit", "target": "a.c", "summary": "s", "timestamp": {number}}}\n'


DECISION = "## {title}\n- reason: r\n- confidence: [SOFT] user\n\n"
AGENT_ENGRAM = ".agent/engram.md"
AGENT_STATE = ".agent/STATE.md"

EXAMPLES: tuple[Example, ...] = (
    Example("engram.no-block", "error", AGENT_ENGRAM, TOP, engram("Only prose.\n")),
    Example(
        "engram.missing-tag", "error", AGENT_ENGRAM, TOP, engram(ENGRAM.split("[Taboo]")[0]), values=(("tag", "Taboo"),)
    ),
    Example("engram.empty-tag", "error", AGENT_ENGRAM, Spot(5, 8), with_item("[Taboo]"), values=(("tag", "Taboo"),)),
    Example(
        "engram.too-many-words",
        "error",
        AGENT_ENGRAM,
        TOP,
        with_item("[Files] " + "w " * 190),
        values=(("most", "200"),),
    ),
    Example(
        "engram.too-many-items", "error", AGENT_ENGRAM, TOP, with_item("[Files] a.c\n" * 5), values=(("items", "9"),)
    ),
    Example(
        "engram.too-long", "error", AGENT_ENGRAM, TOP, with_item("[Files] " + "w" * 4_000), values=(("most", "4000"),)
    ),
    Example("engram.untagged", "warning", AGENT_ENGRAM, Spot(5, 3), with_item("  and more of it")),
    Example("engram.untagged", "error", AGENT_ENGRAM, Spot(5, 1), with_item("==== engram ===="), by="agent"),
    Example(
        "engram.control",
        "error",
        AGENT_ENGRAM,
        Spot(5, 10),
        with_item("[Files] a\u200b.c"),
        values=(("character", "U+200B"),),
    ),
    Example("engram.unknown-tag", "error", AGENT_ENGRAM, Spot(5, 1), with_item("[Goal] x"), values=(("tag", "Goal"),)),
    Example(
        "engram.control",
        "error",
        AGENT_ENGRAM,
        Spot(5, 9),
        with_item("[Files] \x1b[1ma.c"),
        values=(("character", "U+001B"),),
    ),
    Example("engram.secret", "error", AGENT_ENGRAM, Spot(5, 13), with_item("[Files] a.c sk-ant-api03-abcdefgh")),
    Example("engram.no-verb", "warning", AGENT_ENGRAM, Spot(5, 12), with_item("[Progress] config work")),
    Example("engram.no-verb", "error", AGENT_ENGRAM, Spot(5, 5), with_item("[进度]购物车页面的合并提示"), by="agent"),
    Example("engram.vague", "warning", AGENT_ENGRAM, Spot(5, 12), with_item("[Progress] Made some changes")),
    Example("engram.vague", "error", AGENT_ENGRAM, Spot(5, 6), with_item("[进度] 处理余额问题"), by="agent"),
    Example(
        "engram.pending-without-place",
        "warning",
        AGENT_ENGRAM,
        Spot(5, 11),
        with_item("[Pending] dark mode for the settings"),
        by="agent",
    ),
    Example("engram.pending-without-place", "warning", AGENT_ENGRAM, Spot(5, 6), with_item("[未决] 新文案的英文翻译")),
    Example(
        "engram.taboo-without-reason",
        "warning",
        AGENT_ENGRAM,
        Spot(5, 9),
        with_item("[Taboo] Don't touch src/a.c"),
        by="agent",
    ),
    Example("engram.taboo-without-reason", "warning", AGENT_ENGRAM, Spot(5, 6), with_item("[禁忌] 不要动 src/a.c")),
    Example(
        "engram.file-missing",
        "warning",
        AGENT_ENGRAM,
        Spot(5, 9),
        with_item("[Files] src/b.c:1-20"),
        Repository(exists={"src/b.c": False}),
        values=(("path", "src/b.c"),),
    ),
    Example(
        "engram.ambiguous-symbol",
        "warning",
        AGENT_ENGRAM,
        Spot(5, 11),
        with_item("[Pending] free_all() leaks"),
        Repository(definitions={"free_all": ("a.c", "b.c"), "scan": ("src/scan.c", "old.c")}),
        values=(("files", "a.c, b.c"),),
    ),
    Example("state.no-evidence", "error", AGENT_STATE, Spot(5, 3), with_done("Wrote `scan` anew")),
    Example("state.no-evidence", "error", AGENT_STATE, Spot(5, 3), with_done("优惠券叠加规则已提交")),
    Example(
        "state.unknown-hash",
        "error",
        AGENT_STATE,
        Spot(5, 3),
        GOOD,
        Repository(known={"8bd1a50": False}),
        values=(("hash", "8bd1a50"),),
    ),
    Example(
        "state.unverified-command",
        "note",
        AGENT_STATE,
        Spot(5, 3),
        with_done("scan() stops (`make test`)"),
        work=Work(succeeded=("ls",)),
        values=(("command", "make test"),),
    ),
    Example(
        "state.vague",
        "error",
        AGENT_STATE,
        Spot(7, 3),
        state(STATE.replace("NUL in scan()", "Everything is going well")),
    ),
    Example("state.vague", "error", AGENT_STATE, Spot(7, 3), state(STATE.replace("NUL in scan()", "进展顺利"))),
    Example(
        "state.next-without-place", "warning", AGENT_STATE, Spot(9, 3), with_next("Tell the librarians of the new rule")
    ),
    Example("state.next-without-place", "warning", AGENT_STATE, Spot(9, 3), with_next("问清楚财务的口径")),
    Example(
        "state.not-atomic",
        "warning",
        AGENT_STATE,
        Spot(9, 3),
        with_next("Run `make test` until it passes, then commit"),
    ),
    Example("state.not-atomic", "warning", AGENT_STATE, Spot(9, 3), with_next("确保 a.c 有类型，并且 b.c 返回它")),
    Example(
        "state.not-idempotent",
        "warning",
        AGENT_STATE,
        Spot(9, 3),
        with_next("Add a test to src/scan.c"),
        values=(("rewrite", "Ensure src/scan.c has a test"),),
    ),
    Example(
        "state.not-idempotent",
        "warning",
        AGENT_STATE,
        Spot(9, 3),
        with_next("添加 src/b.c"),
        values=(("rewrite", "确保 src/b.c 存在"),),
    ),
    Example("state.too-coarse", "note", AGENT_STATE, Spot(9, 3), with_next("Ensure a.c, b.c, src/c.c share one type")),
    Example("state.too-coarse", "note", AGENT_STATE, Spot(9, 3), with_next("确保整个模块 src/scan.c 有类型")),
    Example(
        "state.stale", "warning", AGENT_STATE, TOP, GOOD, work=Work(calls_since_state=21), values=(("calls", "21"),)
    ),
    Example(
        "state.stale",
        "warning",
        AGENT_STATE,
        Spot(12, 10),
        state(STATE + "updated: 2026-01-02\n"),
        Repository(head="a", head_time=1_767_400_000.0 + 86_400),
        values=(("commit", "2026-01-04"),),
    ),
    Example(
        "state.unknown-section",
        "warning",
        AGENT_STATE,
        Spot(12, 4),
        state(STATE + "## Notes\n- n\n"),
        values=(("section", "Notes"),),
    ),
    Example(
        "state.missing-field",
        "note",
        AGENT_STATE,
        TOP,
        state(STATE.split("## Evidence")[0]),
        values=(("field", "Evidence"),),
    ),
    Example(
        "task.no-goal", "warning", ".agent/TASK.md", TOP, task(TASK.replace("## Goal\nA scanner without flex.\n", ""))
    ),
    Example("task.no-acceptance", "warning", ".agent/TASK.md", TOP, task(TASK.split("## Acceptance")[0])),
    Example(
        "task.acceptance-not-atomic",
        "warning",
        ".agent/TASK.md",
        Spot(9, 3),
        task(TASK.replace("`make test` passes", "The file is read and the total is shown")),
    ),
    Example(
        "task.acceptance-not-atomic",
        "warning",
        ".agent/TASK.md",
        Spot(9, 3),
        task(TASK.replace("`make test` passes", "读数一条不少，并且顺序不变")),
    ),
    Example(
        "task.path-forbidden",
        "error",
        ".agent/TASK.md",
        TOP,
        GOOD,
        Repository(changed=("docs/a.md", "src/scan.c")),
        values=(("path", "docs/a.md"),),
    ),
    Example(
        "task.more-paths-forbidden",
        "error",
        ".agent/TASK.md",
        TOP,
        GOOD,
        Repository(changed=tuple(f"docs/{n}.md" for n in range(23))),
        values=(("count", "3"),),
    ),
    Example(
        "core.too-long",
        "warning",
        ".agent/CONTRACT.md",
        TOP,
        replace(GOOD, contract=Document(".agent/CONTRACT.md", "w " * 400)),
        values=(("most", "400"), ("longest", "400")),
    ),
    Example("decision.untagged", "note", ".agent/DECISIONS.md", Spot(1, 4), decisions("## A\n- reason: r\n")),
    Example(
        "decision.unknown-tag",
        "warning",
        ".agent/DECISIONS.md",
        Spot(1, 4),
        decisions("## A\n- reason: r\n- confidence: [CERTAIN] user\n"),
        values=(("tag", "CERTAIN"),),
    ),
    Example(
        "decision.no-reason",
        "warning",
        ".agent/DECISIONS.md",
        Spot(1, 4),
        decisions("## A\n- confidence: [SOFT] user\n"),
    ),
    Example(
        "decision.stale-without-pointer",
        "warning",
        ".agent/DECISIONS.md",
        Spot(1, 4),
        decisions("## A\n- reason: r\n- confidence: [STALE] user\n"),
    ),
    Example(
        "decision.tag-inside",
        "warning",
        ".agent/DECISIONS.md",
        Spot(6, 3),
        decisions(DECISION.format(title="A") + "\n- [HARD] Never touch prod\n"),
        values=(("title", "Never touch prod"),),
    ),
    Example(
        "decision.many",
        "note",
        ".agent/DECISIONS.md",
        TOP,
        decisions("".join(DECISION.format(title=f"Number {n}") for n in range(21))),
        values=(("count", "21"),),
    ),
    Example(
        "identity.not-key-value",
        "warning",
        ".agent/identity.md",
        Spot(2, 1),
        identity("language: C\nPlease remember\n"),
    ),
    Example(
        "identity.double-key",
        "warning",
        ".agent/identity.md",
        Spot(3, 15),
        identity("test_command: a\nlanguage: C\ntest_command: b\n"),
        values=(("line", "1"),),
    ),
    Example("identity.too-long", "warning", ".agent/identity.md", TOP, identity("convention: " + "w " * 200)),
    Example(
        "question.untagged",
        "note",
        ".agent/open-questions.md",
        Spot(1, 7),
        replace(GOOD, questions=Document(".agent/open-questions.md", "- [ ] Is NUL allowed?\n")),
    ),
    Example(
        "operations.unparsable", "error", ".agent/log/index.jsonl", Spot(2, 1), operations(operation(1) + "cut off\n")
    ),
    Example(
        "operations.missing-field",
        "warning",
        ".agent/log/index.jsonl",
        Spot(1, 1),
        operations('{"id": "op-001", "type": "edit", "target": "a.c", "timestamp": 1}\n'),
        values=(("fields", "summary"),),
    ),
    Example(
        "operations.double-id",
        "warning",
        ".agent/log/index.jsonl",
        Spot(2, 1),
        operations(operation(1) + operation(2, "op-001")),
        values=(("line", "1"),),
    ),
    Example(
        "operations.many", "note", ".agent/log/index.jsonl", TOP, operations("".join(map(operation, range(1, 102))))
    ),
    Example(
        "file.unparsable",
        "error",
        ".agent/handoff.md",
        Spot(3, 4),
        broken("memory.unparsable", Spot(3, 4)),
        values=(("line", "3"),),
    ),
    Example("file.unreadable", "error", ".agent/handoff.md", TOP, broken("memory.unreadable")),
    Example("file.not-text", "error", ".agent/handoff.md", TOP, broken("memory.not-text")),
    Example(
        "file.too-long", "warning", ".agent/handoff.md", TOP, broken("memory.too-long"), values=(("size", "5,000,000"),)
    ),
    Example(
        "file.double",
        "warning",
        "STATE.md",
        TOP,
        replace(GOOD, doubles=((AGENT_STATE, "STATE.md"),)),
        values=(("used", AGENT_STATE),),
    ),
    Example(
        "file.conflict",
        "error",
        ".agent/handoff.md",
        Spot(2, 1),
        replace(GOOD, handoff=Document(".agent/handoff.md", "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n")),
    ),
    Example(
        "file.secret",
        "error",
        ".agent/handoff.md",
        Spot(2, 11),
        replace(GOOD, handoff=Document(".agent/handoff.md", "a\npassword: hunter2hunter2\n")),
        values=(("kind", "password"),),
    ),
    Example(
        "file.control",
        "warning",
        ".agent/handoff.md",
        Spot(2, 3),
        replace(GOOD, handoff=Document(".agent/handoff.md", "a\nb \x07c\x07\n")),
        values=(("character", "U+0007"),),
    ),
    Example(
        "file.more",
        "note",
        AGENT_STATE,
        TOP,
        with_done("\n- ".join(f"Wrote part {n}" for n in range(130))),
        values=(("count", "30"),),
    ),
    Example("unit.not-run", "note", ".agent/init.d/70-disk.sh", TOP, unit("70-disk.sh", None, executable=True)),
    Example(
        "decision.void-hard",
        "warning",
        ".agent/DECISIONS.md",
        Spot(3, 15),
        replace(GOOD, decisions=Document(".agent/DECISIONS.md", RULE)),
        values=(("title", "Keep C11"),),
    ),
    Example(
        "decision.rule-changed",
        "warning",
        ".agent/DECISIONS.md",
        Spot(1, 4),
        trusting(
            Trust(rules=RULES), decisions=Document(".agent/DECISIONS.md", RULE.replace("HARD", "STALE") + "- by: x\n")
        ),
    ),
    Example(
        "decision.rule-lost",
        "warning",
        ".agent/DECISIONS.md",
        TOP,
        trusting(Trust(rules=RULES), decisions=Document(".agent/DECISIONS.md")),
        values=(("title", "Keep C11"),),
    ),
    Example(
        "engram.claims-hard", "warning", ".agent/engram.md", Spot(4, 1), engram(ENGRAM.replace("Don't", "[HARD] Don't"))
    ),
    Example(
        "file.not-accepted",
        "warning",
        ".agent/TASK.md",
        TOP,
        trusting(Trust(contents=(Accepted(".agent/TASK.md", "sha", "# Task\n## Goal\nAnother\n"), *OTHERS_ACCEPTED))),
    ),
    Example(
        "file.never-accepted", "warning", ".agent/TASK.md", TOP, trusting(Trust(contents=OTHERS_ACCEPTED, begun=True))
    ),
    Example(
        "file.foreign",
        "note",
        ".agent/handoff.md",
        TOP,
        trusting(Trust(foreign=((".agent/handoff.md", Origin("abc1234", "Mallory")),))),
        values=(("origin", "abc1234, Mallory"),),
    ),
    Example("trust.tampered", "error", ".agent", TOP, trusting(Trust(problem="trust.tampered"))),
    Example("trust.unreadable", "error", ".agent", TOP, trusting(Trust(problem="trust.unreadable"))),
    Example("unit.reserved", "warning", ".agent/init.d/90-engram.md", TOP, unit("90-engram.md")),
    Example("task.bad-name", "warning", "tasks/fix it", TOP, replace(GOOD, task_unusable=("tasks/fix it",))),
    Example("unit.bad-name", "warning", ".agent/init.d/说明.md", TOP, unit("说明.md"), values=(("name", "说明"),)),
    Example(
        "conventions.too-long",
        "warning",
        ".agent/init.d/20-conventions.md",
        TOP,
        replace(GOOD, conventions=Document(".agent/init.d/20-conventions.md", "c\n" * 51)),
        values=(("lines", "51"),),
    ),
)
