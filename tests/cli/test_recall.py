"""Reading an operation or a decision back by its id, whatever archive it has gone to."""

from __future__ import annotations

import json

import pytest

from tests.cli.project import Project

INDEX, OPS, ARCHIVE = ".agent/log/index.jsonl", ".agent/log/ops", ".agent/log/archive"


def operation(number: int, **more: object) -> str:
    told = {
        "id": f"op-{number:03}", "type": "edit", "target": "calc.py", "summary": f"step {number}",
        "log_path": f"{OPS}/op-{number:03}.json", "timestamp": "2026-03-01T10:00:00+00:00",
    }  # fmt: skip
    return json.dumps({**told, **more}, ensure_ascii=False) + "\n"


@pytest.fixture
def kept(project: Project) -> Project:
    """Return a project with two operations, one of them archived, and two decisions, one of them archived."""
    project.write({
        INDEX: operation(17, ticket=42),
        f"{ARCHIVE}/index-001.jsonl": operation(3, summary="旧的一步"),
        f"{OPS}/op-017.json": json.dumps({"id": "op-017", "detail": "first line\n\tsecond \x1b[31mline"}),
        ".agent/DECISIONS.md": "## Use SQLite\n- id: d-now\n- reason: one file\n- confidence: [SOFT] user\n",
        f"{ARCHIVE}/decisions-001.md": "## Use pickle\n- id: d-old\n- reason: quick\n- status: rejected\n",
    })  # fmt: skip
    return project


def test_an_operation_with_its_detail(kept: Project) -> None:
    done = kept.run("recall", "op-017", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json == {
        "kind": "operation", "id": "op-017", "type": "edit", "target": "calc.py", "summary": "step 17",
        "log_path": f"{OPS}/op-017.json", "timestamp": "2026-03-01T10:00:00+00:00", "others": {"ticket": 42},
        "detail": "first line\n\tsecond \x1b[31mline", "file": INDEX,
    }  # fmt: skip


def test_an_operation_for_people_is_harmless(kept: Project) -> None:
    done = kept.run("recall", "op-017")
    assert done.code == 0
    assert "\x1b" not in done.out
    assert done.out.splitlines() == [
        "id       op-017", "type     edit", "target   calc.py", "summary  step 17",
        "time     2026-03-01T10:00:00+00:00", f"in       {INDEX}", "", "first line", "\tsecond [31mline",
    ]  # fmt: skip


def test_an_archived_operation_in_chinese(kept: Project) -> None:
    done = kept.run("recall", "op-003", language="zh-CN")
    assert done.code == 0
    assert "摘要  旧的一步" in done.out.splitlines()
    assert f"位于  {ARCHIVE}/index-001.jsonl" in done.out.splitlines()
    assert kept.run("recall", "op-003", "--json").json["detail"] is None


@pytest.mark.parametrize(("id", "title", "archived"), [("d-now", "Use SQLite", False), ("d-old", "Use pickle", True)])
def test_a_decision(kept: Project, id: str, title: str, archived: bool) -> None:
    found = kept.run("recall", id, "--json").json
    assert (found["kind"], found["id"], found["title"], found["archived"]) == ("decision", id, title, archived)
    assert found["file"] == (f"{ARCHIVE}/decisions-001.md" if archived else ".agent/DECISIONS.md")
    told = kept.run("recall", id).out
    assert title in told
    assert ("rejected" if archived else "[SOFT]") in told


def test_an_unknown_id_names_the_nearest(kept: Project) -> None:
    done = kept.run("recall", "op-07")
    what, todo = done.problem
    assert (done.code, done.out) == (1, "")
    assert "op-07" in what
    assert todo.startswith("The nearest: op-017, op-003.")
    assert kept.run("recall", "op-07", "--json").out == ""


def test_a_file_is_said_not_to_be_an_id(kept: Project) -> None:
    what, _ = kept.run("recall", "src/some/where.rs").problem
    assert "files can't be yet" in what
    assert "还不能按文件取回" in kept.run("recall", "src/some/where.rs", language="zh-CN").problem[0]


@pytest.mark.parametrize(
    "id",
    ["", " ", "../../etc/passwd", "\x1b[31m", "a" * 1000, "op-017\n"],
    ids=["empty", "blank", "path", "escape", "long", "line"],
)
def test_no_id_does_any_harm(kept: Project, id: str) -> None:
    before = kept.everything()
    done = kept.run("recall", id)
    assert done.code in (0, 1)
    assert "\x1b" not in done.err
    assert kept.everything() == before


def test_without_any_memory(project: Project) -> None:
    what, todo = project.run("recall", "op-001").problem
    assert "op-001" in what
    assert "agentsup log list" in todo


def test_a_detail_that_leads_out_of_the_project_is_not_read(project: Project) -> None:
    (project.root.parent / "secret").write_text("secret")
    project.write({INDEX: operation(1, log_path="../secret"), f"{OPS}/x": ""})
    assert project.run("recall", "op-001", "--json").json["detail"] is None
