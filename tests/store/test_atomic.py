"""Files are written whole, and never over a change that the writer has not seen."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentsup.store import atomic, locks, swapping
from agentsup.store.atomic import Conflict, UnsafeFile, read, replace, token_of, update

FINISHED_PID = 4_194_305  # above the largest a Linux kernel gives


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "engram.md"
    path.write_bytes(b"old")
    return path


def litter(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.endswith(".agentsup")]


def before_exchange(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], function: str = "exchange") -> None:
    """Let another program act in the last moment, once."""
    real = getattr(swapping, function)
    acts = [act]

    def exchange(*arguments: Any) -> None:
        if acts:
            acts.pop()()
        real(*arguments)

    monkeypatch.setattr(swapping, function, exchange)


def without_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swapping, "take_lease", lambda number: "none")


def without_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swapping, "_renameat2", lambda: None)


def test_a_file_is_made_read_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "new.md"
    content = read(path)
    assert (content.data, content.token) == (None, token_of(None))
    replace(path, b"one", content.token)
    replace(path, b"two", read(path).token)
    assert path.read_bytes() == b"two"
    assert not litter(tmp_path)


def test_an_empty_file_is_not_a_missing_one(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    with pytest.raises(Conflict):
        replace(path, b"x", token_of(None))
    replace(path, b"x", token_of(b""))
    assert path.read_bytes() == b"x"


def test_a_change_since_the_reading_is_a_conflict_with_both_texts(file: Path) -> None:
    token = read(file).token
    file.write_bytes(b"theirs")
    with pytest.raises(Conflict) as raised:
        replace(file, b"ours", token)
    assert (raised.value.ours, raised.value.theirs, raised.value.path) == (b"ours", b"theirs", file)
    assert file.read_bytes() == b"theirs"
    file.unlink()
    with pytest.raises(Conflict) as raised:
        replace(file, b"ours", token)
    assert raised.value.theirs is None
    assert not file.exists()
    assert not litter(file.parent)


def test_the_mode_of_the_replaced_file_is_kept_and_a_new_one_gets_the_usual_one(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        script = tmp_path / "restore.sh"
        script.write_text("")
        script.chmod(0o751)
        replace(script, b"#!/bin/sh\n", read(script).token)
        replace(tmp_path / "usual", b"x", token_of(None))
        replace(tmp_path / "private", b"x", token_of(None), mode=0o600)
    finally:
        os.umask(mask)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("restore.sh", "usual", "private")]
    assert modes == [0o751, 0o640, 0o600]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_the_owner_of_the_replaced_file_is_kept(file: Path) -> None:
    os.chown(file, 12345, 23456)
    replace(file, b"new", read(file).token)
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 23456)


def test_the_same_content_is_not_written_again(file: Path) -> None:
    before = file.stat()
    replace(file, b"old", read(file).token)
    after = file.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_what_is_no_plain_file_is_neither_read_nor_written(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"outside")
    (tmp_path / "link").symlink_to(secret)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    for name in ("link", "dangling", "fifo", "folder"):
        path = tmp_path / name
        with pytest.raises(UnsafeFile):
            read(path)
        for token in (token_of(None), token_of(b"outside")):
            with pytest.raises(UnsafeFile):
                replace(path, b"ours", token)
    assert secret.read_bytes() == b"outside"
    assert not (tmp_path / "nowhere").exists()
    assert not litter(tmp_path)


def test_a_file_that_is_too_long_is_not_read(file: Path) -> None:
    assert read(file, 3).data == b"old"
    with pytest.raises(UnsafeFile, match="more than 2 bytes"):
        read(file, 2)


def test_a_change_in_place_in_the_last_moment_is_seen(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_leases(monkeypatch)
    before_exchange(monkeypatch, lambda: file.write_bytes(b"theirs"))
    with pytest.raises(Conflict) as raised:
        replace(file, b"ours", token_of(b"old"))
    assert raised.value.theirs == b"theirs"
    assert file.read_bytes() == b"theirs"
    assert not litter(file.parent)


def test_a_change_while_the_new_content_is_written_is_seen(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = swapping.take_lease

    def take_lease(number: int) -> swapping.Lease:
        file.write_bytes(b"theirs")
        return real(number)

    monkeypatch.setattr(swapping, "take_lease", take_lease)
    with pytest.raises(Conflict) as raised:
        replace(file, b"ours", token_of(b"old"))
    assert raised.value.theirs == b"theirs"
    assert file.read_bytes() == b"theirs"
    assert not litter(file.parent)


@pytest.mark.skipif(sys.platform != "linux", reason="leases are Linux's")
def test_who_begins_to_write_in_the_last_moment_waits_and_writes_the_right_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leased: list[int] = []
    real = swapping.take_lease

    def take_lease(number: int) -> swapping.Lease:
        leased.append(number)
        return real(number)

    monkeypatch.setattr(swapping, "take_lease", take_lease)
    theirs = threading.Thread(target=file.write_bytes, args=(b"theirs",))

    def begin() -> None:
        theirs.start()
        deadline = time.monotonic() + 10.0
        while not swapping.is_wanted(leased[0]):
            assert time.monotonic() < deadline

    before_exchange(monkeypatch, begin)
    with pytest.raises(Conflict):
        replace(file, b"ours", token_of(b"old"))
    theirs.join(10.0)
    assert file.read_bytes() == b"theirs"
    assert not litter(file.parent)


@pytest.mark.parametrize("leases", [True, False])
def test_a_replacement_in_the_last_moment_is_seen(file: Path, monkeypatch: pytest.MonkeyPatch, leases: bool) -> None:
    if not leases:
        without_leases(monkeypatch)
    other = file.parent / "other"
    other.write_bytes(b"theirs")
    before_exchange(monkeypatch, lambda: other.rename(file))
    with pytest.raises(Conflict):
        replace(file, b"ours", token_of(b"old"))
    assert file.read_bytes() == b"theirs"
    assert os.listdir(file.parent) == [file.name]


def test_a_removal_in_the_last_moment_is_seen(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before_exchange(monkeypatch, file.unlink)
    with pytest.raises(Conflict):
        replace(file, b"ours", token_of(b"old"))
    assert os.listdir(file.parent) == []


def test_a_link_put_there_in_the_last_moment_stays_and_is_not_followed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put_link() -> None:
        file.unlink()
        file.symlink_to("/etc/passwd")

    before_exchange(monkeypatch, put_link)
    with pytest.raises(UnsafeFile):
        replace(file, b"ours", token_of(b"old"))
    assert os.readlink(file) == "/etc/passwd"
    assert not litter(file.parent)


@pytest.mark.parametrize("supported", [True, False])
def test_a_new_file_does_not_replace_one_made_in_the_last_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, supported: bool
) -> None:
    path = tmp_path / "new"
    if not supported:
        without_exchange(monkeypatch)
    before_exchange(monkeypatch, lambda: path.write_bytes(b"theirs"), "rename_new")
    with pytest.raises(Conflict) as raised:
        replace(path, b"ours", token_of(None))
    assert raised.value.theirs == b"theirs"
    assert path.read_bytes() == b"theirs"
    assert not litter(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="leases are Linux's")
def test_a_file_that_another_program_is_writing_is_left_to_it(file: Path) -> None:
    with open(file, "r+b") as theirs:
        with pytest.raises(Conflict):
            replace(file, b"ours", token_of(b"old"))
        theirs.seek(0, os.SEEK_END)
        theirs.write(b" and theirs")
    assert file.read_bytes() == b"old and theirs"
    assert not litter(file.parent)
    with open(file, "rb"):  # who only reads is not in the way
        replace(file, b"ours", read(file).token)


def test_a_change_during_the_putting_back_is_not_undone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = swapping.exchange
    texts = iter((b"first", b"second"))

    def exchange(*arguments: Any) -> None:
        if text := next(texts, None):
            other = file.parent / "other"
            other.write_bytes(text)
            other.rename(file)
        real(*arguments)

    monkeypatch.setattr(swapping, "exchange", exchange)
    replace(file, b"ours", token_of(b"old"))  # "second" came after ours: ours was there
    assert file.read_bytes() == b"second"
    assert not litter(file.parent)


def test_without_the_exchange_changes_are_seen_until_the_last_comparison(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_exchange(monkeypatch)
    without_leases(monkeypatch)
    replace(file, b"new", token_of(b"old"))
    assert file.read_bytes() == b"new"
    before_exchange(monkeypatch, lambda: file.write_bytes(b"theirs"))
    with pytest.raises(Conflict):
        replace(file, b"ours", token_of(b"new"))
    assert file.read_bytes() == b"theirs"
    assert not litter(file.parent)


def test_an_update_is_repeated_over_another_programs_change(file: Path) -> None:
    seen: list[bytes | None] = []

    def change(old: bytes | None) -> bytes:
        seen.append(old)
        if len(seen) == 1:
            file.write_bytes(b"theirs")
        return (old or b"") + b" and ours"

    assert update(file, change) == b"theirs and ours"
    assert seen == [b"old", b"theirs"]
    assert file.read_bytes() == b"theirs and ours"


def test_an_update_gives_up_after_its_attempts(file: Path) -> None:
    count = 0

    def change(_: bytes | None) -> bytes:
        nonlocal count
        count += 1
        file.write_bytes(b"%d" % count)
        return b"ours"

    with pytest.raises(Conflict):
        update(file, change, attempts=3)
    assert count == 3
    assert file.read_bytes() == b"3"


def test_an_update_makes_a_missing_file(tmp_path: Path) -> None:
    assert update(tmp_path / "new", lambda old: repr(old).encode()) == b"None"
    assert (tmp_path / "new").read_bytes() == b"None"


def test_what_killed_writers_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    dead = f".engram.md.{FINISHED_PID}.0123abcd.agentsup"
    kept = {
        f".engram.md.{os.getppid()}.0123abcd.agentsup",  # its writer lives
        ".engram.md.x.0123abcd.agentsup",
        f"engram.md.{FINISHED_PID}.0123abcd.agentsup",
        f".engram.md.{FINISHED_PID}.0123abcd.agentsup.md",
    }
    for name in (dead, *kept):
        (tmp_path / name).touch()
    replace(tmp_path / "STATE.md", b"x", token_of(None))
    assert set(os.listdir(tmp_path)) == {*kept, "STATE.md"}


def test_threads_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "list"

    def work(name: int) -> None:
        for number in range(50):
            update(path, lambda old, line=b"%d %d\n" % (name, number): (old or b"") + line)  # type: ignore[misc]

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(path.read_bytes().splitlines()) == sorted(b"%d %d" % (n, i) for n in range(4) for i in range(50))


def test_writers_in_other_environments_take_the_same_lock(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from agentsup.store.locks import locked\n"
        "try:\n    with locked(Path(sys.argv[1]), 0.0): print('taken')\n"
        "except TimeoutError as error: print(error.strerror)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    elsewhere = {"HOME": "/nowhere", "PATH": os.environ["PATH"]}
    with locks.locked(tmp_path):
        inside = subprocess.run(command, env=elsewhere, capture_output=True, text=True, check=True)
    after = subprocess.run(command, env=elsewhere, capture_output=True, text=True, check=True)
    assert (inside.stdout.strip(), after.stdout.strip()) == ("another program holds the lock", "taken")
    assert os.listdir(tmp_path) == []


def test_a_program_started_meanwhile_does_not_keep_the_lock(tmp_path: Path) -> None:
    with locks.locked(tmp_path):
        child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, close_fds=False)
    try:
        with locks.locked(tmp_path, 0.0):
            pass
    finally:
        child.communicate()


def test_where_folders_cannot_be_locked_a_file_of_the_person_stands_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fcntl.flock

    def flock(number: int, how: int) -> None:
        if stat.S_ISDIR(os.fstat(number).st_mode):
            raise OSError(errno.ENOLCK, "no locks")
        real(number, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "link").symlink_to(project)
    with locks.locked(project), pytest.raises(TimeoutError), locks.locked(tmp_path / "link", 0.0):
        pass
    with locks.locked(tmp_path / "link", 0.0):
        assert os.listdir(project) == []


def test_a_line_is_added_and_a_torn_one_before_it_is_ended(tmp_path: Path) -> None:
    with atomic.writing(tmp_path) as folder:
        folder.append("log", b"one")
        folder.append("log", b"two")
        with open(tmp_path / "log", "ab") as file:
            file.write(b'{"torn')
        folder.append("log", b"three")
        assert list(folder.last_lines("log")) == [b"", b"three", b'{"torn', b"two", b"one"]
        assert list(folder.last_lines("none")) == []
        os.mkfifo(tmp_path / "fifo")
        with pytest.raises(UnsafeFile):
            folder.append("fifo", b"x")


def test_the_last_lines_of_a_long_file_are_read_from_its_end(tmp_path: Path) -> None:
    lines = [b"x" * 300_000, *(b"%d" % number for number in range(50_000)), b"y" * 200_000]
    (tmp_path / "log").write_bytes(b"\n".join(lines))
    with atomic.writing(tmp_path) as folder:
        assert list(folder.last_lines("log")) == lines[::-1]
        assert next(folder.last_lines("log")) == lines[-1]


def test_a_line_that_does_not_fit_on_the_disk_is_not_there_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    with atomic.writing(tmp_path) as folder:
        folder.append("log", b"one")

        def write(number: int, data: Any) -> int:
            if len(data) < 4:
                raise OSError(errno.ENOSPC, "full")
            return real(number, data[:3])

        monkeypatch.setattr(os, "write", write)
        with pytest.raises(OSError, match="full"):
            folder.append("log", b"12345")
    assert (tmp_path / "log").read_bytes() == b"one\n"


def test_a_write_that_fails_leaves_the_old_content_and_nothing_else(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(number: int, data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", write)
        with pytest.raises(OSError, match="No space left"):
            replace(file, b"new", read(file).token)
    assert os.listdir(file.parent) == [file.name]
    assert file.read_bytes() == b"old"
    replace(file, b"new", read(file).token)
    assert file.read_bytes() == b"new"


def test_a_file_that_is_write_protected_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("kept\n")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        atomic.update(path, lambda _: b"new\n")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode), os.listdir(tmp_path)) == ("kept\n", 0o444, ["a.md"])
