"""Find the engram that an agent has written: the block at the very end of its message.

Agents quote: the file as it was, an example, somebody else's block. What they mean to be kept they say last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentsup.core.engram_wrapping import unwrapped
from agentsup.core.memory.engram import REQUIRED, EngramItem, read_engram, tag_of
from agentsup.core.memory.labels import Tag
from agentsup.core.memory.lines import lines, tagged
from agentsup.core.memory.quoted import quoted

SEARCHED = 1 << 16
"""Characters at the end of a message that are looked at."""

LEAST_TAGS = 2
"""Different tags that make a block: a message may end with one for another reason."""

_RULE = re.compile(r"\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,}|={3,})$")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\s*(?:text|txt|plain|plaintext|engram|markdown|md)?\s*$", re.IGNORECASE)
_MARKED = re.compile(
    r"^(\s*(?:[-*•]\s+)?)(?:\*\*|__|`)([\[［【][^\[\]［］【】*_`]{1,40}[\]］】])(?:\*\*|__|`)(?=[\s:：]|$)"
)  # fmt: skip
"""A tag that is set in bold or as code: how some agents write whatever stands in brackets."""

_HALF = re.compile("[\ud800-\udfff]")


def engram_block(message: str) -> str | None:
    """Return the engram at the end of a message, a line each for its lines, right or wrong; None where there is none.

    It may stand in a fence of its own, if that ends the message. Nothing but its lines may stand below it. What was
    wrapped is put together again.
    """
    texts = _texts(message)
    passages = quoted(texts)
    end = len(texts)
    while end and (not texts[end - 1].strip() or _RULE.match(texts[end - 1])):
        end -= 1
    if not end:
        return None
    passage = passages[end - 1]
    if passage:
        start = passages.index(passage)
        inner = texts[start + 1 : end - 1]
        if not _FENCE.match(texts[start]):
            return None
        found = _last_block(inner)
        # What is more than the block is a file that is shown, or a text about it.
        return _written(found) if found and len(found) == sum(map(len, _paragraphs(inner))) else None
    below = next((index for index in range(end - 1, -1, -1) if passages[index]), -1)
    return _written(_last_block(texts[below + 1 : end]))


def block_elsewhere(message: str) -> str | None:
    """Return the last engram of a message that does not end with it, if there is one: a person has to say what it is.

    What is quoted or commented out is none, nor is what stands in a fence for code.
    """
    texts = _texts(message)
    passages = quoted(texts)
    start = end = len(texts)
    while end:
        start = end - 1
        passage = passages[start]
        while start and passages[start - 1] == passage:
            start -= 1
        shown = texts[start:end] if not passage else texts[start + 1 : end - 1] if _FENCE.match(texts[start]) else []
        whole = [text for paragraph in _paragraphs(shown) for text in ("", *paragraph)]
        last = max((index for index, text in enumerate(whole) if tag_of(text)), default=-1)
        if found := _of_tags(_last_block(whole[: last + 1])):
            return found
        end = start
    return None


def _texts(message: str) -> list[str]:
    return [_plain(line.text) for line in lines(_HALF.sub("\ufffd", message[-SEARCHED:]))]


def _plain(line: str) -> str:
    return _MARKED.sub(r"\1\2", line).rstrip()


def _last_block(texts: Sequence[str]) -> list[str]:
    """Return the lines of the block that these lines end with, without blank ones."""
    parts: list[list[str]] = []
    tags: set[Tag | None] = set()
    for paragraph in reversed(_paragraphs(texts)):
        found = [tag_of(text) for text in paragraph]
        first = next((index for index, tag in enumerate(found) if tag), None)
        if first is None:
            break
        parts.append(paragraph[first:])
        tags.update(found)
        if first or (found[0] == "task" and tags.issuperset(REQUIRED)):
            break  # what stands above the tag is what the agent says, and above a whole one stands another
    return [text for part in reversed(parts) for text in part]


def _paragraphs(texts: Sequence[str]) -> list[list[str]]:
    paragraphs: list[list[str]] = [[]]
    for text in texts:
        if text.strip():
            paragraphs[-1].append(text)
        elif paragraphs[-1]:
            paragraphs.append([])
    return [unwrapped(paragraph) for paragraph in paragraphs if paragraph]


def _written(block: Sequence[str]) -> str | None:
    found = _of_tags(block)
    whole = found and {tag_of(text) for text in block}.issuperset(REQUIRED)
    return None if whole and _goes_on(block) else found


def _of_tags(block: Sequence[str]) -> str | None:
    tags = {tag for text in block if (tag := tag_of(text))}
    return "".join(f"{text}\n" for text in block) if len(tags) >= LEAST_TAGS else None


def _goes_on(block: Sequence[str]) -> bool:
    """Say whether the agent says something else below the last item: what is indented still belongs to that one."""
    last = max(index for index, text in enumerate(block) if tag_of(text))
    item, below = tagged(block[last]), block[last + 1 : last + 2]
    return bool(item and item.rest and below) and not below[0][0].isspace() and tagged(below[0]) is None


def is_same(one: str, other: str) -> bool:
    """Say whether two engrams are the same, whatever stands between their lines and how these end."""
    return _content(one) == _content(other)


def _content(text: str) -> list[str]:
    return [line.text.strip() for line in lines(text) if line.text.strip()]


def joined(block: str, most: int) -> str:
    """Return an engram with at most so many items: its files in one, then its oldest progress in one.

    Nothing is left out, and what can't be joined so stays: then it has more.
    """
    engram = read_engram(block)
    if engram.others:
        return block  # a line without a tag belongs to one that has one
    items = _together(engram.items, "files", ", ", len(engram.items) - most)
    items = _together(items, "progress", "; ", len(items) - most)
    if len(items) == len(engram.items):
        return block
    return "".join(f"{line}\n" for line in _rewritten(block, items))


def _together(items: Sequence[EngramItem], tag: Tag, mark: str, too_many: int) -> tuple[EngramItem, ...]:
    """Return the items with the first ones of a tag joined, as few as will do; they stand where the first one did."""
    places = [index for index, item in enumerate(items) if item.tag == tag][: max(0, too_many) + 1]
    if len(places) < 2:
        return tuple(items)
    text = mark.join(items[place].text.rstrip(" .。;；,，") for place in places)
    one = EngramItem(tag, text, items[places[0]].spot)
    return tuple(one if index == places[0] else item for index, item in enumerate(items) if index not in places[1:])


def _rewritten(block: str, items: Sequence[EngramItem]) -> list[str]:
    """Return a line for each item, as it was written where it is one of those that were there."""
    before = {line.number: line.text for line in lines(block)}
    rewritten = []
    for item in items:
        line = before[item.spot.line]
        found = tagged(line)
        assert found is not None
        rewritten.append(line if found.rest == item.text else f"{line[: found.column - 1]}{item.text}")
    return rewritten
