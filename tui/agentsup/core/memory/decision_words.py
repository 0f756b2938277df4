"""What the words of a decision's lines say: titles, statuses, tags, reasons. Reading and writing share it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from agentsup.core.memory.decision import ARCHIVE_LINE
from agentsup.core.memory.labels import (
    CONFIDENCE_WORDS,
    DECISION_KEYS,
    SOURCE_WORDS,
    STATUS_WORDS,
    Confidence,
    DecisionStatus,
)


def _either(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_TAGS = frozenset({*CONFIDENCE_WORDS, *STATUS_WORDS})
_LOUD = frozenset(word for word, status in STATUS_WORDS.items() if status != "active") - frozenset(CONFIDENCE_WORDS)
"""Words that are plain even without square brackets: `(soft)` can be part of a title."""

HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|(?<=##)(?=[^#\s])|(?=[\u4e00-\u9fff]))(?=\S)(.+)")
BULLET = re.compile(r"([ \t]*)([-*+•]|\d{1,4}[.)、．])(?:[ \t]+|(?<=[•、]))(?=\S)(.+)")
_KEY = re.compile(
    r"[ \t]*((?:[-+•]\s*|\*\s+|\d{1,4}[.)、．]\s*)?)(\*\*?|__?)?"
    rf"({_either(DECISION_KEYS)})((?(2)(?:\2)?))\s*$",
    re.IGNORECASE,
)
_LINE_MARKS = frozenset("`~<#>-+•*0123456789")
_ENDS = re.compile(r"[\r\n]")
_BETWEEN = re.compile(r"[,，、;；\r\n]")
_AROUND = "`" + "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
_WRAPPED = re.compile(r"[(（]?([^()（）]*)[)）]?")
_WORD = re.compile(r"[\s,，:：;；、]+")
RULE = re.compile(r"\s*([-*_])(?:[ \t]*\1){2,}\s*$")

_TAG = re.compile(r"[*_`]*([\[［【(（])([^\[\]［］【】()（）]{1,24})[\]］】)）][*_`]*\s*[:：]?\s*(?=\S)")
_WORD_BEFORE = re.compile(rf"({_either(_LOUD)})\s*[:：]\s*(?=\S)", re.IGNORECASE)
_OPENING = frozenset("[［【(（*_`")
_BRACKETS_CLOSE = ("]", "］", "】", ")", "）")
_CLOSING = frozenset({*_BRACKETS_CLOSE, "#", "*", ""})
_BOLD = re.compile(r"\*\*([^*]+)\*\*$")

_STATUS = re.compile(
    rf"[\[［【(（*_`~]*\s*({_either(STATUS_WORDS)})(?![A-Za-z])\s*[\]］】)）*_`~]*\s*(.*)", re.IGNORECASE
)
_REPLACED = re.compile(r"(?:被|由)\s*(\S.*?)所?(?:取代|替代|代替)")
_POINTS = re.compile(r"[\s,，:：;；(（—–-]*(?:(?:by|with|in favou?r of|see)\b|由|被|见)?\s*[:：]?\s*", re.IGNORECASE)
_BECAUSE = re.compile(r"[\s,，:：;；(（—–-]*(?:because(?:\s+of)?\b|因为|由于)?\s*[:：]?\s*", re.IGNORECASE)
_SPLIT = re.compile(r"\bbecause(?:\s+of)?\b|因为", re.IGNORECASE)
_BRACKETS = re.compile(r"[*_`]*[\[［【]([^\[\]［］【】]*)[\]］】][*_`]*[\s:：,，—–-]*(.*)")
_BARE = re.compile(rf"({_either(CONFIDENCE_WORDS)})(?:\s*[,，:：(（—–-]+\s*|\s+|$)(.*)", re.IGNORECASE)


class Key(NamedTuple):
    """What stands before a colon that is a key."""

    bullet: str
    label: str
    """Lower case."""
    bold: str
    """The bold mark that is still to be closed behind the colon."""


class Title(NamedTuple):
    """A title without the marks that stood around it."""

    text: str
    confidence: Confidence | None = None
    status: DecisionStatus | None = None


class Trust(NamedTuple):
    """What a confidence line says."""

    confidence: Confidence | None = None
    unknown_tag: str = ""
    source: str = ""


def one_line(text: str) -> str:
    """Return a text without line ends and outer spaces."""
    if "\n" not in text and "\r" not in text:
        return text.strip()
    return " ".join(part for part in (line.strip() for line in _ENDS.split(text)) if part)


def key(text: str) -> tuple[str, str, str] | None:
    """Return bullet, key in lower case and value of a keyed line; the value goes to the line's end."""
    head, colon, value = text.partition(":")
    if "：" in head:
        head, colon, value = text.partition("：")
    found = _key(head) if colon and len(head) < 60 else None
    if found is None:
        return None
    return found.bullet, found.label, (value.removeprefix(found.bold) if found.bold else value).lstrip()


@lru_cache(maxsize=1000)  # most lines begin the same
def _key(text: str) -> Key | None:
    found = _KEY.match(text)
    return Key(found[1], found[3].lower(), "" if found[4] else found[2] or "") if found else None


def title(text: str) -> Title:
    """Return a title as it is meant: `[REJECTED] Use Redis`, `已否决：使用 Redis`, `Use Redis (rejected) ##`."""
    text = one_line(text)
    if text[:1] not in _OPENING and text[-1:] not in _CLOSING and ":" not in text and "：" not in text:
        return Title(text)  # most have no marks
    confidence: Confidence | None = None
    status: DecisionStatus | None = None
    before = ""
    while text != before:
        before, text = text, _plain(text)
        word, text = _marked(text)
        confidence = confidence or CONFIDENCE_WORDS.get(word)
        status = status or (None if word in CONFIDENCE_WORDS else STATUS_WORDS.get(word))
    return Title(text, confidence, status)


def _marked(text: str) -> tuple[str, str]:
    """Return the word that marks a title, lower case, if there is one, and the title without it."""
    if (tag := _TAG.match(text)) and (word := _tag(tag[1], tag[2])):
        return word, text[tag.end() :]
    if before := _WORD_BEFORE.match(text):
        return before[1].lower(), text[before.end() :]
    text = _open(text)
    head, bracket, inner = _behind(text)
    word = _tag(bracket, inner) if head else ""
    return (word, head) if word else ("", text)


def _tag(bracket: str, word: str) -> str:
    """Return the word of a tag in lower case, or nothing if it is none."""
    word = word.strip().lower()
    return word if word in (_LOUD if bracket in "(（" else _TAGS) else ""


def _behind(text: str) -> tuple[str, str, str]:
    """Return what stands before the brackets at a text's end, the opening one, and what stands in them."""
    opening = max(map(text.rfind, "[［【(（")) if text.endswith(_BRACKETS_CLOSE) else -1
    return (text[:opening].rstrip(), text[opening], text[opening + 1 : -1]) if opening > 0 else ("", "", "")


def _plain(text: str) -> str:
    """Return a title without bold marks around the whole."""
    bold = _BOLD.match(text)
    return (bold[1].strip() or text) if bold else text


def _open(text: str) -> str:
    """Return a title without closing #s and a colon at the end."""
    inner = text.rstrip("#")
    if inner[-1:].isspace() and inner.strip():
        text = inner.strip()
    return text.rstrip(":：").rstrip() or text


@lru_cache(maxsize=1000)
def status(text: str) -> tuple[DecisionStatus, str] | None:
    """Return a status and what is said with it: what replaced a stale one, else a reason; None of an unknown one."""
    replaced = _REPLACED.match(text)
    if replaced:
        return "stale", replaced[1].strip()
    found = _STATUS.match(text)
    if found is None:
        return None
    meant = STATUS_WORDS[found[1].lower()]
    rest = found[2]
    skipped = (_POINTS if meant == "stale" else _BECAUSE).match(rest)
    bare = rest[skipped.end() :].strip() if skipped else rest
    opened = skipped is not None and any(bracket in skipped[0] for bracket in "(（")
    return meant, bare.rstrip(")）").strip() if opened else bare


@lru_cache(maxsize=1000)  # most say the same
def trust(text: str) -> Trust:
    """Return what a confidence line says: `[SOFT] agent`, `SOFT (agent)`, `［强制］用户`, or only a source."""
    text = unwrapped(one_line(text))
    while found := _BRACKETS.match(text):
        tag, rest = found[1].strip(), unwrapped(found[2])
        if tag:
            confidence = CONFIDENCE_WORDS.get(tag.lower())
            return Trust(confidence, "" if confidence else tag, rest)
        text = rest
    bare = _BARE.match(text)
    if bare and (not bare[1].islower() or not bare[1].isascii() or not text[bare.end(1) :][:1].isspace()):
        return Trust(CONFIDENCE_WORDS[bare[1].lower()], "", unwrapped(bare[2]))
    return Trust(source=text)


def source(text: str) -> str:
    """Return a source that no reader takes for a tag."""
    found = trust(text)
    while found.confidence or found.unknown_tag:
        found = trust(found.source)
    return found.source


def unwrapped(text: str) -> str:
    """Return a source without brackets around the whole of it, and without what joins it to a tag."""
    before = ""
    while text != before:
        before, text = text, text.strip().lstrip(":：,，—–-")
        inner = _WRAPPED.fullmatch(text)
        text = inner[1] if inner else text
    return text


def signed(text: str) -> tuple[str, str]:
    """Return a list item's text and the source in brackets behind it: `Use X because Y (agent)`."""
    head, bracket, inner = _behind(text.rstrip(".。 "))
    return (head, inner.strip()) if head and bracket in "(（" and is_source(inner) else (text, "")


def explained(text: str) -> tuple[str, str]:
    """Return a list item's title and reason: `Use X because Y`, `使用 X，因为 Y`."""
    if "ecause" not in text and "因为" not in text and "BECAUSE" not in text:
        return text, ""
    for split in _SPLIT.finditer(text):
        head, tail = text[: split.start()].rstrip(",，;； \t"), text[split.end() :].strip()
        if head and tail:
            return head, tail
    return text, ""


def is_source(text: str) -> bool:
    """Tell whether a text begins with the name of a source."""
    return _WORD.split(text.strip().lower(), maxsplit=1)[0] in SOURCE_WORDS


def files(texts: Iterable[str]) -> tuple[str, ...]:
    """Return paths of lists of them."""
    found = [path.strip(_AROUND) for text in texts for path in _BETWEEN.split(text)]
    return tuple([path for path in found if path])


def reason(texts: Iterable[str]) -> str:
    """Return the lines of a reason; one that would be more than text at a line's start joins the line before."""
    lines: list[str] = []
    for text in texts:
        for line in _ENDS.split(text) if "\n" in text or "\r" in text else (text,):
            if bare := line.strip():
                lines.append(bare)
            while len(lines) > 1 and _is_more(lines[-1]):  # joined, it can be more again
                more = lines.pop()
                lines[-1] += f" {more}"
    return "\n".join(lines)


def _is_more(line: str) -> bool:
    if line[0] not in _LINE_MARKS:
        return False
    if line.startswith(("```", "~~~", "<!--")) or HEADING.match(line) or ARCHIVE_LINE.match(line):
        return True
    found = key(line)
    return found is not None and bool(found[0])


def identifier(text: str) -> str:
    """Return an id without what may stand around it."""
    return "-".join(re.sub("[<>]", "", text).split()).strip("`[]\"'")
