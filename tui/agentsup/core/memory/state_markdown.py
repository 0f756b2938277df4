"""STATE.md: five sections with list items, in either language."""

from __future__ import annotations

from agentsup.core.memory.labels import SECTION_KEYS, SECTION_LABELS, SECTIONS, STATE_ORDER
from agentsup.core.memory.model import Language
from agentsup.core.memory.section_reading import read_sections
from agentsup.core.memory.section_writing import update_of, with_update, write_sections
from agentsup.core.memory.sections import Kept, Names, Part, Sections
from agentsup.core.memory.state import TaskState

_NAMES = Names(SECTIONS, {**SECTIONS, **SECTION_KEYS}, STATE_ORDER, SECTION_LABELS)


def read_markdown(text: str, fallback: Language = "en") -> TaskState:
    """Return the state of a STATE.md; `fallback` is the language of one without known names. Never raises.

    `others` are its `Part`s.
    """
    sections = read_sections(text, _NAMES, fallback)
    at, by = update_of(sections.parts)
    items = sections.items
    return TaskState(
        items["scope"], items["completed"], items["in_progress"], items["next"], items["blocked"], items["evidence"],
        updated_at=at, updated_by=by, language=sections.language, others=sections.parts,
    )  # fmt: skip


def write_markdown(state: TaskState) -> str:
    """Return a state's STATE.md: canonical items and headings, everything else as it was read."""
    items = {
        "scope": state.scope, "completed": state.completed, "in_progress": state.in_progress, "next": state.next,
        "blocked": state.blocked, "evidence": state.evidence,
    }  # fmt: skip
    parts = tuple(part for part in state.others if isinstance(part, Part) and (part.name or part.kept))
    parts = with_update(parts, state.language, state.updated_at, state.updated_by)
    return write_sections(Sections(items, parts, state.language), _NAMES)


def unknown_sections(state: TaskState) -> tuple[Kept, ...]:
    """Return the headings of a STATE.md that name no known section, without the file's title."""
    headings = [each for part in state.others if isinstance(part, Part) and not part.name
                for each in part.kept if each.kind == "heading"]  # fmt: skip
    first = next((part for part in state.others if isinstance(part, Part)), None)
    title = first is not None and not first.name and bool(headings) and headings[0] in first.kept
    return tuple(headings[1:] if title and not headings[0].text.startswith("##") else headings)
