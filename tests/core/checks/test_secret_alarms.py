"""False alarms are rare: of lines without secrets, in both languages, less than one in a hundred."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsup.core.checks.secrets import secrets

FOLDER = Path(__file__).parents[2] / "data" / "secrets"
MOST = 0.01
"""Share of lines that may be taken for a secret."""


def alarms(file: Path) -> tuple[list[str], int]:
    """Return the lines of a file that are taken for secrets, and how many it has."""
    lines = [line for line in file.read_text().splitlines() if line.strip()]
    return [line for line in lines if secrets(line)], len(lines)


def test_of_the_open_half() -> None:
    wrong, count = alarms(FOLDER / "clean-open.txt")
    assert count >= 1_500
    assert len(wrong) < MOST * count, wrong


def test_of_the_open_half_as_one_text() -> None:
    text = (FOLDER / "clean-open.txt").read_text()
    assert len(secrets(text)) < 15, "what stands on the line before makes no secret of a line"


@pytest.mark.skipif(not (FOLDER / "held-out.txt").exists(), reason="the other half is kept by somebody else")
def test_of_the_half_that_nobody_tuned_on() -> None:
    wrong, count = alarms(FOLDER / "held-out.txt")
    print(f"{len(wrong)} of {count}")
    assert len(wrong) < MOST * count, wrong
