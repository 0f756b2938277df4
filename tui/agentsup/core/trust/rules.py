"""Which HARD decisions are law: those that a person has approved, to the letter, whatever the file says of them now."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from agentsup.core.memory.decision import Decision
from agentsup.core.redaction import redacted, redacted_all
from agentsup.core.trust.model import Rule

Standing = Literal["free", "approved", "void", "changed", "lost"]
"""`free`: nothing is claimed. `approved`: law. `void`: claims HARD, and nobody has approved it. `changed`: approved,
and the file says it otherwise or says less of it. `lost`: approved, and no longer in the file."""


class Judged(NamedTuple):
    """A decision as it is to be restored, and why."""

    decision: Decision
    """Of a void one TENTATIVE; of an approved one HARD, its words those that were approved."""
    standing: Standing
    rule: Rule | None = None
    """What was approved; None of what was not."""

    @property
    def is_law(self) -> bool:
        """Whether it is to be obeyed."""
        return self.rule is not None


def rule_digest(decision: Decision) -> str:
    """Return the SHA-256 of what an approval is of: the exact title and reason, and whether it rejects.

    A secret in them is shown to nobody and restored nowhere: the digest is of the texts without it.
    """
    return _digest(decision, redacted(decision.title), redacted(decision.reason))


def rule_of(decision: Decision) -> Rule:
    """Return a decision as the rule that a person would approve."""
    return Rule(
        rule_digest(decision), decision.title, decision.reason, decision.status == "rejected", decision.id
    )  # fmt: skip


def is_claim(decision: Decision) -> bool:
    """Tell whether a decision says of itself that it is HARD; a stale one claims nothing."""
    return decision.confidence == "HARD" and decision.status != "stale"


def judged(decisions: Sequence[Decision], rules: Sequence[Rule]) -> tuple[Judged, ...]:
    """Return a file's decisions as they are to be restored, and the approved ones that it has lost behind them."""
    if not rules:
        return tuple(Judged(_doubtful(each), "void") if is_claim(each) else Judged(each, "free") for each in decisions)
    digests = _digests(decisions)
    approved = {rule.digest: rule for rule in rules}
    held = {
        digest for digest, decision in zip(digests, decisions, strict=True)
        if digest in approved and is_claim(decision)
    }  # fmt: skip
    is_approved = [digest in held and is_claim(each) for digest, each in zip(digests, decisions, strict=True)]
    free = {i: (digests[i], decision) for i, decision in enumerate(decisions) if not is_approved[i]}
    otherwise = _said_otherwise(free, [rule for rule in rules if rule.digest not in held])
    found: list[Judged] = []
    for index, (digest, decision) in enumerate(zip(digests, decisions, strict=True)):
        found += [Judged(_restored(rule, decision), "changed", rule) for rule in otherwise.get(index, ())]
        if index in otherwise:
            continue
        if not is_claim(decision):
            found.append(Judged(decision, "free"))
        elif is_approved[index]:
            found.append(Judged(decision, "approved", approved[digest]))
        else:
            found.append(Judged(_doubtful(decision), "void"))
    told = held | {rule.digest for rules_of_one in otherwise.values() for rule in rules_of_one}
    found += [Judged(_restored(rule), "lost", rule) for rule in rules if rule.digest not in told]
    return tuple(found)


def _digests(decisions: Sequence[Decision]) -> list[str]:
    """Return the digest of each; what looks like a secret is looked for in all of them at once."""
    clean = redacted_all([text for decision in decisions for text in (decision.title, decision.reason)])
    return list(map(_digest, decisions, clean[::2], clean[1::2]))


def _digest(decision: Decision, title: str, reason: str) -> str:
    # JSON keeps the three apart, and has a form of every text, halves of characters included.
    framed = json.dumps([title, reason, decision.status == "rejected"])
    return hashlib.sha256(framed.encode("ascii")).hexdigest()


def _doubtful(decision: Decision) -> Decision:
    """Return a decision that is none yet: quicker than `replace`, for a file may have thousands of them."""
    changed = {**vars(decision), "confidence": "TENTATIVE"}
    return Decision.read(*(changed[name] for name in Decision.__match_args__))


def _said_otherwise(decisions: Mapping[int, tuple[str, Decision]], rules: Sequence[Rule]) -> dict[int, list[Rule]]:
    """Return the rules that the file says otherwise, by the place of the decision that does; one place a rule."""
    if not rules:
        return {}
    by_digest: dict[str, int] = {}
    by_id: dict[str, int] = {}
    by_title: dict[str, int] = {}
    for index, (digest, decision) in decisions.items():
        by_digest.setdefault(digest, index)
        by_id.setdefault(decision.id, index)
        by_title.setdefault(_folded(decision.title), index)
    places: dict[int, list[Rule]] = {}
    for rule in rules:
        found = (by_digest.get(rule.digest), by_id.get(rule.id) if rule.id else None, by_title.get(_folded(rule.title)))
        if (place := next((place for place in found if place is not None), None)) is not None:
            places.setdefault(place, []).append(rule)
    return places


def _restored(rule: Rule, decision: Decision | None = None) -> Decision:
    """Return a rule as a decision, where the file's own stands."""
    status: Literal["active", "rejected"] = "rejected" if rule.rejected else "active"
    made = Decision(rule.title, rule.reason, "HARD", status=status, id=rule.id)
    return replace(made, spot=decision.spot, tag_spot=decision.tag_spot) if decision else made


def _folded(title: str) -> str:
    return " ".join(title.casefold().split())
