"""Lay out a sample project as it would stand on a person's disk. The recipe is in tests/data/projects/README.md."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentsup.core.checks.references import hashes
from agentsup.core.memory.model import Memory
from agentsup.core.restore.composition import compose
from agentsup.core.restore.frame import Budget
from agentsup.locale import restore_frame
from agentsup.restoring.prepare import tokens
from agentsup.store.git import repository
from agentsup.store.project_memory import read_project
from tests.core.restore.memories import approved

DATA = Path(__file__).parent.parent / "data" / "projects"
RESTORED = DATA / "restored"
"""The restore texts as they must come out, a file each, read and found right. {{HEAD}} stands in them as in the
samples, {{TIP}} for the newest commit."""

NAMES = tuple(sorted(path.stem for path in DATA.glob("*.toml")))

TOKEN = hashlib.sha256(b"nobody's").hexdigest()[:48]
"""What {{TOKEN}} stands for: a key must not stand in a repository, not even one of nobody's."""

Record = tuple[str, int, int, str, str]
"""File, line, column, severity, code."""


@dataclass(frozen=True)
class Sample:
    """A project that was laid out."""

    name: str
    root: Path
    told: dict[str, Any]
    head: str
    """The commit that {{HEAD}} stands for."""

    @property
    def language(self) -> str:
        """Of what has no language of its own."""
        return {"en": "en", "zh": "zh-CN"}[self.told["language"]]

    @property
    def expected(self) -> list[Record]:
        """What validation must find."""
        return sorted(
            (each["file"], each["line"], each["column"], each["severity"], each["code"])
            for each in self.told["finding"]
        )


def lay_out(name: str, root: Path) -> Sample:
    """Copy a sample to `root`, commit it as its recipe says, and make the changes that are not committed."""
    told = tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))
    shutil.copytree(DATA / name, root)
    for grow in told.get("grow", ()):
        _grow(root / grow["path"], grow["bytes"], grow["line"])
    git(root, "init", "-q")
    memory = told["memory"]
    date = told["commit_date"]
    git(root, "add", "--", ".", *(f":(exclude){path}" for path in memory))
    _commit(root, "project", date)
    head = git(root, "rev-parse", "HEAD")[:7]
    for path in memory:
        for file in _files(root / path):
            data = file.read_bytes()
            if b"{{" in data:
                file.write_bytes(data.replace(b"{{HEAD}}", head.encode()).replace(b"{{TOKEN}}", TOKEN.encode()))
    git(root, "add", "-f", "--", *memory)
    _commit(root, "memory", date)
    for change in told.get("change", ()):
        path = root / change["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(change["content"], encoding="utf-8")
    return Sample(name, root, told, head)


def remembered(sample: Sample) -> Memory:
    """Return a sample's memory, all of its rules approved by a person."""
    return approved(read_project(sample.root))


def restored(sample: Sample) -> tuple[str, int]:
    """Return a sample's restore text, with placeholders for the commits, and how many tokens it really has."""
    memory = remembered(sample)
    facts = repository(sample.root, hashes(memory), (), ())
    frame = restore_frame(sample.language)
    found = compose(memory, Budget(), 200_000, frame=frame, count=tokens, repository=facts)
    text = found.text(id="abc234")
    tip = git(sample.root, "rev-parse", "HEAD")[:8]
    return text.replace(tip, "{{TIP}}").replace(sample.head, "{{HEAD}}"), tokens(text)


def git(root: Path, *words: str, **environment: str) -> str:
    """Run git there, with no configuration of whoever runs the test."""
    sealed = {"HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"], **environment}
    done = subprocess.run(["git", *words], cwd=root, env=sealed, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _commit(root: Path, message: str, date: str) -> None:
    git(
        root, "-c", "user.name=agentsup", "-c", "user.email=agentsup@example.org", "-c", "commit.gpgsign=false",
        "commit", "-q", "-m", message, GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date,
    )  # fmt: skip


def _files(path: Path) -> list[Path]:
    return [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]


def _grow(path: Path, size: int, line: str) -> None:
    text = path.read_bytes()
    row = f"{line}\n".encode()
    path.write_bytes(text + row * -(-max(0, size - len(text)) // len(row)))
