"""Our block in the files that agents read by themselves: AGENTS.md, CLAUDE.md."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agentsup.cli.memory_changes import encoded, told
from agentsup.core import marked_block
from agentsup.core.memory.model import Language
from agentsup.core.problems import Problem
from agentsup.locale import template
from agentsup.store import atomic
from agentsup.store.decoding import decode
from agentsup.store.documents import exists
from agentsup.store.templates import approved_templates

FILES = ("AGENTS.md", "CLAUDE.md")
TEMPLATE = "agents-block.md"


@dataclass
class Blocks:
    """What happened to which files."""

    created: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    """The block is out, the file is as it was before."""
    deleted: list[str] = field(default_factory=list)
    """There was no file before."""


def write(root: Path, language: Language) -> Blocks:
    """Put the block into those files that exist, else into a new one; raises Problem."""
    block = approved_templates(root).get(TEMPLATE) or template(TEMPLATE, language)
    blocks = Blocks()
    for name in _existing(root) or FILES[:1]:
        with _changing(root, name) as folder:
            content = folder.read(_target(root, name).name)
            old = None if content.data is None else decode(content.data)
            new = marked_block.put(old, block)
            if old is None:
                blocks.created.append(name)
            else:
                (blocks.unchanged if new == old else blocks.written).append(name)
            folder.replace(_target(root, name).name, encoded(new, content.data or b""), content.token)
    return blocks


def remove(root: Path) -> Blocks:
    """Take the block out of those files that have it; raises Problem."""
    blocks = Blocks()
    for name in _existing(root):
        with _changing(root, name) as folder:
            target = _target(root, name)
            content = folder.read(target.name)
            if content.data is None:
                continue
            old = decode(content.data)
            new = marked_block.remove(old)
            if new == old:
                continue
            if new is None:
                folder.remove(target.name, content.token)
                blocks.deleted.append(name)
            else:
                folder.replace(target.name, encoded(new, content.data), content.token)
                blocks.removed.append(name)
    return blocks


def _existing(root: Path) -> list[str]:
    """Return those that exist; of two names of one file (CLAUDE.md is often a link to AGENTS.md) the first."""
    found: dict[str, str] = {}
    for name in FILES:
        if exists(root, name):
            found.setdefault(os.path.realpath(root / name), name)
    return list(found.values())


def _target(root: Path, name: str) -> Path:
    """Return the file itself: a link is followed where it stays in the project, else nothing follows it."""
    real = Path(os.path.realpath(root / name))
    inside = Path(os.path.realpath(root))
    return real if real.is_relative_to(inside) else inside / name


@contextmanager
def _changing(root: Path, name: str) -> Iterator[atomic.Folder]:
    try:
        # Its real folder is opened beneath the real root: a link that is put there meanwhile is not followed.
        real = Path(os.path.realpath(root))
        with told(name), atomic.writing(_target(root, name).parent, beneath=real) as folder:
            yield folder
    except marked_block.DamagedBlock as damaged:
        raise Problem("block.damaged", path=name, line=damaged.line) from damaged
