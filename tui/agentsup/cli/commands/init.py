"""`agentsup init`: lay out what a project's memory needs; whatever is there already stays as it is.

    agentsup init [--lang en|zh] [--layout agent|root|tasks] [--agents-md] [--remove] [--json]

Files are made only where the project has nothing for the same purpose, in any of the places that agentsup knows; so
nothing is overwritten and nothing doubled. The layout says where TASK, STATE, CONTRACT and DECISIONS go: into
.agent/, the root, or .agent/tasks/main/; a project that has some of them keeps its own. There is no engram: the
agent writes it, and an empty one would be a broken one. .agent/restore.sh is a script that prints the restore units
where agentsup is not installed. --lang is the language of the new files; without it that of the texts. On a terminal
a person is asked whether what was made shall be committed: those files alone, as a commit of the person's own, with
the repository's hooks and signature.

--agents-md puts a short block into AGENTS.md and CLAUDE.md, those that exist, else a new AGENTS.md: for agents that
are started without agentsup. --remove takes it out again, to the byte, and does nothing else.

The JSON object (nothing is asked then):

    root                        the project's folder
    layout, language            as they are used: agent, root, tasks; en, zh
    created, kept               lists of paths, relative to the root: made, or found for the same purpose
    block_written, block_removed, block_unchanged
                                lists of files

Exit 0: done; 1: something could not be written; 2: wrong usage.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path

from agentsup.cli import agents_block
from agentsup.cli.author import author
from agentsup.cli.first_commit import offer
from agentsup.cli.memory_changes import label_language, told
from agentsup.cli.memory_view import current_root
from agentsup.cli.option_help import option_help
from agentsup.cli.plain_text import on_terminal, one_line
from agentsup.cli.printing import print_json, printing
from agentsup.cli.restore_script import PLACE as RESTORE_SCRIPT
from agentsup.cli.restore_script import restore_script
from agentsup.core.memory.model import Language
from agentsup.locale import load, template
from agentsup.store import atomic
from agentsup.store.evidence import CONTEXT_VERSION
from agentsup.store.placements import CURRENT_TASK, FOUR, TASK_FOLDERS, Role, find
from agentsup.store.task_choice import tasks

LAYOUTS = ("agent", "root", "tasks")
FIRST_TASK = "main"

_TEMPLATES: dict[Role, str] = {
    "identity": "identity.md", "task": "TASK.md", "state": "STATE.md", "contract": "CONTRACT.md",
    "decisions": "DECISIONS.md", "questions": "open-questions.md", "conventions": "20-conventions.md",
}  # fmt: skip


@dataclass
class LaidOut:
    """What came of it; paths are relative to the root."""

    layout: str
    language: Language
    created: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    said = option_help(parser, "init")
    parser.add_argument("--lang", choices=("en", "zh"), help=said("lang"))
    # A name of its own: `layout` is the interface's.
    parser.add_argument("--layout", choices=LAYOUTS, dest="files_layout", help=said("layout"))
    parser.add_argument("--agents-md", action="store_true", help=said("agents-md"))
    parser.add_argument("--remove", action="store_true", help=said("remove"))
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Lay it out and say what was done; returns the exit code."""
    root = current_root()
    language: Language = arguments.lang or label_language(arguments.language)
    laid_out = LaidOut(_layout(root, arguments.files_layout), language)
    block = agents_block.Blocks()
    if arguments.remove:
        block = agents_block.remove(root)
    else:
        _lay_out(root, laid_out)
        if arguments.agents_md:
            block = agents_block.write(root, language)
    if arguments.json:
        with printing(exact=True):
            print_json(_as_json(root, laid_out, block))
        return 0
    _tell(root, laid_out, block, arguments)
    if author().kind == "person" and not arguments.remove:
        offer(root, [*laid_out.created, *block.created], load(arguments.language))
    return 0


def _layout(root: Path, wanted: str | None) -> str:
    """Return the layout that is used: the project's own, where it has one of the four files or a task."""
    if tasks(root).folders:
        return "tasks"
    found = [find(root, role) for role in FOUR]
    if not any(place.exists for place in found):
        return wanted or LAYOUTS[0]
    return "root" if any("/" not in place.path for place in found) else "agent"


def _lay_out(root: Path, laid_out: LaidOut) -> None:
    """Make what is missing; raises Problem."""
    folder = tasks(root).folder
    if laid_out.layout == "tasks" and not folder:
        folder = f"{TASK_FOLDERS[0]}/{FIRST_TASK}"
    is_new = not any(find(root, role, folder).exists for role in FOUR)
    for role, name in _TEMPLATES.items():
        path = find(root, role, folder).path
        if role in FOUR and is_new and laid_out.layout == "root":
            path = FOUR[role][0]
        _make(root, path, template(f"init/{name}", laid_out.language), laid_out)
    _make(root, CONTEXT_VERSION, "0\n", laid_out)
    _make(root, RESTORE_SCRIPT, restore_script(laid_out.language), laid_out, mode=0o755)
    if laid_out.layout == "tasks":
        _make(root, CURRENT_TASK, f"{tasks(root).current}\n", laid_out)


def _make(root: Path, place: str, text: str, laid_out: LaidOut, *, mode: int | None = None) -> None:
    """Write a file that is not there; one that is there is kept, whatever it is."""
    with told(place):
        try:
            atomic.replace(root / place, text.encode(), atomic.token_of(None), mode=mode, beneath=root)
        except (atomic.Conflict, atomic.UnsafeFile):
            laid_out.kept.append(place)
        else:
            laid_out.created.append(place)


def _tell(root: Path, laid_out: LaidOut, block: agents_block.Blocks, arguments: argparse.Namespace) -> None:
    """Say what was made, found and left; what was made goes to standard output."""
    catalogue = load(arguments.language)
    made = [*laid_out.created, *block.created]
    if not arguments.remove:
        with printing():
            for path in made:
                print(one_line(path))
        said = [("init.created" if made else "init.nothing", len(made), "")]
        said.append(("init.kept", len(laid_out.kept), ", ".join(laid_out.kept)))
        said.append(("init.layout", int(arguments.files_layout not in (None, laid_out.layout)), ""))
    else:
        said = [("block.nothing", int(not (block.removed or block.deleted)), "")]
    said += [
        (f"block.{name}", len(paths), ", ".join(paths))
        for name, paths in (
            ("written", block.written), ("unchanged", block.unchanged), ("removed", block.removed),
            ("deleted", block.deleted),
        )
    ]  # fmt: skip
    if not arguments.remove:
        said.append(("init.next", 1, ""))
        said.append(("init.agents-md", int(not arguments.agents_md), ""))
    for key, count, paths in said:
        if count or key == "init.nothing":
            values = {"root": one_line(str(root)), "layout": laid_out.layout, "count": count}
            print(on_terminal(catalogue.text(key, paths=one_line(paths), **values), sys.stderr), file=sys.stderr)


def _as_json(root: Path, laid_out: LaidOut, block: agents_block.Blocks) -> dict[str, object]:
    return {
        "root": str(root), "layout": laid_out.layout, "language": laid_out.language,
        "created": [*laid_out.created, *block.created], "kept": laid_out.kept,
        "block_written": [*block.created, *block.written], "block_removed": [*block.removed, *block.deleted],
        "block_unchanged": block.unchanged,
    }  # fmt: skip
