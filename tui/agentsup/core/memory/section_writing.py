"""Write a file of known sections: one canonical form for the items, everything else as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentsup.core.memory.model import Language
from agentsup.core.memory.section_parts import completed_parts
from agentsup.core.memory.sections import GAP, Kept, Names, Part, Sections, entry, settled
from agentsup.core.memory.updates import Update, new_update, read_update, sayable, write_update


def write_sections(sections: Sections, names: Names) -> str:
    """Return a file's text: a section that it does not have is written only if something is in it."""
    items = _settled(sections, names)
    present = frozenset(name for name, texts in items.items() if texts)
    chunks: list[str] = []
    for part in completed_parts(sections.parts, present, names.order):
        rows = _section(part, items.get(part.name, []), sections.language, names) if part.name else _texts(part.kept)
        if rows:
            chunks.append("\n".join(rows))
    return "\n\n".join(chunks) + "\n" if chunks else ""


def update_of(parts: Sequence[Part]) -> tuple[str, str]:
    """Return when a file says that it was updated, and by whom."""
    updates = _updates(parts)
    at, by = (updates["updated"].at, updates["updated"].by) if "updated" in updates else ("", "")
    return at, by or (updates["updated_by"].by if "updated_by" in updates else "")


def with_update(parts: tuple[Part, ...], language: Language, at: str, by: str) -> tuple[Part, ...]:
    """Return the parts with lines that say so: the file's own, else a new one behind the title.

    What is neither a time nor a label such as session-42 is not written.
    """
    at, by = " ".join(at.split()), " ".join(by.split())
    if update_of(parts) == (at, by) or not sayable(at, by):
        return parts
    updates = _updates(parts)
    said = updates.get("updated")
    own_line = "updated_by" in updates and not (said and said.by)
    rest = "" if own_line else by
    if said is None and (at or rest):
        parts = _with_line(parts, new_update(language, at, rest))
    return _rewritten(parts, at, rest, by)


def _settled(sections: Sections, names: Names) -> dict[str, list[str]]:
    items: dict[str, list[str]] = {name: [] for name in names.order}
    for name in names.order:
        for step in sections.items.get(name, ()):
            section, text = settled(name, step.text, names)
            if text:
                items[section].append(text)
    return items


def _texts(kept: Sequence[Kept]) -> list[str]:
    return [each.text for each in kept]


def _section(part: Part, items: Sequence[str], language: Language, names: Names) -> list[str]:
    rows = [f"## {names.labels[language][part.name]}"]
    if part.spaced and (items or part.kept):
        rows.append("")
    at = 0
    prose_before = False
    for index, text in enumerate(items):
        while at < len(part.kept) and part.kept[at].before <= index:
            rows.append(part.kept[at].text)
            at += 1
            prose_before = False
        is_prose = part.name in names.prose and _reads_as_prose(text)
        if is_prose and prose_before:
            rows.append("")
        rows.append(text if is_prose else f"- {text}")
        prose_before = is_prose
    return rows + _texts(part.kept[at:])


def _reads_as_prose(text: str) -> bool:
    """Say whether a line without a bullet is read as the same item as one with it."""
    if text[0] in "#`~<[" or entry(text).bullet:
        return False
    return not text.startswith(GAP[0]) and read_update(text) is None


def _updates(parts: Sequence[Part]) -> dict[str, Update]:
    """Return the first line of each kind."""
    found: dict[str, Update] = {}
    for kept in (each for part in parts for each in part.kept if each.kind in ("updated", "updated_by")):
        update = read_update(kept.text)
        if update:
            found.setdefault(kept.kind, update)
    return found


def _rewritten(parts: tuple[Part, ...], at: str, rest: str, by: str) -> tuple[Part, ...]:
    """Return the parts with the first line of each kind saying something else."""
    done: set[str] = set()
    written: list[Part] = []
    for part in parts:
        kept: list[Kept] = []
        for each in part.kept:
            update = read_update(each.text) if each.kind in ("updated", "updated_by") else None
            if update and each.kind not in done:
                done.add(each.kind)
                each = replace(each, text=write_update(update, at, rest if each.kind == "updated" else by))
            kept.append(each)
        written.append(replace(part, kept=tuple(kept)))
    return tuple(written)


def _with_line(parts: tuple[Part, ...], line: str) -> tuple[Part, ...]:
    update, blank = Kept(line, "updated"), Kept("")
    if not parts or parts[0].name:
        return (Part("", (update,)), *parts)
    first = parts[0].kept
    if first[0].kind != "heading":
        return (replace(parts[0], kept=(update, blank, *first)), *parts[1:])
    rest = first[1:] if first[1:] and not first[1].text.strip() else (blank, *first[1:]) if first[1:] else ()
    return (replace(parts[0], kept=(first[0], blank, update, *rest)), *parts[1:])
