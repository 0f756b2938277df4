"""A process below a keeper is an agent's: told by command lines, which no environment changes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from agentsup.store.ancestry import ancestors, any_keeper, is_keeper, is_own_keeper, is_under_a_keeper, own_pid


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["/usr/bin/python3", "-P", "-m", "agentsup.keeper"], True),
        (["python", "-m", "agentsup.keeper", "x"], True),
        (["python", "-m", "agentsup"], False),
        (["python", "-m", "agentsup.keepers"], False),
        (["sh", "-c", "python -m agentsup.keeper"], False),
        (["agentsup.keeper", "-m"], False),
        ([], False),
    ],
)
def test_a_keeper_is_known_by_two_words_of_its_command_line(words: list[str], said: bool) -> None:
    assert is_keeper(words) is said


@contextmanager
def waiting(*, words: tuple[str, ...] = (), below: tuple[str, ...] = ()) -> Iterator[tuple[int, int]]:
    """Run a process whose command line ends so, and below it a child; gives the two numbers."""
    code = (
        "import subprocess, sys; "
        "child = subprocess.Popen([sys.executable, '-c', 'import sys; sys.stdin.read()', *sys.argv[1].split()], "
        "stdin=subprocess.PIPE); "
        "print(child.pid, flush=True); sys.stdin.read(); child.communicate()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, " ".join(below), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.pid, int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def test_what_is_below_a_keeper_is_an_agents() -> None:
    with waiting(words=("-m", "agentsup.keeper")) as pids:
        assert [is_under_a_keeper(pid) for pid in pids] == [True, True]
    with waiting(words=("-m", "agentsup.host")) as pids:
        assert [is_under_a_keeper(pid) for pid in pids] == [False, False]


def test_what_calls_itself_a_keeper_below_one_is_none() -> None:
    with waiting(words=("-m", "agentsup.keeper")) as (keeper, child):
        assert (is_own_keeper(keeper), is_own_keeper(child)) == (True, False)
        assert any_keeper()
    with waiting(words=("-m", "agentsup.keeper"), below=("-m", "agentsup.keeper")) as (keeper, child):
        assert (is_own_keeper(keeper), is_own_keeper(child)) == (True, False)
    assert not is_own_keeper(0)
    assert not is_own_keeper(2**22 + 1)


def test_a_process_that_is_gone_is_taken_for_an_agents_and_a_peer_without_a_number_is_not() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert is_under_a_keeper(process.pid)
    assert not is_under_a_keeper(0)


def test_our_own_number_and_ancestors() -> None:
    assert own_pid() == os.getpid()
    assert ancestors(own_pid())[:2] == (os.getpid(), os.getppid())
