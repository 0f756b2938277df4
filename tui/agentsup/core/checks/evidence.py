"""Tell whether a line shows that something was done: a commit, or a command that was run."""

from __future__ import annotations

import re

from agentsup.core.checks.names import Name
from agentsup.core.checks.word_lists import Code, Words, first_in, has_han, phrase_in, spoken

_ASSIGNED = re.compile(r"[A-Za-z_]\w*=\S*$")
_PROGRAM = re.compile(r"[a-z][a-z0-9_+.-]*$")
_SAID_COMMIT = re.compile(
    r"(?:\b(?:commits?|revision|sha)\b|提交)\s*[:：#]?\s*[`(\[（【]?[0-9a-f]{7,40}(?![0-9A-Za-z])", re.I
)
_RUN_SCRIPT = re.compile(
    r"(?:\b(?:by|with|via|ran|run|running|using)\s+|[用跑]|运行|执行)\s*[\w./-]{1,80}\.(?:sh|bat|ps1)\b"
)
_TOKEN = re.compile(r"[!#-+\--:<-_a-~]+")


def has_evidence(text: str, names: tuple[Name, ...], code: Code, results: tuple[Words, Words]) -> bool:
    """Tell whether a line has a commit's hash or a command; `results` are the words of success, English and Chinese."""
    if any(name.kind == "commit" for name in names) or _SAID_COMMIT.search(text) or _RUN_SCRIPT.search(text):
        return True
    return bool(commands(names, code)) or names_command(text, code, results)


def commands(names: tuple[Name, ...], code: Code) -> tuple[str, ...]:
    """Return what stands in backticks and is a command."""
    return tuple(name.text for name in names if name.kind == "code" and is_command(name.text, code))


def is_command(text: str, code: Code) -> bool:
    """Tell whether what stands in backticks is a command to run, and no identifier or piece of code."""
    words = text.removeprefix("$").split()
    while words and _ASSIGNED.match(words[0]):
        words = words[1:]
    if not words:
        return False
    first, arguments = words[0], words[1:]
    if first in code.commands or first in code.command_words or first.startswith("./"):
        return True
    if first.lower() in code.keywords:
        return False
    if not arguments:
        return first.endswith((".sh", ".bat", ".ps1"))
    return _PROGRAM.match(first) is not None or any(word.startswith("-") for word in arguments) or "/" in first


def names_command(text: str, code: Code, results: tuple[Words, Words]) -> bool:
    """Tell whether a command stands in a line without backticks: a program with arguments, or a checker's result."""
    tokens = [token.lstrip("([").rstrip(")]:.'") for token in _TOKEN.findall(text)]
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        if token.startswith("./") and len(token) > 3:
            return True
        program = token in code.commands
        if not program and token not in code.command_words:
            continue
        if following in code.subcommands or (following.startswith(("-", ":")) and len(following) > 1):
            return True
        if program and ("/" in following or "." in following[1:-1]):
            return True
        if token in code.checkers and _succeeded(text, results):
            return True
    return False


def _succeeded(text: str, results: tuple[Words, Words]) -> bool:
    return bool(phrase_in(spoken(text), results[0])) or (has_han(text) and bool(first_in(text, results[1])))
