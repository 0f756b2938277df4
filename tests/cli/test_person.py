"""What needs a person is refused without a terminal, and in a terminal inside an agent."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from agentsup.cli import person
from agentsup.core.problems import Problem
from agentsup.store.ancestry import is_own_keeper
from agentsup.store.trust_record import NewEntry, add, add_doubt, folder, project_key
from tests.cli.asking import Asking
from tests.cli.project import Ran
from tests.cli.writing import WritingPlace, two_lines

PEOPLE_ONLY = (
    ("allow",),
    ("deny",),
    ("promote", "d-1", "--to", "hard"),
    ("decide", "Write TOML", "--why", "people edit it", "--confidence", "hard"),
)

DECISIONS = "# Decisions\n\n## Use TOML\n\n- reason: people edit it\n- confidence: [SOFT] person\n- id: d-1\n"


def run(place: WritingPlace, *words: str, given: str) -> Ran:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "agentsup", *words], cwd=place.root, text=True, timeout=60, check=False,
        capture_output=True, input=given,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("words", PEOPLE_ONLY, ids=lambda words: words[0])
def test_a_pipe_can_not_answer(place: WritingPlace, words: tuple[str, ...]) -> None:
    place.put(".agent/DECISIONS.md", DECISIONS)
    before = place.everything()
    done = run(place, *words, given="y\n" * 9)
    assert done.code == 3, done
    two_lines(done, f"agentsup {words[0]} needs a person")
    assert place.everything() == before


def test_standard_streams_that_are_closed_are_no_person(place: WritingPlace) -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -P -m agentsup allow <&- >&-"], cwd=place.root, text=True,
        stderr=subprocess.PIPE, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, "needs a person" in done.stderr) == (3, True), done


@pytest.mark.parametrize("words", [*PEOPLE_ONLY, ("stop",), ("restart",), ("attach",)], ids=lambda words: words[0])
def test_an_agent_that_has_a_terminal_is_no_person(place: WritingPlace, words: tuple[str, ...]) -> None:
    place.put(".agent/DECISIONS.md", DECISIONS)
    before = place.everything()
    asking = Asking(*words, cwd=place.root, env={**os.environ, "AGENTSUP_SESSION": "bcdfg"})
    try:
        assert asking.end() == 3, asking.said
    finally:
        asking.close()
    assert "[y/N]" not in asking.said
    assert place.everything() == before


def test_hosts_are_told_wherever_they_may_be(place: WritingPlace, tmp_path: Path) -> None:
    runtime = tmp_path / "run" / "agentsup"
    elsewhere = tmp_path / "temporary" / f"agentsup-{os.getuid()}"
    told: list[tuple[Path, str, tuple[str, ...]]] = []
    place.patch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))

    def announce(folder: Path, project: str, macs: tuple[str, ...], *, is_keeper: object) -> bool:
        assert is_keeper is is_own_keeper
        told.append((folder, project, macs))
        return folder != runtime

    place.patch.setattr(person, "announce", announce)
    assert person.announcer(place.root)(("a",))
    assert told == []
    elsewhere.mkdir(mode=0o700, parents=True)
    assert person.announcer(place.root)(("a",))
    runtime.mkdir(mode=0o700)
    assert not person.announcer(place.root)(("b",))
    key = project_key(place.root)
    assert told == [(elsewhere, key, ("a",)), (runtime, key, ("b",))]


def test_what_a_running_session_doubts_was_not_approved(place: WritingPlace) -> None:
    place.patch.setattr(person, "DOUBTED_WITHIN", 0.2)
    asked = [True]
    place.patch.setattr(person, "any_keeper", lambda: asked[0])
    rule = NewEntry("rule", "0" * 64, "0" * 64, "allow", "terminal /dev/pts/3", '{"title": "x"}')
    first = add(place.root, [rule])
    person.require_believed(place.root, first)
    second = add(place.root, [rule])
    add_doubt(folder(), project_key(place.root), 1)
    person.require_believed(place.root, first)
    with pytest.raises(Problem) as problem:
        person.require_believed(place.root, second)
    assert problem.value.key == "trust.not-believed"
    (folder() / f"{project_key(place.root)}.jsonl").unlink()
    with pytest.raises(Problem):
        person.require_believed(place.root, first)
    asked[0] = False
    person.require_believed(place.root, second)
