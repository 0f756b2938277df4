"""The command line of a hook, run by the shells that agents use."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentsup.agents.claude_hooks import definitions
from agentsup.agents.codex_hooks import definitions as codex_definitions
from agentsup.agents.hook_command import hook_command

SHELLS = [shell for shell in ("sh", "bash", "dash", "zsh", "fish") if shutil.which(shell)]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_that_is_gone_blocks_nothing(tmp_path: Path, shell: str) -> None:
    words = (sys.executable, "-I", "-S", str(tmp_path / "it's gone.py"), "claude")
    assert subprocess.run(words, capture_output=True).returncode == 2  # what agents take for "block this"
    ran = subprocess.run([shell, "-c", hook_command(words, "UserPromptSubmit")], capture_output=True)
    assert (ran.returncode, ran.stdout) == (0, b"")


def test_what_a_script_prints_arrives(tmp_path: Path) -> None:
    script = tmp_path / "hook.py"
    script.write_text("import sys; print(sys.argv[1:])")
    ran = subprocess.run(hook_command((sys.executable, str(script), "a b"), "Event"), shell=True, capture_output=True)
    assert ran.stdout == b"['a b', 'Event']\n"


def test_both_agents_are_given_it() -> None:
    words = ("python", "client.py")
    for event, entries in definitions(words).items():
        assert entries[0]["hooks"][0]["command"] == hook_command(words, event)
    assert all("|| true" in setting for setting in codex_definitions(words))
