"""Write decisions: those that did not change keep their own text, to the byte."""

from __future__ import annotations

from collections.abc import Iterator

from agentsup.core.memory import decision_words as words
from agentsup.core.memory.decision import Decision, Decisions, Written
from agentsup.core.memory.decision_ids import Ids, natural
from agentsup.core.memory.decision_lines import kind
from agentsup.core.memory.decision_lines import lines as lines_of
from agentsup.core.memory.labels import DECISION_LABELS, STATUS_LABELS, STATUS_TAGS, UNTITLED
from agentsup.core.memory.model import Language
from agentsup.core.memory.quoted import quoted


def write_decisions(decisions: Decisions) -> str:
    """Return the file's text: unchanged decisions as they were written, new and changed ones in canonical form."""
    paper = _Paper(decisions)
    others = list(reversed(decisions.others))
    for index, decision in enumerate(decisions.decisions):
        while others and others[-1].before <= index:
            prose = others.pop()
            paper.put(prose.text + prose.blank)
        paper.decision(decision)
    for prose in reversed(others):
        paper.put(prose.text + prose.blank)
    return decisions.opening + "".join(paper.pieces)


class _Paper:
    """The text so far, and what the next piece must know of it."""

    def __init__(self, decisions: Decisions) -> None:
        self.pieces: list[str] = []
        self._language, self._grouped, self._end = decisions.language, decisions.grouped, decisions.line_end
        self._taken = Ids(id for archive in decisions.archives for id in archive.ids)
        self._fresh = form_of(decisions)
        self._mixed = any(each.written and each.written.form == "heading" for each in decisions.decisions)
        self._commented = False
        """Whether a comment may begin that does not end."""

    def put(self, text: str) -> None:
        """Put a text on a line of its own."""
        if self.pieces and not self.pieces[-1].endswith(("\n", "\r")):
            self.pieces.append(self._end)
        if text:
            self.pieces.append(text)
            opened, closed = text.rfind("<!--"), text.rfind("-->")
            self._commented = opened > closed or (self._commented and closed < 0)

    def decision(self, decision: Decision) -> None:
        """Put a decision: as it was, unless it or its id would not be read so."""
        written = decision.written
        if written and written.values == decision.values:
            id = self._taken.take(written.named or natural(decision.title))
            if id == decision.id:
                self.put(written.text + written.blank)
                return
            self._taken.give_back(id)
        form = written or self._fresh
        arrow = "→" if self._in_comment() else "-->"  # what is new must not end a comment
        title = _title(decision.title.replace("-->", arrow), form, self._language)
        lines = list(_lines(decision, form, title, self._language, self._grouped))
        if id := self._named(decision, title):
            lines.append(f"{DECISION_LABELS[self._language]['id']}: {id}")
        if written is None and form.form == "heading" and self.pieces:
            self.put("")
            if lines_of("".join(self.pieces[-2:])).texts[-1].strip():
                self.pieces.append(self._end)
        text = self._end.join([_first(decision, form, title, self._mixed), *_below(lines, decision.others, form)])
        self.put(text.replace("-->", arrow) + ((written and written.blank) or self._end))

    def _in_comment(self) -> bool:
        """Tell whether the end of a comment would hide what stands before it."""
        return self._commented and quoted([*lines_of("".join(self.pieces)).texts, "-->"])[-1] > 0

    def _named(self, decision: Decision, title: str) -> str:
        """Return the id that has to stand in the text, or nothing where the title says it; either is taken."""
        wanted = words.identifier(decision.id)
        said = self._taken.take(natural(title))
        if not wanted or (wanted == said and not (decision.written and decision.written.named)):
            return ""
        self._taken.give_back(said)
        return self._taken.take(wanted)


def form_of(decisions: Decisions) -> Written:
    """Return how a new decision of a file is written: as the last one, in a file of headings at most at level 2."""
    written = [decision.written for decision in decisions.decisions if decision.written]
    headings = [each for each in written if each.form == "heading"]
    if headings or not written:
        return Written("", "", (), "heading", "#" if headings and headings[-1].mark == "#" else "##")
    mark = written[-1].mark
    number = mark.strip(" \t.)、．")
    if number.isdecimal():
        mark = mark.replace(number, str(int(number) + 1))
    return Written("", "", (), "bullet", mark)


def _title(title: str, form: Written, language: Language) -> str:
    """Return a title as it will be read: without marks, and in a list not to be taken for anything else."""
    plain = words.title(title).text or UNTITLED[language]
    if form.form == "bullet" and kind(f"- {plain}")[0] != "bullet":
        return words.title(f"“{plain}”").text
    return plain


def _first(decision: Decision, form: Written, title: str, mixed: bool) -> str:
    """Return a decision's first line; in a file with headings a list item is only one if it has a tag."""
    tag = decision.confidence or STATUS_TAGS[decision.status]
    if form.form == "heading" or (decision.confidence is None and decision.status == "active" and not mixed):
        return f"{form.mark} {title}"
    return f"{form.mark} [{tag}] {title}"


def _lines(decision: Decision, form: Written, title: str, language: Language, grouped: bool) -> Iterator[str]:
    """Yield the keyed lines without the id; those that go on have a deeper indent."""
    labels = DECISION_LABELS[language]
    first, *more = words.reason([decision.reason]).split("\n")
    if kind(first)[0] == "bullet":
        first, more = "", [first, *more]
    yield f"{labels['reason']}: {first}".rstrip()
    yield from (f"  {line}" for line in more)
    by, source = words.one_line(decision.replaced_by), words.one_line(decision.source)
    tag = decision.confidence or decision.unknown_tag
    source = words.unwrapped(source) if tag else words.source(source)
    if by and decision.status != "stale" and not source:
        by, source = "", words.source(by)
    if source or (tag and not (decision.confidence and form.form == "bullet")):
        yield f"{labels['confidence']}: {f'[{tag}] ' if tag else ''}{source}".rstrip()
    if date := words.one_line(decision.date):
        yield f"{labels['date']}: {date}"
    if decision.status != "active" or grouped or decision.confidence == "STALE" or by:
        yield f"{labels['status']}: {STATUS_LABELS[language][decision.status]}"
    if files := words.files(decision.files):
        yield f"{labels['files']}: {', '.join(files)}"
    if by:
        yield f"{labels['by'] if decision.status == 'stale' else 'by'}: {by}"


def _below(lines: list[str], others: tuple[str, ...], form: Written) -> Iterator[str]:
    """Yield the lines below the first one: as a list, in a list as one of its item's own."""
    bullet = form.form == "bullet"
    bare = form.mark.lstrip()
    indent = form.mark[: len(form.mark) - len(bare)] + " " * (len(bare) + 1) if bullet else ""
    for line in lines:
        yield f"{indent}{line}" if line.startswith("  ") else f"{indent}- {line}"
    if others:
        yield ""
    for line, shown in zip(others, quoted(others), strict=True):
        heading = bullet and not shown and kind(indent + line)[0] == "heading"
        yield f"{indent}\\{line.lstrip()}" if heading else f"{indent}{line}" if line else ""
