"""Read rows out of libghostty as plain values, with few native calls.

A row's cells come in one call, as 64-bit words whose layout the library itself describes. A style is
asked for once per row it stands in; a cluster of several code points and a linked cell are each asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agentsup.core.screen import (
    BLINK,
    BOLD,
    DEFAULT_COLOUR,
    DIM,
    HIDDEN,
    INVERSE,
    ITALIC,
    OVERLINE,
    PLAIN,
    RGB_FLAG,
    STRIKE,
    CellStyle,
    Row,
    Run,
    WrappedRow,
)
from agentsup.terminal.declarations import Binding
from agentsup.terminal.engine import CONTROLS

_MOST_STYLES = 20_000
"""Styles remembered; a picture in true colours would otherwise fill the memory."""

_LONGEST_LINK = 4096
"""A longer target is left out: no browser wants it and every cell would carry it."""

_FLAGS = (
    ("bold", BOLD),
    ("faint", DIM),
    ("italic", ITALIC),
    ("blink", BLINK),
    ("inverse", INVERSE),
    ("invisible", HIDDEN),
    ("strikethrough", STRIKE),
    ("overline", OVERLINE),
)


class _Layout:
    """Where a cell's fields lie in its word: masks in place, and shifts."""

    def __init__(self, lib: Any, description: bytes) -> None:
        bits = json.loads(description)["types"]["GhosttyCell"]["bits"]
        content, kind = bits["content"], bits["content_tag"]
        codepoint = content["arms"]["CODEPOINT"]["bits"]["codepoint"]
        red, green, blue = (content["arms"]["BG_COLOR_RGB"]["bits"][name] for name in "rgb")
        index = content["arms"]["BG_COLOR_PALETTE"]["bits"]["index"]
        base = content["lsb"]
        self.kind = _mask(kind)
        self.cluster = lib.GHOSTTY_CELL_CONTENT_CODEPOINT_GRAPHEME << kind["lsb"]
        self.palette_blank = lib.GHOSTTY_CELL_CONTENT_BG_COLOR_PALETTE << kind["lsb"]
        # Blanks that have only a background are the kinds 2 and 3, so one bit tells them from text.
        self.blank = self.palette_blank & (lib.GHOSTTY_CELL_CONTENT_BG_COLOR_RGB << kind["lsb"])
        self.codepoint_shift = base + codepoint["lsb"]
        self.codepoint = (1 << codepoint["width"]) - 1
        self.index_shift = base + index["lsb"]
        self.colour_shifts = (base + red["lsb"], base + green["lsb"], base + blue["lsb"])
        self.style = _mask(bits["style_id"])
        self.link = _mask(bits["hyperlink"])
        self.wide = _mask(bits["wide"])
        self.tail = lib.GHOSTTY_CELL_WIDE_SPACER_TAIL << bits["wide"]["lsb"]


def _mask(bits: dict[str, int]) -> int:
    return ((1 << bits["width"]) - 1) << bits["lsb"]


class RowReader:
    """Read the rows of one terminal from its render state."""

    def __init__(self, binding: Binding, terminal: Any, iterator: Any, cells: Any) -> None:
        ffi, lib = binding
        self._ffi, self._lib = ffi, lib
        self._terminal = terminal
        self._iterator, self._cells = iterator, cells  # pointers to the handles, as the library fills them
        self._layout = _Layout(lib, ffi.string(lib.ghostty_type_json()))
        self._view = ffi.new("GhosttyCellsView *")
        self._y = ffi.new("uint16_t *")
        self._raw_row = ffi.new("GhosttyRow *")
        self._wrapped = ffi.new("bool *")
        self._style = binding.sized("GhosttyStyle")
        self._style_bytes = ffi.buffer(self._style)
        self._styles: dict[bytes, CellStyle] = {}
        self._row_styles: dict[int, CellStyle] = {}
        self._row = 0
        self._count = ffi.new("uint32_t *")
        self._codepoints = ffi.new("uint32_t[]", 64)
        self._point = ffi.new("GhosttyPointTwin *", {"tag": lib.GHOSTTY_POINT_TAG_VIEWPORT})
        self._reference = binding.sized("GhosttyGridRef")
        self._grid_reference = binding.twin_function(
            "ghostty_terminal_grid_ref",
            "GhosttyResult(*)(GhosttyTerminal, GhosttyPointTwin, GhosttyGridRef *)",
        )
        self._link = ffi.new("uint8_t[]", _LONGEST_LINK)
        self._link_length = ffi.new("size_t *")

    def rows(self, state: Any, *, every: bool) -> Iterator[tuple[int, Row]]:
        """Yield the damaged rows of the render state, or `every` one, with their numbers."""
        lib, handle = self._lib, self._iterator[0]
        lib.ghostty_render_state_get(state, lib.GHOSTTY_RENDER_STATE_DATA_ROW_ITERATOR, self._iterator)
        number = -1
        while True:
            if every:
                number += 1
                if not lib.ghostty_render_state_row_iterator_next(handle):
                    return
            else:
                if not lib.ghostty_render_state_row_iterator_next_dirty(handle, self._y):
                    return
                number = self._y[0]
            yield number, self._read(number)

    def some(self, state: Any, numbers: range) -> list[Row]:
        """Return rows of the render state that follow each other."""
        lib, handle = self._lib, self._iterator[0]
        lib.ghostty_render_state_get(state, lib.GHOSTTY_RENDER_STATE_DATA_ROW_ITERATOR, self._iterator)
        rows: list[Row] = []
        for number in range(numbers.stop):
            if not lib.ghostty_render_state_row_iterator_next(handle):
                break
            if number >= numbers.start:
                rows.append(self._read(number))
        return rows

    def _read(self, number: int) -> Row:
        runs = self._read_runs(number)
        lib, row = self._lib, self._raw_row
        lib.ghostty_render_state_row_get(self._iterator[0], lib.GHOSTTY_RENDER_STATE_ROW_DATA_RAW, row)
        lib.ghostty_row_get(row[0], lib.GHOSTTY_ROW_DATA_WRAP, self._wrapped)
        return WrappedRow(runs) if self._wrapped[0] else runs

    def _read_runs(self, number: int) -> Row:
        lib, view = self._lib, self._view
        lib.ghostty_render_state_row_get(self._iterator[0], lib.GHOSTTY_RENDER_STATE_ROW_DATA_CELLS_RAW, view)
        words: list[int] = self._ffi.unpack(view.ptr, view.len)
        if not any(words):
            return (Run(" " * len(words), len(words)),)
        lib.ghostty_render_state_row_get(self._iterator[0], lib.GHOSTTY_RENDER_STATE_ROW_DATA_CELLS, self._cells)
        self._row = number
        # Style numbers belong to a page of the grid, and rows may stand in different pages.
        self._row_styles = {0: PLAIN}
        runs: list[Run] = []
        at = 0
        while at < len(words):
            run = self._read_run(words, at)
            at += run.cells
            # Blanks that only have a background, and text on that background, are one run for a reader.
            if runs and runs[-1].style == run.style:
                last = runs.pop()
                run = Run(last.text + run.text, last.cells + run.cells, run.style)
            runs.append(run)
        return tuple(runs)

    def _read_run(self, words: list[int], at: int) -> Run:
        layout = self._layout
        word = words[at]
        if word & layout.blank:
            return self._blank_run(words, at)
        same = layout.style | layout.link | layout.blank
        key = word & same
        end, seen = at + 1, word
        for word in words[at + 1 :]:
            # A wide character's second cell has the style of its first (11,000 fuzzed ones had), so no run
            # begins with it.
            if word & same != key:
                break
            seen |= word
            end += 1
        style = self._style_of(words[at], at)
        if key & layout.link:
            link = self._link_of(at)
            end = next((x for x in range(at + 1, end) if self._link_of(x) != link), end)
            style = style._replace(link=link)
        if seen & (layout.wide | layout.kind):
            text = self._wide_text(words, at, end)
        else:
            shift, mask = layout.codepoint_shift, layout.codepoint
            text = "".join([chr(word >> shift & mask or 32) for word in words[at:end]])
        # The library gives DEL a cell of its own; whoever draws the row must not send it on.
        if not text.isprintable():
            text = CONTROLS.sub(" ", text)
        return Run(text, end - at, style)

    def _blank_run(self, words: list[int], at: int) -> Run:
        word, end = words[at], at + 1
        while end < len(words) and words[end] == word:
            end += 1
        layout = self._layout
        if word & layout.kind == layout.palette_blank:
            background = word >> layout.index_shift & 0xFF
        else:
            red, green, blue = (word >> shift & 0xFF for shift in layout.colour_shifts)
            background = RGB_FLAG | red << 16 | green << 8 | blue
        return Run(" " * (end - at), end - at, CellStyle(background=background))

    def _wide_text(self, words: list[int], at: int, end: int) -> str:
        layout = self._layout
        parts = []
        for x in range(at, end):
            word = words[x]
            if word & layout.wide == layout.tail:
                continue
            if word & layout.kind == layout.cluster:
                parts.append(self._cluster_of(x))
            else:
                parts.append(chr(word >> layout.codepoint_shift & layout.codepoint or 32))
        return "".join(parts)

    def _select(self, x: int) -> Any:
        handle = self._cells[0]
        self._lib.ghostty_render_state_row_cells_select(handle, x)
        return handle

    def _cluster_of(self, x: int) -> str:
        lib, handle = self._lib, self._select(x)
        get = lib.ghostty_render_state_row_cells_get
        get(handle, lib.GHOSTTY_RENDER_STATE_ROW_CELLS_DATA_GRAPHEMES_LEN, self._count)
        count = self._count[0]
        if count > len(self._codepoints):
            self._codepoints = self._ffi.new("uint32_t[]", count)
        get(handle, lib.GHOSTTY_RENDER_STATE_ROW_CELLS_DATA_GRAPHEMES_BUF, self._codepoints)
        return "".join(map(chr, self._ffi.unpack(self._codepoints, count)))

    def _style_of(self, word: int, x: int) -> CellStyle:
        number = word & self._layout.style
        style = self._row_styles.get(number)
        if style is None:
            lib = self._lib
            lib.ghostty_render_state_row_cells_get(
                self._select(x), lib.GHOSTTY_RENDER_STATE_ROW_CELLS_DATA_STYLE, self._style
            )
            raw = self._style_bytes[:]
            style = self._styles.get(raw)
            if style is None:
                if len(self._styles) >= _MOST_STYLES:
                    self._styles.clear()
                style = self._styles[raw] = self._decode_style()
            self._row_styles[number] = style
        return style

    def _decode_style(self) -> CellStyle:
        style = self._style
        flags = 0
        for name, bit in _FLAGS:
            if getattr(style, name):
                flags |= bit
        return CellStyle(
            foreground=self._colour(style.fg_color),
            background=self._colour(style.bg_color),
            flags=flags,
            underline=style.underline,
            underline_colour=self._colour(style.underline_color),
        )

    def _colour(self, colour: Any) -> int:
        value = colour.value
        if colour.tag == self._lib.GHOSTTY_STYLE_COLOR_PALETTE:
            return int(value.palette)
        if colour.tag == self._lib.GHOSTTY_STYLE_COLOR_RGB:
            return RGB_FLAG | int(value.rgb.r) << 16 | int(value.rgb.g) << 8 | int(value.rgb.b)
        return DEFAULT_COLOUR

    def _link_of(self, x: int) -> str:
        point = self._point
        point.value.x, point.value.y = x, self._row
        if self._grid_reference(self._terminal, point[0], self._reference):
            return ""
        lib = self._lib
        if lib.ghostty_grid_ref_hyperlink_uri(self._reference, self._link, _LONGEST_LINK, self._link_length):
            return ""
        raw = bytes(self._ffi.buffer(self._link, self._link_length[0]))
        target = raw.decode("utf-8", "replace")
        return "" if CONTROLS.search(target) else target
