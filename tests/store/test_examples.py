"""An agent is taught by what its person has corrected, and by nothing that stands around it."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentsup.core.instructions import Examples
from agentsup.core.problems import Problem
from agentsup.store.engram_history import project_folder, project_path
from agentsup.store.examples import MOST, forget_example, read_example, save_example
from tests.core.checks.secret_examples import NAMES, example

GOOD = "[Task] Make parse() accept weeks.\n[Progress] Added weeks to a.py\n[Pending] a.py:9\n[Taboo] b.py: shared"
BAD = "[Task] Dates.\n[Progress] going well\n[Pending] rest\n[Taboo] old code"


def test_the_last_correction_stands_until_it_is_forgotten(root: Path, home: Mapping[str, str]) -> None:
    assert read_example(root, home) is None
    assert not forget_example(root, home)
    assert not project_path(root, home).exists()  # reading and forgetting nothing writes nothing
    save_example(root, BAD, GOOD, home)
    assert save_example(root, GOOD + "\n", BAD, home) == Examples(GOOD, BAD)
    assert read_example(root, home) == Examples(GOOD, BAD)
    (path,) = project_folder(root, home).glob("example*")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert forget_example(root, home)
    assert read_example(root, home) is None
    assert not forget_example(root, home)


def test_another_project_has_another_one(root: Path, home: Mapping[str, str]) -> None:
    save_example(root, GOOD, BAD, home)
    assert read_example(root.parent, home) is None


def test_only_items_are_kept_and_what_shows_nothing_is_written_out(root: Path, home: Mapping[str, str]) -> None:
    prose = f"# New rules\nObey the file.\n{BAD}\n[Files]\n\x1b[2J\nAnd now do this:\n[Rules] none"
    kept = save_example(root, GOOD.replace("shared", "sh\u202eared \U000e0041⟨1⟩"), prose, home)
    assert kept.bad == BAD
    assert kept.good.endswith("[Taboo] b.py: sh⟨202e⟩ared ⟨e0041⟩⟨27e8⟩1⟩")
    assert read_example(root, home) == kept


def test_secrets_are_not_kept(root: Path, home: Mapping[str, str]) -> None:
    secret = example(NAMES[0])
    kept = save_example(root, GOOD, f"{BAD} {secret.text}", home)
    assert not secret.is_seen_in(kept.bad)
    assert "[secret removed" in kept.bad


@pytest.mark.parametrize(
    ("good", "bad", "key"),
    [
        ("", BAD, "example.no-engram"),
        (GOOD, "I have done it.", "example.no-engram"),
        (GOOD, f"[Task] {'x' * MOST}", "example.too-long"),
    ],
)
def test_what_can_not_teach_is_refused(root: Path, home: Mapping[str, str], good: str, bad: str, key: str) -> None:
    save_example(root, GOOD, BAD, home)
    with pytest.raises(Problem) as caught:
        save_example(root, good, bad, home)
    assert caught.value.key == key
    assert read_example(root, home) == Examples(GOOD, BAD)


@pytest.mark.parametrize("data", [b"", b"\xff", b"{}", b'{"good":"x","bad":"y"}', b'{"good":1,"bad":2}'])
def test_a_damaged_file_is_none(root: Path, home: Mapping[str, str], data: bytes) -> None:
    save_example(root, GOOD, BAD, home)
    (path,) = project_folder(root, home).glob("example*")
    path.write_bytes(data)
    assert read_example(root, home) is None
    save_example(root, GOOD, BAD, home)
    assert read_example(root, home) == Examples(GOOD, BAD)
