"""Whatever a project's files are: nothing outside of it is seen or changed, and nothing waits."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from agentsup.cli import agents_block
from agentsup.cli.memory_changes import change_file, read_file, write_file
from agentsup.core.problems import Problem
from agentsup.store import atomic, opening
from agentsup.store.archives import archive
from agentsup.store.decoding import NotText
from agentsup.store.documents import read_document, read_json_document, read_last_lines, read_whole_document
from agentsup.store.engram_history import write_engram_file
from agentsup.store.evidence import add_operation, bump_context_version, context_version, recall
from agentsup.store.git import repository
from agentsup.store.memory_files import read_memory
from agentsup.store.placements import PLACES
from agentsup.store.project_memory import read_project
from agentsup.store.project_root import project_root
from agentsup.store.settings_files import read_settings
from agentsup.store.startup_files import startup_files
from agentsup.store.task_choice import NoSuchTask, choose, tasks
from tests.store.hostile import (
    EVERY_PLACE,
    LAYOUTS,
    MARK,
    NUMBER,
    checksum,
    content,
    deadline,
    lay_outside,
    lay_project,
)
from tests.store.project import write

REFUSED = (OSError, Problem, atomic.Conflict, NoSuchTask, NotText)
"""What a reader or a writer may say of a hostile project; the reading of memory says nothing at all."""

Calls = Mapping[str, Callable[[], object]]


@pytest.fixture
def area(tmp_path: Path) -> Path:
    lay_outside(tmp_path / "outside")
    return tmp_path


def readers(root: Path, home: Mapping[str, str], place: str) -> Calls:
    return {
        "project": lambda: read_project(root),
        "panels": lambda: read_memory(root),
        "tasks": lambda: tasks(root),
        "root": lambda: project_root(root),
        "startup": lambda: startup_files(root, home),
        "context version": lambda: context_version(root),
        "work tree": lambda: repository(root, (), [place], ["DefinedOutside"]),
        "document": lambda: read_document(root, place),
        "whole document": lambda: read_whole_document(root, place),
        "json document": lambda: read_json_document(root, place),
        "last lines": lambda: read_last_lines(root, place),
    }


def refusing(root: Path, home: Mapping[str, str], place: str) -> Calls:
    def rewritten() -> None:
        write_file(root, place, "new\n", read_file(root, place))

    return {
        "settings": lambda: read_settings(home, root).values["interface.language"] == "zh-CN" and MARK,
        "recall": lambda: recall(root, "op-001"),
        "choose": lambda: choose(root, "main"),
        "bump": lambda: bump_context_version(root),
        "engram": lambda: write_engram_file(root, "new\n", atomic.read(root / ".agent/engram.md").token, "person"),
        "operation": lambda: add_operation(root, "run", "x", "y", "all of it"),
        "archive": lambda: archive(root),
        "block in": lambda: agents_block.write(root, "en"),
        "block out": lambda: agents_block.remove(root),
        "change": lambda: change_file(root, place, lambda text: f"{text}new\n"),
        "write": rewritten,
    }


def called(calls: Calls, allowed: tuple[type[BaseException], ...]) -> Iterator[tuple[str, str]]:
    """Yield what each call returns or raises, as it could be shown."""
    for name, call in calls.items():
        with deadline():
            try:
                answer = repr(call())
            except allowed as error:
                answer = f"{error!r} {getattr(error, 'values', '')}"
        yield name, answer


@pytest.mark.parametrize("name", LAYOUTS)
def test_nothing_outside_is_seen_or_changed(area: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    home = {"HOME": str(area / "home"), "XDG_DATA_HOME": str(area / "data"), "XDG_CONFIG_HOME": str(area / "config")}
    for variable, value in home.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(os, "fsync", lambda number: None)  # some thousand writes; no power is lost here
    failures = []
    for place in places_of(name):
        root = lay_project(area / place.replace("/", ":") / "project", place)
        LAYOUTS[name](root, area / "outside", place)
        before = around(area, root)
        done = [*called(readers(root, home, place), ()), *called(refusing(root, home, place), REFUSED)]
        done += called({"after all that": lambda root=root: read_project(root)}, ())  # type: ignore[misc]
        failures += [(place, call, answer[:200]) for call, answer in done if MARK in answer or NUMBER in answer]
        if around(area, root) != before:
            failures.append((place, "changed the outside", ""))
    assert failures == []


SLOW = ("endless_file", "one_long_line")
"""Layouts of which a look takes half a second, for the file is looked into."""

LEADING_OUT = (
    "link", "relative_link", "links_in_a_row", "link_through_the_system", "first_folder", "last_folder",
    "folder_of_dots", "names_that_are_no_text", "folders_in_each_other",
)  # fmt: skip
"""Layouts by which a plain reader of a file is led out."""


def places_of(name: str) -> tuple[str, ...]:
    """Return where a layout is laid: a third of all places, each layout another one, and every place meets many."""
    return EVERY_PLACE[list(LAYOUTS).index(name) % 3 :: 24 if name in SLOW else 3]


def test_every_place_meets_layouts_that_lead_out_of_it() -> None:
    for place in EVERY_PLACE:
        assert len([name for name in LEADING_OUT if place in places_of(name)]) >= 2, place


def around(area: Path, root: Path) -> dict[str, tuple[int, int, str]]:
    """Return the state of all that is not the project, nor a folder of our own."""
    found = checksum(area / "outside")
    for entry in sorted(root.parent.iterdir()):
        if entry != root:
            found |= checksum(entry) if entry.is_dir() else {entry.name: (0, 0, entry.read_text())}
    return found | {name: (0, 0, "") for name in os.listdir(area) if name != "data"}


def test_the_layouts_do_lead_out_where_nobody_looks(area: Path) -> None:
    """What is tested here would be found: a plain reader is led out by every layout that is made of links."""
    led = set()
    for name in LAYOUTS:
        root = lay_project(area / "within" / "project", ".agent/state/task.json")
        LAYOUTS[name](root, area / "outside", ".agent/state/task.json")
        path = root / ".agent/state/task.json"
        if path.is_file() and path.stat().st_size < 10_000 and MARK in path.read_bytes().decode("latin-1"):
            led.add(name)
        shutil.rmtree(area / "within")
    assert led >= set(LEADING_OUT)


@pytest.mark.parametrize("place", EVERY_PLACE)
def test_a_project_without_tricks_is_read_and_written_also_through_a_link_to_it(tmp_path: Path, place: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "project")
    write(tmp_path / "project", {place: content(place, "of-the-inside")})
    document = read_document(tmp_path / "link", place)
    assert (document.text, document.problem) == (content(place, "of-the-inside"), "")
    changed = change_file(tmp_path / "link", place, lambda text: f"{text}# more\n")
    assert not changed.created
    assert (tmp_path / "project" / place).read_text() == content(place, "of-the-inside") + "# more\n"


@pytest.mark.parametrize("role", PLACES)
def test_a_folder_of_memory_that_is_a_link_is_told(tmp_path: Path, role: str) -> None:
    lay_outside(tmp_path / "outside")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".agent").symlink_to(tmp_path / "outside" / ".agent")
    document = getattr(read_project(tmp_path / "project"), role)
    assert (document.text, document.problem) == (None, "memory.unreadable")


@pytest.mark.parametrize("place", ["../x", "/etc/passwd", "a/../../x", "..", "a/..", "x\0y", "\ud800", "x" * 300, "."])
def test_a_path_that_leads_out_or_is_none_is_no_file(tmp_path: Path, place: str) -> None:
    write(tmp_path, {"x": MARK, "project/a/y": "", "project/y": ""})
    root = tmp_path / "project"
    assert opening.status_beneath(root, place) is None or place == "."
    assert list(opening.entries_beneath(root, place)) == [] or place == "."
    assert read_document(root, place).problem == "memory.unreadable"
    with pytest.raises(OSError, match=r"."):
        opening.open_folder_beneath(root, place if place != "." else "y")
    with pytest.raises((OSError, ValueError)):
        atomic.replace(root / place if place != "." else root, b"new", atomic.token_of(None), beneath=root)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "project", "x", "y", "y"]


def test_missing_folders_are_made_on_the_way_and_only_then(tmp_path: Path) -> None:
    assert atomic.read(tmp_path / "a/b/c", beneath=tmp_path).data is None
    with pytest.raises(FileNotFoundError):
        opening.open_folder_beneath(tmp_path, "a/b")
    assert not (tmp_path / "a").exists()
    atomic.replace(tmp_path / "a/b/c", b"x", atomic.token_of(None), beneath=tmp_path)
    assert (tmp_path / "a/b/c").read_bytes() == b"x"


def test_a_file_that_grows_while_it_is_read_ends(tmp_path: Path) -> None:
    path = tmp_path / "STATE.md"
    path.write_bytes(b"x" * 100)
    opened = opening.open_beneath(tmp_path, "STATE.md")
    assert opened is not None
    path.write_bytes(b"x" * 5_000)
    with pytest.raises(atomic.UnsafeFile, match="more than 1,000 bytes"):
        opening.read_whole(opened[0], opened[1].st_size, 1_000, "STATE.md")


def test_the_document_tells_the_hash_of_what_was_read_and_of_all_or_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "é\r\n", "b.md": b"\xff\xff", "c.json": "{", "d.md": "x\n" * 6_000_000})
    assert read_document(tmp_path, "a.md").sha == atomic.token_of("é\r\n".encode())
    assert read_document(tmp_path, "b.md").sha == atomic.token_of(b"\xff\xff")
    assert read_json_document(tmp_path, "c.json").sha == atomic.token_of(b"{")
    assert [read_document(tmp_path, name).sha for name in ("d.md", "none.md")] == ["", ""]


def test_what_stays_open_is_nothing(area: Path) -> None:
    """Every way out of a refusal closes what it has opened."""
    open_before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for name in LAYOUTS:
        root = lay_project(area / "within" / "project", ".agent/STATE.md")
        LAYOUTS[name](root, area / "outside", ".agent/STATE.md")
        for call in (*readers(root, {}, ".agent/STATE.md").values(),):
            call()
        shutil.rmtree(area / "within")
    assert (len(os.listdir("/proc/self/fd")) if open_before else 0) == open_before
