"""From bytes to text: UTF-8, and UTF-16 where a mark says so. A byte order mark stays, as U+FEFF; a NUL is no text."""

from __future__ import annotations

import codecs

from agentsup.core.memory.model import Spot


class NotText(ValueError):
    """Bytes are no text; `spot` is where the first bad one is."""

    def __init__(self, spot: Spot) -> None:
        super().__init__(spot)
        self.spot = spot


def decode(data: bytes) -> str:
    """Return a file's text; raises NotText."""
    encoding = encoding_of(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise NotText(_spot(data[: error.start].decode(encoding, "replace"))) from error
    if (zero := text.find("\0")) >= 0:
        raise NotText(_spot(text[:zero]))  # a file of another encoding, or none of text
    return text


def encoding_of(data: bytes) -> str:
    """Return the encoding that a file's first bytes tell."""
    if data.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    return "utf-16-be" if data.startswith(codecs.BOM_UTF16_BE) else "utf-8"


def _spot(before: str) -> Spot:
    unified = before.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return Spot(unified.count("\n") + 1, len(unified) - (unified.rfind("\n") + 1) + 1)
