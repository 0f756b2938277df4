"""Lines with a coloured tag in front: the shape engram and STATE share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.content import Content

LOW = 8
"""Panels lower than this show one line an item, cut with an ellipsis, rather than a few items whole."""


class TaggedLine(NamedTuple):
    """One item: its tag (empty to go on with the one above), the tag's style, its text."""

    tag: str
    style: str
    text: str


def tagged(lines: Sequence[TaggedLine], width: int, height: int) -> Content:
    """Return the lines, text aligned behind the widest tag, wrapped where the height allows."""
    margin = min(max(Content(line.tag).cell_length for line in lines) + 1, max(1, width // 2))
    room = max(2, width - margin)
    wrapped = [Content(line.text).wrap(room) or [Content("")] for line in lines]
    if height < LOW and sum(map(len, wrapped)) > height:
        wrapped = [[Content(line.text).truncate(room, ellipsis=True)] for line in lines]
    drawn: list[Content] = []
    for line, parts in zip(lines, wrapped, strict=True):
        tag = Content(line.tag).truncate(margin - 1, ellipsis=True, pad=True)
        for index, part in enumerate(parts):
            lead = Content(" " * (margin - 1)) if index else tag.stylize(line.style)
            drawn.append(Content.assemble(lead, " ", part))
    return Content("\n").join(drawn)


def hint(text: str) -> Content:
    """Return a quiet line that says what to do where there is nothing to show."""
    return Content.styled(text, "$quiet")
