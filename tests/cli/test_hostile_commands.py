"""Commands in a project that leads out of itself: they do their work beside it, or refuse in two lines."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentsup.cli.first_commit import commit
from tests.cli.writing import WritingPlace
from tests.store.hostile import DEADLINE, LAYOUTS, MARK, NUMBER, checksum, deadline, lay_outside, lay_project

ENGRAM = "[Task] Write lex() in lex.py\n[Progress] Wrote a() in a.py\n[Pending] b() in b.py\n[Taboo] c.py: is theirs\n"

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("restore",), ("restore", "--explain"), ("state",), ("decisions",), ("engram",), ("engram", "check"),
    ("engram", "set", "-"), ("engram", "history"), ("identity", "set", "language", "python"),
    ("decide", "Use A", "--reason", "because B is slow"), ("progress", "--next", "Write lex() in lex.py"),
    ("log", "add", "--type", "run", "--target", "x", "--summary", "y", "--detail", "-"), ("log", "list"),
    ("recall", "op-001"), ("handoff",), ("handoff", "This is to be known first"), ("archive",),
    ("init", "--agents-md"), ("init", "--remove"), ("doctor",),
)  # fmt: skip

PLACES = (
    ".agent/engram.md", ".agent/STATE.md", ".agent/DECISIONS.md", ".agent/log/index.jsonl", ".agent/handoff.md",
    ".agent/log/ops/op-001.json", ".agent/log/archive/index-001.jsonl", ".agent/init.d/60-own.md", "AGENTS.md",
    ".agent/state/context-version", ".agent/tasks/main/TASK.md",
)  # fmt: skip

CODES = (0, 1, 2, 3)


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name not in ("endless_file", "one_long_line")])
def test_no_command_shows_or_changes_what_is_outside(place: WritingPlace, tmp_path: Path, name: str) -> None:
    outside = lay_outside(tmp_path / "outside")
    before = checksum(outside)
    failures = []
    # A few places for each, and all of them together: every layout is of the store's own tests, too.
    for number, path in enumerate(PLACES[len(name) % 4 :: 4]):
        lay_project(place.root, path)
        LAYOUTS[name](place.root, outside, path)
        for words in COMMANDS:
            with deadline():
                ran = place.run(*words, given=ENGRAM)
            said = ran.out + ran.err
            if MARK in said or NUMBER in said or ran.code not in CODES or "Traceback" in said:
                failures.append((path, words, ran.code, said[:300]))
        if checksum(outside) != before:
            failures.append((path, ("the outside changed",), number, ""))
        for entry in os.scandir(place.root):
            shutil.rmtree(entry) if entry.is_dir(follow_symlinks=False) else os.unlink(entry)
    assert failures == []


@pytest.mark.parametrize("name", ["link", "last_folder", "link_to_nothing", "fifo"])
def test_a_writer_refuses_in_two_lines(place: WritingPlace, tmp_path: Path, name: str) -> None:
    for words, path in (
        (("engram", "set", "-"), ".agent/engram.md"),
        (("progress", "--next", "Write lex() in lex.py"), ".agent/init.d/30-task-state.md"),
        (("handoff", "This is to be known first"), ".agent/init.d/00-handoff.md"),
        (("log", "add", "--type", "run", "--target", "x", "--summary", "y"), ".agent/log/index.jsonl"),
    ):
        lay_project(place.root, path)
        LAYOUTS[name](place.root, lay_outside(tmp_path / "outside"), path)
        ran = place.run(*words, given=ENGRAM)
        if name == "last_folder" and "init.d" in path:
            assert (ran.code, MARK in ran.out + ran.err) == (0, False), words  # there is no such file: another is used
        else:
            # Where .agent itself is a link, the project's settings can't be read: nothing is done at all.
            assert (ran.code, ran.out) == (2 if (place.root / ".agent").is_symlink() else 1, ""), words
            assert len(ran.problem) == 2
        shutil.rmtree(place.root / ".agent", ignore_errors=True)
        if (place.root / ".agent").is_symlink():
            (place.root / ".agent").unlink()


@pytest.mark.parametrize("name", ["link", "first_folder", "fifo", "folder", "endless_file", "no_text", "socket"])
def test_settings_that_are_no_plain_file_are_refused(place: WritingPlace, tmp_path: Path, name: str) -> None:
    lay_project(place.root, ".agent/config.toml")
    LAYOUTS[name](place.root, lay_outside(tmp_path / "outside"), ".agent/config.toml")
    with deadline():
        ran = place.run("restore")
    assert ran.code == 2
    assert len(ran.problem) == 2
    assert MARK not in ran.err


@pytest.mark.parametrize("name", ["link", "first_folder", "fifo", "link_to_an_endless_device"])
def test_the_same_in_processes_of_their_own(place: WritingPlace, tmp_path: Path, name: str) -> None:
    outside = lay_outside(tmp_path / "outside")
    before = checksum(outside)
    lay_project(place.root, ".agent/STATE.md")
    LAYOUTS[name](place.root, outside, ".agent/STATE.md")
    for words in (("restore",), ("progress", "--next", "Write lex() in lex.py"), ("archive",), ("init",)):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "agentsup", *words], cwd=place.root, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=3 * DEADLINE, check=False,
        )  # fmt: skip
        assert done.returncode in CODES
        assert MARK not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    assert checksum(outside) == before


def test_a_git_in_the_project_makes_no_commit(place: WritingPlace, tmp_path: Path) -> None:
    place.commit()
    place.write({"bin/git": f"#!/bin/sh\ntouch {tmp_path}/was-run\n", "new.md": "x\n"})
    (place.root / "bin/git").chmod(0o755)
    place.patch.setenv("PATH", f"{place.root}/bin:bin:.:{os.environ['PATH']}")
    assert commit(place.root, ["new.md"], "new")
    assert not (tmp_path / "was-run").exists()
