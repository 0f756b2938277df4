"""HARD decisions and the record of what a person has approved: a command that changes the one writes the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agentsup.cli.person import announcer, confirmed, require_believed, require_person
from agentsup.cli.trust_view import paper, rule_lines
from agentsup.core.memory.decisions import Decision
from agentsup.core.text import on_one_line
from agentsup.core.trust.folding import rule_text
from agentsup.core.trust.model import Rule, Verdict
from agentsup.core.trust.rules import rule_digest, rule_of
from agentsup.locale import load
from agentsup.store.trust_record import NewEntry, add, approvals


def meant_by(root: Path, decision: Decision) -> tuple[Rule, ...]:
    """Return the approved rules that a decision of the file may be, whatever the file says of it now."""
    digest, title = rule_digest(decision), _plain(decision.title)
    return tuple(
        rule
        for rule in approvals(root).rules
        if rule.digest == digest or (decision.id and rule.id == decision.id) or _plain(rule.title) == title
    )


def make_law(root: Path, decision: Decision, command: str, *, language: str, instead_of: Sequence[Rule] = ()) -> bool:
    """Let a person confirm the exact text of a HARD decision, and record it; False for a no. Raises RefusedProblem.

    `instead_of` are approved ones that it replaces. Raises Problem where a running session does not believe it.
    """
    how = require_person(command)
    question = "rule.ask-instead" if instead_of else "rule.ask-law"
    if not _asked([rule_of(decision)], question, language):
        return False
    new = [*_entries(instead_of, "deny", how), *_entries([rule_of(decision)], "allow", how)]
    require_believed(root, add(root, new, announce=announcer(root)))
    return True


def end_law(root: Path, rules: Sequence[Rule], command: str, *, language: str) -> bool:
    """Let a person confirm that approved rules hold no longer, and record it; False for a no. Raises RefusedProblem."""
    how = require_person(command)
    if not _asked(rules, "rule.ask-end", language):
        return False
    add(root, _entries(rules, "deny", how), announce=announcer(root))
    return True


def _asked(rules: Sequence[Rule], question: str, language: str) -> bool:
    catalogue = load(language)
    shown = [line for rule in rules for line in rule_lines(rule, catalogue, paper())]
    return confirmed("\n".join([*shown, catalogue.text(question)]))


def _entries(rules: Sequence[Rule], verdict: Verdict, how: str) -> list[NewEntry]:
    return [NewEntry("rule", rule.digest, rule.digest, verdict, how, rule_text(rule)) for rule in rules]


def _plain(title: str) -> str:
    """Return what two titles have in common that say the same."""
    return on_one_line(title).casefold()
