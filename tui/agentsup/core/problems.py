"""Errors a person can do something about.

Problem            one line what happened, one line what to do (catalogue key + values), an exit code
  UsageProblem     wrong arguments or environment: exit 2
  RefusedProblem   a guard said no: exit 3
"""

from __future__ import annotations


class Problem(Exception):
    """Something went wrong that the person can mend; `key` names two lines in the catalogue."""

    exit_code = 1

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(key, values)
        self.key = key
        self.values = {name: str(value) for name, value in values.items()}


class UsageProblem(Problem):
    """Wrong arguments, or an environment in which it can't work."""

    exit_code = 2


class RefusedProblem(Problem):
    """A guard refused it."""

    exit_code = 3
