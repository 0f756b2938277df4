"""Run checks one after the other; none may hang, and none may stop those that follow."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from agentsup.cli.doctor.finding import Finding, of_problem
from agentsup.core.problems import Problem

DEADLINE = 5.0
"""Seconds a check may take."""

Found = TypeVar("Found")


@dataclass(frozen=True)
class Check:
    """A check: what it is called should it come to nothing, and what looks."""

    name: str
    look: Callable[[], Iterable[Finding]]
    deadline: float = DEADLINE


def examine(checks: Sequence[Check]) -> Iterator[Finding]:
    """Give what the checks find, as they find it."""
    for check in checks:
        try:
            yield from within(check.deadline, lambda look=check.look: tuple(look()))  # type: ignore[misc]
        except TimeoutError:
            yield Finding(check.name, "unknown", "doctor.too-slow", {"seconds": f"{check.deadline:g}"})
        except Problem as problem:
            yield of_problem(check.name, "problem", problem)
        except Exception as error:  # noqa: BLE001  the border: what fails is one check, and that is a finding too
            yield Finding(check.name, "unknown", "doctor.failed", {"reason": f"{type(error).__name__}: {error}"})


def within(seconds: float, function: Callable[[], Found]) -> Found:
    """Return what a function returns or raises; raises TimeoutError where it takes longer.

    A thread, because nothing else gets away from a call that the system does not return from: a file on a
    dead network drive, a socket whose owner hangs. The thread is left behind, and ends with the program.
    """
    answers: queue.SimpleQueue[Found | BaseException] = queue.SimpleQueue()

    def work() -> None:
        try:
            answers.put(function())
        except BaseException as error:  # noqa: BLE001  handed on to whoever waits
            answers.put(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(answer, BaseException):
        raise answer
    return answer
