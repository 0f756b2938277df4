"""A sealed file holds the given bytes and no others, whoever tries to write to it, and whenever."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import mmap
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from agentsup.store.sealed import Altered, sealed

DATA = b"#!/bin/sh\necho approved\n"
SHA = hashlib.sha256(DATA).hexdigest()


def test_it_can_be_read_and_never_be_written_again() -> None:
    with sealed(DATA, SHA) as (path, number):
        assert number is not None
        with open(path, "rb") as file:
            assert file.read() == DATA
        for attempt in (
            lambda: os.pwrite(number, b"x", 0),
            lambda: os.ftruncate(number, 0),
            lambda: os.ftruncate(number, 1000),
            lambda: mmap.mmap(number, len(DATA)),
            lambda: os.write(os.open(path, os.O_WRONLY | os.O_APPEND), b"x"),
            lambda: fcntl.fcntl(number, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE),
        ):
            with pytest.raises(PermissionError):
                attempt()
        assert subprocess.check_output(["/bin/sh", path], pass_fds=(number,)) == b"approved\n"


def test_it_is_gone_afterwards() -> None:
    with sealed(DATA, SHA) as (path, _):
        assert os.path.exists(path)
    assert not os.path.exists(path)


def test_bytes_of_another_hash_are_refused() -> None:
    with pytest.raises(Altered), sealed(DATA, "0" * 64):
        pass


@pytest.mark.parametrize(
    "attack",
    [
        lambda number: os.pwrite(number, b"evil", 20),
        lambda number: os.ftruncate(number, 10),
        lambda number: os.pwrite(number, b"\ntouch canary\n", len(DATA)),
    ],
)
def test_what_others_write_before_it_is_sealed_is_noticed(
    monkeypatch: pytest.MonkeyPatch, attack: Callable[[int], object]
) -> None:
    seal = fcntl.fcntl

    def attacked(number: int, command: int, argument: int) -> int:
        if command == fcntl.F_ADD_SEALS:
            attack(number)
        return seal(number, command, argument)

    monkeypatch.setattr(fcntl, "fcntl", attacked)
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(Altered), sealed(DATA, SHA):
        pass
    assert set(os.listdir("/proc/self/fd")) == before


def test_one_that_somebody_could_still_write_to_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    seal = fcntl.fcntl
    held = []

    def attacked(number: int, command: int, argument: int) -> int:
        if command == fcntl.F_ADD_SEALS:
            held.append(mmap.mmap(number, len(DATA)))
        return seal(number, command, argument)

    monkeypatch.setattr(fcntl, "fcntl", attacked)
    with pytest.raises(OSError, match="busy"), sealed(DATA, SHA):
        pass
    held[0].close()


@pytest.mark.parametrize("refused", [{0x10}, {0x10, 0x08}])
def test_systems_that_refuse_executable_memory_or_do_not_know_it_run_scripts(
    monkeypatch: pytest.MonkeyPatch, refused: set[int]
) -> None:
    create = os.memfd_create

    def refusing(name: str, flags: int) -> int:
        if flags & 0x18 in refused:
            raise PermissionError(errno.EACCES, "Permission denied")
        return create(name, flags)

    monkeypatch.setattr(os, "memfd_create", refusing)
    with sealed(DATA, SHA) as (path, number):
        assert number is not None
        assert subprocess.check_output(["/bin/sh", path], pass_fds=(number,)) == b"approved\n"


def test_elsewhere_it_is_a_copy_that_only_we_can_reach(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "elsewhere")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with sealed(DATA, SHA) as (path, number):
        assert number is None
        assert stat.S_IMODE(Path(path).stat().st_mode) == 0o500
        assert stat.S_IMODE(Path(path).parent.stat().st_mode) == 0o700
        assert subprocess.check_output([path]) == b"approved\n"
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Altered), sealed(DATA, "0" * 64):
        pass
