"""Read the message catalogues that ship with the package, and pick the person's language."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from agentsup.core.catalogue import Catalogue, flatten
from agentsup.core.memory.model import Language
from agentsup.core.restore.frame import Frame

if TYPE_CHECKING:
    from agentsup.core.checks.wording import Wordings
    from agentsup.core.recital.words import RecitalWords

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


@cache
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


def restore_frame(language: str, overrides: Mapping[str, str] | None = None) -> Frame:
    """Return the sentences of a restore text in a language; `overrides` are a project's own, by field."""
    catalogue = load(language)
    label_language: Language = "zh" if catalogue.language.startswith("zh") else "en"
    names = [field.name for field in fields(Frame) if field.name not in ("language", "protocol", "unit_problems")]
    texts = {name: catalogue.text(f"restore.{name}") for name in names}
    texts["protocol"] = template("cold-start.md", label_language)
    problems = tuple((key, catalogue.text(key)) for key in sorted(catalogue.fallback) if key.startswith("unit."))
    return Frame(language=label_language, unit_problems=problems, **{**texts, **(overrides or {})})


def template(name: str, language: str) -> str:
    """Return a text that ships as a file, its {placeholders} unfilled; `name` is the file's (`instructions.md`).

    `language` may be of labels (`zh`) or of texts (`zh-CN`); where there is none in it the English one is
    returned. Raises FileNotFoundError where there is none at all.
    """
    folder = files(__package__).joinpath("templates")
    translated = folder.joinpath("zh" if language.lower().startswith("zh") else "en", name)
    found = translated if translated.is_file() else folder.joinpath("en", name)
    return found.read_text(encoding="utf-8")


@cache
def wording() -> Wordings:
    """Return the words by which lines of memory are judged, by the language of the line."""
    # Only what judges memory needs these: every command and the interface import this module for their texts.
    from agentsup.core.checks.word_lists import Code, lists
    from agentsup.core.checks.wording import read_wording

    folder = files(__package__).joinpath("wording")

    def table(name: str) -> dict[str, Any]:
        return tomllib.loads(folder.joinpath(f"{name}.toml").read_text(encoding="utf-8"))

    code = lists(Code, table("code"))
    return {"en": read_wording(table("en"), code), "zh": read_wording(table("zh"), code)}


@cache
def recital_words() -> RecitalWords:
    """Return the words by which a read-back is compared with memory."""
    from agentsup.core.recital.words import read_recital_words

    path = files(__package__).joinpath("wording", "recital.toml")
    return read_recital_words(tomllib.loads(path.read_text(encoding="utf-8")))
