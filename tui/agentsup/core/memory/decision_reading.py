"""Read decisions the way people and agents write them: headings or list items, keys or paragraphs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from agentsup.core.memory import decision_words as words
from agentsup.core.memory.decision import Decision, Decisions, Prose, Written
from agentsup.core.memory.decision_body import Body
from agentsup.core.memory.decision_ids import Ids, natural
from agentsup.core.memory.decision_lines import Lines, lines
from agentsup.core.memory.decision_outline import Outline, Part, Role, outline
from agentsup.core.memory.labels import DecisionStatus, label_language
from agentsup.core.memory.model import Language, Spot

_END = re.compile(r"\r\n|\r|\n")
_DATE = re.compile(r"[12]\d{3}[-/.年]\d{1,2}[-/.月]\d{1,2}日?")


def read_decisions(text: str, fallback: Language = "en") -> Decisions:
    """Return a file's decisions; `fallback` is the language of one without labels. Never raises."""
    opening = "\ufeff" if text.startswith("\ufeff") else ""
    body_text = text[len(opening) :]
    rows = lines(body_text)
    found = outline(rows)
    others = _others(body_text, rows, found.parts)
    taken = Ids(id for archive in Decisions(others=others).archives for id in archive.ids)
    decisions: list[Decision] = []
    language: Language | None = None
    for part in found.parts:
        if part.form != "prose":
            body = _body(rows, part, found.roles)
            signs = _signs(rows, part, found, body)
            decisions.append(_decision(body, signs, part.group, _cut(body_text, rows, part), taken))
            language = language or body.language
    ends = _END.search(text)
    return Decisions(
        tuple(decisions),
        others,
        language or _unlabelled(decisions, found, fallback),
        grouped="group" in found.roles.values(),
        opening=opening,
        line_end=ends[0] if ends else "\n",
    )


def _unlabelled(decisions: Sequence[Decision], found: Outline, fallback: Language) -> Language:
    """Return the language of a file without labels: Chinese where the first heading or title is."""
    titles = [section.title.text for section in found.sections.values()][:1] or [each.title for each in decisions[:1]]
    return "zh" if titles and label_language(titles[0]) == "zh" else fallback


def _others(text: str, rows: Lines, parts: Sequence[Part]) -> tuple[Prose, ...]:
    """Return the parts that are no decisions."""
    others: list[Prose] = []
    above = 0
    for part in parts:
        if part.form == "prose":
            others.append(Prose(above, *_cut(text, rows, part)))
        else:
            above += 1
    return tuple(others)


def _cut(text: str, rows: Lines, part: Part) -> tuple[str, str]:
    """Return a part's text, and the end of its last line with the blank ones behind it."""
    end = part.end
    while end > part.start and rows.kinds[end - 1] == "blank":
        end -= 1
    start = rows.offsets[part.start]
    stop = rows.offsets[end - 1] + len(rows.texts[end - 1]) if end > part.start else start
    return text[start:stop], text[stop : rows.offsets[part.end]]


def _body(rows: Lines, part: Part, roles: Mapping[int, Role]) -> Body:
    """Return what the lines below a decision's first one say."""
    body = Body(rows.founds[part.start][2].strip() if part.form == "bullet" else "")
    body.take(rows, part.start + 1, part.end, roles)
    return body


class _Signs(NamedTuple):
    """What the first line of a decision says."""

    title: words.Title
    spot: Spot
    mark: str
    form: Literal["heading", "bullet"]
    bound: bool = False
    reason: str = ""
    source: str = ""


def _signs(rows: Lines, part: Part, outline: Outline, body: Body) -> _Signs:
    first = rows.founds[part.start]
    spot = Spot(part.start + 1, len(rows.texts[part.start]) - len(first[-1]) + 1)
    if part.form != "bullet":
        section = outline.sections[part.start]
        return _Signs(section.title, spot, first[0], "heading", not section.sure)
    signs = _Signs(words.title(body.title), spot, first[0] + first[1], "bullet")
    return signs if body.says("reason") or body.says("confidence") else _split(signs)


def _split(signs: _Signs) -> _Signs:
    """Take a list item's one sentence apart: `Use X because Y (agent)`."""
    signed, source = words.signed(signs.title.text)
    outer = words.title(signed) if source else signs.title
    explained, reason = words.explained(outer.text)
    inner = words.title(explained) if reason else outer
    each = (signs.title, outer, inner)
    title = words.Title(
        inner.text,
        next((title.confidence for title in each if title.confidence), None),
        next((title.status for title in each if title.status), None),
    )
    return signs._replace(title=title, reason=reason, source=words.source(source))


def _decision(body: Body, signs: _Signs, group: DecisionStatus | None, cut: tuple[str, str], taken: Ids) -> Decision:
    """Return a decision; its id joins those taken."""
    title = signs.title
    trust = words.trust(body.last("confidence"))
    confidence = trust.confidence or (None if trust.unknown_tag else title.confidence)
    source = trust.source or signs.source
    said, note, unknown = body.status() if body.says("status") else (None, "", [])
    own = said or title.status or ("stale" if confidence == "STALE" or body.replaced() else None)
    status: DecisionStatus = own or group or "active"
    by, date = body.last("by"), body.last("date")
    if status == "stale" and not by:
        by, note = note, ""
    elif status != "stale" and by and not source:
        by, source = "", words.source(by)
    if note and not date and _DATE.fullmatch(note):
        date, note = note, ""
    reason = [signs.reason, *body.all("reason")] if signs.reason else body.all("reason")
    paragraphs, others = body.rest(any(reason))
    named = words.identifier(body.last("id")) if body.says("id") else ""
    files = words.files(body.all("files")) if body.says("files") else ()
    id = taken.take(named or natural(title.text))
    values = (
        title.text, words.reason([*reason, *paragraphs, note]), confidence, source, date, status, by, files, id,
        trust.unknown_tag, (*unknown, *others),
    )  # fmt: skip
    bound = signs.bound or (own is None and status != "active")
    written = Written(*cut, values, signs.form, signs.mark, named, bound)
    return Decision.read(*values, signs.spot, body.tag_spot or signs.spot, written)
