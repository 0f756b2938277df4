"""What the review of a project's memory shows, page by page, and the answer that the choices on it add up to.

Pure: the screen beside it only draws rows and moves among them. No row of a foreign text can look like one of ours:
each stands behind a gutter of its own, and none of its characters is left unseen.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.content import Content

from agentsup.core.catalogue import Catalogue
from agentsup.core.text import legible
from agentsup.core.trust.changes import COMPARED_MOST
from agentsup.ui.foreign_text import folded

if TYPE_CHECKING:
    from agentsup.core.trust.model import Rule
    from agentsup.store.trust_review import Answer, FileChange, Review

ROW_MOST = 2000
"""Characters of a row: only what is on the screen is folded, so no row may be long, whatever a project holds."""

NAME_MOST = 300
"""Characters that are shown of an author's name."""

PageName = Literal["run", "rules", "texts", "others"]
ChoiceKind = Literal["run", "rule", "lost", "text", "new", "memory"]


@dataclass(frozen=True)
class Choice:
    """Something to say no or yes to: the file or rule it is about, empty where it is about a whole page."""

    kind: ChoiceKind
    key: str = ""


@dataclass(frozen=True)
class Row:
    """A line of a page, not folded yet; `foreign` ones are not our words. The row of a choice has no text."""

    text: str = ""
    style: str = ""
    choice: Choice | None = None
    foreign: bool = False
    chooses: bool = False
    continued: bool = False
    """Whether it goes on with the line of the row before."""

    def folded(self, width: int) -> Sequence[str]:
        """Return the pieces it takes in `width` cells: our sentences at blanks, foreign text at the edge."""
        if self.foreign:
            return folded(self.text, width)
        return [line.plain for line in Content(self.text).wrap(max(2, width))] or [""]


@dataclass(frozen=True)
class Page:
    """One group of what is asked."""

    name: PageName
    rows: tuple[Row, ...]
    choices: tuple[Choice, ...]
    """All of them are no until the person says yes."""


def pages(review: Review, catalogue: Catalogue) -> tuple[Page, ...]:
    """Return the pages that have something on them."""
    found = (
        _page("run", _run_rows(review, catalogue), catalogue),
        _page("rules", _rules_rows(review, catalogue), catalogue),
        _page("texts", _texts_rows(review, catalogue), catalogue),
        _page("others", _others_rows(review, catalogue), catalogue),
    )
    return tuple(page for page in found if page is not None)


def answer_of(chosen: frozenset[Choice]) -> Answer:
    """Return the answer that says yes to what was chosen, and to nothing else."""
    from agentsup.store.trust_review import Answer

    def keys(*kinds: ChoiceKind) -> tuple[str, ...]:
        return tuple(sorted(choice.key for choice in chosen if choice.kind in kinds))

    return Answer(
        scripts=Choice("run") in chosen,
        contents=keys("text", "new"),
        rules=keys("rule"),
        revoked=keys("lost"),
        memory=Choice("memory") in chosen,
    )


def summary(review: Review, chosen: frozenset[Choice], catalogue: Catalogue) -> str:
    """Return what will be approved, in words; empty where that is nothing."""
    files = [file for file in review.scripts if file.state != "removed"] if Choice("run") in chosen else []
    counts = (
        ("run", sum(_kind(file) == "script" for file in files)),
        ("use", sum(_kind(file) != "script" for file in files)),
        *((kind, sum(choice.kind == kind for choice in chosen)) for kind in ("rule", "text", "new", "lost", "memory")),
    )
    parts = [_counted(f"trust_review.sum.{name}", count, catalogue) for name, count in counts if count]
    if Choice("run") in chosen and not files:
        parts.insert(0, catalogue.text("trust_review.sum.emptied"))
    return catalogue.text("trust_review.sum.and").join(parts)


def state_of(page: Page, chosen: frozenset[Choice], catalogue: Catalogue) -> str:
    """Return what is chosen on a page, in a word."""
    if not page.choices:
        return catalogue.text("trust_review.state.approved")
    if page.choices[0].key == "":
        yes = "yes" if page.choices[0] in chosen else "no"
        return catalogue.text(f"trust_review.{page.choices[0].kind}.{yes}_short")
    return f"{sum(choice in chosen for choice in page.choices)}/{len(page.choices)}"


def label(choice: Choice, yes: bool, catalogue: Catalogue) -> str:
    """Return what no or yes means here."""
    return catalogue.text(f"trust_review.{choice.kind}.{'yes' if yes else 'no'}")


def _page(name: PageName, rows: Iterator[Row], catalogue: Catalogue) -> Page | None:
    all_rows = tuple(rows)
    if not all_rows:
        return None
    choices = tuple(row.choice for row in all_rows if row.chooses and row.choice is not None)
    intro = Row(catalogue.text(f"trust_review.{name}.intro"), choice=choices[0] if choices else None)
    return Page(name, (intro, *all_rows), choices)


def _run_rows(review: Review, catalogue: Catalogue) -> Iterator[Row]:
    choice = None if review.may_run else Choice("run")
    if not review.scripts:
        return
    if choice is None:
        yield Row(catalogue.text("trust_review.run.approved"), "$success")
    else:
        yield Row(choice=choice, chooses=True)
    for file in sorted(review.scripts, key=lambda file: file.state == "same"):
        words = catalogue.text(f"trust_review.change.{file.state}")
        kind = catalogue.text(f"trust_review.kind.{_kind(file)}")
        yield from _heading(f"{words} · {kind}", file.path, choice)
        yield from _file_rows(file, choice, catalogue)


def _kind(file: FileChange) -> Literal["script", "include", "file"]:
    return "include" if file.included else "script" if file.runs else "file"


def _rules_rows(review: Review, catalogue: Catalogue) -> Iterator[Row]:
    for rule in review.rules:
        yield from _rule_rows(rule, Choice("rule", rule.digest), catalogue)
    for rule in review.lost_rules:
        yield from _rule_rows(rule, Choice("lost", rule.digest), catalogue)


def _rule_rows(rule: Rule, choice: Choice, catalogue: Catalogue) -> Iterator[Row]:
    words = catalogue.text(f"trust_review.{choice.kind}.{'rejected' if rule.rejected else 'heading'}")
    yield Row(choice=choice)
    yield Row(f"{words} {legible(rule.id[:NAME_MOST])}".rstrip(), "bold $accent", choice)
    yield Row(choice=choice, chooses=True)
    yield from _text_rows(rule.title, choice, style="bold")
    if rule.reason:
        yield from _text_rows(rule.reason, choice)


def _texts_rows(review: Review, catalogue: Catalogue) -> Iterator[Row]:
    for file in review.contents:
        if file.state != "same":
            choice = Choice("new" if file.state == "new" else "text", file.path)
            yield from _heading(catalogue.text(f"trust_review.change.{file.state}"), file.path, choice)
            yield Row(choice=choice, chooses=True)
            yield from _file_rows(file, choice, catalogue)


def _others_rows(review: Review, catalogue: Catalogue) -> Iterator[Row]:
    if not review.foreign:
        return
    choice = Choice("memory")
    yield Row(choice=choice, chooses=True)
    for path, origin, text in review.foreign:
        yield from _heading(catalogue.text("trust_review.others.file"), path, choice)
        source = (("commit", origin.commit), ("author", origin.author))
        for name, value in source:
            words = catalogue.text(f"trust_review.others.{name}")
            shown = legible(value[:NAME_MOST]) or catalogue.text("trust_review.others.unknown")
            yield Row(f"{words}: {shown}", "$quiet", choice)
        yield from _text_rows(text, choice)


def _heading(words: str, path: str, choice: Choice | None) -> Iterator[Row]:
    """Yield a file's heading: our words first, so that no path can look like them."""
    yield Row(choice=choice)
    yield Row(f"{words} · {legible(path)}", "bold $accent", choice)


def _file_rows(file: FileChange, choice: Choice | None, catalogue: Catalogue) -> Iterator[Row]:
    """Yield the whole text of a file, or where a part of it was approved before, what has changed."""
    if file.state != "changed":
        removed = file.state == "removed"
        text = file.before if removed else file.after
        yield from _text_rows(text, choice, sign="-" if removed else "", style="$error" if removed else "")
        return
    if file.before == file.after:
        yield Row(catalogue.text("trust_review.change.unseen"), "$warning", choice)
        yield from _text_rows(file.after, choice)
        return
    for line in _compared(file.before, file.after):
        style = {"+": "$success", "-": "$error", "@": "$quiet"}.get(line[:1], "")
        yield from _line_rows(line, choice, style)


def _compared(old: str, new: str) -> Iterator[str]:
    end = "\n" if old.endswith("\n") and new.endswith("\n") else ""  # where only one has it, that is a difference
    before, after = old.removesuffix(end).split("\n"), new.removesuffix(end).split("\n")
    if max(len(before), len(after)) > COMPARED_MOST:
        yield from (f"-{line}" for line in before)
        yield from (f"+{line}" for line in after)
        return
    changes = difflib.unified_diff(before, after, lineterm="")
    yield from (line for number, line in enumerate(changes) if number > 1)  # without the names of the files


def _text_rows(text: str, choice: Choice | None, *, sign: str = "", style: str = "") -> Iterator[Row]:
    for line in text.removesuffix("\n").split("\n"):
        yield from _line_rows(sign + line, choice, style)


def _line_rows(line: str, choice: Choice | None, style: str) -> Iterator[Row]:
    shown = legible(line)
    for start in range(0, len(shown) or 1, ROW_MOST):
        yield Row(shown[start : start + ROW_MOST], style, choice, foreign=True, continued=start > 0)


def _counted(key: str, count: int, catalogue: Catalogue) -> str:
    one = f"{key}_one"
    return catalogue.text(one if count == 1 and catalogue.has(one) else key, count=count)
