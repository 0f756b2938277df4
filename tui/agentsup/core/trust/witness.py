"""Judge what has come into a trust record since it was last known to be sound."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from agentsup.core.trust.model import Entry


class Judgement(NamedTuple):
    """What a witness makes of a record."""

    head: str
    """MAC of the last entry that counts as known from now on."""
    doubt: int | None = None
    """The number of the last entry that still counts, where a doubt has to be written; None: all is as it should be."""
    lost: bool = False
    """Whether the record has lost what was known."""
    forged: tuple[str, ...] = ()
    """MACs of new entries that nobody announced, settled or not, and of doubts that no host had a reason for: these
    take back what was known, or what a person announced."""


def judged(entries: Sequence[Entry], macs: Sequence[str], known: str, announced: Collection[str]) -> Judgement:
    """Return how far a record is known, `known` being the MAC of its last known entry (empty: it had none).

    A new entry is as it should be where a person announced it, or where it is a doubt: that only takes away. One that
    is doubted by a later entry is settled. A record that has lost what was known is doubted from its beginning, unless
    a person has begun it anew: all of it is announced. So `announced` must not hold what was known before; the doubts
    that this host itself has written belong to it.
    """
    if known and known not in macs:
        is_settled = entries and entries[-1].verdict == "doubt" and doubted_after(entries[-1]) == 0
        if is_settled or (macs and all(mac in announced for mac in macs)):
            return Judgement(macs[-1], lost=True)
        return Judgement(known, 0, lost=True, forged=_unannounced(entries, macs, announced))
    first = macs.index(known) + 1 if known else 0
    forged = [*_unannounced(entries[first:], macs[first:], announced)]
    held: list[Entry] = []  # what no doubt has taken back yet
    for entry, mac in zip(entries, macs, strict=True):
        if entry.verdict != "doubt":
            held.append(entry)
            continue
        taken = []
        while held and held[-1].number > doubted_after(entry):
            taken.append(held.pop())
        is_told = entry.number <= first or mac in announced
        if not is_told and any(each.number <= first or macs[each.number - 1] in announced for each in taken):
            forged.append(mac)
    for entry in held:
        if entry.number > first and macs[entry.number - 1] not in announced:
            head = macs[entry.number - 2] if entry.number > 1 else ""
            return Judgement(head, entry.number - 1, forged=tuple(forged))
    return Judgement(macs[-1] if macs else "", forged=tuple(forged))


def _unannounced(entries: Sequence[Entry], macs: Sequence[str], announced: Collection[str]) -> tuple[str, ...]:
    new = zip(entries, macs, strict=True)
    return tuple(mac for entry, mac in new if entry.verdict != "doubt" and mac not in announced)


def is_doubted(entries: Sequence[Entry], number: int) -> bool:
    """Say whether a later doubt takes an entry back."""
    return any(each.verdict == "doubt" and doubted_after(each) < number < each.number for each in entries)


def doubted_after(doubt: Entry) -> int:
    """Return the number of the last entry that a doubt leaves alone: 0 where it can't be read."""
    return int(doubt.key) if doubt.key.isascii() and doubt.key.isdigit() else 0
