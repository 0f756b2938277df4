"""An answer of the interface is told to every host that may run, wherever that is."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from agentsup.protocol import announcing
from agentsup.store import trust_review
from agentsup.store.trust_record import project_key
from agentsup.store.trust_review import Answer, Review
from agentsup.ui.trust_opening import Asked


def test_hosts_are_told_wherever_they_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, elsewhere = tmp_path / "run" / "agentsup", tmp_path / f"agentsup-{os.getuid()}"
    for folder in (here, elsewhere):
        folder.mkdir(mode=0o700, parents=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(here.parent))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    told: list[Path] = []

    def announce(folder: Path, project: str, macs: tuple[str, ...], *, is_keeper: object) -> bool:
        assert (project, macs) == (project_key(tmp_path), ("a",))
        told.append(folder)
        return folder != elsewhere

    answers: list[bool] = []

    def record(
        root: Path, shown: Review, answer: Answer, *, by: str, announce: Callable[[tuple[str, ...]], bool]
    ) -> None:
        answers.append(announce(("a",)))

    monkeypatch.setattr(announcing, "announce", announce)
    monkeypatch.setattr(trust_review, "record_answer", record)
    Asked(str(tmp_path)).record(Review(str(tmp_path)), Answer())
    assert set(told) >= {here, elsewhere}
    assert answers == [False]
