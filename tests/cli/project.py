"""A project in a folder of its own, in which commands run in this process: quick, and with nothing of the person's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentsup.cli.main import main


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object that was printed."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def problem(self) -> list[str]:
        """The two lines of a problem: what, and what to do."""
        lines = self.err.splitlines()
        assert len(lines) == 2, self.err
        assert all(line.startswith("agentsup: ") for line in lines), self.err
        return [line.removeprefix("agentsup: ") for line in lines]


class Project:
    """Writes files and runs commands; `home` is a person's who has nothing."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, captured: pytest.CaptureFixture[str]) -> None:
        self.root, self.home, self._captured = folder / "work", folder / "home", captured
        for made in (self.root, self.home, folder / "run"):
            made.mkdir(mode=0o700)
        for name in ("AGENTSUP_SESSION", "AGENTSUP_SOCKET", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "LC_ALL", "LC_MESSAGES",
                     "CODEX_HOME", "CLAUDE_CONFIG_DIR"):  # fmt: skip
            patch.delenv(name, raising=False)
        for name, value in {
            "HOME": str(self.home), "XDG_RUNTIME_DIR": str(folder / "run"), "LANG": "C.UTF-8", "COLUMNS": "80",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_CEILING_DIRECTORIES": str(folder),
        }.items():  # fmt: skip
            patch.setenv(name, value)
        self.patch = patch
        patch.chdir(self.root)

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files of the project."""
        for path, content in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def run(self, *words: str, language: str = "en") -> Ran:
        """Run a command in this process."""
        self._captured.readouterr()
        try:
            code = main(["--language", language, *words])
        except SystemExit as end:  # argparse ends by itself
            code = int(end.code or 0)
        out, err = self._captured.readouterr()
        return Ran(code, out, err)

    def everything(self) -> dict[str, tuple[int, bytes]]:
        """Return every file and folder below the project and the home, with its content and its time."""
        found = {}
        for base in (self.root, self.home, self.root.parent / "run"):
            for path in (base, *base.rglob("*")):
                content = path.read_bytes() if path.is_file() and ".git" not in path.parts else b""
                found[str(path)] = (path.lstat().st_mtime_ns, content)
        return found
