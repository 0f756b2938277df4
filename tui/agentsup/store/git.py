"""Ask git about what memory names, without running anything that a repository brings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agentsup.core.memory.model import Repository
from agentsup.store.definitions import definitions
from agentsup.store.git_calls import PATIENCE, Git, GitUnavailable

_HASH = re.compile(r"[0-9a-fA-F]{4,64}")


def repository(
    root: Path,
    hashes: Iterable[str] = (),
    paths: Iterable[str] = (),
    symbols: Iterable[str] = (),
    patience: float = PATIENCE,
) -> Repository:
    """Return what git and the work tree say about these; nothing is raised.

    Without git, a repository or an answer within `patience` seconds, `head` is None and `known` and `changed` are
    empty. A path outside `root` is not in `exists`. Of a renamed file both names are `changed`.
    """
    git = Git(root, patience)
    answer = Repository(exists=_exists(root, paths))
    try:
        prefix = _prefix(git, root)
    except GitUnavailable:
        return replace(answer, definitions=definitions(root, symbols, git, is_repository=False))
    try:
        head = _head(git)
        if head:
            answer = replace(answer, head=head[0], head_time=head[1])
        answer = replace(answer, known=_known(git, hashes))
        answer = replace(answer, definitions=definitions(root, symbols, git, is_repository=True))
        answer = replace(answer, changed=_changed(git, prefix))
    except GitUnavailable:
        pass  # what is known by now stands
    return answer


def _prefix(git: Git, root: Path) -> bytes:
    """Return where the project is in its work tree; raises GitUnavailable where what git finds is another's."""
    top = Path(os.fsdecode(git.run("rev-parse", "--show-toplevel").removesuffix(b"\n")))
    if not _is_its_own(git, top):
        raise GitUnavailable("another's repository")
    real = Path(os.path.realpath(root))
    for folder in (real, *real.parents):
        with suppress(OSError):
            if folder.samefile(top):
                inner = os.fsencode(real.relative_to(folder))
                return b"" if inner == b"." else inner + b"/"
    raise GitUnavailable("another work tree")  # core.worktree may name any folder


def _is_its_own(git: Git, top: Path) -> bool:
    """Whether a repository is not that of another folder, to which a `.git` leads that is a file or a link.

    Linked work trees, submodules and --separate-git-dir have such a file, too: it names no folder called `.git`.
    """
    own = top / ".git"
    if own.is_dir() and not own.is_symlink():
        return True
    real = Path(os.path.realpath(os.fsdecode(git.run("rev-parse", "--absolute-git-dir").removesuffix(b"\n"))))
    return real.name != ".git" or real.parent == Path(os.path.realpath(top))


def _head(git: Git) -> tuple[str, float] | None:
    """Return hash and time of HEAD; None before the first commit."""
    # rev-list is plumbing: no setting makes it show, or verify, anything else.
    fields = git.run("rev-list", "--timestamp", "-1", "HEAD", "--", allowed=(0, 128)).split()
    return (fields[1].decode("ascii"), float(fields[0])) if len(fields) == 2 else None


def _known(git: Git, hashes: Iterable[str]) -> dict[str, bool]:
    wanted = list(dict.fromkeys(hashes))
    asked = [name for name in wanted if _HASH.fullmatch(name)]
    known = dict.fromkeys(wanted, False)
    if not asked:
        return known
    # Asked for twice: of a beginning that several commits share, git says only without ^{commit} that it is ambiguous.
    given = "".join(f"{name}^{{commit}}\n{name}\n" for name in asked).encode()
    answers = git.run("cat-file", "--batch-check=%(objecttype)", given=given).splitlines()
    for name, as_commit, as_anything in zip(asked, answers[::2], answers[1::2], strict=False):
        known[name] = as_commit == b"commit" or as_anything.endswith(b" ambiguous")
    return known


def _changed(git: Git, prefix: bytes) -> tuple[str, ...]:
    listing = git.run_on_files(
        "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty",
        "--", ".",
    )  # fmt: skip
    changed = set()
    fields = iter(listing.split(b"\0"))
    for field in fields:
        if len(field) < 4:
            continue
        names = [field[3:]]
        if field[:1] in (b"R", b"C") or field[1:2] in (b"R", b"C"):
            names.append(next(fields, b""))
        for name in names:
            if name and name.startswith(prefix):
                changed.add(name[len(prefix) :].decode("utf-8", "backslashreplace"))
    return tuple(sorted(changed))


def _exists(root: Path, paths: Iterable[str]) -> dict[str, bool]:
    base = os.path.normpath(os.path.abspath(root))
    bases = {base, os.path.realpath(root)}
    found = {}
    for path in paths:
        full = os.path.normpath(os.path.join(base, path))
        if any(full == inside or full.startswith(inside.rstrip("/") + "/") for inside in bases):
            try:
                found[path] = os.path.exists(full)
            except (OSError, ValueError):  # a name that no file can have
                found[path] = False
    return found
