"""The table of symptoms and remedies: every row of the specification, in both languages, readable at 80 columns."""

from __future__ import annotations

import itertools
import re
import shlex

import pytest
from rich.cells import cell_len

from agentsup.cli.doctor.symptoms import COLUMNS, NAMES
from agentsup.cli.main import COMMANDS
from agentsup.locale import LANGUAGES, load
from tests.cli.project import Project

SPECIFIED = (
    "reads files again after a compaction", "undoes a finished fix", "engram empty or vague",
    "answers beside the point",
    "ignores the read-back", "writes a function again", "changes unrelated modules", '"going well" in the state',
    "revives a rejected idea", "repeats finished work", "the restore text itself got compacted",
    "reads only the restore, not you", "thinks the structure changed", "broken JSON", "slow restore",
    "constraints ignored",
)  # fmt: skip


def test_every_symptom_of_the_specification_is_told(project: Project) -> None:
    done = project.run("doctor", "--symptoms", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json.keys() == {"symptoms"}
    rows = done.json["symptoms"]
    assert [row["symptom"] for row in rows] == list(SPECIFIED)
    assert [row["name"] for row in rows] == list(NAMES)
    assert all(row.keys() == {"name", *COLUMNS} and all(row.values()) for row in rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_fits_in_80_columns(project: Project, language: str) -> None:
    done = project.run("doctor", "--symptoms", language=language)
    lines = done.out.splitlines()
    assert done.code == 0
    assert max(map(cell_len, lines)) <= 80
    assert "\x1b" not in done.out
    catalogue = load(language)
    for column in COLUMNS:
        assert catalogue.text(f"symptoms.{column}") in lines[0]
    begins = [line for before, line in itertools.pairwise(lines) if not before.strip()]
    assert len(begins) == len(NAMES)
    for name, line in zip(NAMES, begins, strict=True):
        assert line.startswith(catalogue.text(f"symptoms.{name}.symptom")[:6]), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_that_is_named_exists(language: str) -> None:
    catalogue = load(language)
    texts = [catalogue.text(f"symptoms.{name}.{column}") for name in NAMES for column in ("look", "remedy")]
    named = [shlex.split(found)[0] for text in texts for found in re.findall(r"agentsup ([a-z]+)", text)]
    assert len(named) >= 16
    assert set(named) <= set(COMMANDS)


def test_nothing_is_looked_at(project: Project) -> None:
    before = project.everything()
    project.run("doctor", "--symptoms")
    assert project.everything() == before
