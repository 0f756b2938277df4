"""What agents are taught by: the shipped pair, a person's own, and the shipped one again on request."""

from __future__ import annotations

import pytest

from agentsup.cli import launch
from agentsup.locale import template
from agentsup.store.engram_history import project_folder
from agentsup.store.examples import save_example
from tests.cli.writing import WritingPlace

GOOD = "[Task] Make parse() accept weeks.\n[Pending] a.py:40"
BAD = "[Task] Weeks.\n[Pending] the rest"


def shipped(name: str, language: str = "en") -> str:
    return template(f"engram-{name}.md", language).strip()


def test_the_next_launch_teaches_what_the_person_has_corrected(place: WritingPlace) -> None:
    before = launch._instructions(place.root, "en")
    assert shipped("good") in before
    save_example(place.root, GOOD, BAD)
    told = launch._instructions(place.root, "en")
    assert f"Good:\n{GOOD}\nBad" in told
    assert f"{BAD}\n2. " in told
    assert shipped("good") not in told
    (project_folder(place.root) / "example.json").write_bytes(b"\xff")
    assert launch._instructions(place.root, "en") == before
    (project_folder(place.root) / "example.json").unlink()
    (project_folder(place.root) / "example.json").mkdir()
    assert launch._instructions(place.root, "en") == before


def test_it_is_shown_and_forgotten_on_request(place: WritingPlace) -> None:
    found = place.run("engram", "example", "--json").json
    assert found == {"good": shipped("good"), "bad": shipped("bad"), "shipped": True}
    save_example(place.root, GOOD, BAD)
    assert place.run("engram", "example", "--json").json == {"good": GOOD, "bad": BAD, "shipped": False}
    done = place.run("engram", "example")
    assert done.out == f"Good:\n{GOOD}\nBad:\n{BAD}\n"
    done = place.run("engram", "example", "--forget")
    assert done.code == 0
    assert "Forgotten" in done.err
    assert shipped("good") in done.out
    assert "none of your own" in place.run("engram", "example", "--forget").err


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_an_agent_may_look_and_not_forget(place: WritingPlace, language: str) -> None:
    save_example(place.root, GOOD, BAD)
    place.as_agent()
    assert place.run("engram", "example", language=language).code == 0
    assert place.run("engram", "example", "--forget", language=language).code == 3
    assert place.run("engram", "example", "--json").json["shipped"] is False
