"""The project: its history, whether memory is part of it, and the settings that hold here."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from agentsup.cli.doctor.finding import Finding
from agentsup.store.git_calls import git_program
from agentsup.store.settings_files import read_settings

_GIT_DEADLINE = 3.0
MEMORY_FILE = ".agent/engram.md"


def look_settings(environment: Mapping[str, str], project: Path) -> Iterator[Finding]:
    """Read every settings file; the first that is wrong is the finding, as a Problem that is passed on."""
    read_settings(environment, project)
    yield Finding("project.settings", "ok", "doctor.settings")


def look_git(environment: Mapping[str, str], project: Path) -> Iterator[Finding]:
    """Look for a repository, and whether its rules keep memory out of it."""
    root = next((folder for folder in (project, *project.parents) if (folder / ".git").exists()), None)
    if root is None:
        yield Finding("project.git", "warning", "git.none")
        return
    yield Finding("project.git", "ok", "doctor.git", {"path": str(root)})
    git = git_program(root, environment)
    if git is None:
        yield Finding("project.memory", "unknown", "doctor.git-missing")
        return
    # Nothing of the repository may be run, and nothing written, not even a refreshed index.
    done = subprocess.run(
        [git, "-c", "core.fsmonitor=false", "check-ignore", "-v", "--", MEMORY_FILE], cwd=project,
        env={**environment, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, errors="replace", timeout=_GIT_DEADLINE, check=False,
    )  # fmt: skip
    yield judged_ignored(done.returncode, done.stdout, done.stderr)


def judged_ignored(code: int, output: str, complaint: str) -> Finding:
    """Judge what `git check-ignore -v` has said: SOURCE:LINE:PATTERN and the path where it is ignored."""
    if code == 0:
        rule = output.partition("\t")[0]
        return Finding("project.memory", "warning", "doctor.memory-ignored", {"rule": rule})
    if code == 1:
        return Finding("project.memory", "ok", "doctor.memory-kept")
    reason = (complaint.strip().splitlines() or [f"git: {code}"])[0]
    return Finding("project.memory", "unknown", "doctor.git-failed", {"reason": reason})
