"""What holds by a trust record: the last word on each thing counts, but for what a host has doubted."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from agentsup.core.trust.model import Accepted, Approvals, Entry, Rule
from agentsup.core.trust.witness import doubted_after

MISSING = "missing"
"""In place of a hash: it was accepted that there is no such file."""

FOUND = "found"
"""Who has said what nobody said: it was there before the first session."""

HOST = "host"
"""Who says what is left of an entry that a host has doubted."""


def fold(entries: Sequence[Entry], text_of: Callable[[str], str | None]) -> Approvals:
    """Return what the entries of a record approve; `text_of` gives a stored text by its SHA-256.

    What needs a text and has none is not approved.
    """
    held = counted(entries)
    scripts, commit = newest(held, "scripts"), newest(held, "history")
    return Approvals(
        scripts=scripts.sha if scripts else "",
        rules=_rules(held, text_of),
        contents=_contents(held, text_of),
        commit=commit.sha if commit else "",
        answered=any(entry.by not in (FOUND, HOST) for entry in held),
        # Also by entries that were doubted since: else a doubt would make new files as good as accepted ones.
        begun=any(is_of_a_look(entry) for entry in entries),
        seen=next((entry.sha for entry in reversed(held) if _says_what_was_seen(entry)), ""),
    )


def is_of_a_look(entry: Entry) -> bool:
    """Whether an entry shows that what is there was looked at: all but a rule that a person made law."""
    return entry.subject != "rule"


def counted(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the entries without doubts, and in place of those that any of these takes back what is left of them.

    That is a denial of the same thing: nothing older comes back, so who forges an entry or a doubt only ever takes
    away. A doubt counts though another one doubts it.
    """
    kept: list[Entry] = []
    after = entries[-1].number if entries else 0
    for entry in reversed(entries):
        if entry.verdict == "doubt":
            after = min(after, doubted_after(entry))
        else:
            is_doubted = entry.number > after
            kept.append(replace(entry, verdict="deny", sha="", by=HOST, text="") if is_doubted else entry)
    return tuple(reversed(kept))


def _says_what_was_seen(entry: Entry) -> bool:
    """Whether an entry names a commit, or takes back what earlier ones named."""
    return entry.subject == "seen" and (bool(entry.sha) or entry.verdict != "allow")


def witnessed_only(
    entries: Sequence[Entry], macs: Sequence[str], witnessed: Collection[str]
) -> tuple[Entry, ...] | None:
    """Return the entries that a witness stands for: up to the first of these MACs, and those of the MACs after it.

    None where it knows none of the entries: this is not the record that it has seen.
    """
    known = [mac in witnessed for mac in macs]
    if not any(known):
        return None if entries or witnessed else ()
    first = known.index(True)
    return tuple(entry for at, entry in enumerate(entries) if at <= first or known[at])


def newest(entries: Sequence[Entry], subject: str, key: str | None = None) -> Entry | None:
    """Return the last word on something where it is an approval."""
    for entry in reversed(entries):
        if entry.subject == subject and (key is None or entry.key == key):
            return entry if entry.verdict == "allow" else None
    return None


def rule_text(rule: Rule) -> str:
    """Return a rule as its entry keeps it."""
    values = {"title": rule.title, "reason": rule.reason, "rejected": rule.rejected, "id": rule.id}
    return json.dumps(values, ensure_ascii=False)


def _stored_rule(digest: str, text: str | None) -> Rule | None:
    """Return the rule that an entry keeps; None where the text is none."""
    try:
        values = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict):
        return None
    title, reason, id = (values.get(name, "") for name in ("title", "reason", "id"))
    if not (isinstance(title, str) and title and isinstance(reason, str) and isinstance(id, str)):
        return None
    return Rule(digest, title, reason, rejected=values.get("rejected") is True, id=id)


def _rules(entries: Sequence[Entry], text_of: Callable[[str], str | None]) -> tuple[Rule, ...]:
    """Return the rules that hold, in the order in which they were approved."""
    held: dict[str, Entry] = {}
    for entry in entries:
        if entry.subject == "rule":
            held.pop(entry.key, None)
            if entry.verdict == "allow":
                held[entry.key] = entry
    found = (_stored_rule(digest, text_of(entry.text)) for digest, entry in held.items() if entry.text)
    return tuple(rule for rule in found if rule is not None)


def _contents(entries: Sequence[Entry], text_of: Callable[[str], str | None]) -> tuple[Accepted, ...]:
    held = {entry.key: entry if entry.verdict == "allow" else None for entry in entries if entry.subject == "content"}
    found = []
    for path, entry in sorted(held.items()):
        if entry is not None and entry.sha == MISSING:
            found.append(Accepted(path, MISSING, None))
        elif entry is not None and entry.text and (text := text_of(entry.text)) is not None:
            found.append(Accepted(path, entry.sha, text))
    return tuple(found)
