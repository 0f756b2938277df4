"""What stands above a file that is to be approved."""

from __future__ import annotations

import pytest

from agentsup.cli.trust_view import Paper, lines
from agentsup.locale import load
from agentsup.store.trust_review import FileChange, Review


@pytest.mark.parametrize(
    ("file", "heading"),
    [
        (FileChange("a.sh", "new", True, "", "echo"), "new, RUNS: a.sh"),
        (FileChange("a.sh", "changed", True, "echo", "date", included=True), "changed, READ BY A SCRIPT: a.sh"),
        (FileChange("a.md", "new", False, "", "Do it."), "new: a.md"),
    ],
)
def test_a_file_is_said_to_run_only_if_it_does(file: FileChange, heading: str) -> None:
    assert heading in list(lines(Review("/shop", scripts=(file,)), load("en"), Paper(80)))
