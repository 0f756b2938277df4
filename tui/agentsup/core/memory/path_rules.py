"""Paths as people list them: folders, globs, in backticks or not, with a word of explanation behind."""

from __future__ import annotations

import re
from typing import NamedTuple

from agentsup.core.memory.labels import EVERYTHING, EXCEPT_WORDS

_CODE = re.compile(r"`([^`\n]+)`")
_EXPLANATION = re.compile(r"\s-+\s|[–—]|[:：]\s|：|\s[(（#]|（|\s(?:->|=>|→)\s")
_BETWEEN = re.compile(r"[,，、;；]|\s(?:and|or|和|以及|或|&)\s")
_EXCEPT = re.compile("|".join(rf"\b{word}\b" if word.isascii() else word for word in EXCEPT_WORDS), re.IGNORECASE)
_AROUND = re.compile(r"(.*?)(?:以外|之外|外)(?:的)?(.*)")
_PATH_LIKE = re.compile(r"[/\\.*?]|^[\x21-\x7e]+$")
_PLACE = re.compile(r"[/\\*]|\.\w|^\.")
_STARTS = re.compile(r"\s*(?:`|[\w.@*-]*[/*]|[\w-]+\.\w)")
_IN_PROSE = re.compile(r"(?:^|\s)([\w.@*-]+(?:/[\w.@*-]+)*/|[\w.@*-]+(?:/[\w.@*-]+)+\.\w{1,8})(?=[\s.]|$)")
_LINES = re.compile(r":\d+(?:-\d+)?$")
_WHOLE = frozenset({".", "./", "*", "**", "**/*", "./**"})


class Rule(NamedTuple):
    """A path or pattern, and those below it that are not meant."""

    pattern: str
    exceptions: tuple[str, ...] = ()


def rules_in(text: str) -> tuple[Rule, ...]:
    """Return the paths and patterns that a list item names, as they are written; none where it is prose.

    What stands in backticks before an explanation counts; without backticks, what looks like a path.
    """
    masked = _CODE.sub(lambda found: "x" * len(found[0]), text)
    found = _EXCEPT.search(masked)
    if found is None:
        return tuple(Rule(path) for path in _paths(text))
    said, rest = text[: found.start()], text[found.end() :]
    if not said.strip() and (around := _AROUND.fullmatch(rest)):
        rest, said = around[1], around[2]
    exceptions = _paths(rest)
    paths = _paths(said)
    if not said.strip() or any(word.casefold() in EVERYTHING for word in said.split()):
        paths = paths or ("**",)
    return tuple(Rule(path, exceptions) for path in paths)


def covers(rule: Rule, path: str, root: str = "") -> bool:
    """Say whether a rule is for a path that is `relative` to `root`."""
    return _covers(rule.pattern, path, root) and not any(_covers(each, path, root) for each in rule.exceptions)


def relative(path: str, root: str = "") -> str:
    """Return a path without what leads nowhere (`./`, `a/../`), relative to the absolute folder `root` if inside it."""
    path, root = path.replace("\\", "/"), root.replace("\\", "/").rstrip("/")
    if root and not path.startswith("/"):
        path = f"{root}/{path}"
    absolute = path.startswith("/")
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part == ".." and absolute:
            continue
        elif part not in ("", "."):
            parts.append(part)
    if not absolute:
        return "/".join(parts)
    whole = "/" + "/".join(parts)
    if root and (whole == root or whole.startswith(f"{root}/")):
        return whole[len(root) + 1 :]
    return whole


def _covers(pattern: str, path: str, root: str) -> bool:
    """Say whether a pattern is for a path: for itself, and for everything in a folder of that name.

    A pattern without a slash and with a wildcard (`*.md`) is for names at any depth. An absolute one that is
    not below `root` can also be meant from the root on, as in a .gitignore.
    """
    rule = relative(pattern, root)
    if _is_everything(pattern) or not rule:
        return not path.startswith(("/", "../"))
    rules = [rule.split("/")]
    if "/" not in rule and ("*" in rule or "?" in rule):
        rules.append(["**", rule])
    if rule.startswith("/") and not path.startswith("/"):
        rules = [rule[1:].split("/")]
    steps = path.split("/")
    return any(_matches(each, steps) for each in rules)


def _paths(text: str) -> tuple[str, ...]:
    explained = _EXPLANATION.search(_CODE.sub(lambda found: "x" * len(found[0]), text))
    said = text
    if explained and text[: explained.start()].strip():
        said, rest = text[: explained.start()], text[explained.end() :]
        if explained[0].strip() in (":", "：") and not _PLACE.search(said) and _STARTS.match(rest):
            # `Read-only: vendor/`, and not `vendor/: read-only`.
            said = rest
    code = _CODE.findall(said)
    found = code or [_path_of(part.strip()) for part in _BETWEEN.split(said)]
    return tuple(path for each in found if (path := _LINES.sub("", each.strip())))


def _is_everything(text: str) -> bool:
    return text.strip(" `。") in _WHOLE or text.strip(" `。").casefold() in EVERYTHING


def _path_of(part: str) -> str:
    """Return the path of a piece without backticks; empty where it is prose."""
    bare = part.strip("\"'“”‘’<>").rstrip("。!！?,;")
    bare = bare if "(" in bare or "（" in bare else bare.rstrip(")）")
    bare = bare[:-1] if bare.endswith(".") and not bare.endswith(("/.", "..")) and bare != "." else bare
    if _is_everything(bare):
        return bare
    words = bare.split()
    if len(words) > 1:
        if _PLACE.search(words[0]) or (_PLACE.search(words[-1]) and len(words) == 2):
            return words[0] if _PLACE.search(words[0]) else bare
        found = _IN_PROSE.search(bare)
        return found[1] if found else ""
    return bare if _PATH_LIKE.search(bare) else ""


def _matches(rule: list[str], path: list[str]) -> bool:
    """Say whether the rule's steps match the path, or a folder that it lies in; takes no more than their product."""
    reached = {0}
    for step in rule:
        if step == "**":
            reached = set(range(min(reached), len(path) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(path) and _step_matches(step, path[at])}
        if not reached:
            return False
    return True


def _step_matches(rule: str, name: str) -> bool:
    """Say whether a name matches a rule with * and ?, going back to the last * only."""
    at = in_rule = 0
    star, resumed = -1, 0
    while at < len(name):
        if in_rule < len(rule) and rule[in_rule] == "*":
            star, resumed = in_rule, at
            in_rule += 1
        elif in_rule < len(rule) and rule[in_rule] in ("?", name[at]):
            in_rule += 1
            at += 1
        elif star >= 0:
            in_rule, resumed = star + 1, resumed + 1
            at = resumed
        else:
            return False
    return not rule[in_rule:].strip("*")
