"""Hooks are installed where the person has agreed to them: asked once an agent, in plain words, and remembered."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agentsup.agents import hook_client
from agentsup.agents.adapter import Adapter, Place
from agentsup.agents.claude import Claude
from agentsup.agents.codex import Codex
from agentsup.agents.codex_hooks import KEYS
from agentsup.agents.demo import Demo
from agentsup.agents.generic import Generic
from agentsup.cli import hook_consent
from agentsup.cli.doctor import agents
from agentsup.core.settings import Settings, defaults
from agentsup.locale import load

REVIEW = json.dumps(dict.fromkeys(KEYS, "h"))


class Person:
    """Answers the question, and keeps what was asked."""

    def __init__(self, answer: bool | OSError) -> None:
        self.answer, self.asked = answer, list[str]()

    def confirmed(self, question: str) -> bool:
        self.asked.append(question)
        if isinstance(self.answer, OSError):
            raise self.answer
        return self.answer


class ReviewedCodex(Codex):
    """A Codex that reviews hooks without being run."""

    def __init__(self, review: str = REVIEW) -> None:
        self.review, self.reviews, self.answers = review, 0, True

    def review_hooks(self, place: Place) -> str:
        self.reviews += 1
        if not self.answers:
            raise TimeoutError
        return self.review


class Launch:
    """What a launch needs, and how it went."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bool | OSError = True) -> None:
        self.person = Person(answer)
        monkeypatch.setattr(hook_consent, "confirmed", self.person.confirmed)
        (tmp_path / "codex").write_text("")
        (tmp_path / "session").mkdir(exist_ok=True)
        environment = {"XDG_DATA_HOME": str(tmp_path / "data"), "HOME": str(tmp_path)}
        self.place = Place(str(tmp_path / "codex"), (), environment, tmp_path, tmp_path / "session")

    def go(self, adapter: Adapter, channel: str = "auto", *arguments: str) -> tuple[Place, list[str]]:
        settings = Settings(defaults() | {"injection.channel": channel})
        return hook_consent.placed(adapter, replace(self.place, arguments=arguments), settings, load("en"))


def test_a_yes_installs_them_and_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch, codex = Launch(tmp_path, monkeypatch), ReviewedCodex()
    for _ in range(3):
        place, notices = launch.go(codex)
        assert (place.hook, place.hook_trust, notices) == (hook_consent.words("codex"), REVIEW, [])
    assert len(launch.person.asked) == 1
    assert codex.reviews == 1
    (question,) = launch.person.asked
    for word in ("Nothing is written to your configuration", "Codex runs no hook", "config.toml", "[y/N]"):
        assert word in question
    assert place.hook[1:3] == ("-I", "-S")
    assert place.hook[3:] == (str(Path(hook_client.__file__)), "codex")


def test_a_no_is_remembered_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch, codex = Launch(tmp_path, monkeypatch, False), ReviewedCodex()
    for _ in range(3):
        assert launch.go(codex) == (launch.place, [])
    assert (len(launch.person.asked), codex.reviews) == (1, 0)


def test_each_agent_is_asked_about_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = Launch(tmp_path, monkeypatch)
    assert launch.go(ReviewedCodex())[0].hook
    launch.person.answer = False
    assert not launch.go(Claude())[0].hook
    assert "Claude Code" in launch.person.asked[1]
    assert launch.go(ReviewedCodex())[0].hook
    assert len(launch.person.asked) == 2


def test_without_a_terminal_the_next_launch_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = Launch(tmp_path, monkeypatch, OSError())
    assert launch.go(Claude()) == (launch.place, [])
    launch.person.answer = True
    assert launch.go(Claude())[0].hook


def test_the_setting_answers_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = Launch(tmp_path, monkeypatch)
    assert launch.go(ReviewedCodex(), "stdin") == (launch.place, [])
    assert launch.go(ReviewedCodex(), "hook")[0].hook
    assert launch.go(Demo(), "hook")[0].hook == hook_consent.words("demo")
    assert launch.go(Demo()) == (launch.place, [])
    assert launch.go(Generic("codex"), "hook") == (launch.place, [])
    assert launch.person.asked == []


def test_a_command_without_the_interface_is_not_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = Launch(tmp_path, monkeypatch)
    for adapter, word in ((ReviewedCodex(), "exec"), (Claude(), "-p")):
        for channel in ("auto", "hook"):
            place, notices = launch.go(adapter, channel, word)
            assert (place.hook, notices) == ((), [])
    assert launch.person.asked == []


def test_why_there_are_none_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = Launch(tmp_path, monkeypatch)
    place, notices = launch.go(ReviewedCodex(""))
    assert (place.hook, notices) == ((), ["hooks.not-trusted"])
    place, notices = launch.go(ReviewedCodex(), "hook", "--disable", "hooks")
    assert (place.hook, notices) == ((), ["hooks.off"])
    (tmp_path / "mine.json").write_text("{}")
    (tmp_path / "session").rmdir()
    (tmp_path / "session").write_text("no folder")
    place, notices = launch.go(Claude(), "hook", "--settings", "mine.json")
    assert (place.hook, notices) == ((), ["hooks.not-installed"])
    for key in ("hooks.not-trusted", "hooks.off", "hooks.own", "hooks.not-installed", "hooks.no-answer"):
        assert load("zh-CN").has(f"{key}.what")
        assert load("en").has(f"{key}.todo")


def test_a_program_that_does_not_review_them_is_not_asked_at_each_launch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch, codex = Launch(tmp_path, monkeypatch), ReviewedCodex("")
    for _ in range(3):
        place, notices = launch.go(codex)
        assert (place.hook, notices) == ((), ["hooks.not-trusted"])
    assert codex.reviews == 1
    (tmp_path / "codex").write_text("an update")
    codex.review = REVIEW
    assert launch.go(codex)[0].hook


def test_a_program_that_did_not_answer_in_time_is_asked_again_and_doctor_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch, codex = Launch(tmp_path, monkeypatch), ReviewedCodex()
    codex.answers = False

    def said() -> list[tuple[str, str]]:
        monkeypatch.setattr(ReviewedCodex, "find", lambda self, environment: launch.place.program)
        found = agents.look([codex], launch.place.environment, "codex")
        return [(each.check, each.key) for each in found][1:]

    for count in (1, 2, 3):
        if count == 3:  # as it was once remembered
            kept = tmp_path / "data" / "agentsup" / "remembered.toml"
            kept.write_text(kept.read_text().replace("unanswered", "none"))
        place, notices = launch.go(codex)
        assert (place.hook, notices, codex.reviews) == ((), ["hooks.no-answer"], count)
        assert said() == [("agents.codex-hooks", "hooks.no-answer")]
    codex.answers, codex.review = True, ""
    assert launch.go(codex)[1] == ["hooks.not-trusted"]
    assert said() == [("agents.codex-hooks", "hooks.not-trusted")]
    (tmp_path / "codex").write_text("an update")
    codex.review = REVIEW
    place, notices = launch.go(codex)
    assert (place.hook_trust, notices, said()) == (REVIEW, [], [])


def test_a_path_that_is_no_text_goes_into_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = Launch(tmp_path, monkeypatch)
    (tmp_path / "mine.json").write_text("{}")
    monkeypatch.setattr(hook_consent, "words", lambda agent: ("/\udcff/python", agent))
    place, notices = launch.go(Claude(), "hook", "--settings", "mine.json")
    assert (place.hook, notices) == ((), ["hooks.not-installed"])


def test_what_would_switch_them_off_anyway_is_not_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = Launch(tmp_path, monkeypatch)
    place, notices = launch.go(ReviewedCodex(), "auto", "--disable", "hooks")
    assert (place.hook, notices, launch.person.asked) == ((), [], [])


def test_another_program_reviews_them_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch, codex = Launch(tmp_path, monkeypatch), ReviewedCodex()
    launch.go(codex)
    (tmp_path / "codex").write_text("an update")
    assert launch.go(codex)[0].hook
    assert codex.reviews == 2
    monkeypatch.setattr(hook_consent, "words", lambda agent: ("other", agent))
    assert launch.go(codex)[0].hook
    assert codex.reviews == 3
