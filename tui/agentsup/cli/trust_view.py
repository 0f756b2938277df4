"""What a person reads before approving it: whole texts and differences, in which nothing can hide or play our part."""

from __future__ import annotations

import difflib
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import chop_cells

from agentsup.cli.plain_text import one_line
from agentsup.core.catalogue import Catalogue
from agentsup.core.text import legible
from agentsup.core.trust.changes import COMPARED_MOST
from agentsup.core.trust.model import Rule
from agentsup.store.trust_review import FileChange, Review

_CONTEXT = 3
_LEAST_WIDTH = 20


@dataclass(frozen=True)
class Paper:
    """How wide the output is, and what stands before every line that is not ours."""

    width: int
    edge: str = "  │ "

    def quoted(self, text: str) -> Iterator[str]:
        """Yield a foreign text: each line behind the edge, also where it is broken."""
        room = max(_LEAST_WIDTH, self.width - len(self.edge))
        for line in text.split("\n"):
            yield from (f"{self.edge}{piece}" for piece in chop_cells(legible(line), room) or [""])


def paper() -> Paper:
    """Return the paper that the terminal is."""
    width = shutil.get_terminal_size().columns
    is_utf8 = (sys.stdout.encoding or "").lower().startswith("utf")
    return Paper(width) if is_utf8 else Paper(width, "  | ")


def lines(shown: Review, catalogue: Catalogue, paper: Paper) -> Iterator[str]:
    """Yield everything that a person has to know before answering."""
    if shown.problem:
        yield catalogue.text(f"{shown.problem}.what")
        yield catalogue.text(f"{shown.problem}.todo")
    if shown.scripts and shown.may_run:
        yield catalogue.text("allow.may-run", count=str(len(shown.scripts)))
    elif shown.scripts:
        yield from _heading("scripts", len(shown.scripts), catalogue)
        for file in shown.scripts:
            yield from _file(file, catalogue, paper)
    if shown.contents:
        yield from _heading("contents", len(shown.contents), catalogue)
        for file in shown.contents:
            yield from _file(file, catalogue, paper)
    for name, rules in (("rules", shown.rules), ("lost", shown.lost_rules)):
        if rules:
            yield from _heading(name, len(rules), catalogue)
            for rule in rules:
                yield from rule_lines(rule, catalogue, paper)
    if shown.foreign:
        yield from _heading("foreign", len(shown.foreign), catalogue)
        for path, origin, text in shown.foreign:
            commit, author = one_line(origin.commit), one_line(origin.author) or "?"
            key = "allow.from-commit" if commit else "allow.from-nowhere"
            yield catalogue.text(key, path=one_line(path), commit=commit, author=author)
            yield from paper.quoted(_ended(text))


def rule_lines(rule: Rule, catalogue: Catalogue, paper: Paper) -> Iterator[str]:
    """Yield a decision as it would be law."""
    yield catalogue.text("allow.rule-rejected" if rule.rejected else "allow.rule", id=one_line(rule.id))
    yield from paper.quoted(rule.title)
    if rule.reason:
        yield from paper.quoted(rule.reason)


def as_json(shown: Review) -> dict[str, object]:
    """Return the documented object of `--show`."""
    return {
        "root": shown.root, "problem": shown.problem, "open": shown.open, "first": shown.first,
        "may_run": shown.may_run, "scripts": _files(shown.scripts), "contents": _files(shown.contents),
        "rules": _rules(shown.rules), "lost_rules": _rules(shown.lost_rules),
        "foreign": [
            {"path": path, "commit": origin.commit, "author": origin.author, "text": text}
            for path, origin, text in shown.foreign
        ],
    }  # fmt: skip


def _heading(name: str, count: int, catalogue: Catalogue) -> Iterator[str]:
    yield ""
    yield catalogue.text(f"allow.group.{name}", count=str(count))


def _file(file: FileChange, catalogue: Catalogue, paper: Paper) -> Iterator[str]:
    state = catalogue.text(f"allow.state.{file.state}")
    key = "allow.file-read" if file.included else "allow.file-runs" if file.runs else "allow.file"
    yield catalogue.text(key, state=state, path=one_line(file.path))
    if file.state == "changed" and file.before == file.after:
        yield catalogue.text("allow.not-its-text")
    elif file.state == "changed":
        yield from paper.quoted(_difference(file))
    elif file.state == "new":
        yield from paper.quoted(_ended(file.after))


def _difference(file: FileChange) -> str:
    before, after = _rows(file.before), _rows(file.after)
    if max(len(before), len(after)) > COMPARED_MOST:  # it could take minutes
        return "\n".join([*(f"-{line}" for line in before), *(f"+{line}" for line in after)])
    return "\n".join(list(difflib.unified_diff(before, after, n=_CONTEXT, lineterm=""))[2:])


def _rows(text: str) -> list[str]:
    """Return lines that differ where their texts do: a last one without an end says so."""
    rows = re.split("(?<=\n)", text)
    return [row[:-1] if row.endswith("\n") else f"{row}\n\\ No newline at end of file" for row in rows if row]


def _ended(text: str) -> str:
    return text.removesuffix("\n")


def _files(files: Sequence[FileChange]) -> list[dict[str, object]]:
    return [
        {"path": file.path, "state": file.state, "runs": file.runs, "before": file.before, "after": file.after}
        for file in files
    ]


def _rules(rules: Sequence[Rule]) -> list[dict[str, object]]:
    return [
        {
            "id": rule.id, "digest": rule.digest, "title": rule.title, "reason": rule.reason,
            "rejected": rule.rejected,
        }
        for rule in rules
    ]  # fmt: skip
