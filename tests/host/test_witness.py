"""A host watches the trust records: what a person announced counts, what anybody else writes does not, and is shown."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import pytest

from agentsup.core.problems import Problem
from agentsup.host import witness
from agentsup.host.folder_watch import FolderWatch
from agentsup.host.witness import Witness
from agentsup.store.locks import locked
from agentsup.store.trust_chain import encode_heads
from agentsup.store.trust_key import trust_folder
from agentsup.store.trust_record import NewEntry, add, add_doubt, approvals, project_key, read_record, read_records

RUN = NewEntry("scripts", "", "a" * 64, "allow", "interface")
DENY = NewEntry("scripts", "", "a" * 64, "deny", "interface")
OTHER = NewEntry("scripts", "", "b" * 64, "allow", "interface")


class Watched:
    """A project with a witness, and what the witness said."""

    def __init__(self, root: Path, data: Path) -> None:
        self.root, self.environment = root, {"HOME": str(data), "XDG_DATA_HOME": str(data)}
        self.name = project_key(root)
        self.folder = trust_folder(self.environment)
        self.heads: Mapping[str, str] = {}
        self.changes = 0
        self.tampered: list[str] = []
        self._told = asyncio.Event()
        self._watch = FolderWatch()

    def begin(self, known: Mapping[str, str] | None = None) -> Witness:
        """Start a witness that knows what is there now, or what it is given."""
        if known is None:
            known = {name: record.head for name, record in read_records(self.folder).items()}
        self.witness = Witness(
            self.folder, self._watch, known, project=self.name, on_heads=self._heads,
            on_change=lambda new: self._changed(), on_tampering=self._tampered,
        )  # fmt: skip
        return self.witness

    def add(self, *entries: NewEntry, announced: bool = False) -> None:
        """Write entries, as a person's command does it, or as anybody can who has the key."""

        def announce(macs: tuple[str, ...]) -> bool:
            self.witness.announced(macs)
            return True

        add(self.root, entries, announce=announce if announced else None, environment=self.environment)

    @property
    def counts(self) -> str:
        """What may run, by what the witness knows."""
        return approvals(self.root, witnessed=self.witness.known, environment=self.environment).scripts

    @property
    def counts_for_all(self) -> str:
        """What may run for a reader that has no witness."""
        return approvals(self.root, environment=self.environment).scripts

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that the witness says or writes."""
        async with asyncio.timeout(20):
            while not condition():
                await asyncio.sleep(0.01)

    @property
    def verdicts(self) -> list[str]:
        """What stands in the record."""
        return [entry.verdict for entry in read_record(self.root, self.environment).entries]

    def close(self) -> None:
        """Stop."""
        self.witness.close()
        self._watch.close()

    def _heads(self, heads: Mapping[str, str]) -> None:
        self.heads = dict(heads)

    def _changed(self) -> None:
        self.changes += 1

    def _tampered(self, name: str) -> None:
        self.tampered.append(name)


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    for name in ("work", "data"):
        (tmp_path / name).mkdir(mode=0o700)
    made = Watched(tmp_path / "work", tmp_path / "data")
    yield made
    made.close()


async def test_what_a_person_announced_counts_and_nobody_is_warned(watched: Watched) -> None:
    watched.begin()
    watched.add(RUN, announced=True)
    await watched.until(lambda: watched.changes > 0)
    assert watched.counts == RUN.sha
    assert watched.tampered == []
    assert watched.heads == {watched.name: read_record(watched.root, watched.environment).head}


async def test_an_entry_with_the_right_key_that_nobody_announced_is_void_shown_and_doubted_for_all(
    watched: Watched,
) -> None:
    watched.begin()
    watched.add(RUN, announced=True)
    await watched.until(lambda: watched.changes > 0)
    watched.add(OTHER)
    assert watched.counts == RUN.sha
    await watched.until(lambda: watched.counts_for_all == "")
    assert watched.tampered == [watched.name]
    await watched.until(lambda: watched.heads[watched.name] == read_record(watched.root, watched.environment).head)
    assert read_record(watched.root, watched.environment).entries[-1].verdict == "doubt"
    assert (watched.counts, watched.counts_for_all) == ("", ""), "what was approved before has to be approved anew"
    watched.add(RUN, announced=True)
    await watched.until(lambda: watched.counts == RUN.sha == watched.counts_for_all)
    assert watched.tampered == [watched.name]


async def test_another_projects_record_is_watched_too(watched: Watched, tmp_path: Path) -> None:
    watched.begin()
    other = tmp_path / "other"
    other.mkdir()
    add(other, [RUN], environment=watched.environment)
    await watched.until(lambda: watched.tampered == [project_key(other)])
    await watched.until(lambda: approvals(other, environment=watched.environment).scripts == "")


async def test_a_record_put_back_to_an_earlier_state_is_void(watched: Watched, tmp_path: Path) -> None:
    watched.begin()
    watched.add(RUN, announced=True)
    await watched.until(lambda: watched.changes == 1)
    shutil.copytree(watched.folder, tmp_path / "copy")
    watched.add(NewEntry("scripts", "", "", "deny", "interface"), announced=True)
    await watched.until(lambda: watched.changes == 2)
    assert watched.counts == ""
    for file in (tmp_path / "copy").rglob("*"):
        if file.is_file():
            shutil.copy(file, watched.folder / file.relative_to(tmp_path / "copy"))
    await watched.until(lambda: watched.tampered == [watched.name])
    assert watched.counts == ""
    await watched.until(lambda: watched.counts_for_all == "")


async def test_what_a_person_approves_after_a_record_was_tampered_with_counts(watched: Watched) -> None:
    watched.begin()
    watched.add(RUN, announced=True)
    await watched.until(lambda: watched.changes == 1)
    record = watched.folder / f"{watched.name}.jsonl"
    record.write_bytes(record.read_bytes()[:-3])
    await watched.until(lambda: watched.tampered == [watched.name])
    assert watched.counts == ""
    watched.add(OTHER, announced=True)
    await watched.until(lambda: watched.counts == OTHER.sha)
    assert watched.verdicts in (["allow"], ["doubt", "allow"])
    assert watched.tampered == [watched.name]


async def test_a_folder_of_records_that_is_replaced_is_watched_again(watched: Watched, tmp_path: Path) -> None:
    watched.begin()
    watched.add(RUN, announced=True)
    await watched.until(lambda: watched.changes == 1)
    watched.folder.rename(tmp_path / "away")
    await watched.until(lambda: watched.tampered == [watched.name])
    assert watched.counts == ""
    add(watched.root, [OTHER], environment=watched.environment)
    await watched.until(lambda: watched.tampered.count(watched.name) == 2)
    assert watched.counts == ""
    await watched.until(lambda: watched.counts_for_all == "")


async def test_a_host_that_takes_over_knows_what_the_one_before_it_knew(watched: Watched) -> None:
    watched.begin()
    watched.add(RUN, announced=True)
    await watched.until(lambda: watched.changes == 1)
    remembered = watched.heads
    watched.close()
    await asyncio.sleep(0)
    second = Watched(watched.root, Path(watched.environment["HOME"]))
    try:
        add(watched.root, [OTHER], environment=watched.environment)  # while no host was there
        second.begin(remembered)
        await second.until(lambda: second.tampered == [second.name])
        await second.until(lambda: second.counts == second.counts_for_all == "")
    finally:
        second.close()


async def test_two_hosts_do_not_doubt_each_others_doubts(watched: Watched) -> None:
    watched.begin()
    second = Watched(watched.root, Path(watched.environment["HOME"]))
    try:
        second.begin()
        watched.add(OTHER)
        await watched.until(lambda: bool(watched.tampered and second.tampered))

        def at_rest() -> bool:
            record = read_record(watched.root, watched.environment)
            heads = {watched.heads.get(watched.name), second.heads.get(watched.name)}
            return record.entries[-1].verdict == "doubt" and heads == {record.head}

        await watched.until(at_rest)
        assert len(read_record(watched.root, watched.environment).entries) <= 3
        assert watched.counts == second.counts == watched.counts_for_all == ""
        assert (watched.tampered, second.tampered) == ([watched.name], [watched.name])
    finally:
        second.close()


async def test_a_doubt_that_no_host_has_written_is_shown(watched: Watched) -> None:
    watched.begin()
    watched.add(RUN, announced=True)
    watched.add(DENY, announced=True)
    await watched.until(
        lambda: watched.heads.get(watched.name, "") == read_record(watched.root, watched.environment).head
    )
    add_doubt(watched.folder, watched.name, 1)
    await watched.until(lambda: watched.tampered == [watched.name])
    assert (watched.counts, watched.counts_for_all) == ("", ""), "the denial still holds"


async def test_a_record_that_is_replaced_by_a_doubt_is_shown(watched: Watched, tmp_path: Path) -> None:
    watched.begin()
    watched.add(RUN, announced=True)
    await watched.until(lambda: watched.changes == 1)
    forged = trust_folder({"XDG_DATA_HOME": str(tmp_path / "forged")})
    shutil.copy(watched.folder / "key", forged / "key")
    (forged / "heads.json").write_bytes(encode_heads((forged / "key").read_bytes(), 50, {}))
    add_doubt(forged, watched.name, 0)
    for name in ("heads.json", f"{watched.name}.jsonl"):
        os.replace(forged / name, watched.folder / name)
    await watched.until(lambda: watched.tampered == [watched.name])
    assert (watched.counts, watched.counts_for_all) == ("", "")


async def test_a_doubt_that_is_overwritten_with_a_copy_is_written_again(watched: Watched, tmp_path: Path) -> None:
    watched.begin()
    watched.add(OTHER)
    shutil.copytree(watched.folder, tmp_path / "copy")
    for _ in range(2):
        await watched.until(lambda: watched.verdicts[-1:] == ["doubt"] and watched.heads != {})
        for file in (tmp_path / "copy").iterdir():
            if file.is_file():
                shutil.copy(file, tmp_path / "put")
                os.replace(tmp_path / "put", watched.folder / file.name)
    await watched.until(lambda: watched.verdicts[-1:] == ["doubt"])
    assert watched.counts_for_all == ""


async def test_a_doubt_that_can_not_be_written_is_tried_again(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[str] = []

    def fail(folder: Path, name: str, after: int, **how: object) -> None:
        failed.append(name)
        raise Problem("trust.unwritable", path=folder, reason="busy")

    monkeypatch.setattr(witness, "add_doubt", fail)
    watched.begin()
    watched.add(OTHER)
    await watched.until(lambda: len(failed) > 1)
    assert watched.verdicts == ["allow"]
    monkeypatch.undo()
    await watched.until(lambda: watched.verdicts == ["allow", "doubt"])
    assert watched.tampered == [watched.name]


async def test_a_folder_that_is_replaced_by_a_copy_without_a_trace_is_watched(watched: Watched, tmp_path: Path) -> None:
    watched.begin()
    watched.add(RUN, announced=True)
    await watched.until(lambda: watched.changes == 1)
    data = watched.folder.parent
    shutil.copytree(data, tmp_path / "copy", copy_function=shutil.copy2)
    data.rename(tmp_path / "away")
    (tmp_path / "copy").rename(data)
    watched.add(OTHER)
    await watched.until(lambda: watched.verdicts == ["allow", "allow", "doubt"])
    assert watched.tampered == [watched.name]


async def test_records_that_are_gone_are_begun_anew_with_a_doubt(watched: Watched) -> None:
    watched.begin()
    watched.add(RUN, announced=True)
    await watched.until(lambda: watched.changes == 1)
    shutil.rmtree(watched.folder)
    await watched.until(lambda: watched.verdicts == ["doubt"])
    assert watched.tampered == [watched.name]
    watched.add(RUN, announced=True)
    await watched.until(lambda: watched.counts == RUN.sha == watched.counts_for_all)
    assert watched.tampered == [watched.name]


async def test_at_the_end_the_doubt_stands_there_when_the_audit_returns(watched: Watched) -> None:
    made = watched.begin()
    watched.close()
    watched.add(OTHER)
    assert watched.verdicts == ["allow"]
    made.audit()
    assert watched.verdicts == ["allow", "doubt"]
    made.audit()
    assert watched.verdicts == ["allow", "doubt"]


async def test_an_audit_never_raises(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    made = watched.begin()
    told: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context["message"]))
    watched.add(OTHER)
    monkeypatch.setattr(witness, "judged", lambda *values: 1 / 0)
    made.audit()
    assert told == ["the last look at the trust records"]


async def test_an_audit_does_not_wait_long_for_a_lock(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness, "AUDIT_PATIENCE", 0.05)
    made = watched.begin()
    watched.close()
    watched.add(OTHER)
    with locked(watched.folder):
        begun = time.monotonic()
        made.audit()
        assert time.monotonic() - begun < 5
    made.audit()
    assert watched.verdicts == ["allow", "doubt"]
