"""A project to write memory in: commands run as a person or an agent runs them, also at the same time."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentsup.core.memory.model import StateForm
from agentsup.core.memory.state import TaskState
from agentsup.core.memory.state_forms import read_state
from tests.cli.project import Project, Ran

TIMEOUT = 60.0
"""Seconds for one command in a process of its own, on a machine that is busy."""


class WritingPlace(Project):
    """A project in which commands may read a standard input, run as an agent, run at once, and ask git."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, captured: pytest.CaptureFixture[str], language: str = "en"
    ) -> None:
        super().__init__(folder, patch, captured)
        self.language = "zh-CN" if language == "zh" else "en"
        (self.home / ".gitconfig").write_text(
            "[user]\nname = A Person\nemail = person@example.org\n[init]\ndefaultBranch = main\n"
        )
        patch.setenv("GIT_CONFIG_GLOBAL", str(self.home / ".gitconfig"))

    @property
    def environment(self) -> dict[str, str]:
        """What a program needs to run here as this process does."""
        names = ("HOME", "XDG_RUNTIME_DIR", "LANG", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
        return {name: os.environ[name] for name in names}

    def run(self, *words: str, language: str = "", given: str | bytes | None = None) -> Ran:
        """Run a command in this process; `given` is its standard input."""
        data = given.encode() if isinstance(given, str) else given or b""
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return super().run(*words, language=language or self.language)

    def run_at_once(self, commands: Iterable[Sequence[str]]) -> list[Ran]:
        """Run commands at the same time, each in a process of its own; all must succeed."""
        started = [
            subprocess.Popen(
                [sys.executable, "-P", "-m", "agentsup", *argv], cwd=self.root,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for argv in commands
        ]  # fmt: skip
        said = [process.communicate(timeout=TIMEOUT) for process in started]
        done = [Ran(process.returncode, *texts) for process, texts in zip(started, said, strict=True)]
        assert [each for each in done if each.code] == []
        return done

    def as_agent(self, session: str = "bcdfg") -> None:
        """Let what follows run as the agent of a session."""
        self.patch.setenv("AGENTSUP_SESSION", session)

    def git(self, *arguments: str) -> str:
        """Run git in the project and return what it prints."""
        done = subprocess.run(["git", *arguments], cwd=self.root, text=True, capture_output=True, check=True)
        return done.stdout.strip()

    def commit(self, name: str = "code.py", text: str = "x = 1\n") -> str:
        """Make the project a repository, commit one file, and return the commit's hash."""
        if not (self.root / ".git").exists():
            self.git("init", "-q")
        self.put(name, text)
        self.git("add", name)
        self.git("commit", "-q", "-m", "A change")
        return self.git("rev-parse", "HEAD")

    def put(self, name: str, text: str | bytes) -> Path:
        """Write one file of the project, and return its path."""
        self.write({name: text})
        return self.root / name

    def read(self, name: str) -> str:
        """Return the text of a file of the project."""
        return (self.root / name).read_bytes().decode()

    def files(self) -> set[str]:
        """Return the paths of all files of the project, git's own left out."""
        return {
            str(path.relative_to(self.root))
            for path in self.root.rglob("*")
            if path.is_file() and ".git" not in path.parts
        }


def two_lines(done: Ran, what: str) -> None:
    """A problem is one line that says what happened and one that says what to do."""
    lines = [line for line in done.err.splitlines() if line.startswith("agentsup: ")]
    assert len(lines) == 2, done
    assert what in lines[0], done
    assert "Traceback" not in done.err


@dataclass(frozen=True)
class Form:
    """A project's state in one of its forms: where, and as what."""

    name: str
    path: str
    form: StateForm
    text: str

    def state(self, place: WritingPlace) -> TaskState:
        """Return what stands there now."""
        return read_state(self.form, place.read(self.path))


_MARKDOWN_EN = """\
# State of the parser

## Scope

- The parser

## Completed

- Wrote `Node` (commit 1a2b3c4)

## In progress

- Write parse()

## Next

- Write parse()
- Test parse() in tests/test_parse.py

## Evidence

- 3 passed: `pytest -q`

## Notes

Kept as it is.
"""

_MARKDOWN_ZH = """\
# 解析器的状态

## 当前范围

- 解析器

## 已完成

- 写好 `Node`（commit 1a2b3c4）

## 进行中

- 写 parse()

## 下一步

- 写 parse()
- 在 tests/test_parse.py 测试 parse()

## 最近证据

- 3 项通过：`pytest -q`

## 备注

保持原样。
"""

_PROGRESS = {
    "current_task": "The parser", "completed": ["Wrote `Node` (commit 1a2b3c4)"], "in_progress": "Write parse()",
    "blocked": [], "next_steps": ["Write parse()", "Test parse() in tests/test_parse.py"],
    "last_updated": "2026-01-02T03:04:05Z", "owner": {"kept": "as it is"},
}  # fmt: skip

_TASK = {
    "current_task": "解析器", "status": "active", "completed": ["写好 `Node` (commit 1a2b3c4)"],
    "next": ["写 parse()", "在 tests/test_parse.py 测试 parse()"], "blocked_by": [], "last_updated": "session-42",
    "owner": {"kept": "as it is"},
}  # fmt: skip

FORMS = (
    Form("markdown", ".agent/STATE.md", "markdown", _MARKDOWN_EN),
    Form("markdown-zh", "STATE.md", "markdown", _MARKDOWN_ZH),
    Form("progress", "state/progress.json", "progress", json.dumps(_PROGRESS, indent=2) + "\n"),
    Form("task", ".agent/state/task.json", "task", json.dumps(_TASK, indent=2, ensure_ascii=False) + "\n"),
)
"""Every form, both languages."""
