"""`agentsup promote` and `agentsup demote`: how far a decision of the file is trusted, one tag at a time."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from agentsup.cli.author import Author, author
from agentsup.cli.evidence_words import Evidence
from agentsup.cli.memory_changes import change_file, label_language, read_file, told
from agentsup.cli.plain_text import one_line
from agentsup.cli.printing import print_json, printing
from agentsup.cli.rule_record import end_law, make_law, meant_by
from agentsup.core.memory.decisions import Confidence, Decision, find, read_decisions, replaced, write_decisions
from agentsup.core.memory.model import Language
from agentsup.core.problems import Problem, RefusedProblem, UsageProblem
from agentsup.core.trust.rules import rule_digest
from agentsup.locale import load
from agentsup.store import placements
from agentsup.store.decoding import decode
from agentsup.store.documents import DECISIONS_MOST
from agentsup.store.task_choice import tasks

LEVELS: tuple[Confidence, ...] = ("TENTATIVE", "SOFT", "HARD")
"""From the lowest."""


@dataclass(frozen=True)
class Standing:
    """A decision of the file, and how far it is trusted: HARD only by the record."""

    root: Path
    path: str
    language: Language
    decision: Decision
    law: bool
    """Whether exactly this is approved as HARD."""

    @property
    def level(self) -> int:
        """The place in LEVELS that counts."""
        tag = self.decision.trust
        return LEVELS.index("HARD" if self.law else "TENTATIVE" if tag in ("HARD", "STALE") else tag)


def standing(root: Path, id: str, language: str) -> Standing:
    """Return the decision of an id, or of the only one that begins so; raises Problem."""
    place = placements.find(root, "decisions", tasks(root).folder)
    with told(place.path):
        text = decode(read_file(root, place.path).data or b"")
    labels = label_language(language)
    found = find(read_decisions(text, labels), id.strip())
    if found is None:
        raise Problem("decision.none", id=one_line(id), path=place.path)
    if found.status == "stale":
        raise Problem("level.stale", title=one_line(found.title))
    law = any(rule.digest == rule_digest(found) for rule in meant_by(root, found))
    return Standing(root, place.path, labels, found, law)


def require_right(here: Standing, wanted: Confidence, who: Author, proof: Evidence) -> None:
    """Raise RefusedProblem where an agent may not give a decision this level."""
    if who.kind == "person":
        return
    title = one_line(here.decision.title)
    if wanted == "HARD":
        raise RefusedProblem("level.hard", title=title)
    if here.decision.confidence == "HARD" or meant_by(here.root, here.decision):
        raise RefusedProblem("stale.hard", title=title)
    if wanted == "SOFT" and LEVELS.index(wanted) > here.level:
        require_evidence(proof)


def require_evidence(proof: Evidence) -> None:
    """Raise RefusedProblem unless something proves what an agent calls SOFT."""
    if not proof.words:
        raise RefusedProblem("decide.soft-without-evidence")
    if proof.unknown:
        raise RefusedProblem("decide.soft-unknown-commit", evidence=proof.words)


def move(arguments: argparse.Namespace, here: Standing, wanted: Confidence, *, command: str, proof: Evidence) -> int:
    """Give a decision another level, in the record first where it is HARD; returns the exit code."""
    require_right(here, wanted, author(), proof)
    if not _recorded(here, wanted, command, arguments.language):
        print(load(arguments.language).text("level.unchanged"), file=sys.stderr)
        return 1
    moving = _Moving(here, wanted, proof.words)
    changed = here.decision.confidence != wanted
    if changed:
        change_file(here.root, here.path, moving.change, most=DECISIONS_MOST)
    was = LEVELS[here.level]
    with printing(exact=arguments.json):
        if arguments.json:
            print_json({
                "id": here.decision.id, "title": here.decision.title, "from": was, "to": wanted, "path": here.path,
                "changed": changed or was != wanted,
            })  # fmt: skip
            return 0
    key = "level.done" if changed or was != wanted else "level.already"
    said = load(arguments.language).text(key, title=one_line(here.decision.title), before=was, after=wanted)
    print(said, file=sys.stderr)
    return 0


def _recorded(here: Standing, wanted: Confidence, command: str, language: str) -> bool:
    """Bring the record up to what the file is going to say; False where the person said no."""
    rules = meant_by(here.root, here.decision)
    if wanted == "HARD":
        others = [rule for rule in rules if rule.digest != rule_digest(here.decision)]
        return here.law or make_law(here.root, here.decision, command, language=language, instead_of=others)
    return not rules or end_law(here.root, rules, command, language=language)


def level_of(word: str | None, default: int) -> Confidence:
    """Return the level that was asked for; without a word the one at this place, kept within bounds."""
    if word is not None:
        found: Confidence = next(level for level in LEVELS if level.lower() == word)
        return found
    return LEVELS[max(0, min(default, len(LEVELS) - 1))]


class _Moving:
    """Changes the tag of a decision that still says what it said."""

    def __init__(self, here: Standing, wanted: Confidence, proof: str) -> None:
        self._here, self._wanted, self._proof = here, wanted, proof

    def change(self, text: str) -> str:
        """Return the file's text with another tag; raises Problem where the decision is another one by now."""
        decisions = read_decisions(text, self._here.language)
        before = self._here.decision
        found = find(decisions, before.id)
        if found is None or found.values != before.values:
            raise Problem("level.other", title=one_line(before.title))
        source = "; ".join(filter(None, (found.source, self._proof)))
        after = replace(found, confidence=self._wanted, unknown_tag="", source=source)
        written = write_decisions(replaced(decisions, found.id, after))
        again = find(read_decisions(written, self._here.language), found.id)
        if again is None or again.confidence != self._wanted or rule_digest(again) != rule_digest(found):
            raise UsageProblem("level.unwritable", title=one_line(before.title))
        return written
