"""A fresh clone full of things that sing when they are run: nothing sings before a person has approved it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.end_to_end.place import Place
from tests.soak.tally import Tally
from tests.terminals.tmux import clean_environment

DEADLINE = 20.0

_SHELL = "#!/bin/sh\necho {name} >> '{sung}'\necho a fact\n"
_PYTHON = "#!/usr/bin/env python3\nopen({sung!r}, 'a').write('{name}\\n')\nprint('a fact')\n"
_MODULE = "open({sung!r}, 'a').write('{name}\\n')\n"

COMMITTED: Mapping[str, tuple[str, int]] = {
    ".agent/init.d/10-plain.sh": (_SHELL, 0o644),
    ".agent/init.d/11-executable.sh": (_SHELL, 0o755),
    ".agent/init.d/12-python.py": (_PYTHON, 0o755),
    ".agent/init.d/13-no-ending": (_SHELL, 0o755),
    ".agent/init.d/20-conventions.md": (_SHELL, 0o755),
    ".agent/init.d/30-task-state.json": (_SHELL, 0o755),
    ".agent/init.d/40-decisions.md": (_SHELL, 0o755),
    ".agent/init.d/90-engram.sh": (_SHELL, 0o755),
    ".agent/restore.sh": (_SHELL, 0o755),
    "git": (_SHELL, 0o755),
    "agentsup.py": (_MODULE, 0o644),
    "sitecustomize.py": (_MODULE, 0o644),
    "psutil.py": (_MODULE, 0o644),
    "textual/__init__.py": (_MODULE, 0o644),
    "clean.sh": (_SHELL, 0o755),
}
"""What a clone can bring. `clean.sh` is named by .gitattributes, which a repository's own configuration would obey."""

CONFIGURED = ("fsmonitor", "pager", "diff", "filter", "gpg", "hook")
"""What only an archive that holds a .git can bring."""

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("restore",), ("restore", "--json", "--explain"), ("engram", "show"), ("engram", "check"), ("state", "show"),
    ("state", "check"), ("decisions",), ("identity",), ("recall", "op-001"), ("init", "--lang", "en"),
    ("progress", "--now", "walk calc.py"), ("log", "add", "edit", "calc.py", "walked it"),
    ("decide", "Walk", "--why", "it is safer"), ("stale", "d-000000", "--by", "x"), ("handoff", "--show"),
    ("archive",), ("doctor",), ("ls",), ("status",), ("events", "README.md"), ("allow",), ("allow", "--show"),
    ("deny",), ("promote", "d-000000"), ("demote", "d-000000"), ("journal",), ("--help",), ("--version",),
)  # fmt: skip


def run(count: int, folder: Path) -> Tally:
    """Clone the repository, and run every command and start the interface `count` times."""
    sung = folder / "sung"
    origin = _origin(folder / "origin", sung)
    silent_commands = silent_starts = 0
    begun = time.monotonic()
    place = Place(folder / "place")
    # As it is installed: with -m, Python itself looks for modules in the current folder.
    place.program = [str(Path(sys.executable).parent / "agentsup")]
    place.env |= {"PATH": f"{_agent(folder / 'bin')}:{place.env['PATH']}"}
    try:
        for _ in range(count):
            shutil.rmtree(place.work)
            _clone(origin, place.work, sung)
            for words in COMMANDS:
                place.run(*words)
            silent_commands += not _heard(sung)
            shutil.rmtree(place.work)
            _clone(origin, place.work, sung)
            _start_and_stop(place)
            silent_starts += not _heard(sung)
    finally:
        place.close()
    canaries = len(COMMITTED) + len(CONFIGURED)
    return Tally(
        f"a fresh clone with {canaries} canaries: {len(COMMANDS)} commands, and the interface with an agent",
        count,
        {"silent commands": silent_commands, "silent starts": silent_starts},
        f"{time.monotonic() - begun:.0f} s",
    )


def sings(folder: Path) -> frozenset[str]:
    """Run every committed canary by hand and return those that sang: all, or they would prove nothing."""
    sung = folder / "sung"
    origin = _origin(folder / "origin", sung)
    for name, (text, _) in COMMITTED.items():
        shell = text is _SHELL
        subprocess.run(["sh" if shell else "python3", str(origin / name)], check=True, stdout=subprocess.DEVNULL)
    return frozenset(sung.read_text().split())


def _origin(path: Path, sung: Path) -> Path:
    for name, (text, mode) in COMMITTED.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.format(name=name, sung=str(sung)))
        file.chmod(mode)
    (path / ".gitattributes").write_text("* filter=sing diff=sing\n")
    (path / ".agent" / "engram.md").write_text("[Task] a\n[Progress] Wrote b().\n[Pending] c() in d.py\n[Taboo] e: f\n")
    (path / "README.md").write_text("A project.\n")
    _git(path, "init", "-q")
    _git(path, "add", "-A")
    _git(path, "-c", "user.name=Mal", "-c", "user.email=mal@example.org", "commit", "-q", "-m", "all")
    return path


def _clone(origin: Path, target: Path, sung: Path) -> None:
    _git(origin, "clone", "-q", str(origin), str(target))
    sing = f"echo {{}} >> '{sung}'; cat"
    for key, name in {
        "core.fsmonitor": "fsmonitor", "core.pager": "pager", "diff.external": "diff", "filter.sing.clean": "filter",
        "filter.sing.smudge": "filter", "diff.sing.textconv": "diff", "diff.sing.command": "diff",
        "gpg.program": "gpg",
    }.items():  # fmt: skip
        _git(target, "config", key, f'sh -c "{sing.format(name)}"')
    _git(target, "config", "log.showSignature", "true")
    for hook in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        path = target / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(_SHELL.format(name=hook, sung=str(sung)))
        path.chmod(0o755)
    sung.unlink(missing_ok=True)  # what git itself has run by now, at the hand of who made the archive


def _agent(folder: Path) -> Path:
    """Return a folder with an agent that shows that it is there, and stays."""
    folder.mkdir()
    program = folder / "codex"
    program.write_text('#!/bin/sh\n[ "$1" = --version ] && { echo "codex-cli 0.0.0"; exit; }\necho awake; exec cat\n')
    program.chmod(0o755)
    return folder


def _start_and_stop(place: Place) -> None:
    terminal = place.open("codex", size=(120, 30))
    terminal.wait_for(re.compile("awake|approved"), DEADLINE)
    folder = place.folder()
    deadline = time.monotonic() + DEADLINE
    # Until the host has looked at the memory, has asked for a restore text, and says what it found.
    while not any(notice["key"].startswith("trust.") for notice in place.status()["warnings"]):
        assert time.monotonic() < deadline, terminal.text()
        time.sleep(0.05)
    place.run("stop", folder.name)
    terminal.kill()
    place.terminals.remove(terminal)


def _heard(sung: Path) -> bool:
    heard = sung.exists()
    sung.unlink(missing_ok=True)
    return heard


def _git(folder: Path, *words: str) -> None:
    env = clean_environment(folder) | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True)
