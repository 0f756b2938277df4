"""What is drawn: the transcript's entries and the live part below them, as styled lines.

The live part is what a supervisor reads. It can be recognised without knowing a language:

    ────────────────────────   a rule over the whole width, with ↑ where the draft has more rows above
    ▸ draft or placeholder     the mark is bold, a placeholder dim, a long paste italic
      second row of the draft
    ────────────────────────   a rule, with ↓ where there are more rows below
      ? hint                   the mark is ? while the composer is empty, ⏎ otherwise; a popup takes its place

A dialog takes the place of all of it and hides the cursor.
"""

from __future__ import annotations

from dataclasses import dataclass

from agentsup.demo.cells import cut, text_width, wrap
from agentsup.demo.dialogs import Dialog
from agentsup.demo.stage import Stage
from agentsup.demo.styles import Line, Segment, Style, fitted
from agentsup.demo.transcript import Entry, EntryKind

INDENT = 2
MOST_DRAFT_ROWS = 10
OTHER_ROWS = 5
"""Rows of the live part beside the draft: a blank one, what is going on, two rules, the footer."""
MOST_QUEUED = 3
SPINNER = "◐◓◑◒"
TURNS_A_SECOND = 4

_MARKS: dict[EntryKind, tuple[str, Style, Style]] = {
    "banner": ("", "accent", "bold"),
    "user": ("▸", "dim", "plain"),
    "assistant": ("•", "accent", "plain"),
    "tool": ("⎿", "dim", "tool"),
    "note": ("│", "note", "note"),
    "notice": ("", "dim", "dim"),
}
"""The mark of each kind of entry, the mark's style and the text's."""


@dataclass(frozen=True)
class Live:
    """The part below the transcript: lines, and the cursor's (row, column) where it is shown."""

    lines: tuple[Line, ...]
    cursor: tuple[int, int] | None


def entry_lines(entry: Entry, before: Entry | None, cells: int) -> list[Line]:
    """Return an entry's lines, a blank one first where it stands apart from the entry before."""
    mark, mark_style, style = _MARKS[entry.kind]
    lines: list[Line] = []
    if before is not None and not (entry.kind == before.kind == "tool"):
        lines.append(())
    for number, row in enumerate(wrap(entry.text, cells - INDENT)):
        head = mark if number == 0 or entry.kind == "note" else ""
        lines.append((Segment(head.ljust(INDENT), mark_style), Segment(row, style)))
    return lines


def live(stage: Stage, columns: int, rows: int, *, placeholder: str) -> Live:
    """Return the live part for a terminal of this size."""
    lines: list[Line] = [()]
    if stage.activity:
        lines.append(_activity(stage))
    for queued in stage.queue[:MOST_QUEUED]:
        lines.append((Segment("  ↳ ", "dim"), Segment(stage.text("queued", text=" ".join(queued.text.split())), "dim")))
    cursor = None
    if stage.dialog is not None and stage.dialog.drawn:
        lines += _dialog(stage.dialog, columns)
    else:
        box, (row, column) = _composer(stage, columns, rows, placeholder)
        cursor = (len(lines) + row, column)
        lines += box
        lines += _popup(stage) if stage.completion is not None else [_footer(stage, columns)]
    kept = tuple(fitted(line, columns) for line in lines[-rows:])
    if cursor is not None:
        row = cursor[0] - (len(lines) - len(kept))
        cursor = (row, min(cursor[1], columns - 1)) if row >= 0 else None
    return Live(kept, cursor)


def title(stage: Stage) -> str:
    """Return the window's title."""
    place = stage.cwd.rstrip("/").rpartition("/")[2] or "/"
    asking = stage.dialog is not None and stage.dialog.drawn
    mark = "! " if asking else "● " if stage.activity else ""
    return f"{mark}demo · {place}"


def _activity(stage: Stage) -> Line:
    elapsed = stage.agenda.clock.now() - stage.since
    spinner = SPINNER[int(elapsed * TURNS_A_SECOND) % len(SPINNER)]
    return (
        Segment(f"{spinner} {stage.text(stage.activity)}", "activity"),
        Segment(f"  {stage.text('interruptible', seconds=int(elapsed))}", "dim"),
    )


def _composer(stage: Stage, columns: int, rows: int, placeholder: str) -> tuple[list[Line], tuple[int, int]]:
    """Return the composer between its rules, and the cursor's place in it."""
    composer = stage.composer
    composer.cells = max(2, columns - INDENT)
    layout = composer.layout()
    row, column = layout.places[composer.draft.cursor]
    height = max(2, min(MOST_DRAFT_ROWS, rows - OTHER_ROWS))
    first = max(0, row - height + 1)
    shown = layout.rows[first : first + height]
    below = len(layout.rows) - first - len(shown)
    lines: list[Line] = [_rule(columns, f"↑ {first}" if first else "")]
    for number, found in enumerate(shown):
        head = Segment("▸ ", "bold") if number == 0 else Segment("  ")
        lines.append((head, *_draft_segments(found)))
    if composer.is_empty:
        lines[-1] = (Segment("▸ ", "bold"), Segment(cut(placeholder, composer.cells), "dim"))
    lines.append(_rule(columns, f"↓ {below}" if below else ""))
    return lines, (1 + row - first, INDENT + column)


def _draft_segments(row: tuple[tuple[str, bool], ...]) -> list[Segment]:
    segments: list[Segment] = []
    for character, pasted in row:
        style: Style = "pasted" if pasted else "plain"
        if segments and segments[-1].style == style:
            segments[-1] = Segment(segments[-1].text + character, style)
        else:
            segments.append(Segment(character, style))
    return segments


def _rule(columns: int, mark: str) -> Line:
    if not mark or columns < len(mark) + 6:
        return (Segment("─" * columns, "dim"),)
    return (Segment(f"{'─' * (columns - len(mark) - 5)} {mark} ───", "dim"),)


def _footer(stage: Stage, columns: int) -> Line:
    empty = stage.composer.is_empty
    mark, hint = ("?", stage.text("hint-empty")) if empty else ("⏎", stage.text("hint-draft"))
    left = (Segment("  "), Segment(mark, "bold"), Segment(f" {hint}", "dim"))
    right = stage.text("context-left", percent=stage.meter.left)
    used = 2 + text_width(mark) + 1 + text_width(hint)
    if used + text_width(right) + 3 > columns:
        hint = cut(hint, max(0, columns - text_width(right) - 8))
        left = (Segment("  "), Segment(mark, "bold"), Segment(f" {hint}", "dim"))
        used = 2 + text_width(mark) + 1 + text_width(hint)
    gap = columns - used - text_width(right) - 1
    if gap < 1:
        return left
    style: Style = "failed" if stage.meter.left <= 10 else "dim"
    return (*left, Segment(" " * gap), Segment(right, style))


def _popup(stage: Stage) -> list[Line]:
    assert stage.completion is not None
    return [
        (Segment("  "), Segment(choice, "marked" if number == stage.completion.selected else "plain"))
        for number, choice in enumerate(stage.completion.choices)
    ]


def _dialog(dialog: Dialog, columns: int) -> list[Line]:
    lines: list[Line] = [_rule(columns, ""), (Segment("  "), Segment(dialog.title, "bold"))]
    if dialog.detail:
        lines += [(Segment("    "), Segment(row, "tool")) for row in wrap(dialog.detail, columns - 4)]
    lines.append(())
    for number, choice in enumerate(dialog.choices):
        letter = f" ({dialog.letters[number]})" if number < len(dialog.letters) else ""
        text = f"{number + 1}. {choice}{letter}"
        marked = number == dialog.selected
        lines.append((Segment("  "), Segment(f"{'▪' if marked else ' '} {text}", "marked" if marked else "plain")))
    return [*lines, (), (Segment("  "), Segment(dialog.hint, "dim"))]
