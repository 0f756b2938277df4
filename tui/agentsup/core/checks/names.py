"""Find what a line names: files, functions, endpoints, commands, commits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from agentsup.core.checks.word_lists import Code

Kind = Literal["code", "path", "symbol", "endpoint", "flag", "commit", "quote"]


@dataclass(frozen=True)
class Name:
    """Something named in a text: `text` as written, without backticks; `start` and `end` are offsets."""

    kind: Kind
    text: str
    start: int
    end: int


_PIECE = re.compile(r"`([^`\n]+)`|\"([^\"\n]{1,200})\"|[“《「]([^“《「”》」\n]{1,200})[”》」]|([!#-+\--:<-_a-~]+)")
"""Backticks, quotes, or a run of ASCII without blank, comma, semicolon and double quote."""
_OPEN, _CLOSE = "([{<'*", ")]}>'*.:!?"
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_CALL = re.compile(r"[A-Za-z_~][\w.:]*\w\([^()]*\)\S*")
_SCOPED = re.compile(r"[A-Za-z_]\w*(?:::|->|#)~?[A-Za-z_][\w:>#-]*")
_DOTTED = re.compile(r"[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+")
_SNAKE = re.compile(r"_*[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+_*|__?[A-Za-z]\w+|[A-Za-z]\w+_")
_CAMEL = re.compile(
    r"[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+|[A-Z][A-Z0-9]*[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+|[A-Z]{2,}[a-z]{2,}\w*"
)
_SHORT = re.compile(r"[a-z]{1,3}[A-Z]+s?|[A-Z][a-z][A-Z]|[A-Z]+s|[A-Z]+[a-z]{1,2}")
"""iOS, kHz, GiB, APIs, PhD: capitals inside, and no identifier."""
_FLAG = re.compile(r"--?[A-Za-z][\w-]*(?:=\S*)?")
_DOTFILE = re.compile(r"\.[A-Za-z][\w-]+")
_MANUAL = re.compile(r"[a-z][a-z_-]{2,}\.[1-9]")
"""A page of a manual: `git-log.1`."""
_LINES = re.compile(r"(?::\d+(?:[-–:]\d+)*|#L\d+(?:-L?\d+)?|::.*)$")
_LONGEST = 400
"""Characters of a word that is looked at."""
_DOMAINS = ("com", "org", "net", "io", "cn", "dev", "ai", "edu", "gov")


def named(text: str, code: Code) -> tuple[Name, ...]:
    """Return what a text names, in its order."""
    found: list[Name] = []
    for match in _PIECE.finditer(text):
        if match[1]:
            found.append(Name("code", match[1].strip(), match.start(), match.end()))
        elif match[2] or match[3]:
            found.append(Name("quote", match[2] or match[3], match.start(), match.end()))
        else:
            found += _pieces(match[4], match.start(), code)
    return tuple(found)


def _pieces(run: str, offset: int, code: Code) -> list[Name]:
    """Return what a run of ASCII names: itself without the punctuation around it."""
    if len(run) > _LONGEST:
        return []
    start, end = _bare(run)
    kind = kind_of(run[start:end], code)
    return [Name(kind, run[start:end], offset + start, offset + end)] if kind else []


def _bare(run: str) -> tuple[int, int]:
    """Return where a word begins and ends without the punctuation around it; brackets that belong to it stay."""
    start, end = 0, len(run)
    while start < end and run[start] in _OPEN:
        start += 1
    while end > start and run[end - 1] in _CLOSE:
        closing = run[end - 1]
        if (opening := _PAIRS.get(closing)) and run.count(opening, start, end) >= run.count(closing, start, end):
            break
        end -= 1
    return start, end


def kind_of(piece: str, code: Code) -> Kind | None:
    """Return what a word without blanks names, None where it is a plain word."""
    if len(piece) < 2:
        return None
    if _COMMIT.fullmatch(piece):
        return "commit" if is_commit(piece) else None
    if "://" in piece:
        return "endpoint"
    if "/" in piece and (kind := _with_slash(piece, code)):
        return kind
    if _CALL.fullmatch(piece):
        return "symbol"
    if is_file_name(piece, code):
        return "path"
    if _FLAG.fullmatch(piece):
        return "flag"
    if _SCOPED.fullmatch(piece) or _is_dotted(piece, code):
        return "symbol"
    if _SNAKE.fullmatch(piece) and not piece.replace("_", "").isdigit():
        return "symbol"
    if _CAMEL.fullmatch(piece) and not _SHORT.fullmatch(piece) and piece not in code.brands:
        return "symbol"
    return None


def is_commit(word: str) -> bool:
    """Tell whether hexadecimal digits are a commit and no number or word: a letter and a digit among them."""
    return any(c.isdigit() for c in word) and (any(c.isalpha() for c in word) or len(word) == 40)


def is_file_name(piece: str, code: Code) -> bool:
    """Tell whether a word without a slash is the name of a file, perhaps with lines behind it."""
    bare = _LINES.sub("", piece)
    if bare in code.names or (_DOTFILE.fullmatch(bare) is not None and bare[1:] not in code.extensions):
        return True
    if _MANUAL.fullmatch(bare):
        return True
    stem, dot, ending = bare.rpartition(".")
    return bool(dot and stem) and ending.lower() in code.extensions and bare.lower() not in code.products


def _is_dotted(piece: str, code: Code) -> bool:
    last = piece.rpartition(".")[2]
    return _DOTTED.fullmatch(piece) is not None and piece.lower() not in code.products and last not in _DOMAINS


def _with_slash(piece: str, code: Code) -> Kind | None:
    """Return path or endpoint; None for `and/or`, `HTTP/3`, `9/9`."""
    if not any(c.isalpha() for c in piece):
        return None
    bare = _LINES.sub("", piece)
    segments = [segment for segment in bare.split("/") if segment]
    if not segments:
        return None
    if is_file_name(segments[-1], code):
        return "path"
    if bare.startswith("/"):
        return "endpoint"
    folder = bare.endswith("/") or bare.startswith(("./", "../", "~/", "@")) or segments[0] in code.folders
    if folder or segments[-1] in code.folders or "*" in bare:
        return "path"
    if len(segments) > 2 and all(c.islower() or c in "_-./0123456789{}" for c in bare):
        return "path"
    return "symbol" if "_" in bare or "{" in bare else None


def masked(text: str, names: tuple[Name, ...]) -> str:
    """Return a text with a mark in place of each thing that it names: what is left are words."""
    parts: list[str] = []
    last = 0
    for name in names:
        parts += [text[last : name.start], " \ufffc "]
        last = name.end
    parts.append(text[last:])
    return "".join(parts)


_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\(\))?")
_PLACEHOLDER = re.compile(r"[*?<>{}|$…\[\]]|\.\.\.")


def path_in(piece: str) -> str:
    """Return the path of `path:12-40`; empty where it is a pattern or has a place to fill in."""
    bare = _LINES.sub("", piece).rstrip(":")
    return "" if _PLACEHOLDER.search(bare) or "://" in bare else bare


def symbol_in(piece: str, *, in_backticks: bool = False) -> str:
    """Return the name of a function or class that a word is; empty where it is none, or says where it stands.

    `Order.cancel()` says so; in backticks any identifier is a symbol.
    """
    if "." in piece.rstrip(".") or ":" in piece or "/" in piece or "->" in piece:
        return ""
    if _CALL.fullmatch(piece):
        return piece.partition("(")[0]
    if in_backticks and _IDENTIFIER.fullmatch(piece):
        return piece.partition("(")[0]
    is_symbol = _SNAKE.fullmatch(piece) or (_CAMEL.fullmatch(piece) and not _SHORT.fullmatch(piece))
    return piece if is_symbol and not piece.replace("_", "").isdigit() else ""


def candidates(text: str) -> tuple[list[str], list[str]]:
    """Return what can be a path and what can be a symbol, without any data: more than there is, and nothing less."""
    paths: list[str] = []
    symbols: list[str] = []
    for match in _PIECE.finditer(text):
        written = (match[1] or match[2] or match[3] or match[4] or "")[:400]
        for piece in written.split():
            start, end = _bare(piece)
            bare = piece[start:end]
            if ("/" in bare or "." in bare or bare[:1].isupper()) and (path := path_in(bare)):
                paths.append(path)
            if symbol := symbol_in(bare, in_backticks=bool(match[1])):
                symbols.append(symbol)
    return paths, symbols
