"""The rules of the architecture that a running interpreter can show: what really gets imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEADLESS = ("agentsup.core.session", "agentsup.host.main", "agentsup.keeper.daemon", "agentsup.cli.main",
            "agentsup.cli.commands.status", "agentsup.agents.registry", "agentsup.protocol.wire")  # fmt: skip


def imported_by(module: str) -> set[str]:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize("module", HEADLESS)
def test_the_headless_part_imports_no_textual(module: str) -> None:
    assert "textual" not in imported_by(module)


def test_the_keeper_imports_next_to_nothing() -> None:
    assert not imported_by("agentsup.keeper.daemon") & {
        "asyncio",
        "msgspec",
        "rich",
        "cffi",
        "psutil",
        "tiktoken",
    }


def test_the_command_line_is_light() -> None:
    assert not imported_by("agentsup.cli.main") & {"asyncio", "msgspec", "rich", "cffi", "psutil", "tiktoken"}
