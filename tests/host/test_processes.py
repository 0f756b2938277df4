"""What the system shows of a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentsup.host.processes import SystemProcess, children, exists

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how a file was opened")


def here(paths: list[str], folder: Path) -> list[str]:
    """Return those in this test's folder: others may have left some open in this process."""
    return sorted(path for path in paths if path.startswith(str(folder)))


def test_only_files_that_are_written_count(tmp_path: Path) -> None:
    read, written, appended = (tmp_path / f"{name}.jsonl" for name in ("read", "written", "appended"))
    read.write_text("")
    me = SystemProcess(os.getpid())
    with read.open("rb"), written.open("w"), appended.open("ab+"), (tmp_path / "other.txt").open("w"):
        assert here(me.written_files(".jsonl", ".lock"), tmp_path) == [str(appended), str(written)]
    assert here(me.written_files(".jsonl"), tmp_path) == []


def test_a_process_that_is_gone_shows_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    gone = SystemProcess(process.pid)
    assert exists(os.getpid())
    assert not exists(process.pid)
    assert (gone.written_files(".jsonl"), gone.arguments(), children(process.pid)) == ([], [], [])


def test_its_command_line() -> None:
    assert SystemProcess(os.getpid()).arguments()[0] == sys.orig_argv[0]
