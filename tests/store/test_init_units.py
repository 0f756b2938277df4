"""The project's own restore units are listed in their order, and nothing is run."""

from __future__ import annotations

import os
from pathlib import Path

from agentsup.core.memory.model import Document, InitUnit, Spot
from agentsup.store.project_memory import read_project
from tests.store.project import write

INIT = ".agent/init.d"


def units(root: Path) -> tuple[InitUnit, ...]:
    return read_project(root).units


def test_units_stand_in_numeric_then_name_order(tmp_path: Path) -> None:
    names = ["100-last.md", "15-b.txt", "15-a.md", "9-nine.md", "015-c.json", "notes.md"]
    write(tmp_path, {f"{INIT}/{name}": "{}" for name in names})
    assert [unit.name for unit in units(tmp_path)] == ["9-nine", "015-c", "15-a", "15-b", "100-last", "notes"]


def test_texts_are_read_and_broken_json_is_not(tmp_path: Path) -> None:
    write(tmp_path, {f"{INIT}/15-a.md": "text", f"{INIT}/16-b.json": "{\n ]", f"{INIT}/17-c.TXT": "upper"})
    assert units(tmp_path) == (
        InitUnit("15-a", Document(f"{INIT}/15-a.md", "text", size=4)),
        InitUnit("16-b", Document(f"{INIT}/16-b.json", problem="memory.unparsable", spot=Spot(2, 2), size=4)),
        InitUnit("17-c", Document(f"{INIT}/17-c.TXT", "upper", size=5)),
    )


def test_executables_are_named_and_not_run(tmp_path: Path) -> None:
    script = f"#!/bin/sh\ntouch {tmp_path}/was-run\n"
    write(tmp_path, {f"{INIT}/15-script.sh": script, f"{INIT}/16-program": script, f"{INIT}/17-tool.py": script})
    (tmp_path / INIT / "16-program").chmod(0o755)
    assert units(tmp_path) == (
        InitUnit("15-script", Document(f"{INIT}/15-script.sh"), executable=True),  # without the run bit
        InitUnit("16-program", Document(f"{INIT}/16-program"), executable=True),
    )  # 17: neither a script, nor with the run bit, nor a text
    assert not (tmp_path / "was-run").exists()


def test_hidden_files_and_what_editors_leave_are_no_units(tmp_path: Path) -> None:
    names = [".15-a.md.swp", "15-a.md~", "15-a.md.bak", "15-a.md.orig", ".hidden.md", "#15-a.md#", "15-a.md.tmp"]
    write(tmp_path, {f"{INIT}/{name}": "x" for name in names})
    write(tmp_path, {f"{INIT}/20-folder/x.md": "x", f"{INIT}/.15-a.md.1.0123abcd.agentsup": "x"})
    assert units(tmp_path) == ()


def test_a_home_of_something_is_no_unit_but_a_script_of_its_name_is(tmp_path: Path) -> None:
    write(tmp_path, {
        f"{INIT}/40-decisions.md": "## x\n", ".agent/DECISIONS.md": "## y\n", f"{INIT}/40-decisions.sh": "x",
        f"{INIT}/20-conventions.md": "c",
    })  # fmt: skip
    memory = read_project(tmp_path)
    assert memory.units == (InitUnit("40-decisions", Document(f"{INIT}/40-decisions.sh"), executable=True),)
    assert (memory.decisions.path, memory.conventions.text) == (f"{INIT}/40-decisions.md", "c")


def test_an_empty_file_is_a_unit_that_switches_off_and_no_home(tmp_path: Path) -> None:
    write(tmp_path, {f"{INIT}/40-decisions.md": " \n", ".agent/DECISIONS.md": "## y\n", f"{INIT}/10-structure.md": ""})
    memory = read_project(tmp_path)
    assert [(unit.name, unit.document.text) for unit in memory.units] == [("10-structure", ""), ("40-decisions", " \n")]
    assert (memory.decisions.path, memory.doubles) == (".agent/DECISIONS.md", ())


def test_links_and_fifos_are_units_that_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path, {"secret": "outside", f"{INIT}/15-a.md": "x"})
    (tmp_path / INIT / "16-link.md").symlink_to(tmp_path / "secret")
    (tmp_path / INIT / "17-link.sh").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / INIT / "18-fifo.md")
    assert [(unit.name, unit.document.problem, unit.executable) for unit in units(tmp_path)[1:]] == [
        ("16-link", "memory.unreadable", False),
        ("17-link", "memory.unreadable", False),
        ("18-fifo", "memory.unreadable", False),
    ]
