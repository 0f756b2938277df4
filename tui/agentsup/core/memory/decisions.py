"""DECISIONS.md and the other homes of decisions: reading, writing, and the steps that change them."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from agentsup.core.memory import decision_words as words
from agentsup.core.memory.decision import ARCHIVE_LINE, Archived, Decision, Decisions, Prose, Written
from agentsup.core.memory.decision_ids import Ids, natural
from agentsup.core.memory.decision_lines import lines
from agentsup.core.memory.decision_reading import read_decisions
from agentsup.core.memory.decision_writing import form_of, write_decisions
from agentsup.core.memory.labels import (
    ARCHIVED_LABELS,
    DECISION_GROUPS,
    DECISION_TITLE,
    DECISION_TITLES,
    Confidence,
    DecisionStatus,
)
from agentsup.core.memory.quoted import quoted

__all__ = [
    "Archived", "Confidence", "Decision", "DecisionStatus", "Decisions", "Prose", "add", "add_all", "archived", "find",
    "made_stale", "read_decisions", "replaced", "write_decisions",
]  # fmt: skip

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def find(decisions: Decisions, id: str) -> Decision | None:
    """Return the decision of an id, or of the only one that begins so; None without one."""
    exact = [decision for decision in decisions.decisions if decision.id == id]
    found = exact or [decision for decision in decisions.decisions if id and decision.id.startswith(id)]
    return found[0] if len(found) == 1 else None


def add(decisions: Decisions, decision: Decision) -> Decisions:
    """Return the decisions with one more at the end; it gets an id unless it has a free one of its own.

    One that was read from another file keeps its text if that says the same here.
    """
    return _added(decisions, decision, _taken(decisions))


def add_all(decisions: Decisions, more: Sequence[Decision]) -> Decisions:
    """Return the decisions with more at the end, as `add` would add one after the other."""
    if not more:
        return decisions
    taken = _taken(decisions)
    decisions = _added(decisions, more[0], taken)
    # Asking all of them for the form each time would take time in proportion to the square: one tells it.
    written = [each for each in decisions.decisions if each.written]
    headings = [each for each in written if each.written and each.written.form == "heading"]
    like = replace(decisions, decisions=tuple((headings or written)[-1:]))
    found: list[Decision] = []
    for decision in more[1:]:
        found.append(_added(like, decision, taken).decisions[-1])
        if found[-1].written:
            like = replace(like, decisions=(found[-1],))
    return replace(decisions, decisions=(*decisions.decisions, *found))


def _taken(decisions: Decisions) -> Ids:
    archived_ids = [id for archive in decisions.archives for id in archive.ids]
    return Ids([*archived_ids, *(each.id for each in decisions.decisions)])


def _added(decisions: Decisions, decision: Decision, taken: Ids) -> Decisions:
    """Return the decisions with one more, whose id joins the ones that are `taken`."""
    id = taken.take(words.identifier(decision.id) or natural(words.title(decision.title).text))
    form, written = form_of(decisions), decision.written
    if written and (decisions.grouped or written.bound or written.form != form.form or _place(written) != _place(form)):
        written = None
    if written and any(_strays(re.split(r"[\r\n]", written.text), ("```", "~~~", "<!--", "-->"))):
        written = None  # what begins or ends nothing in its own file could here
    begins = _strays(decision.others, ("```", "~~~", "<!--"))
    tame = (f"\\{line.lstrip()}" if stray else line for line, stray in zip(decision.others, begins, strict=True))
    added = replace(decision, id=id, others=tuple(tame), written=written)
    others = _titled(decisions) if form.form == "bullet" else decisions.others
    return replace(decisions, decisions=(*decisions.decisions, added), others=others)


def _strays(texts: Sequence[str], marks: tuple[str, ...]) -> list[bool]:
    """Tell for each line whether it has a mark of a fence or a comment and belongs to none."""
    found = zip(texts, quoted(texts), strict=True)
    return [not shown and any(mark in text for mark in marks) for text, shown in found]


def _place(written: Written) -> str:
    """Return what is the same of decisions side by side: a heading's level, a list item's indent."""
    mark = written.mark
    return mark if written.form == "heading" else mark[: len(mark) - len(mark.lstrip())]


def _titled(decisions: Decisions) -> tuple[Prose, ...]:
    """Return the prose with a title at its end if a list item there would belong to a heading that is none."""
    *others, last = decisions.others or (Prose(-1, ""),)
    if last.before < len(decisions.decisions):
        return decisions.others
    headings = [found[2] for found in map(words.HEADING.match, re.split(r"[\r\n]", last.text)) if found]
    if not headings or words.title(headings[-1]).text.lower() in {*DECISION_TITLES, *DECISION_GROUPS}:
        return decisions.others
    end = decisions.line_end
    title = f"## {DECISION_TITLE[decisions.language]}"
    gap = last.blank if len(last.blank) > len(end) else end * 2
    return (*others, replace(last, text=last.text + gap + title, blank=end * 2))


def replaced(decisions: Decisions, id: str, decision: Decision) -> Decisions:
    """Return the decisions with another in the place of one; KeyError without one of this id."""
    if all(each.id != id for each in decisions.decisions):
        raise KeyError(id)
    changed = tuple(decision if each.id == id else each for each in decisions.decisions)
    return replace(decisions, decisions=changed)


def made_stale(decisions: Decisions, id: str, by: str) -> Decisions:
    """Return the decisions with one overturned; `by` is what replaced it. KeyError without one of this id."""
    found = next((decision for decision in decisions.decisions if decision.id == id), None)
    if found is None:
        raise KeyError(id)
    stale = replace(found, status="stale", confidence="STALE", unknown_tag="", replaced_by=words.one_line(by))
    return replaced(decisions, id, stale)


def archived(
    decisions: Decisions, archive: str = "log/archive/decisions.md", *, keep: int = 20, move: int = 10
) -> tuple[Decisions, tuple[Decision, ...]]:
    """Return the decisions that stay, with an index line that names `archive`, and those that go there.

    While more than `keep` are active, the oldest `move` of them go; HARD ones and rejections never do. The
    caller adds those that go to the archive's own decisions. Done again, it changes nothing.
    """
    count = len(decisions.active)
    movable = _by_age([decision for decision in decisions.active if decision.confidence != "HARD"])
    moved: list[Decision] = []
    while count > keep and movable:
        step, movable = movable[: max(1, move)], movable[max(1, move) :]
        moved += step
        count -= len(step)
    if not moved:
        return decisions, ()
    ids = tuple(decision.id for decision in moved)
    return _firm(_indexed(_without(decisions, frozenset(ids)), archive, ids)), tuple(moved)


def _by_age(decisions: list[Decision]) -> list[Decision]:
    """Return the oldest first: by their dates if all have one, else as they stand; files are appended to."""
    if all(_DATE.match(decision.date) for decision in decisions):
        return sorted(decisions, key=lambda decision: decision.date[:10])
    return decisions


def _without(decisions: Decisions, ids: Set[str]) -> Decisions:
    """Return the decisions without some; what stood between them stays."""
    kept: list[Decision] = []
    others: list[Prose] = []
    waiting = list(reversed(decisions.others))
    end = decisions.line_end

    def prose(index: float) -> None:
        while waiting and waiting[-1].before <= index:
            each = waiting.pop()
            if others and others[-1].before == len(kept):
                above = others.pop()
                each = replace(each, text=above.text + (above.blank or end) + each.text)
            others.append(replace(each, before=len(kept)))

    for index, decision in enumerate(decisions.decisions):
        prose(index)
        if decision.id not in ids:
            kept.append(decision)
        elif kept and decision.written and (not others or others[-1].before < len(kept)):
            kept[-1] = _parted(kept[-1], decision.written)
    prose(len(decisions.decisions))
    return replace(decisions, decisions=tuple(kept), others=tuple(others))


def _firm(decisions: Decisions) -> Decisions:
    """Return decisions that are read again: those that were ones by what stood beside them get keys of their own."""
    none, bound = frozenset[bool](), frozenset({True})
    for renewed in (none, bound, bound | {False}):
        firm = tuple(
            replace(each, written=each.written._replace(values=()))
            if each.written and each.written.bound in renewed
            else each
            for each in decisions.decisions
        )
        changed = replace(decisions, decisions=firm)
        if read_decisions(write_decisions(changed)).decisions == decisions.decisions:
            break
    return changed


def _parted(decision: Decision, gone: Written) -> Decision:
    """Return a decision with the blank lines behind it that stood behind the one that is gone, if those are more."""
    written = decision.written
    if written is None or len(gone.blank) <= len(written.blank):
        return decision
    return replace(decision, written=written._replace(blank=gone.blank))


def _indexed(decisions: Decisions, archive: str, ids: tuple[str, ...]) -> Decisions:
    """Return the decisions with ids in the index line of an archive: one line for each archive."""
    others = list(decisions.others)
    end = decisions.line_end
    for place, prose in enumerate(others):
        pieces = re.split(r"(\r\n|\r|\n)", prose.text)
        for number, piece in enumerate(pieces):
            found = ARCHIVE_LINE.match(piece)
            if found and found[1] == archive:
                pieces[number] = f"{piece.rstrip()}, {', '.join(ids)}"
                others[place] = replace(prose, text="".join(pieces))
                return replace(decisions, others=tuple(others))
    line = f"> {ARCHIVED_LABELS[decisions.language]}: {archive}: {', '.join(ids)}"
    above = sum(prose.before == 0 for prose in others)
    if above == 0:
        return replace(decisions, others=(Prose(0, line, end * 2), *others))
    prose = others[above - 1]
    head, tail = _split(prose, end)
    if tail:
        others[above - 1] = replace(prose, text=f"{head}{line}{end * 2}{tail}")
    else:
        others[above - 1] = replace(prose, text=head + line, blank=end * 2)
    return replace(decisions, others=tuple(others))


def _split(prose: Prose, end: str) -> tuple[str, str]:
    """Return what stands above an index line, with a blank line, and what stands below: the first chapter."""
    rows = lines(prose.text)
    for index, (kind, found) in enumerate(zip(rows.kinds, rows.founds, strict=True)):
        if kind == "heading" and len(found[0]) > 1 and words.title(found[1]).text.lower() not in DECISION_TITLES:
            place = rows.offsets[index]
            parted = index == 0 or rows.kinds[index - 1] == "blank"
            return prose.text[:place] + ("" if parted else end), prose.text[place:]
    blank = prose.blank if not prose.text or len(prose.blank) > len(end) else end * 2
    return prose.text + blank, ""
