"""What the editor of the engram says around the text: how long it is, whose, what is wrong, and the keys. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.content import Content

from agentsup.core.catalogue import Catalogue
from agentsup.core.memory.engram import MOST_ITEMS, MOST_WORDS
from agentsup.core.memory.engram_draft import Length
from agentsup.core.memory.labels import TAG_LABELS, Tag
from agentsup.core.memory.model import Language
from agentsup.core.problems import Problem
from agentsup.core.session import Notice
from agentsup.core.text import legible
from agentsup.locale.time_of_day import when
from agentsup.ui import prompt_bar
from agentsup.ui.notice_bar import notice_todo, notice_what

if TYPE_CHECKING:
    from agentsup.core.checks.finding import Finding
    from agentsup.ui.engram_desk import Opened

Mode = Literal["", "tags", "leave"]
"""What the next key is for: the text, which tag to insert, what to do with changes when the editor is left."""

TAG_KEYS: tuple[tuple[str, Tag], ...] = (
    ("1", "task"), ("2", "progress"), ("3", "files"), ("4", "pending"), ("5", "taboo"),
)  # fmt: skip

INDENT = 5
"""Cells in front of what is said of a finding: its gravity and its line."""

_SIGNS = {"error": "▲", "warning": "△", "note": "·"}
_STYLES = {"error": "$error", "warning": "$warning", "note": "$quiet"}


@dataclass(frozen=True)
class Chosen:
    """What is to happen when it is saved."""

    tell: bool = True
    example: bool | None = None
    """None until a person has chosen: where nothing is wrong with the text."""

    def teaches(self, findings: Sequence[Finding] | None) -> bool:
        """Say whether agents are to learn by a text in which this was found; None: nobody has looked yet."""
        return is_clean(findings) if self.example is None else self.example


def is_clean(findings: Sequence[Finding] | None) -> bool:
    """Say whether nothing is left to be mended."""
    return findings is not None and all(each.severity == "note" for each in findings)


def head(opened: Opened | None, length: Length, *, dirty: bool, catalogue: Catalogue, width: int) -> Content:
    """Return the line above the text: words, items, whether it is saved, and whose the file's text is."""
    text = catalogue.text
    parts = [
        _counted(text("editor.words"), length.words, MOST_WORDS),
        _counted(text("editor.items"), length.items, MOST_ITEMS),
        Content.styled(text("editor.unsaved"), "bold $warning") if dirty else Content(""),
    ]
    line = Content("  ").join(part for part in parts if part)
    if opened is None:
        return line
    whose = Content.styled(_whose(opened, catalogue), "$quiet")
    space = width - line.cell_length - whose.cell_length
    return Content.assemble(line, " " * space, whose) if space > 1 else line


def found(findings: Sequence[Finding], row: int, *, catalogue: Catalogue, width: int, height: int) -> Content:
    """Return what is wrong, in `height` lines: of the line the cursor is on with what mends it, of others in short."""
    if not findings:
        return Content.styled(catalogue.text("editor.no_findings"), "$success")
    at = next((each for each in findings if each.spot.line == row + 1 and each.length), findings[0])
    message, mends = Content(_told(at, "message", catalogue)), Content.styled(_told(at, "fix", catalogue), "$quiet")
    room = max(8, width - INDENT)
    pieces = [*message.wrap(room), *mends.wrap(room)][:height]
    lines = [Content.assemble(" " * INDENT if index else _sign(at), piece) for index, piece in enumerate(pieces)]
    others = [each for each in findings if each is not at]
    room = height - len(lines)
    fits = len(others) if len(others) <= room else max(0, room - 1)
    lines += [_finding(each, catalogue).truncate(width, ellipsis=True) for each in others[:fits]]
    if fits < len(others) and room:
        lines.append(Content.styled(catalogue.text("editor.more_findings", count=len(others) - fits), "$quiet"))
    return Content("\n").join(lines)


def next_finding(findings: Sequence[Finding], row: int) -> Finding | None:
    """Return the finding below a line, or from the last one on the first."""
    placed = sorted((each for each in findings if each.length), key=lambda each: (each.spot.line, each.spot.column))
    return next((each for each in placed if each.spot.line > row + 1), placed[0] if placed else None)


def switches(
    *, tell: bool | None, example: bool | None, catalogue: Catalogue, width: int
) -> Content:  # fmt: skip
    """Return the line of what will happen beside saving; None: it can't."""
    parts = [("tell", "Ctrl+L", tell), ("example", "Ctrl+G", example)]
    line = Content("   ").join(
        Content.assemble(
            (f"[{'x' if on else ' '}] ", "bold" if on else "$quiet"), catalogue.text(f"editor.switch.{name}"),
            (f" ({key})", "$quiet"),
        )
        for name, key, on in parts if on is not None
    )  # fmt: skip
    return line.truncate(width, ellipsis=True)


def keys(mode: Mode, language: Language, *, catalogue: Catalogue, width: int) -> Content:
    """Return the line of what the next key may be."""
    text = catalogue.text
    lead = ""
    if mode == "tags":
        lead = text("editor.which_tag")
        written = [(key, f"[{TAG_LABELS[language][tag]}]") for key, tag in TAG_KEYS]
        written.append(("Esc", text("editor.key.back")))
    elif mode == "leave":
        lead = text("editor.leave")
        written = [
            (key, text(f"editor.key.{name}")) for key, name in (("s", "save"), ("d", "discard"), ("Esc", "back"))
        ]
    else:
        names = (
            ("Ctrl+S", "save"), ("Ctrl+T", "tag"), ("Ctrl+R", "versions"), ("Ctrl+N", "next"), ("Esc", "close"),
            ("Ctrl+Z", "undo"), ("Ctrl+Y", "redo"),
        )  # fmt: skip
        written = [(key, text(f"editor.key.{name}")) for key, name in names]
    line = _line_of_keys(lead, written, width)
    # What can't be guessed has to be there; undo and redo are what everybody tries.
    if not mode and text("editor.key.close") not in line.plain:
        line = _line_of_keys(lead, [(key.replace("Ctrl+", "^"), label) for key, label in written], width)
    return line


def _line_of_keys(lead: str, written: Sequence[tuple[str, str]], width: int) -> Content:
    return prompt_bar.prompt_line(lead, [prompt_bar.Choice("", key, "", label) for key, label in written], width)


def failure(error: Exception, catalogue: Catalogue) -> Content:
    """Return what went wrong, and what to do."""
    if isinstance(error, Problem):
        notice = Notice(error.key, tuple((name, legible(value)) for name, value in error.values.items()))
    else:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else f"{type(error).__name__}: {error}"
        notice = Notice("editor.failed", (("reason", legible(reason)),))
    todo = notice_todo(notice, catalogue)
    what = Content.styled(f"▲ {notice_what(notice, catalogue)}", "bold $error")
    return Content.assemble(what, f"\n  {todo}" if todo else "")


def _whose(opened: Opened, catalogue: Catalogue) -> str:
    if opened.text is None:
        return catalogue.text("editor.by.new")
    by = catalogue.text(f"editor.by.{opened.author or 'unknown'}")
    return f"{by}, {when(opened.time)}" if opened.time else by


def _counted(name: str, count: int, most: int) -> Content:
    return Content.assemble(f"{name} ", (f"{count}/{most}", "bold $error" if count > most else ""))


def _finding(finding: Finding, catalogue: Catalogue) -> Content:
    return Content.assemble(_sign(finding), _told(finding, "message", catalogue))


def _sign(finding: Finding) -> Content:
    """Return how grave it is and in which line, in INDENT cells."""
    line = f"{finding.spot.line:>2} " if finding.length else "   "
    return Content.styled(f"{_SIGNS[finding.severity]} {line}", f"bold {_STYLES[finding.severity]}")


def _told(finding: Finding, part: str, catalogue: Catalogue) -> str:
    key = f"check.{finding.code}.{part}"
    values = {name: legible(value) for name, value in finding.values}
    return catalogue.text(key, **values) if catalogue.has(key) else ""
