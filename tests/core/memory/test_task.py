"""TASK.md and CONTRACT.md: the goal, the paths that may be changed, the interfaces that may not."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.memory.labels import TASK_ORDER, TASK_SECTIONS
from agentsup.core.memory.model import Language, Spot
from agentsup.core.memory.path_rules import relative, rules_in
from agentsup.core.memory.state import TaskState, steps
from agentsup.core.memory.task import TaskFile, is_allowed, read_contract, read_task, write_task
from tests.core.memory.written_texts import plain_states, states, texts

CANONICAL = """\
# TASK

## Goal
Make calc safe, so that nobody gets a wrong figure.

## Scope
- calc.py

## Allowed paths
- src/
- `tests/`

## Forbidden paths
- `src/api/` — generated

## Acceptance
- `pytest -q` passes
"""


def texts_of(task: TaskFile, section: str) -> list[str]:
    return [step.text for step in getattr(task, section)]


def test_a_canonical_file_comes_back_to_the_byte() -> None:
    task = read_task(CANONICAL)
    assert write_task(task) == CANONICAL
    assert {name: texts_of(task, name) for name in TASK_ORDER} == {
        "goal": ["Make calc safe, so that nobody gets a wrong figure."], "scope": ["calc.py"],
        "allowed": ["src/", "`tests/`"], "forbidden": ["`src/api/` — generated"], "acceptance": ["`pytest -q` passes"],
    }  # fmt: skip
    assert task.acceptance[0].commands == ("pytest -q",)
    assert task.acceptance[0].spot == Spot(17, 3)


@pytest.mark.parametrize("name", list(TASK_SECTIONS))
def test_every_known_name_is_read_as_a_heading_and_as_a_key(name: str) -> None:
    for text in (f"## {name}\n- item\n", f"\ufeff{name.title()}：item\r\n", f"- {name}: item\n", f"{name}:\n- item\n"):
        assert texts_of(read_task(text), TASK_SECTIONS[name]) == ["item"]


def test_a_chinese_file_stays_chinese() -> None:
    text = "# 任务\n\n## 目标\n修好加法。\n\n## 范围\n- calc.py\n\n## 允许修改\n- src/\n\n## 验收标准\n- `pytest -q`\n"
    task = read_task(text)
    assert task.language == "zh"
    assert write_task(replace(task, forbidden=steps("docs/"))) == text.replace("允许修改", "允许路径").replace(
        "## 验收标准", "## 禁止路径\n- docs/\n\n## 验收"
    )


def test_the_lines_of_a_goal_are_one_item_up_to_a_blank_line() -> None:
    text = "## Goal\nMake calc\nsafe.\n\nAnd fast.\n- and small\n* # odd\nand plain\n"
    task = read_task(text)
    assert texts_of(task, "goal") == ["Make calc safe.", "And fast.", "and small", "# odd", "and plain"]
    assert write_task(task) == ("## Goal\nMake calc safe.\n\nAnd fast.\n\nand small\n- # odd\nand plain\n")
    assert read_task(write_task(task)) == task


def test_keys_for_paths_count_wherever_they_stand() -> None:
    text = """\
# TASK
## Goal
Make calc safe.
Forbidden: README.md
## Paths
- Allowed:
  - src/
  - tests/
- Forbidden: `docs/` — the owner's
- kept as it is
## Acceptance
- pytest
"""
    task = read_task(text)
    assert (texts_of(task, "allowed"), texts_of(task, "forbidden")) == (
        ["src/", "tests/"], ["README.md", "`docs/` — the owner's"]
    )  # fmt: skip
    assert (texts_of(task, "goal"), texts_of(task, "acceptance")) == (["Make calc safe."], ["pytest"])
    assert "## Paths\n- kept as it is\n" in write_task(task)
    nested = read_task("## Goal\n- [x] Allowed: Forbidden: Allowed: src/\n")
    assert {name: texts_of(nested, name) for name in TASK_ORDER if getattr(nested, name)} == {"allowed": ["src/"]}


def test_a_list_below_a_key_for_paths_ends_where_the_key_does() -> None:
    for text in ("Allowed: src/\n- tests/\n\n- the parser\n", "- Allowed:\n  - src/\n\n  - tests/\n- the parser\n"):
        task = read_task(f"## Scope\n{text}")
        assert (texts_of(task, "allowed"), texts_of(task, "scope")) == (["src/", "tests/"], ["the parser"])
    coded = read_task("Goal: x\nAcceptance:\n\n```sh\npytest -q\nruff check\n```\n")
    assert texts_of(coded, "acceptance") == ["pytest -q", "ruff check"]


def test_a_title_says_the_goal_where_nothing_else_does() -> None:
    task = read_task("# Task: make calc safe\n\nSome prose.\n\n## Acceptance\n- pytest\n")
    assert (texts_of(task, "goal"), task.goal[0].spot) == (["make calc safe"], Spot(1, 9))
    assert read_task(write_task(task)) == task
    assert texts_of(read_task("# 任务：修好加法\n## 目标\n别的\n"), "goal") == ["别的"]
    assert texts_of(read_task("# TASK\n\nSome prose.\n## Notes: x\n"), "goal") == []


def allowed(path: str, *, only: tuple[str, ...] = (), never: tuple[str, ...] = (), root: str = "") -> bool | None:
    return is_allowed(TaskFile(allowed=steps(*only), forbidden=steps(*never)), path, root)


@pytest.mark.parametrize(
    ("item", "inside", "outside"),
    [
        ("src/", "src/a/b.py", "source/a.py"),
        ("src", "src/a.py", "lib/src/a.py"),
        ("./src/", "src/a.py", "a.py"),
        ("src/calc.py", "src/calc.py", "src/calc.pyi"),
        ("`src/auth/` — only the login flow", "src/auth/x.py", "src/other.py"),
        ("src/auth/ - only the login flow", "src/auth/x.py", "only"),
        ("src/auth/：只改登录", "src/auth/x.py", "src/b.py"),
        ("src/auth/ (login, logout)", "src/auth/x.py", "logout"),
        ("src/auth/（登录）", "src/auth/x.py", "src/b.py"),
        ("src/auth/——只改登录", "src/auth/x.py", "src/b.py"),
        ("src/auth/ only the login flow", "src/auth/x.py", "only"),
        ("`src/a.py`, `src/b.py`: both", "src/b.py", "src/c.py"),
        ("src/a.py、src/b.py and docs/", "docs/x.md", "and"),
        ("src/calc.py:10-20", "src/calc.py", "src/calc.py:10-20"),
        ("The files in src/auth/ only.", "src/auth/x.py", "src/b.py"),
        ("Read-only: vendor/", "vendor/x.c", "Read-only"),
        ("src/*.py", "src/a.py", "src/deep/a.py"),
        ("src/*", "src/deep/a.py", "srcs"),
        ("src/**/test_*.py", "src/a/b/test_x.py", "src/a/x.py"),
        ("src/**/test_*.py", "src/test_x.py", "test_x.py"),
        ("**/fixtures/", "a/b/fixtures/c.json", "a/fixture/c.json"),
        ("*.md", "docs/deep/a.md", "docs/a.mdx"),
        ("file?.py", "src/file1.py", "src/file12.py"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", "app/i/page.tsx"),
        ("`my docs/`", "my docs/a", "my"),
        ("my docs/", "my docs/a", "my"),
        ("Makefile", "Makefile", "src/Makefile"),
        ("src\\auth\\", "src/auth/x.py", "src/b.py"),
        ("everything except `docs/`", "src/a.py", "docs/a.md"),
        ("src/ but not src/api/", "src/a.py", "src/api/x.ts"),
        ("除 docs/ 之外的所有文件", "src/a.py", "docs/a.md"),
        ("Anything except docs/", "src/a.py", "docs/a.md"),
        ("src/ (except src/api)", "src/a.py", "src/api/x.ts"),
        ("app/(shop)/", "app/(shop)/a.tsx", "app/shop/a.tsx"),
        ("**", ".agent/x", "../x"),
        ("all files", "a", "/etc/passwd"),
        (".", "a/b", "/etc/passwd"),
    ],
)
def test_a_path_is_known_by_folder_or_pattern_without_what_explains_it(item: str, inside: str, outside: str) -> None:
    assert allowed(inside, only=(item,)) is True
    assert allowed(outside, only=(item,)) is False
    assert allowed(inside, never=(item,)) is False
    assert allowed(outside, never=(item,)) is None


def test_what_is_forbidden_is_so_even_where_it_is_allowed() -> None:
    only, never = ("src/", "docs/index.md"), ("src/api/",)
    paths = ("src/a.py", "src/api/x.ts", "docs/index.md", "docs/b.md")
    assert [allowed(path, only=only, never=never) for path in paths] == [True, False, True, False]


def test_a_task_that_says_nothing_of_paths_has_no_answer() -> None:
    assert allowed("a.py") is None
    assert (
        allowed(
            "a.py",
            only=("only the login flow", "只改登录流程", "the login flow except logout"),
            never=("everything else",),
        )
        is None
    )
    assert is_allowed(read_task("## Goal\nx\n"), "a.py") is None


def test_absolute_paths_are_taken_relative_to_the_root() -> None:
    root = "/home/ann/shop"
    assert allowed(f"{root}/src/a.py", only=("src/",), root=root) is True
    assert allowed("src/a.py", only=(f"{root}/src/ — whole",), root=f"{root}/") is True
    assert allowed(f"{root}/src/a.py", never=(f"{root}/src",), root=root) is False
    assert allowed("/home/ann/shopping/src/a.py", only=("src/",), root=root) is False
    assert allowed("../shop/src/a.py", only=("src/",), root=root) is True
    assert allowed("../other/a.py", never=("/home/ann/other",), root=root) is False
    assert allowed("src/../README.md", only=("src/",), root=root) is False
    assert allowed("src/../../../../etc/passwd", never=("/etc",), root=root) is False
    assert allowed("src/a.py", never=("/src/",), root=root) is False


@pytest.mark.parametrize(
    ("path", "made"),
    [
        ("./a//b/", "a/b"), ("a/../b", "b"), ("../a", "/p/a"), ("a/../../q", "/p/q"), ("/p/r/a", "a"), ("/p/r", ""),
        ("/p/rx", "/p/rx"), ("/p/r/../x", "/p/x"), ("/../../x", "/x"), ("", ""),
    ],
)  # fmt: skip
def test_a_path_is_brought_into_one_form(path: str, made: str) -> None:
    assert relative(path, "/p/r") == made


def test_a_contract_is_read_as_its_signatures_and_where_they_live() -> None:
    text = """\
# CONTRACT

Signatures others rely on.

## State
- `toggle(id: string): State` in src/state.ts
* load(): State
<!-- - not this -->

### `save(state)` in src/save.ts
Never twice.

## Notes
Prose only.

```python
# src/calc.py
def add(a: int, b: int) -> int: ...

def sub(a: int, b: int) -> int: ...
```
- server.py
  - start()
  - stop()
- other()
"""
    contract = read_contract(text)
    assert [(each.text, each.place) for each in contract.entries] == [
        ("`toggle(id: string): State` in src/state.ts", "State"), ("load(): State", "State"),
        ("`save(state)` in src/save.ts", ""), ("def add(a: int, b: int) -> int: ...", "src/calc.py"),
        ("def sub(a: int, b: int) -> int: ...", "src/calc.py"), ("start()", "server.py"), ("stop()", "server.py"),
        ("other()", "Notes"),
    ]  # fmt: skip
    assert [each.spot for each in contract.entries[:4]] == [Spot(6, 3), Spot(7, 3), Spot(10, 5), Spot(18, 1)]
    assert contract.text == text
    assert read_contract("# CONTRACT\n\nNothing yet.\n").entries == ()


LANGUAGES: tuple[Language, ...] = ("en", "zh")


def _task(state: TaskState, others: tuple[object, ...]) -> TaskFile:
    return TaskFile(state.scope, state.completed, state.in_progress, state.next, state.evidence, state.language, others)


@settings(max_examples=300, deadline=None)
@given(texts, st.sampled_from(LANGUAGES))
def test_any_text_is_read_and_what_is_written_of_it_is_read_the_same(text: str, fallback: Language) -> None:
    task = read_task(text, fallback)
    written = write_task(task)
    assert read_task(written, fallback) == task
    assert write_task(read_task(written, fallback)) == written


@settings(max_examples=300, deadline=None)
@given(texts, states)
def test_any_task_in_any_file_is_written_in_a_form_that_stays(text: str, state: TaskState) -> None:
    task = _task(state, read_task(text).others)
    written = write_task(task)
    assert write_task(read_task(written, task.language)) == written


@settings(max_examples=300, deadline=None)
@given(texts, plain_states)
def test_a_task_written_into_any_file_is_read_back(text: str, state: TaskState) -> None:
    task = _task(state, read_task(text).others)
    read = read_task(write_task(task), task.language)
    for name in TASK_ORDER:
        assert getattr(read, name) == getattr(task, name) or (name == "goal" and not task.goal)


@settings(max_examples=300, deadline=None)
@given(texts, st.text("ab/.*?-`,:（ ", max_size=20), st.text("ab/.", max_size=12))
def test_any_text_is_a_contract_and_any_item_a_rule(text: str, item: str, path: str) -> None:
    contract = read_contract(text)
    assert contract.text == text
    assert all(each.text.strip() for each in contract.entries)
    verdict = allowed(path, only=(item,), never=(text,))
    assert verdict in (True, False, None)
    assert allowed(path, never=(item,)) in ((False, None) if rules_in(item) else (None,))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(("a", "b", "c.py", "x y")), min_size=1, max_size=4), st.data())
def test_a_path_and_the_folders_above_it_cover_it_however_they_are_written(
    names: list[str], data: st.DataObject
) -> None:
    path = "/".join(names)
    above = "/".join(names[: data.draw(st.integers(1, len(names)))])
    for item in (f"`{above}`", f"`{above}/` — why", f"`./{above}`", f"`/p/{above}`", f"`{above.replace('a', '?')}`"):
        assert allowed(path, only=(item,), root="/p") is True
        assert allowed(f"/p/./{path}", never=(item,), root="/p") is False


@pytest.mark.parametrize(
    "item", ["*a" * 300 + "b", "**/" * 300 + "b", "a/" * 20_000, "`" * 50_000, "x - " * 20_000, "a, " * 20_000,
             " " * 50_000 + "a", "除" * 20_000, "a/b" * 20_000, "(" * 50_000, ":1" * 50_000],
)  # fmt: skip
def test_no_rule_takes_long(item: str) -> None:
    started = time.process_time()
    assert allowed("a" * 300 + "/" + "a/" * 300, only=(item,)) in (True, False, None)
    assert read_task(f"## Allowed\n- {item}\n") is not None
    assert read_contract(f"- {item}\n# {item}\n```\n{item}\n```\n") is not None
    assert time.process_time() - started < 5
