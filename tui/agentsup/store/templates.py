"""A project's own words in place of the shipped ones: `.agent/templates/NAME`."""

from __future__ import annotations

from pathlib import Path

from agentsup.store.opening import open_plain, read_whole

FOLDER = ".agent/templates"

SIZE_LIMIT = 64 << 10
"""Largest template that is read, in bytes."""


def project_template(root: Path, name: str) -> str | None:
    """Return the text of a project's template; None where there is none that can be used.

    That is a regular UTF-8 file and no link: what is in it is told to the agent, and a link may lead to anything.
    """
    try:
        opened = open_plain(root / FOLDER / name)
        if opened is None:
            return None
        number, status = opened
        return read_whole(number, status.st_size, SIZE_LIMIT, name).decode("utf-8").removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError):
        return None
