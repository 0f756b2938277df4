"""What a shell command of the agent's has done with the engram's file: shown it the whole of it, or brought it back.

One that only names the file (`git add`, `ls`, `wc`) has done neither, nor has one of which that can't be told: then a
person's version stands once more than need be. The other way round it would be lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

PLACE = ".agent/engram.md"

_LONGEST = 20_000
"""Characters of a command that are looked at."""

_WHOLE = 100
"""Lines that are sure to be the whole file, also where a person has broken long items into several."""

_MOVES = frozenset({
    "stash", "checkout", "switch", "restore", "reset", "rebase", "merge", "pull", "revert", "cherry-pick", "bisect",
})  # fmt: skip
"""What git is asked for that writes files as they were before."""

_TEXT = re.compile(r"(?<!<)<<-?[ \t]*['\"]?(\w+)")
"""Where a text begins that is given in the command itself, and how it ends: none of its lines is a command."""

_TOKEN = re.compile(
    r"(?P<out>(?:\d|&)?>{1,2}[|&]?)|(?P<word>(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^\s'\"\\;&|<>()])+)"
    r"|(?P<mark><+|[;&|()\n]+)",
    re.DOTALL,
)
_QUOTED = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)", re.DOTALL)


@dataclass
class _Command:
    words: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    piped: bool = False


def is_engram(path: str) -> bool:
    """Say whether a path within the project is that of its engram."""
    return path.removeprefix("./") == PLACE


def may_be_engram(path: str) -> bool:
    """Say whether a path, as an agent writes it, is that of any project's engram."""
    return path == PLACE or path.endswith(f"/{PLACE}")


def shows(command: str, is_it: Callable[[str], bool] = is_engram) -> bool:
    """Say whether the agent has read the whole engram in what a command has put out."""
    if "engram" not in command:
        return False
    return any(not each.piped and not each.outputs and _prints(each.words, is_it) for each in _commands(command))


def moves(command: str) -> bool:
    """Say whether a command has had git write files as they were before."""
    if "git" not in command:
        return False
    return any(each.words[:1] == ["git"] and not _MOVES.isdisjoint(each.words) for each in _commands(command))


def _prints(words: Sequence[str], is_it: Callable[[str], bool]) -> bool:
    if _is_ours(words, "show") or words[-2:] == ["agentsup", "engram"]:
        return True
    if not any(map(is_it, words)):
        return False
    match words[:1]:
        case ["cat" | "bat" | "less" | "more" | "nl"]:
            return True
        case ["head" | "tail"]:
            return any(int(found[1]) >= _WHOLE for word in words if (found := re.fullmatch(r"(?:-n?)?(\d{1,9})", word)))
        case ["sed"]:
            ends = [found[1] for word in words if (found := re.fullmatch(r"1,(\d{1,9}|\$)p", word))]
            return any(end == "$" or int(end) >= _WHOLE for end in ends)
        case _:
            return False


def _is_ours(words: Sequence[str], verb: str) -> bool:
    return any(list(words[at : at + 3]) == ["agentsup", "engram", verb] for at in range(len(words) - 2))


def _commands(command: str) -> Iterator[_Command]:
    """Return the simple commands of one, as far as they can be told."""
    current, target = _Command(), ""
    for token in _TOKEN.finditer(_without_texts(command[:_LONGEST].replace("\\\n", " "))):
        if token.lastgroup == "word":
            word = _QUOTED.sub(lambda found: found[1] or found[2] or found[3] or "", token[0])
            if target:
                if target[0] not in "<2":  # what it reads, and its errors
                    current.outputs.append(word)
                target = ""
            elif current.words or not re.match(r"\w+=", word):
                current.words.append(word)
        elif token.lastgroup == "out" or token[0].startswith("<"):
            target = token[0]
        else:
            current.piped = token[0].startswith("|") and not token[0].startswith("||")
            yield current
            current, target = _Command(), ""
    yield current


def _without_texts(command: str) -> str:
    kept: list[str] = []
    end = ""
    for line in command.split("\n"):
        if end:
            end = "" if line.strip(" \t") == end else end
        else:
            kept.append(line)
            end = found[1] if (found := _TEXT.search(line)) else ""
    return "\n".join(kept)
