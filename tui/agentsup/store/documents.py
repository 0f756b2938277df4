"""Read one memory file of a project: what is wrong with it is said in the document, nothing is raised."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

from agentsup.core.memory.abridging import abridged
from agentsup.core.memory.model import Document, Spot
from agentsup.store.decoding import NotText, decode, encoding_of
from agentsup.store.opening import UnsafeFile, open_beneath, read_whole, status_beneath

MOST = 4 << 20
"""Largest file that is read whole, in bytes."""

DECISIONS_MOST = 16 << 20

_LOOKED_AT = 64 << 20
"""Bytes of a larger file that are looked at at all, half from its beginning, half from its end."""


def exists(root: Path, place: str) -> bool:
    """Whether there is anything of that name, a link included; not where a link on the way leads to it."""
    return status_beneath(root, place) is not None


def unreached(root: Path, place: str) -> Document:
    """Return the document of a file that does not exist; `memory.unreadable` where a link or the like is in its way."""
    try:
        opened = open_beneath(root, place)
        if opened is not None:
            os.close(opened[0])
    except UnsafeFile:
        return Document(place, problem="memory.unreadable")
    except OSError:
        pass  # a file where a folder should be: there is none
    return Document(place)


def read_document(root: Path, place: str, most: int = MOST) -> Document:
    """Return a file's text; of one above `most` bytes its parts, and the problem `memory.too-long`."""
    return _read(root, place, most, whole=False)


def read_whole_document(root: Path, place: str, most: int = MOST) -> Document:
    """Return a file's text; of one above `most` bytes only the problem `memory.too-long`."""
    return _read(root, place, most, whole=True)


def read_json_document(root: Path, place: str, most: int = MOST) -> Document:
    """Return the text of a JSON file; without text if it is not JSON, with `memory.unparsable` and where."""
    document = read_whole_document(root, place, most)
    if not document.text or not document.text.strip():
        return document
    spot = Spot()
    try:
        json.loads(document.text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        spot = Spot(error.lineno, error.colno)
    except (RecursionError, ValueError):  # nested too deeply, a number too long
        pass
    else:
        return document
    return replace(document, text=None, problem="memory.unparsable", spot=spot, modified=0.0)


def read_last_lines(root: Path, place: str, most: int = MOST) -> Document:
    """Return a file's text; of one above `most` bytes the last lines, and the problem `memory.too-long`."""
    return _read(root, place, most, whole=False, last=True)


def _read(root: Path, place: str, most: int, *, whole: bool, last: bool = False) -> Document:
    size, sha = 0, ""
    try:
        opened = open_beneath(root, place)
        if opened is None:
            return Document(place)
        number, status = opened
        size, modified = status.st_size, status.st_mtime
        if size > most and whole:
            os.close(number)
            return Document(place, problem="memory.too-long", size=size, modified=modified)
        if size <= most:
            # It may grow while it is read.
            data, problem = read_whole(number, size, 2 * most, place), ""
            sha = hashlib.sha256(data).hexdigest()
        elif last:
            data, problem = _last_lines(number, size, most), "memory.too-long"
        else:
            data, problem = _parts(number, size, most), "memory.too-long"
        return Document(place, decode(data), problem, size=size, modified=modified, sha=sha)
    except OSError:
        return Document(place, problem="memory.unreadable")
    except NotText as error:
        return Document(place, problem="memory.not-text", spot=error.spot, size=size, sha=sha)


def _parts(number: int, size: int, most: int) -> bytes:
    """Return the parts of a long file and close it."""
    try:
        if size <= _LOOKED_AT:
            return _abridged(_bytes(number, 0, size), most)
        half = _LOOKED_AT // 2
        first, end = _bytes(number, 0, half), _bytes(number, size - half, half)
        between = f"\n[… {size - 2 * half:,} bytes left out …]\n".encode()
        return _abridged(first, most // 2) + between + _whole_lines(_abridged(end, most // 2))
    finally:
        os.close(number)


def _abridged(data: bytes, most: int) -> bytes:
    encoding = encoding_of(data)
    if encoding != "utf-8":
        data = decode(data).encode()
    parts = abridged(data, most)
    try:
        decode(parts)
    except NotText:
        decode(data)  # says where, in the whole text
    return parts


def _last_lines(number: int, size: int, most: int) -> bytes:
    """Return the last whole lines of a file and close it."""
    try:
        return _whole_lines(_bytes(number, size - most, most))
    finally:
        os.close(number)


def _whole_lines(data: bytes) -> bytes:
    """Return a text that begins somewhere from its first line on, or from its first character where it is one line."""
    at = data.find(b"\n", 0, len(data) - 1)
    return data[at + 1 :] if at >= 0 else data.lstrip(bytes(range(0x80, 0xC0)))


def _bytes(number: int, start: int, count: int) -> bytes:
    parts = []
    while count > 0 and (part := os.pread(number, count, start)):
        parts.append(part)
        start, count = start + len(part), count - len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
