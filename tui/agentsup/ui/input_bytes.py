"""Split what the outer terminal sends into keys, mouse reports, focus reports, pastes and replies.

Pure: bytes in, tokens out; however the stream is cut into reads, the tokens are the same, and joined they
are the stream. Key bytes stay as they came, because the program in the pane must get exactly those.
Deviation from ECMA-48: a string (OSC, DCS, APC) counts as a terminal's reply only if it starts like one,
since ESC ], ESC P and ESC _ are also what Alt with those keys sends.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["text", "key", "mouse", "focus", "paste", "reply"]


class Token(NamedTuple):
    """A piece of input. Pastes and endless replies come in pieces: `first` and `last` say which."""

    kind: Kind
    data: bytes
    first: bool = True
    last: bool = True


ESC = 0x1B
_PASTE_BEGIN, _PASTE_END = b"\x1b[200~", b"\x1b[201~"
_CSI = re.compile(rb"\x1b\[([0-?]*)[ -/]*([@-~])?")
_SS3 = re.compile(rb"\x1bO[0-9;]*([^0-9;\x1b])?")
_STRING_END = re.compile(rb"[\x00-\x06\x08-\x1a\x1c-\x1f]|\x07|\x1b")
_REPLY_STARTS = {ord("]"): b"0123456789", ord("P"): b"0123456789>!", ord("_"): b"G"}
_MOUSE = re.compile(rb"\x1b\[(?:<[\d;]*[Mm]|\d+;\d+;\d+M|M...)", re.DOTALL)
_REPLY = re.compile(rb"\x1b\[(?:[?>=][0-?]*[ -/]*[@-~]|[\d;:]*[tn]|\d+;\d+\$y|201~)")

_LONGEST_SEQUENCE = 256
_LONGEST_HELD = 1 << 16

HOLD_LONE = 0.008
"""Seconds to wait for more after a beginning that a person may have typed (Escape, Alt+[)."""
HOLD_SEQUENCE = 0.1
"""After parameters that no person types: a key or the start of a paste cut in two by the network."""
HOLD_REPLY = 0.5
"""After the beginning of a report: its rest, let through, would be typed into the program."""


class InputBytes:
    """The tokenizer; `feed` it reads, and `flush` it when `hold` seconds have passed without one."""

    def __init__(self) -> None:
        self._held = b""
        self._paste = False
        self._first = True
        self._string = False

    @property
    def hold(self) -> float | None:
        """Seconds to wait before `flush`; None while nothing waits, or while a paste is open."""
        held = self._held
        if self._paste or not (held or self._string):
            return None
        reports = held[:3] in (b"\x1b[<", b"\x1b[?", b"\x1b[M") or (len(held) > 2 and held[1] in _REPLY_STARTS)
        if self._string or reports:
            return HOLD_REPLY
        return HOLD_SEQUENCE if len(held) > 2 else HOLD_LONE

    def feed(self, data: bytes) -> list[Token]:
        """Return the tokens that `data` completes."""
        data, self._held = self._held + data, b""
        tokens: list[Token] = []
        at = 0
        while at < len(data):
            if self._paste:
                length = self._take_paste(data, at, tokens)
            elif self._string:
                length = self._take_string(data, at, tokens)
            elif data[at] != ESC:
                end = data.find(ESC, at)
                length = (len(data) if end < 0 else end) - at
                tokens.append(Token("text", data[at : at + length]))
            else:
                length = self._take_sequence(data, at, tokens)
            if not length:
                self._held = data[at:]
                break
            at += length
        return tokens

    def flush(self) -> list[Token]:
        """Return what is held as keys: nothing more came, so a person typed it."""
        held, self._held = self._held, b""
        if self._paste:
            self._held = held
            return []
        if self._string:
            self._string = False
            return [Token("reply", held, first=False)]
        return [Token("key", held)] if held else []

    def _take_sequence(self, data: bytes, at: int, tokens: list[Token]) -> int:
        length = _measure(data, at)
        if not length:
            length = len(data) - at - data.endswith(b"\x1b")
            if length <= _LONGEST_HELD:
                return 0
            tokens.append(Token("reply", data[at : at + length], last=False))
            self._string = True
            return length
        sequence = data[at : at + length]
        if sequence == _PASTE_BEGIN:
            self._paste = self._first = True
        else:
            tokens.append(Token(_kind(sequence), sequence))
        return length

    def _take_paste(self, data: bytes, at: int, tokens: list[Token]) -> int:
        end = data.find(_PASTE_END, at)
        if end >= 0:
            tokens.append(Token("paste", data[at:end], self._first, True))
            self._paste = False
            return end - at + len(_PASTE_END)
        # The end marker may be cut in two: hold back the longest tail that could begin it.
        tail = next((n for n in range(len(_PASTE_END) - 1, 0, -1) if data.endswith(_PASTE_END[:n], at)), 0)
        length = len(data) - at - tail
        if length:
            tokens.append(Token("paste", data[at : at + length], self._first, False))
            self._first = False
        return length

    def _take_string(self, data: bytes, at: int, tokens: list[Token]) -> int:
        """Go on with a reply too long to hold."""
        end = _string_end(data, at, osc=True)
        if end is None:
            length = len(data) - at - data.endswith(b"\x1b", at)
            if length:
                tokens.append(Token("reply", data[at : at + length], False, False))
            return length
        tokens.append(Token("reply", data[at:end], first=False))
        self._string = False
        # A zero length would read as "wait for more"; the byte that broke the string off is looked at again.
        return end - at or self._take_anew(data, at, tokens)

    def _take_anew(self, data: bytes, at: int, tokens: list[Token]) -> int:
        if data[at] == ESC:
            return self._take_sequence(data, at, tokens)
        tokens.append(Token("text", data[at : at + 1]))
        return 1


def _measure(data: bytes, at: int) -> int:
    """Return the length of the sequence that starts with the ESC at `at`, 0 while it is incomplete."""
    if at + 1 >= len(data):
        return 0
    lead = data[at + 1]
    if lead == ESC:
        return 1
    if lead == ord("["):
        return _measure_csi(data, at)
    if lead == ord("O"):
        return _measured(_SS3, data, at)
    if lead in _REPLY_STARTS:
        if at + 2 >= len(data):
            return 0
        if data[at + 2] not in _REPLY_STARTS[lead]:
            return 2
        end = _string_end(data, at + 2, osc=lead == ord("]"))
        return 0 if end is None else end - at
    return _measure_character(data, at)


def _measure_csi(data: bytes, at: int) -> int:
    if data[at + 2 : at + 3] == b"M":
        return 6 if len(data) >= at + 6 else 0
    return _measured(_CSI, data, at)


def _measured(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    match = pattern.match(data, at)
    assert match is not None
    length = match.end() - at
    if length > _LONGEST_SEQUENCE:
        return _LONGEST_SEQUENCE
    if match[match.lastindex or 0] is None or not match.group(pattern.groups):
        return 0 if match.end() == len(data) else length
    return length


def _measure_character(data: bytes, at: int) -> int:
    """Alt with a character: ESC and one whole UTF-8 character."""
    lead = data[at + 1]
    following = 1 if 0xC2 <= lead < 0xE0 else 2 if 0xE0 <= lead < 0xF0 else 3 if 0xF0 <= lead < 0xF5 else 0
    for index in range(following):
        place = at + 2 + index
        if place >= len(data):
            return 0
        if not 0x80 <= data[place] < 0xC0:
            return place - at
    return 2 + following


def _string_end(data: bytes, at: int, *, osc: bool) -> int | None:
    """Return where a string ends: after BEL (OSC) or ST, before anything no string can hold; None if open."""
    match = _STRING_END.search(data, at)
    if match is None:
        return None
    byte, place = match[0], match.start()
    if byte == b"\x07":
        return place + 1 if osc else place
    if byte == b"\x1b":
        if place + 1 == len(data):
            return None
        return place + 2 if data[place + 1] == ord("\\") else place
    return place


def _kind(sequence: bytes) -> Kind:
    if sequence in (b"\x1b[I", b"\x1b[O"):
        return "focus"
    if _MOUSE.fullmatch(sequence):
        return "mouse"
    if _REPLY.fullmatch(sequence):
        return "reply"
    if len(sequence) > 2 and sequence[1] in _REPLY_STARTS and sequence.endswith((b"\x07", b"\x1b\\")):
        return "reply"
    return "key"
