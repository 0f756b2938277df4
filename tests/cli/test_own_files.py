"""agentsup's own folders and files: made for the person alone, and what somebody else has put there is not followed."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from agentsup.store.engram_history import project_path
from agentsup.store.opening import UnsafeFile, open_own
from tests.cli.writing import WritingPlace
from tests.store.hostile import checksum, deadline

ENGRAM = "[Task] Write lex() in lex.py\n[Progress] Wrote a() in a.py\n[Pending] b() in b.py\n[Taboo] c.py: is theirs\n"

Put = Callable[[Path, Path], None]


def _link(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def _fifo(path: Path, outside: Path) -> None:
    os.mkfifo(path)


def _file(path: Path, outside: Path) -> None:
    path.write_text("")


def _socket(path: Path, outside: Path) -> None:
    short = Path(tempfile.mkdtemp(dir="/tmp")) / "s"
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(short))
    os.rename(short, path)
    short.parent.rmdir()


NO_FOLDERS: Mapping[str, Put] = {put.__name__.strip("_"): put for put in (_link, _fifo, _file, _socket)}


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A folder that must stay as it is."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "engram-history.jsonl").write_text("as it was\n")
    before = checksum(folder)
    yield folder
    assert checksum(folder) == before


@pytest.mark.parametrize("name", NO_FOLDERS)
def test_a_runtime_folder_that_is_none_is_refused(place: WritingPlace, outside: Path, name: str) -> None:
    NO_FOLDERS[name](place.root.parent / "run" / "agentsup", outside)
    for words in (("ls",), ("status",), ("attach",)):
        with deadline():
            ran = place.run(*words)
        assert (ran.code, ran.out, len(ran.problem)) == (2, "", 2), words


@pytest.mark.parametrize("name", NO_FOLDERS)
@pytest.mark.parametrize("which", ["data", "projects", "project"])
def test_a_data_folder_that_is_none_is_not_written_to(
    place: WritingPlace, outside: Path, name: str, which: str
) -> None:
    project = project_path(place.root)
    at = {"data": project.parent.parent, "projects": project.parent, "project": project}[which]
    at.parent.mkdir(parents=True)
    NO_FOLDERS[name](at, outside)
    with deadline():
        ran = place.run("engram", "set", "-", given=ENGRAM)
    assert (place.root / ".agent/engram.md").read_text() == ENGRAM
    assert len(ran.err.splitlines()[-2:]) == 2
    assert "could not be recorded" in ran.err
    with deadline():
        assert place.run("engram", "history").code in (0, 1)


@pytest.mark.parametrize("name", ["link", "fifo", "socket"])
@pytest.mark.parametrize("file", ["engram-history.jsonl", "sent/last-restore.txt"])
def test_a_file_of_ours_that_is_none_is_not_used(place: WritingPlace, outside: Path, name: str, file: str) -> None:
    path = project_path(place.root) / file
    path.parent.mkdir(parents=True)
    NO_FOLDERS[name](path, outside / "engram-history.jsonl")
    for words in (("engram", "set", "-"), ("engram", "history"), ("restore",), ("restore", "--diff")):
        with deadline():
            ran = place.run(*words, given=ENGRAM)
        assert "as it was" not in ran.out + ran.err
        assert ran.code in (0, 1, 2)


@pytest.mark.parametrize("name", ["link", "fifo", "folder"])
def test_settings_of_the_person_that_are_no_file_are_told(place: WritingPlace, outside: Path, name: str) -> None:
    path = place.home / ".config" / "agentsup" / "config.toml"
    path.parent.mkdir(parents=True)
    if name == "link":
        path.symlink_to("/dev/zero")
    elif name == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    with deadline():
        ran = place.run("restore")
    assert (ran.code, len(ran.problem)) == (2, 2)


def test_a_link_to_the_persons_settings_is_followed(place: WritingPlace, outside: Path) -> None:
    path = place.home / ".config" / "agentsup" / "config.toml"
    path.parent.mkdir(parents=True)
    (place.home / "dotfile.toml").write_text('[interface]\nnothing = "x"\n')
    path.symlink_to(place.home / "dotfile.toml")
    assert "interface.nothing" in place.run("restore").err


def test_what_is_made_is_the_persons_alone_whatever_the_umask(place: WritingPlace) -> None:
    before = os.umask(0)
    try:
        assert place.run("engram", "set", "-", given=ENGRAM).code == 0
        assert place.run("ls").code in (0, 1, 2)
    finally:
        os.umask(before)
    made = [place.home, place.root.parent / "run"]
    for path in [found for folder in made for found in folder.rglob("*")]:
        mode = path.lstat().st_mode
        assert stat.S_IMODE(mode) == (0o700 if stat.S_ISDIR(mode) else 0o600) or path.name == ".gitconfig", path


def test_a_file_of_ours_is_closed_to_others_and_never_a_link(tmp_path: Path) -> None:
    path = tmp_path / "own"
    path.write_text("")
    path.chmod(0o666)
    os.close(open_own(path, os.O_WRONLY))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(OSError, match="link"):
        open_own(tmp_path / "link", os.O_WRONLY | os.O_CREAT)
    os.mkfifo(tmp_path / "fifo")
    with deadline(), pytest.raises(OSError, match="fifo"):
        open_own(tmp_path / "fifo", os.O_WRONLY | os.O_CREAT)
    with pytest.raises(UnsafeFile, match=r"folder|directory"):
        open_own(tmp_path, os.O_RDONLY)
