"""What a program has shown and was not counted before: a lower bound of it, from the emulated screen.

Programs draw the same text again and again, letter by letter, with spinners, clocks and borders around it. So
a row counts once it has stayed the same for two samples, or has scrolled off; only if no row of the same words
was counted before; and without what is drawn around the text. Where a row grew out of one that was counted,
only what it has more counts. In doubt text is left out: what is found is never more than what was written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentsup.core.screen import Row, WrappedRow

_DRAWN = re.compile("[\u2500-\u259f\u25a0-\u25ff\u2800-\u28ff]")
"""Lines, blocks, squares and the dots that spinners are made of."""

_WORDS = re.compile(r"[\W\d_]+")
"""What does not make one row another: a clock, a percentage and a progress bar are not news."""

_CUT_AT_START, _CUT_AT_END = re.compile(r"^ ?\S{1,16}"), re.compile(r"\S{1,16}$")
"""The part of a word that may go on in another row; tokens further from the cut are those of the whole word."""

SEEN = 1 << 15
"""Rows that are remembered by their hash; one that comes back after more than these counts again."""

NEIGHBOURS = 160
"""Counted rows that another may have grown out of: those last on the screen, of some samples."""

PROBES = 5
"""Words by which it is seen at once that two rows have little in common: there may be many pairs."""


class ShownText:
    """Follows one program's screen."""

    def __init__(self) -> None:
        self._seen: dict[int, None] = {}
        self._before: frozenset[str] = frozenset()
        self._counted: dict[str, frozenset[str]] = {}
        self._plain: dict[Row, str] = {}
        self._scrolled_wrapped = False

    def sample(self, rows: Sequence[Row], cursor: int, *, unread: bool = False) -> str:
        """Return what is new among the rows of the screen, which are looked at about once a second.

        The cursor's row is still being written. `unread`: not all lines above them were read, so that the first
        row may be the rest of one.
        """
        self._plain = {row: self._plain.get(row) or plain(row) for row in rows}
        texts = [self._plain[row] for row in rows]
        stable, self._before = self._before, frozenset(texts)
        for text in texts:
            if (words := self._counted.pop(text, None)) is not None:
                self._counted[text] = words  # the last ones to go are those that are still shown
        new = [
            self._new(text, self._before) if number != cursor and text in stable else ""
            for number, text in enumerate(texts)
        ]
        return _joined(rows, new, continued=unread or self._scrolled_wrapped)

    def scrolled(self, rows: Sequence[Row], *, sampled: int, gap: bool = False) -> str:
        """Return what is new among lines that have scrolled off.

        The first `sampled` of them were on the screen when it was sampled last. `gap`: lines before them were
        left out.
        """
        texts = [plain(row) for row in rows]
        beside = frozenset(texts)
        new = [self._new(text, beside if number < sampled else None) for number, text in enumerate(texts)]
        for text in texts:
            self._counted.pop(text, None)  # nothing grows out of what can't be changed any more
        continued = gap or self._scrolled_wrapped
        self._scrolled_wrapped = bool(rows) and isinstance(rows[-1], WrappedRow)
        return _joined(rows, new, continued=continued)

    def skip(self, rows: Sequence[Row]) -> None:
        """Take what is on the screen for known: another size has broken the lines anew."""
        texts = [plain(row) for row in rows]
        for text in texts:
            self._remember(text, hash(_key(text)))
        self._before = frozenset(texts)
        self._scrolled_wrapped = False

    def know(self, text: str) -> None:
        """Take a text for counted that will be shown: somebody has pasted it."""
        for line in text.splitlines():
            words = " ".join(line.split())
            self._remember(words, hash(_key(words)))

    def _new(self, text: str, beside: frozenset[str] | None) -> str:
        """Return what of a row's text was not counted before, and take it for counted.

        `beside`: the rows that are there with it; None where it can't have grown out of another.
        """
        key = _key(text)
        known = hash(key)
        if not key or known in self._seen:
            return ""
        new = text if beside is None else self._beyond(text, beside)
        self._remember(text, known)
        return new

    def _beyond(self, text: str, beside: frozenset[str]) -> str:
        """Return what a text has more than the counted one that it is most likely to have grown out of."""
        words = text.split()
        own, stripped = set(words), text.strip()
        probes = frozenset(words[:: max(1, len(words) // PROBES)])
        most, nearest = 0, frozenset[str]()
        for other, others in self._counted.items():
            if other in beside:
                continue
            if stripped in other:
                return ""
            if text.startswith(other):
                rest = text[len(other) :]
                return rest if rest.startswith(" ") else _CUT_AT_START.sub("", rest)
            if not others.isdisjoint(probes) and (common := len(own & others)) > most:
                most, nearest = common, others
        if 2 * most < len(own):
            return text
        return " ".join(word for word in words if word not in nearest)

    def _remember(self, text: str, known: int) -> None:
        self._seen[known] = None
        self._counted[text] = frozenset(text.split())
        while len(self._seen) > SEEN:
            del self._seen[next(iter(self._seen))]
        while len(self._counted) > NEIGHBOURS:
            del self._counted[next(iter(self._counted))]


def plain(row: Row) -> str:
    """Return a row's words, without what is drawn around them; behind one blank where something stood before."""
    text = "".join(run.text for run in row)
    words = _DRAWN.sub(" ", text).split()
    while words and not any(map(str.isalnum, words[0])):
        del words[0]
    if not words:
        return ""
    return ("" if text.startswith(words[0]) else " ") + " ".join(words)


def _key(text: str) -> str:
    return _WORDS.sub(" ", text).strip()


def _joined(rows: Sequence[Row], new: Sequence[str], *, continued: bool) -> str:
    """Return the new texts, one a line; rows that are one line are joined, and a word that was cut is left out."""
    found = ""
    for number, text in enumerate(new):
        if not text:
            continue
        before = number > 0 and isinstance(rows[number - 1], WrappedRow)
        if before and new[number - 1]:
            found += " " * rows[number - 1][-1].text.endswith(" ")
        else:
            if before or (number == 0 and continued):
                text = _CUT_AT_START.sub("", text)
            found += "\n" * bool(found)
        found += text
        if isinstance(rows[number], WrappedRow) and not (number + 1 < len(new) and new[number + 1]):
            found = _CUT_AT_END.sub("", found)
    return found
