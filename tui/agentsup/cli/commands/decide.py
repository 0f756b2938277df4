"""`agentsup decide`: write down a decision, or an alternative that was rejected, so that nobody proposes it again.

    agentsup decide TITLE --why R [--rejected] [--confidence hard|soft|tentative] [--evidence E] [--file F]...
                    [--id ID] [--json]

It is added at the end of the project's file of decisions, which is made where there is none; what stands there is
never changed. Decided twice for the same reason is decided once. The confidence of a person's decision is SOFT
without --confidence; an agent's is TENTATIVE, and SOFT only with evidence: a commit that git knows (a hash, or HEAD)
or a command. HARD is a person's alone, who confirms the exact text in the terminal; it is recorded outside of the
repository before the file says so. Past 20 decisions that hold, the oldest 10 move to the archive.

The JSON object:

    id, title, confidence, status      status: active, rejected
    path            the file, relative to the project
    added           false where it stood there already
    created         whether there was no such file before
    archived        how many decisions moved to the archive
    contradicts     id of the decision of the same title and the other status that holds, else empty

Exit 0: it stands there; 1: it could not be written, or HARD was not confirmed; 2: wrong usage; 3: more confidence
than the writer may give.
"""

from __future__ import annotations

import argparse
import re
import sys
from datetime import datetime
from pathlib import Path

from agentsup.cli.author import Author, author
from agentsup.cli.evidence_words import Evidence, evidence
from agentsup.cli.levels import require_evidence
from agentsup.cli.main import report
from agentsup.cli.memory_changes import change_file, given_item, label_language, read_file, told
from agentsup.cli.memory_view import current_root
from agentsup.cli.option_help import option_help
from agentsup.cli.plain_text import one_line
from agentsup.cli.printing import print_json, printing
from agentsup.cli.rule_record import make_law, meant_by
from agentsup.core.memory.decisions import Confidence, Decision, add, read_decisions, write_decisions
from agentsup.core.memory.model import Language
from agentsup.core.problems import Problem, RefusedProblem, UsageProblem
from agentsup.core.text import on_one_line
from agentsup.core.trust.rules import rule_digest
from agentsup.locale import load
from agentsup.store.decoding import decode
from agentsup.store.documents import DECISIONS_MOST
from agentsup.store.evidence import archive
from agentsup.store.placements import find
from agentsup.store.task_choice import tasks

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    said = option_help(parser, "decide")
    parser.add_argument("title", metavar="TITLE", help=said("title"))
    parser.add_argument("--why", metavar="R", required=True, help=said("why"))
    parser.add_argument("--rejected", action="store_true", help=said("rejected"))
    parser.add_argument(
        "--confidence", choices=("hard", "soft", "tentative"), type=str.lower, help=said("confidence")
    )  # fmt: skip
    parser.add_argument("--evidence", metavar="E", default="", help=said("evidence"))
    parser.add_argument("--file", metavar="F", action="append", default=[], help=said("file"))
    parser.add_argument("--id", default="", help=said("id"))
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Write it down; returns the exit code."""
    root = current_root()
    new = _decision(arguments, author(), evidence(root, arguments.evidence))
    place = find(root, "decisions", tasks(root).folder)
    adding = _Adding(new, label_language(arguments.language))
    if new.confidence == "HARD" and not _made_law(root, place.path, adding, arguments.language):
        print(load(arguments.language).text("level.unchanged"), file=sys.stderr)
        return 1
    changed = change_file(root, place.path, adding.change, most=DECISIONS_MOST)
    moved = _archived(root, arguments.language) if adding.added else 0
    catalogue = load(arguments.language)
    with printing(exact=arguments.json):
        if arguments.json:
            print_json({
                "id": adding.decision.id, "title": adding.decision.title, "confidence": adding.decision.trust,
                "status": adding.decision.status, "path": place.path, "added": adding.added,
                "created": changed.created, "archived": moved, "contradicts": adding.contradicts,
            })  # fmt: skip
            return 0
        print(adding.decision.id)
    said = [("write.created", {"path": place.path})] if changed.created else []
    said.append((
        f"decide.{adding.decision.status}" if adding.added else "decide.again",
        {"title": one_line(new.title), "confidence": adding.decision.trust, "path": place.path},
    ))  # fmt: skip
    if adding.contradicts:
        said.append(("decide.contradicts", {"id": adding.contradicts}))
    if moved:
        said.append(("decide.archived", {"count": str(moved)}))
    for key, values in said:
        print(catalogue.text(key, **values), file=sys.stderr)
    return 0


def _made_law(root: Path, path: str, adding: _Adding, language: str) -> bool:
    """Let a person confirm a HARD decision as it will stand in the file, and record it; False for a no."""
    with told(path):
        adding.change(decode(read_file(root, path).data or b""))
    found = adding.decision
    if found.confidence != "HARD":
        raise Problem("decide.not-hard", id=found.id, title=one_line(found.title))
    adding.confirmed = rule_digest(found)
    is_law = any(rule.digest == adding.confirmed for rule in meant_by(root, found))
    return is_law or make_law(root, found, "decide", language=language)


def _archived(root: Path, language: str) -> int:
    """Move old decisions away; returns how many. The new one stands: that this failed is told, and no more."""
    try:
        with told(".agent/log/archive"):
            return archive(root).decisions
    except Problem as problem:
        report(problem, language)
        return 0


class _Adding:
    """Adds a decision to a file's text; `change` may run several times, what it says holds for the last."""

    def __init__(self, decision: Decision, language: Language) -> None:
        self.decision, self._new, self._language = decision, decision, language
        self.added = True
        self.contradicts = ""
        self.confirmed = ""
        """Digest of the HARD decision that a person has confirmed; nothing else is written then."""

    def change(self, text: str) -> str:
        """Return a file's text with the decision at its end; raises UsageProblem where its id is taken."""
        decisions = read_decisions(text, self._language)
        same = [each for each in decisions.decisions if _same(each.title) == _same(self._new.title)]
        self.contradicts = next(
            (each.id for each in same if {each.status, self._new.status} == {"active", "rejected"}), ""
        )
        for each in same:
            if each.status == self._new.status and _same(each.reason) == _same(self._new.reason):
                self.decision, self.added = each, False
                return text
        if self._new.id and any(each.id == self._new.id for each in decisions.decisions):
            raise UsageProblem("decide.id-taken", id=self._new.id)
        self.added = True
        written = write_decisions(add(decisions, self._new))
        self.decision = read_decisions(written, self._language).decisions[-1]
        if self.decision.confidence == "HARD" and self._new.confidence != "HARD":
            # The words of the title or of the reason say so where the file's form has the tag among them.
            raise RefusedProblem("decide.hard")
        if self.confirmed not in ("", rule_digest(self.decision)):
            raise Problem("level.other", title=one_line(self._new.title))
        return written


def _same(text: str) -> str:
    """Return what two texts have in common that say the same."""
    return on_one_line(text).casefold().rstrip(".。 ")


def _decision(arguments: argparse.Namespace, who: Author, proof: Evidence) -> Decision:
    """Return what is to be written; raises UsageProblem, or RefusedProblem for more confidence than is allowed."""
    title, why, id = given_item(arguments.title).lstrip("# "), given_item(arguments.why), given_item(arguments.id)
    if not title or not why:
        raise UsageProblem("decide.empty")
    if id and not _ID.fullmatch(id):
        raise UsageProblem("decide.bad-id", id=one_line(id))
    source = who.source if not proof.words else f"{who.source}; {proof.words}"
    return Decision(
        title, why, _confidence(arguments.confidence, who, proof), source,
        datetime.now().astimezone().date().isoformat(), "rejected" if arguments.rejected else "active",
        files=tuple(filter(None, map(given_item, arguments.file))), id=id,
    )  # fmt: skip


def _confidence(asked: str | None, who: Author, proof: Evidence) -> Confidence:
    if who.kind == "person":
        return "HARD" if asked == "hard" else "TENTATIVE" if asked == "tentative" else "SOFT"
    if asked == "hard":
        raise RefusedProblem("decide.hard")
    if asked != "soft":
        return "TENTATIVE"
    require_evidence(proof)
    return "SOFT"
