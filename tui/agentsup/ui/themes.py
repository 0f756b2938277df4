"""Find the themes: one TOML file each, with the fields of Textual's Theme."""

from __future__ import annotations

import tomllib
from pathlib import Path

from textual.theme import Theme

import agentsup

AUTO, DARK, LIGHT = "auto", "agentsup-dark", "agentsup-light"
"""`auto` is dark or light by what the terminal says of its background; dark where it says nothing."""


class BadTheme(ValueError):
    """A theme file that is no theme; the text says which and why."""


def folder() -> Path:
    """Return the folder of the themes: inside an installed package, beside the sources in a checkout."""
    package = Path(agentsup.__file__).parent
    return next((p for p in (package / "themes", package.parents[1] / "themes") if p.is_dir()), package)


def load() -> dict[str, Theme]:
    """Return all themes by name, the name of their file."""
    return {path.stem: read(path) for path in sorted(folder().glob("*.toml"))}


def read(path: Path) -> Theme:
    """Return the theme in one file; raises BadTheme."""
    try:
        return Theme(name=path.stem, **tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise BadTheme(f"{path}: {error}") from error
