"""What runs and instructs in a project, as one value: approving its digest approves exactly these bytes.

A manifest holds the bytes that were hashed. What is run later are those, so that nothing that happens to the files
between reading and running matters.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from agentsup.core.redaction import redacted
from agentsup.core.restore.own_units import RESERVED, order

Kind = Literal["script", "data", "include", "template", "link", "other"]
"""`script`: a unit that runs. `other`: what is no regular file, can't be read, or is too long to be used."""

_KINDS: tuple[Kind, ...] = ("script", "data", "include", "template", "link", "other")

INCLUDES_MOST = 50
"""Includes of one script."""

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*agentsup:[ \t]*include[ \t]+(\S.*?)[ \t\r]*$", re.MULTILINE)

_FORM = b"agentsup manifest 1\n"


@dataclass(frozen=True)
class ManifestFile:
    """A file of a manifest; the path is relative to the project's root."""

    path: str
    kind: Kind
    executable: bool
    """Whether it has a run bit."""
    sha: str
    """SHA-256 of the bytes; empty where none were read."""
    target: str = ""
    """Of a link, where it leads; of another, what is to be said of it."""
    data: bytes = field(default=b"", compare=False, repr=False)
    """The bytes that were hashed; empty for what can't be used."""

    @property
    def name(self) -> str:
        """The unit's name: that of the file without its ending."""
        return _stem(self.path.rpartition("/")[2])

    @property
    def includes(self) -> tuple[str, ...]:
        """The paths that a script declares with `# agentsup: include PATH`, in that order."""
        return declared_includes(self.data) if self.kind == "script" else ()


@dataclass(frozen=True)
class Manifest:
    """All that runs and instructs in a project."""

    files: tuple[ManifestFile, ...]

    @property
    def digest(self) -> str:
        """SHA-256 over names, kinds, run bits, contents and link targets; every field is framed by its length."""
        hashed = hashlib.sha256(_FORM)
        for file in sorted(self.files, key=lambda each: each.path):
            for text in (file.path, file.kind, "run" if file.executable else "", file.sha, file.target):
                # surrogatepass: a name that is no UTF-8 has halves of characters in it, each text has its own bytes.
                part = text.encode("utf-8", "surrogatepass")
                hashed.update(len(part).to_bytes(8, "big") + part)
        return hashed.hexdigest()

    @property
    def runnable(self) -> tuple[ManifestFile, ...]:
        """The scripts, in the order of the units."""
        return tuple(sorted((file for file in self.files if file.kind == "script"), key=_order))

    def file(self, path: str) -> ManifestFile | None:
        """Return the file of a path."""
        return next((file for file in self.files if file.path == path), None)

    def to_text(self) -> str:
        """Return it as JSON with its texts, for a later comparison; without what looks like a secret."""
        return json.dumps([_written(file) for file in self.files], indent=1)

    @staticmethod
    def from_text(text: str) -> Manifest:
        """Return what `to_text` gave, with texts for bytes; raises ValueError."""
        try:
            return Manifest(tuple(_read(item) for item in json.loads(text)))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError("no manifest") from error


def declared_includes(data: bytes) -> tuple[str, ...]:
    """Return the paths that a script declares, in that order, without blanks in the middle of a way (`a//./b`)."""
    found = (match.decode("utf-8", "surrogateescape") for match in _INCLUDE.findall(data))
    return tuple("/".join(_parts(path)) if not path.startswith("/") else path for path in found)[:INCLUDES_MOST]


def is_unit(name: str, *, executable: bool) -> bool:
    """Say whether a file of init.d runs: NN-name, executable or `.sh`, and none of the names that nothing replaces."""
    return (executable or name.endswith(".sh")) and name[:1].isdigit() and _stem(name) not in RESERVED


def _stem(name: str) -> str:
    return name.rpartition(".")[0] or name


def _order(file: ManifestFile) -> tuple[int, str]:
    return order(file.path.rpartition("/")[2])


def _parts(path: str) -> Sequence[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _written(file: ManifestFile) -> dict[str, object]:
    text = "" if b"\0" in file.data else redacted(file.data.decode("utf-8", "replace"))
    return {
        "path": file.path, "kind": file.kind, "executable": file.executable, "sha": file.sha, "target": file.target,
        "text": text,
    }  # fmt: skip


def _read(item: dict[str, object]) -> ManifestFile:
    kind = _KINDS[_KINDS.index(item["kind"])]  # another one: ValueError
    path, sha, target, text = (str(item[name]) for name in ("path", "sha", "target", "text"))
    return ManifestFile(path, kind, item["executable"] is True, sha, target, text.encode("utf-8", "surrogatepass"))
