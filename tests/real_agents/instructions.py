"""What the tests of both agents ask of the instructions that agentsup adds to a launch."""

from __future__ import annotations

from pathlib import Path

from agentsup.core.instructions import Examples, compose_instructions
from agentsup.locale import template

MINE = "My own rule: always answer in verse."


def ours(language: str = "en") -> str:
    """Return the shipped instructions, as a project without places of its own gets them."""
    examples = Examples(template("engram-good.md", language), template("engram-bad.md", language))
    return compose_instructions(template("instructions.md", language), examples)


def configure(home: Path, text: str) -> None:
    """Write the person's own settings of agentsup."""
    folder = home / ".config" / "agentsup"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text)


def assert_told(text: str, *, mine: bool, language: str = "en") -> None:
    """Our instructions stand in a text exactly once, behind the person's own."""
    assert text.count(ours(language)) == 1
    # Nor does half of them stand there beside.
    assert text.count("agentsup recall") == 1
    assert text.count(MINE) == (1 if mine else 0)
    if mine:
        assert text.index(MINE) < text.index(ours(language))
