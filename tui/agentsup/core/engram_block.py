"""Find the engram that an agent has written: the block at the very end of its message.

Agents quote: the file as it was, an example, somebody else's block. What they mean to be kept they say last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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

    It may stand in a fence of its own, if that ends the message. Nothing but its lines may stand below it.
    """
    texts = [_plain(line.text) for line in lines(_HALF.sub("\ufffd", message[-SEARCHED:]))]
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
        return _written(found) if found and len(found) == sum(bool(text.strip()) for text in inner) else None
    below = next((index for index in range(end - 1, -1, -1) if passages[index]), -1)
    return _written(_last_block(texts[below + 1 : end]))


def _plain(line: str) -> str:
    return _MARKED.sub(r"\1\2", line).rstrip()


def _last_block(texts: Sequence[str]) -> list[str]:
    """Return the lines of the block that these lines end with, without blank ones."""
    block: list[str] = []
    for paragraph in reversed(_paragraphs(texts)):
        first = next((index for index, text in enumerate(paragraph) if tag_of(text)), None)
        if first is None or _is_whole(block):
            break
        block = [*paragraph[first:], *block]
        if first:
            break  # what stands above the tag is what the agent says
    return block


def _paragraphs(texts: Sequence[str]) -> list[list[str]]:
    paragraphs: list[list[str]] = [[]]
    for text in texts:
        if text.strip():
            paragraphs[-1].append(text)
        elif paragraphs[-1]:
            paragraphs.append([])
    return [paragraph for paragraph in paragraphs if paragraph]


def _is_whole(block: Sequence[str]) -> bool:
    """Say whether a block has all that one needs, from its task on: what stands above it is of another one."""
    return bool(block) and tag_of(block[0]) == "task" and {tag_of(text) for text in block}.issuperset(REQUIRED)


def _written(block: Sequence[str]) -> str | None:
    tags = {tag for text in block if (tag := tag_of(text))}
    if len(tags) < LEAST_TAGS or (tags.issuperset(REQUIRED) and _goes_on(block)):
        return None
    return "".join(f"{text}\n" for text in block)


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
