"""A restore text with all there is to say about it: what its units cost, what stands beside it, what has changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from agentsup.cli.plain_text import one_line
from agentsup.core.catalogue import Catalogue
from agentsup.core.memory.model import Document, InitUnit, Memory
from agentsup.core.memory.problems import Unparsable
from agentsup.core.memory.state_forms import read_state
from agentsup.core.restore.composition import RestoreText, UnitCount
from agentsup.core.restore.core_size import MOST, Sized, core_sizes
from agentsup.core.restore.difference import Name, difference, name_of
from agentsup.core.restore.frame import RestoreForm
from agentsup.core.restore.preparation import Said, Wanted
from agentsup.core.trust.model import Trust
from agentsup.locale import load
from agentsup.restoring.prepare import frame_of, prepare
from agentsup.store.engram_history import last_sent
from agentsup.store.project_memory import read_project
from agentsup.store.startup_files import startup_files
from agentsup.store.trust_reading import with_trust
from agentsup.tokens import count

SAMPLE_ID = "sample"
"""Stands for the name that a restore gets when it is sent; six letters, as those have."""

_PROBLEMS = {"memory.too-long": "in-parts"}


@dataclass(frozen=True)
class Restored:
    """What `agentsup restore` has composed."""

    root: str
    window: int | None
    restored: RestoreText
    notices: tuple[Said, ...]
    last_sent: str | None
    compared: str
    """The text as it would be called and end if it were the one sent last; as it is where none was."""

    @property
    def text(self) -> str:
        """The text that is printed."""
        return self.restored.text(id="" if self.restored.occasion == "asked" else SAMPLE_ID)

    def difference(self, names: tuple[str, str]) -> str | None:
        """Return what has changed since the last one sent; None where none was."""
        return None if self.last_sent is None else difference(self.last_sent, self.compared, names=names)


@dataclass(frozen=True)
class Explained:
    """What there is to say about a restore text."""

    notes: tuple[str, ...]
    """Of each unit one word, see the command's manual; empty where there is nothing to say."""
    beside: tuple[Sized, ...]
    core: tuple[Sized, ...]
    counted: bool
    """Whether tokens were counted, and not guessed."""


def look(wanted: Wanted, occasion: RestoreForm | None = None) -> Restored:
    """Compose what is wanted for an occasion: `asked` without one, and for a comparison that of the text sent last."""
    root = Path(wanted.root)
    sent = _last_sent(root)
    name = (name_of(sent, frame_of(root, wanted.language)[0]) if sent else None) or Name(occasion or "asked")
    printed, compared = occasion or "asked", occasion or name.occasion
    prepared = prepare(replace(wanted, occasions=tuple(dict.fromkeys((printed, compared)))))
    restored, other = prepared.texts[0], prepared.texts[-1]
    return Restored(
        wanted.root, wanted.window, restored, prepared.notices, sent,
        other.text(id=name.id, number=name.number, then=name.then),
    )  # fmt: skip


def explain(found: Restored) -> Explained:
    """Return what there is to say about a text."""
    root = Path(found.root)
    memory = with_trust(root, read_project(root))
    return Explained(
        notes=tuple(_note(unit, memory) for unit in found.restored.units),
        beside=tuple(Sized(file, count(text).tokens) for file, text in startup_files(root, os.environ)),
        core=core_sizes(memory, lambda text: count(text).tokens),
        counted=count("").exact,
    )


def _last_sent(root: Path) -> str | None:
    try:
        return last_sent(root)
    except OSError:
        return None


def _note(unit: UnitCount, memory: Memory) -> str:
    document, own = _source(unit, memory)
    if document is not None and document.problem:
        return _PROBLEMS.get(document.problem, "unreadable")
    if document is memory.state and not _is_state(memory):
        return "unreadable"
    if own is not None and own.executable and own.document.text is None and (note := _run_note(own, memory.trust)):
        return note
    if unit.squeezed:
        return "shortened"
    if unit.tokens == 0:
        return "left-out" if unit.whole else "empty"
    return "cut" if unit.left_out else ""


def _run_note(unit: InitUnit, trust: Trust) -> str:
    """Return what became of a unit that runs; empty where it has printed all that it had to say."""
    if not trust.may_run:
        return "not-run"
    output = next((each for each in reversed(trust.outputs) if each.name == unit.name), None)
    if output is None:
        return "not-run-yet"
    return "failed" if output.problem else ""


def _is_state(memory: Memory) -> bool:
    """Say whether the state can be read as what it is."""
    try:
        read_state(memory.state_form, memory.state.text or "")
    except Unparsable:
        return False
    return True


def _source(unit: UnitCount, memory: Memory) -> tuple[Document | None, InitUnit | None]:
    """Return the file that a unit was made of, and whether it is one of the project's own."""
    own = next((each for each in memory.units if each.document.path == unit.source), None)
    if own is not None:
        return own.document, own
    documents = (
        memory.engram, memory.state, memory.decisions, memory.identity, memory.handoff, memory.questions,
        memory.conventions, memory.operations,
    )  # fmt: skip
    return next((document for document in documents if document.path == unit.source), None), None


def as_json(found: Restored) -> dict[str, object]:
    """Return the documented object."""
    restored, about, english = found.restored, explain(found), load("en")
    return {
        "text": found.text,
        "occasion": restored.occasion,
        "window": found.window,
        "limit": restored.limit,
        "tokens": restored.tokens,
        "frame_tokens": restored.frame_tokens,
        "counted": about.counted,
        "units": [
            {
                "name": unit.name, "source": unit.source, "tokens": unit.tokens, "uncut_tokens": unit.whole,
                "left_out": unit.left_out, "shortened": unit.squeezed, "note": note,
            }
            for unit, note in zip(restored.units, about.notes, strict=True)
        ],
        "beside": _sized(about.beside),
        "core": {
            "files": _sized(about.core),
            "tokens": sum(each.tokens for each in about.core),
            "most": MOST,
        },
        "notices": [
            {"key": key, "what": english.text(f"{key}.what", **dict(values)),
             "todo": english.text(f"{key}.todo", **dict(values))}
            for key, values in found.notices
        ],
        "diff": found.difference(("last sent", "now")),
    }  # fmt: skip


def _sized(sizes: tuple[Sized, ...]) -> list[dict[str, object]]:
    return [{"file": each.file, "tokens": each.tokens} for each in sizes]


def print_table(found: Restored, catalogue: Catalogue) -> None:
    """Print the units as a table, and below it the sums."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console, about = Console(highlight=False), explain(found)
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for name in ("unit", "source", "tokens", "uncut", "left_out", "note"):
        is_number = name in ("tokens", "uncut", "left_out")
        justify: Literal["left", "right"] = "right" if is_number else "left"
        is_short = is_number or name == "unit"
        table.add_column(catalogue.text(f"explain.{name}"), justify=justify, no_wrap=is_short, overflow="fold")
    for row in _rows(found, about, catalogue):
        table.add_row(*(Text(one_line(cell)) for cell in row))
    console.print(table)
    console.print()
    sums = Table(box=None, pad_edge=False, padding=(0, 1), show_header=False)
    sums.add_column(overflow="fold")
    sums.add_column(overflow="fold")
    for label, value in _sums(found, about, catalogue):
        sums.add_row(Text(label), Text(one_line(value)))
    console.print(sums)


def _rows(found: Restored, about: Explained, catalogue: Catalogue) -> Iterator[tuple[str, ...]]:
    for unit, note in zip(found.restored.units, about.notes, strict=True):
        left_out = f"{unit.left_out:,}" if unit.left_out else ""
        words = catalogue.text(f"explain.notes.{note}") if note else ""
        sizes = (f"{unit.tokens:,}", f"{unit.whole:,}") if unit.whole else ("–", "–")
        yield unit.name, unit.source, *sizes, left_out, words


def _sums(found: Restored, about: Explained, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    def told(name: str, values: Mapping[str, object]) -> tuple[str, str]:
        return catalogue.text(f"explain.{name}"), catalogue.text(f"explain.{name}_value", **values)

    restored = found.restored
    window = f"{found.window:,}" if found.window else catalogue.text("explain.unknown")
    mark = "" if about.counted else "~"
    yield told("frame", {"tokens": f"{mark}{restored.frame_tokens:,}"})
    yield told("total", {"tokens": f"{mark}{restored.tokens:,}", "limit": f"{restored.limit:,}", "window": window})
    total = sum(each.tokens for each in about.core)
    files = _listed(about.core) or catalogue.text("explain.core_none")
    yield told("core", {"tokens": f"{mark}{total:,}", "most": f"{MOST:,}", "files": files})
    yield catalogue.text("explain.beside"), _listed(about.beside) or catalogue.text("explain.nothing")


def _listed(sizes: tuple[Sized, ...]) -> str:
    return ", ".join(f"{each.file} {each.tokens:,}" for each in sizes)
