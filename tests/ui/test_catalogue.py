"""Both languages say the same things, and nothing missing ever raises."""

from __future__ import annotations

import tomllib

import pytest
from rich.cells import cell_len

from agentsup.core.catalogue import Catalogue, flatten, placeholders
from agentsup.locale import LANGUAGES, catalogue_files, detect, load, messages


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_languages_have_the_same_keys_and_placeholders(language: str) -> None:
    english, other = messages("en"), messages(language)
    assert english.keys() == other.keys()
    assert {k: placeholders(v) for k, v in english.items()} == {k: placeholders(v) for k, v in other.items()}


def test_missing_keys_fall_back() -> None:
    catalogue = Catalogue({"a": "甲 {x}"}, {"a": "A", "b": "B {x}"}, "zh-CN")
    assert catalogue.text("a", x="{y}") == "甲 {y}"
    assert catalogue.text("b") == "B {x}"
    assert catalogue.text("c", x=1) == "c"


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh-CN"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN"}, "zh-CN"),
        ({"LC_ALL": "", "LANG": "de_DE"}, "en"),
        ({}, "en"),
    ],
)
def test_the_language_of_the_environment(environment: dict[str, str], language: str) -> None:
    assert detect(environment) == language
    assert load("auto", environment).language == language
    assert load("xx", environment).language == "en"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["recital", "intake", "hooks", "injector", "host"])
def test_a_notice_of_the_loop_fits_a_narrow_window(name: str, language: str) -> None:
    file = next(file for file in catalogue_files(language) if file.name == f"{name}.toml")
    texts = flatten(tomllib.loads(file.read_text(encoding="utf-8")))
    if name == "host":
        texts = {key: text for key, text in texts.items() if key.startswith(("memory.made-engram", "memory.no-engram"))}
    figures = {
        "count": 3, "tokens": "412000", "errors": 3, "most": 2, "number": 3, "time": "12:34", "agent": "claude",
        "reason": "", "part": "", "path": "", "id": "k3f2ab", "size": "12,345",
    }  # fmt: skip
    catalogue = Catalogue({}, texts, "en")
    lines = [catalogue.text(key, **figures) for key in texts if key.endswith((".what", ".todo"))]
    assert lines
    assert not [line for line in lines if cell_len(line) > 76]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_notice_names_a_key_that_is_not_always_ours(language: str) -> None:
    assert not [key for key, text in messages(language).items() if key.endswith((".what", ".todo")) and "F2" in text]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_key_stands_in_two_files(language: str) -> None:
    found: list[str] = []
    for file in catalogue_files(language):
        found += flatten(tomllib.loads(file.read_text(encoding="utf-8")))
    assert len(found) == len(set(found))
