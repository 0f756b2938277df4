"""Read the message catalogues that ship with the package, and pick the person's language."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from importlib.resources import files
from importlib.resources.abc import Traversable

from agentsup.core.catalogue import Catalogue, flatten
from agentsup.core.restore import Frame

LANGUAGES: tuple[str, ...] = ("en", "zh-CN")
"""The languages, each a folder beside this module."""


def load(language: str = "auto", environment: Mapping[str, str] | None = None) -> Catalogue:
    """Return the catalogue for a language setting: `auto`, `en`, `zh-CN`; unknown ones give English."""
    if language == "auto":
        language = detect(os.environ if environment is None else environment)
    english = messages("en")
    if language not in LANGUAGES:
        language = "en"
    return Catalogue(english if language == "en" else messages(language), english, language)


def detect(environment: Mapping[str, str]) -> str:
    """Return the language the locale variables ask for: LC_ALL over LC_MESSAGES over LANG."""
    name = next((value for key in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(key))), "")
    return "zh-CN" if name.lower().replace("-", "_").startswith(("zh_cn", "zh_sg", "zh_hans")) or name == "zh" else "en"


def messages(language: str) -> dict[str, str]:
    """Return one language's messages by dotted key."""
    merged: dict[str, str] = {}
    for file in catalogue_files(language):
        merged |= flatten(tomllib.loads(file.read_text(encoding="utf-8")))
    return merged


def catalogue_files(language: str) -> list[Traversable]:
    """Return one language's files; no key stands in two of them."""
    folder = files(__package__).joinpath(language)
    return sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)


def restore_frame(language: str) -> Frame:
    """Return the sentences of a restore text in a language."""
    catalogue = load(language)
    names = (field.name for field in fields(Frame))
    return Frame(**{name: catalogue.text(f"restore.{name}") for name in names})
