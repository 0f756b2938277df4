"""`agentsup hook`: whatever is wrong with the session or the settings, it is quiet and content."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.terminals.tmux import clean_environment


@pytest.mark.parametrize("settings", ["", "[injection]\nchannel = 'nonsense'\n"])
def test_it_keeps_no_agent_from_its_work(tmp_path: Path, settings: str) -> None:
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "config.toml").write_text(settings)
    done = subprocess.run(
        [sys.executable, "-m", "agentsup", "hook", "codex", "SessionStart"], cwd=tmp_path,
        env=clean_environment(tmp_path) | {"AGENTSUP_SOCKET": str(tmp_path / "none"), "AGENTSUP_SESSION": "bcdfg"},
        input=b"{}", capture_output=True, timeout=20, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
