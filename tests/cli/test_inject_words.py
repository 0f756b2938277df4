"""What is wrong with the words of `agentsup inject` is said as it is."""

from __future__ import annotations

import pytest

from tests.cli.project import Project


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("", "Nothing says what to send"),
        ("a b", "Nothing says what to send"),
        ("a b --restore", "More than one session is named: a, b."),
        ("- --restore", "More than one thing"),
    ],
)
def test_wrong_words(project: Project, words: str, what: str) -> None:
    done = project.run("inject", *words.split())
    assert done.code == 2
    assert what in done.problem[0]


@pytest.mark.parametrize("word", ["x", "-1", "nan", "inf"])
def test_a_time_that_is_none(project: Project, word: str) -> None:
    done = project.run("inject", "--restore", f"--timeout={word}")
    assert done.code == 2
    assert f"invalid seconds value: '{word}'" in done.err
