"""`engram`, `state`, `decisions`, `identity`: what is there, and what is wrong with it, for people and for programs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from agentsup.core.engram_reasons import SEEN, TURN_END
from agentsup.core.memory.model import Work
from agentsup.locale import LANGUAGES
from agentsup.store.engram_history import record
from tests.cli.fake_session import answering
from tests.cli.project import Project
from tests.ui.scenes import CALM

FINDING_KEYS = {"file", "line", "column", "length", "severity", "code", "message", "fix", "values"}
COMMANDS = ("engram", "state", "decisions", "identity")
LINE = re.compile(r"(?P<file>[^:]+):(?P<line>\d+):(?P<column>\d+) (?P<severity>[a-z]+) (?P<code>[a-z.-]+) .+")

ENGRAM = """[Task] Make add() in calc.py safe against overflow.
[Progress] Wrote add() and its type hints in calc.py.
[Pending] Write test_add in test_calc.py.
[Taboo] Leave README.md alone, because its owner edits it.
"""
VAGUE = ENGRAM.replace("Wrote add() and its type hints in calc.py.", "Made some changes.")


def codes(found: Mapping[str, Any]) -> list[str]:
    return [f"{each['severity']} {each['code']}" for each in found["findings"]]


# --- check


@pytest.mark.parametrize("command", COMMANDS)
def test_a_check_of_what_is_not_there_says_so_and_is_no_error(project: Project, command: str) -> None:
    done = project.run(command, "check")
    assert (done.code, done.out) == (0, "")
    assert done.problem[0].endswith("is not there yet.")
    assert "Nothing to mend" not in done.err
    assert project.run(command, "check", "--json").json == {"findings": []}


def test_a_good_engram(project: Project) -> None:
    project.write({".agent/engram.md": ENGRAM, "calc.py": "", "README.md": ""})
    assert project.run("engram", "check", "--json").json == {"findings": []}
    assert project.run("engram", "check").code == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_finding_is_a_line_and_what_mends_it_below(project: Project, language: str) -> None:
    project.write({".agent/engram.md": ENGRAM.replace("[Taboo]", "[Tabu]")})
    done = project.run("engram", "check", language=language)
    assert (done.code, done.err) == (1, "")
    lines = done.out.splitlines()
    assert len(lines) % 2 == 0
    found = [match.groupdict() for line in lines[::2] if (match := LINE.fullmatch(line))]
    assert {"file": ".agent/engram.md", "line": "4", "column": "1", "severity": "error",
            "code": "engram.unknown-tag"} in found  # fmt: skip
    assert all(line.startswith("    ") and line.strip() for line in lines[1::2])
    assert ("缺少 [Taboo]。" in done.out) == (language == "zh-CN")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_record_is_english_in_every_language(project: Project, language: str) -> None:
    project.write({".agent/engram.md": ENGRAM.replace("[Taboo]", "[Tabu]")})
    done = project.run("engram", "check", "--json", language=language)
    assert done.code == 1
    assert done.json.keys() == {"findings"}
    assert all(finding.keys() == FINDING_KEYS for finding in done.json["findings"])
    assert {
        "file": ".agent/engram.md", "line": 1, "column": 1, "length": 0, "severity": "error",
        "code": "engram.missing-tag", "message": "There is no [Taboo].",
        "fix": "Add a line that begins with [Taboo].", "values": {"tag": "Taboo"},
    } in done.json["findings"]  # fmt: skip
    assert done.json == project.run("--language", language, "engram", "--json", "check").json


def test_what_is_a_warning_of_a_person_is_an_error_of_an_agent(project: Project) -> None:
    project.write({".agent/engram.md": VAGUE})
    assert "warning engram.vague" in codes(project.run("engram", "check", "--json").json)
    record(project.root, VAGUE, "agent")
    done = project.run("engram", "check", "--json")
    assert (done.code, "error engram.vague" in codes(done.json)) == (1, True)
    record(project.root, VAGUE.replace("some", "many"), "person")
    assert project.run("engram", "check").code == 0


def test_warnings_are_no_failure(project: Project) -> None:
    project.write({
        ".agent/identity.md": "We use Python here, and we like it.\nlanguage: Python\nlanguage: Rust\n",
        ".agent/DECISIONS.md": "## Use SQLite\n",
        ".agent/open-questions.md": "- [ ] Which port?\n",
    })  # fmt: skip
    identity, decisions = project.run("identity", "check", "--json"), project.run("decisions", "check", "--json")
    assert (identity.code, decisions.code) == (0, 0)
    assert sorted(codes(identity.json)) == ["warning identity.double-key", "warning identity.not-key-value"]
    assert "warning decision.no-reason" in codes(decisions.json)
    assert "note question.untagged" in codes(decisions.json)


def test_a_long_identity_is_counted(project: Project) -> None:
    project.write({".agent/identity.md": "".join(f"key_{i}: a value of some words\n" for i in range(60))})
    assert codes(project.run("identity", "check", "--json").json) == ["warning identity.too-long"]


def test_core_files_that_are_too_long_together(project: Project) -> None:
    project.write({".agent/TASK.md": "## Goal\n- make it safe\n\n## Acceptance\n- `pytest`\n\n" + "word " * 500})
    done = project.run("state", "check", "--json")
    assert "warning core.too-long" in codes(done.json)


def test_a_completed_item_without_evidence(project: Project) -> None:
    project.write({".agent/STATE.md": "## Completed\n- wrote add() in calc.py\n\n## Next\n- Run `pytest` in calc.py\n"})
    done = project.run("state", "check", "--json")
    (found,) = [each for each in done.json["findings"] if each["code"] == "state.no-evidence"]
    assert (done.code, found["line"], found["column"], found["file"]) == (1, 2, 3, ".agent/STATE.md")


def test_a_running_session_says_which_commands_were_seen_to_succeed(project: Project) -> None:
    project.write({".agent/STATE.md": "## Completed\n- wrote add() in calc.py (`pytest -q`)\n"})
    unverified = "note state.unverified-command"
    for succeeded, expected in ((("ls",), True), (("ls", "pytest -q"), False)):
        session = replace(CALM, work=Work(succeeded=succeeded))
        with answering(project.patch, {"abcde": (project.root, session)}):
            assert (unverified in codes(project.run("state", "check", "--json").json)) == expected


# --- files that can't be read


BROKEN = b'{"current_task": "x",\n "completed": ["a",}\n'


@pytest.mark.parametrize(
    "place", [".agent/progress.json", ".agent/state/task.json", ".agent/init.d/30-task-state.json"]
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_broken_state_is_told_with_line_and_column(project: Project, place: str, language: str) -> None:
    project.write({place: BROKEN})
    done = project.run("state", "check", language=language)
    assert done.code == 1
    assert re.match(re.escape(place) + r":2:\d+ error file.unparsable ", done.out)
    shown = project.run("state", language=language)
    assert (shown.code, shown.out) == (1, "")
    assert f"{place}:2:" in shown.problem[0]
    as_json = project.run("state", "--json")
    assert (as_json.code, as_json.json["problem"], as_json.json["exists"]) == (1, "memory.unparsable", True)
    assert (project.root / place).read_bytes() == BROKEN


@pytest.mark.parametrize(
    ("command", "place"),
    [("engram", ".agent/engram.md"), ("state", ".agent/STATE.md"), ("state", ".agent/TASK.md"),
     ("decisions", ".agent/DECISIONS.md"), ("identity", ".agent/identity.md")],
)  # fmt: skip
def test_a_file_that_is_no_text(project: Project, command: str, place: str) -> None:
    content = b"## Next\nfirst\n ab\xff\xfe\n"
    project.write({place: content})
    done = project.run(command, "check")
    assert done.code == 1
    assert done.out.startswith(f"{place}:3:4 error file.not-text ")
    assert (project.root / place).read_bytes() == content


@pytest.mark.parametrize("command", COMMANDS)
def test_a_link_is_not_followed(project: Project, command: str) -> None:
    names = {"engram": "engram.md", "state": "STATE.md", "decisions": "DECISIONS.md", "identity": "identity.md"}
    (project.root / "elsewhere").write_text("secret")
    (project.root / ".agent").mkdir()
    (project.root / ".agent" / names[command]).symlink_to(project.root / "elsewhere")
    done = project.run(command, "check")
    assert (done.code, "file.unreadable" in done.out) == (1, True)
    shown = project.run(command)
    assert (shown.code, "secret" in shown.out) == (1, False)
    assert len(shown.problem) == 2


def test_of_two_places_the_one_that_is_left_alone_is_told(project: Project) -> None:
    project.write({".agent/STATE.md": "## Next\n- a\n", "STATE.md": "## Next\n- b\n"})
    found = project.run("state", "check", "--json").json["findings"]
    assert [each["file"] for each in found if each["code"] == "file.double"] == ["STATE.md"]


# --- show


def test_an_engram_as_an_object(project: Project) -> None:
    project.write({".agent/engram.md": f"an introduction\n{ENGRAM}"})
    found = project.run("engram", "show", "--json").json
    assert found.keys() == {"file", "exists", "problem", "language", "items", "others", "words", "modified"}
    assert found["items"][1] == {
        "tag": "progress", "text": "Wrote add() and its type hints in calc.py.", "line": 3, "column": 12,
    }  # fmt: skip
    assert found["others"] == [{"text": "an introduction", "line": 1, "column": 1}]
    assert (found["exists"], found["language"], found["words"]) == (True, "en", 33)


def test_an_engram_for_people(project: Project) -> None:
    project.write({".agent/engram.md": "\ufeff * 【任务】：改\x1b[31m名\r\n- [禁忌] 不动 README：有人在改\r\n"})
    done = project.run("engram")
    assert (done.code, done.out, done.err) == (0, "[任务] 改[31m名\n[禁忌] 不动 README：有人在改\n", "")


STATE = """## Scope
- calc
## Completed
- wrote add() (commit 8bd1a50, `pytest -q`)
## Next
- Run `pytest` until it passes
- Ensure mul() exists

updated: 2026-03-01 by person
"""


def test_a_state_as_an_object(project: Project) -> None:
    project.write({
        ".agent/STATE.md": STATE, ".agent/CONTRACT.md": "## calc.py\n- `add(a: int, b: int) -> int`\n",
        ".agent/TASK.md": "## Goal\n- a safe calculator\n## Forbidden paths\n- README.md\n## Acceptance\n- `pytest`\n",
    })  # fmt: skip
    found = project.run("state", "--json").json
    lists = {"scope", "completed", "in_progress", "next", "blocked", "evidence"}
    assert found.keys() == lists | {
        "file", "form", "exists", "problem", "language", "task_name", "task_names", "next_step", "status", "updated_at",
        "updated_by", "task", "contract",
    }  # fmt: skip
    assert found["completed"] == [{
        "text": "wrote add() (commit 8bd1a50, `pytest -q`)", "line": 4, "column": 3, "commits": ["8bd1a50"],
        "commands": ["pytest -q"],
    }]  # fmt: skip
    assert found["next"][0].keys() == {"text", "line", "column"}
    assert (found["form"], found["next_step"]) == ("markdown", "Run `pytest` until it passes")
    task = found["task"]
    assert task.keys() == {"file", "exists", "problem", "goal", "scope", "allowed", "forbidden", "acceptance"}
    assert (task["goal"], task["forbidden"]) == (["a safe calculator"], ["README.md"])
    assert found["contract"].keys() == {"file", "exists", "problem", "entries"}
    assert [entry.keys() for entry in found["contract"]["entries"]] == [{"text", "place"}]


@pytest.mark.parametrize("form", ["progress", "task"])
def test_every_form_of_a_state_has_the_same_keys(project: Project, form: str) -> None:
    empty = project.run("state", "--json").json
    key = {"progress": "next_steps", "task": "next"}[form]
    project.write({f".agent/{form}.json": json.dumps({"current_task": "calc", "completed": ["a"], key: ["b", "c"]})})
    found = project.run("state", "--json").json
    assert found.keys() == empty.keys()
    assert (found["form"], found["next_step"], found["file"]) == (form, "b", f".agent/{form}.json")
    assert [step["text"] for step in found["completed"]] == ["a"]


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("en", ["Scope:", "  - calc", "Next:", "  1. Run `pytest` until it passes", "  2. Ensure mul() exists",
                "Completed:", "  - wrote add() (commit 8bd1a50, `pytest -q`)", "updated: 2026-03-01 by person"]),
        ("zh-CN", ["当前范围:", "  - calc", "下一步:", "  1. Run `pytest` until it passes", "  2. Ensure mul() exists",
                   "已完成:", "  - wrote add() (commit 8bd1a50, `pytest -q`)", "更新: 2026-03-01 由 person"]),
    ],
)  # fmt: skip
def test_a_state_for_people(project: Project, language: str, lines: list[str]) -> None:
    project.write({".agent/STATE.md": STATE})
    assert project.run("state", language=language).out.splitlines() == lines


def test_decisions(project: Project) -> None:
    project.write({
        ".agent/DECISIONS.md": (
            "## Use SQLite\n- id: d-one\n- reason: one file\n- confidence: [SOFT] user\n- date: 2026-03-01\n\n"
            "## Use pickle\n- id: d-two\n- reason: quick\n- status: rejected\n\n"
            "## Use CSV\n- id: d-three\n- reason: simple\n- status: stale\n- by: d-one\n"
        ),
        ".agent/log/archive/decisions-001.md": "## Use XML\n- id: d-old\n- reason: habit\n",
    })  # fmt: skip
    done = project.run("decisions")
    rows = [re.split(r"  +", line.strip()) for line in done.out.splitlines()]
    assert rows == [
        ["id", "trust", "status", "title", "source"],
        ["d-one", "[SOFT]", "holds", "Use SQLite", "user"],
        ["d-two", "[TENTATIVE]", "rejected", "Use pickle"],
        ["d-three", "[STALE]", "overturned", "Use CSV → d-one"],
    ]
    found = project.run("decisions", "--json").json
    assert found.keys() == {"file", "exists", "problem", "language", "decisions", "archives"}
    assert found["decisions"][0] == {
        "id": "d-one", "title": "Use SQLite", "reason": "one file", "confidence": "SOFT", "trust": "SOFT",
        "status": "active", "source": "user", "date": "2026-03-01", "replaced_by": "", "files": [],
        "file": ".agent/DECISIONS.md", "line": 1, "column": 4, "archived": False, "void": False,
    }  # fmt: skip
    assert [each["confidence"] for each in found["decisions"]] == ["SOFT", None, None]
    everything = project.run("decisions", "--all", "--json").json
    assert [each["archived"] for each in everything["decisions"]] == [False, False, False, True]
    assert "Use XML" in project.run("decisions", "show", "--all").out
    assert "已否决" in project.run("decisions", language="zh-CN").out


def test_identity(project: Project) -> None:
    project.write({".agent/identity.md": "# Identity\nlanguage: Python\n- 测试命令：pytest -q\n"})
    done = project.run("identity")
    assert (done.code, done.out) == (0, "language: Python\n测试命令: pytest -q\n")
    found = project.run("identity", "--json").json
    assert found.keys() == {"file", "exists", "problem", "entries", "others"}
    assert found["entries"][1] == {"key": "测试命令", "value": "pytest -q", "line": 3, "column": 3}
    assert found["others"] == [{"text": "# Identity", "line": 1, "column": 1}]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_there_is_told_and_no_failure(project: Project, command: str, language: str) -> None:
    done = project.run(command, language=language)
    assert (done.code, done.out) == (0, "")
    assert ".agent/" in done.problem[0]
    assert "agentsup init" in done.problem[1]
    assert project.run(command, "--json").json["exists"] is False


def test_the_versions_of_an_engram(project: Project) -> None:
    assert project.run("engram", "history").err == "No version was recorded yet.\n"
    assert project.run("engram", "history", "--json").json == {"versions": []}
    first = record(project.root, "[Task] one\n", "person", "by hand")
    second = record(project.root, "[Task] two \x1b[31m\n", "agent")
    versions = project.run("engram", "history", "--json").json["versions"]
    assert [each["text"] for each in versions] == ["[Task] two \x1b[31m\n", "[Task] one\n"]
    assert all(each.keys() == {"time", "author", "reason", "sha", "text"} for each in versions)
    told = project.run("engram", "history").out.splitlines()
    assert told[0].startswith(second.sha[:12])
    assert told[0].endswith("by the agent")
    assert told[1] == "    [Task] two [31m"
    assert told[2].endswith("by a person  by hand")
    assert project.run("engram", "history", first.sha[:8]).out == "[Task] one\n"
    assert project.run("engram", "history", first.sha[:8], "--json").json == versions[1]
    record(project.root, "[Task] three\n", "agent", TURN_END)
    assert project.run("engram", "history").out.splitlines()[0].endswith("at the end of a turn")
    assert project.run("engram", "history", language="zh-CN").out.splitlines()[0].endswith("写于一轮结束时")
    assert project.run("engram", "history", "--json").json["versions"][0]["reason"] == "at the end of a turn"
    record(project.root, "[Task] four\n", "found", SEEN)
    assert project.run("engram", "history").out.splitlines()[0].count("found in the file") == 1
    unknown = project.run("engram", "history", "0000")
    assert (unknown.code, "0000" in unknown.problem[0]) == (2, True)


# --- all of them


@pytest.mark.parametrize("words", [[c, *a] for c in COMMANDS for a in ([], ["check"])] + [["engram", "history"]])
def test_they_only_read(project: Project, words: list[str]) -> None:
    project.write({".agent/engram.md": ENGRAM, ".agent/STATE.md": STATE})
    before = project.everything()
    project.run(*words)
    project.run(*words, "--json")
    assert project.everything() == before


@pytest.mark.parametrize("command", COMMANDS)
def test_help_and_wrong_words(project: Project, command: str) -> None:
    done = project.run(command, "--help")
    assert done.code == 0
    assert "check" in done.out
    assert project.run(command, "check", "--help").code == 0
    assert project.run(command, "nonsense").code == 2


def test_nothing_that_a_terminal_would_obey_is_printed(project: Project) -> None:
    nasty = "\x1b]0;x\x07\x9b31m\u202e"
    project.write({
        ".agent/engram.md": f"[Task] {nasty}\n[{nasty}] x\n",
        ".agent/STATE.md": f"## Next\n- {nasty}\n## {nasty}\n- x\n",
        ".agent/DECISIONS.md": f"## {nasty}\n- confidence: [{nasty}] {nasty}\n",
        ".agent/identity.md": f"{nasty}: {nasty}\n{nasty}\n",
        f".agent/init.d/50-{nasty}.md": "x",
    })  # fmt: skip
    for command in COMMANDS:
        for action in ("show", "check"):
            for more in ([], ["--json"]):
                done = project.run(command, action, *more)
                assert not any(c in done.out + done.err for c in "\x1b\x07\x9b\u202e"), (command, action, more)


def test_a_check_of_the_engram_loads_nothing_heavy(project: Project) -> None:
    project.write({".agent/engram.md": ENGRAM})
    code = "import sys; from agentsup.cli.main import main; main(['engram', 'check']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, timeout=30)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"tiktoken", "rich", "textual", "asyncio", "psutil", "cffi"}


# --- doctor


def test_doctor_counts_what_is_wrong_with_memory(project: Project) -> None:
    project.write({
        ".agent/engram.md": VAGUE, ".agent/STATE.md": "## Completed\n- x\n", ".agent/identity.md": "language: Python\n",
        ".agent/log/index.jsonl": '{"id": "op-1", "type": "a", "target": "a", "summary": "b", "timestamp": 1}\nnone\n',
    })  # fmt: skip
    done = project.run("doctor", "--json")
    found = {each["check"]: each for each in done.json["findings"] if each["check"].startswith("memory.")}
    assert {check: each["level"] for check, each in found.items()} == {
        "memory.engram": "warning", "memory.state": "problem", "memory.decisions": "ok", "memory.identity": "ok",
        "memory.others": "problem",
    }  # fmt: skip
    assert done.code == 1
    assert found["memory.engram"]["todo"] == "See them: agentsup engram check"
    assert ".agent/log/index.jsonl:2:1" in found["memory.others"]["what"]
    assert found["memory.others"]["todo"]
    assert "记忆" in project.run("doctor", language="zh-CN").out


def test_doctor_says_that_nothing_is_remembered(project: Project) -> None:
    found = [each for each in project.run("doctor", "--json").json["findings"] if each["check"].startswith("memory.")]
    assert [(each["check"], each["level"], each["todo"]) for each in found] == [("memory.files", "ok", "")]
