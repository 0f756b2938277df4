"""Read a project's memory, and compose what is restored of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from agentsup.core.checks.references import hashes
from agentsup.core.memory.model import Memory
from agentsup.core.redaction import redacted
from agentsup.core.restore.composition import RestoreText, compose_parts, frame_tokens, parts_of
from agentsup.core.restore.cutting import Count
from agentsup.core.restore.frame import SHORT, SHORT_FORMS, Frame, RestoreForm
from agentsup.core.restore.preparation import Prepared, Said, Wanted
from agentsup.core.text import on_one_line, sanitise, starts_plainly
from agentsup.locale import restore_frame
from agentsup.restoring.trust_notices import about_trust
from agentsup.store.git import repository
from agentsup.store.project_memory import read_project
from agentsup.store.templates import FOLDER, approved_templates
from agentsup.store.trust_reading import with_trust
from agentsup.tokens import count

_OVERRIDES = {
    "restore-header.md": "header", "restore-start.md": "start_header", "restore-cold-start.md": "cold_header",
    "restore-legend.md": "legend", "recite.md": "recite", "cold-start.md": "protocol",
}  # fmt: skip
"""Files in .agent/templates/ that stand in place of our own sentences."""

_OVERRIDE_TOKENS = 600
"""Most tokens of a project's own sentence: the facts are what the room is for."""


def prepare(wanted: Wanted) -> Prepared:
    """Return the texts of a project as it is on disk now. What can't be read is said in them, and never raises."""
    root = Path(wanted.root)
    memory = with_trust(root, read_project(root), witnessed=wanted.witnessed, outputs_sha=wanted.outputs_sha)
    facts = repository(root, hashes(memory), (), ())
    frame, notices = frame_of(root, wanted.language, witnessed=wanted.witnessed)
    limit = wanted.budget.limit(wanted.window)
    parts = parts_of(memory, frame, wanted.work, facts, limit=limit)
    remembered = cache(tokens)
    frames = {
        each: _with_room(frame, wanted.language, each, min(limit, SHORT) if each in SHORT_FORMS else limit, remembered)
        for each in wanted.occasions
    }  # fmt: skip
    if not notices and any(used is not frame for used in frames.values()):
        notices = (("template.unusable", (("path", FOLDER),)),)
    texts = tuple(
        compose_parts(parts, wanted.budget, wanted.window, frame=frames[each], count=remembered, occasion=each)
        for each in wanted.occasions
    )
    return Prepared(texts, (*notices, *_about(memory, texts), *about_trust(memory)), memory.trust)


def tokens(text: str) -> int:
    """Return the tokens of a text, guessed where they can't be counted."""
    return count(text).tokens


def frame_of(root: Path, language: str, *, witnessed: Collection[str] | None = None) -> tuple[Frame, tuple[Said, ...]]:
    """Return the sentences for a project, its own ones where they can be used, and a notice of those that can't.

    `witnessed` as in `trust_record.approvals`: what nobody approved is not used, and said elsewhere.
    """
    frame = restore_frame(language)
    templates = approved_templates(root, witnessed=witnessed)
    unusable = []
    for name, field in _OVERRIDES.items():
        own = templates.get(name)
        if own is None:
            continue
        own = redacted(sanitise(own)).strip()
        needs_letter = field.endswith("header")
        missing = "{id}" in getattr(frame, field) and "{id}" not in own.partition("\n")[0]
        if missing or (needs_letter and not starts_plainly(own)) or tokens(own) > _OVERRIDE_TOKENS:
            unusable.append(f"{FOLDER}/{name}")
        else:
            changed: dict[str, Any] = {field: own}
            frame = replace(frame, **changed)
    return frame, (("template.unusable", (("path", ", ".join(unusable)),)),) if unusable else ()


def _with_room(frame: Frame, language: str, occasion: RestoreForm, limit: int, count: Count) -> Frame:
    """Return the sentences, or the shipped ones where a project's own leave less than half of the room to the facts."""
    own = frame_tokens(frame, occasion, count)
    if own <= limit // 2:
        return frame
    shipped = restore_frame(language)
    return frame if own <= frame_tokens(shipped, occasion, count) else shipped


def _about(memory: Memory, texts: tuple[RestoreText, ...]) -> list[Said]:
    """Return what a person should know of memory that is in two places, can't be read, or is too long."""
    said: list[Said] = []
    if memory.doubles:
        names = ", ".join(f"{left} ({used})" for used, left in memory.doubles)
        said.append(("memory.double", (("files", names),)))
    if memory.task_missing:
        values = (("name", memory.task_missing), ("used", memory.task_name))
        said.append(("memory.no-task", tuple((key, on_one_line(value)) for key, value in values)))
    documents = (
        memory.engram, memory.state, memory.task, memory.contract, memory.decisions, memory.identity, memory.handoff,
        memory.questions, memory.conventions, memory.operations, *(unit.document for unit in memory.units),
    )  # fmt: skip
    broken = [f"{d.path}:{d.spot.line}:{d.spot.column}" for d in documents if d.problem and d.text is None]
    if broken:
        said.append(("memory.broken", (("files", ", ".join(broken)),)))
    whole = (text for text in texts if text.occasion not in SHORT_FORMS)  # whatever is missing there is in a file
    squeezed = sorted({unit.name for text in whole for unit in text.units if unit.squeezed})
    if squeezed:
        said.append(("memory.squeezed", (("units", ", ".join(squeezed)),)))
    return said
