"""identity.md: what holds for the whole project, one `key: value` a line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from agentsup.core.memory.engram import Other
from agentsup.core.memory.lines import lines
from agentsup.core.memory.model import Spot
from agentsup.core.memory.quoted import quoted

_ENTRY = re.compile(
    r"([ \t]*(?:(?:[-+•*]|\d{1,4}[.)、．])[ \t]+|•)?)(\*\*|`)?"
    r"([^\s:：`*~#>|<\[\]()（）,，;；。!?！？][^\r\n:：`*#>|<,，;；。!?！？]{0,39}?)\s*"
    r"(?(2)(?:\2\s*[:：]|[:：]\2)|[:：])(?!//|\\|:)(.*)",
    re.DOTALL,
)
_MOST_WORDS = 3
"""Words of a key: more are the beginning of a sentence."""


@dataclass(frozen=True)
class Entry:
    """One line; `spot` is where the key begins."""

    key: str
    value: str = ""
    mark: str = ""
    """What stands before the key: nothing, or an indent and a bullet with its space."""
    spot: Spot = field(default=Spot(), compare=False)


@dataclass(frozen=True)
class Identity:
    """The entries as they stand, doubles among them; other lines are kept in their places, blank ones too."""

    entries: tuple[Entry, ...] = ()
    others: tuple[Other, ...] = ()

    def value(self, key: str) -> str:
        """Return the first value of a key, however it is spelt; empty without one."""
        return next((entry.value for entry in self.entries if spelling(entry.key) == spelling(key)), "")


def spelling(key: str) -> str:
    """Return what is the same for `Test command`, `test-command` and `test_command`."""
    return re.sub(r"[\s_-]+", "_", key.strip().casefold())


def read_identity(text: str) -> Identity:
    """Return a file's entries. Never raises."""
    rows = lines(text.lstrip("\ufeff"))
    entries: list[Entry] = []
    others: list[Other] = []
    for (number, line), shown in zip(rows, quoted([row.text for row in rows]), strict=True):
        entry = None if shown else _entry(number, line)
        if entry:
            entries.append(entry)
        else:
            others.append(Other(len(entries), line, Spot(number, len(line) - len(line.lstrip()) + 1)))
    return Identity(tuple(entries), tuple(others))


def _entry(number: int, line: str) -> Entry | None:
    """Return the entry of a line; None of another line."""
    found = _ENTRY.match(line)
    if found is None or len(found[3].split()) > _MOST_WORDS:
        return None
    return Entry(found[3], found[4].strip(), found[1], Spot(number, found.start(3) + 1))


def write_identity(identity: Identity) -> str:
    """Return the canonical form: `key: value`."""
    written: list[str] = []
    others = list(reversed(identity.others))
    for index, entry in enumerate(identity.entries):
        while others and others[-1].before <= index:
            written.append(others.pop().text)
        written.append(f"{entry.mark}{entry.key}: {_one_line(entry.value)}".rstrip())
    written += [other.text for other in reversed(others)]
    return "".join(f"{line}\n" for line in written)


def with_entry(identity: Identity, key: str, value: str) -> Identity:
    """Return the identity with a value: of the first entry of that key, else of a new one at the end.

    ValueError where the key is no short name.
    """
    read = _entry(1, f"{key.strip()}: x")
    if read is None or read != Entry(key.strip(), "x"):
        raise ValueError(key)
    changed = _put(identity, read.key, _one_line(value))
    if read_identity(write_identity(changed)) != changed:  # a comment that was left open would end here
        changed = _put(identity, read.key, _one_line(value).replace("-->", "→"))
    return changed


def _put(identity: Identity, key: str, value: str) -> Identity:
    for index, entry in enumerate(identity.entries):
        if spelling(entry.key) == spelling(key):
            changed = replace(entry, value=value)
            return replace(identity, entries=(*identity.entries[:index], changed, *identity.entries[index + 1 :]))
    mark = identity.entries[-1].mark if identity.entries else ""
    return replace(identity, entries=(*identity.entries, Entry(key, value, mark)))


def _one_line(text: str) -> str:
    return " ".join(part for part in (line.strip() for line in re.split(r"[\r\n]", text)) if part)
