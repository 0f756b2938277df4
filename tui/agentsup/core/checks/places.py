"""Tell whether a line says where: a file, a function, an endpoint, a command."""

from __future__ import annotations

import re
from itertools import pairwise

from agentsup.core.checks.evidence import names_command
from agentsup.core.checks.names import Name
from agentsup.core.checks.word_lists import NOTHING, Code, Places, longest_at

_PLACED = frozenset(("code", "path", "symbol", "endpoint"))
_WORD = re.compile(r"[A-Za-z_][\w-]*|[\u3400-\u9fff]+|[^\w\s]")


def has_place(text: str, names: tuple[Name, ...], english: Places, chinese: Places, code: Code) -> bool:
    """Tell whether a line names a place in the code, or a command."""
    if any(name.kind in _PLACED for name in names) or names_command(text, code, (NOTHING, NOTHING)):
        return True
    words = _WORD.findall(text)
    if any(word in code.checkers for word in words):
        return True
    return any(_is_named(before, word, english, chinese) for before, word in pairwise(words))


def _is_named(before: str, word: str, english: Places, chinese: Places) -> bool:
    """Tell whether two words are a name and what it is: "debit method", "method debit", "debit 方法"."""
    if not before[0].isascii() or not before[0].isalpha():
        return False
    if longest_at(word, 0, chinese.kinds):
        return before.lower() not in chinese.not_names
    for kind, name in ((word, before), (before, word)):
        if kind.lower() in english.kinds and name.isascii() and len(name) > 2 and name.lower() not in english.not_names:
            return True
    return False
