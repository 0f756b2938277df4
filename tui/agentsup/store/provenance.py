"""Who wrote the memory that lies in a repository: the person themselves, or somebody whose commits came with it.

By the author's address, which anybody can set to anything: it tells what a clone or a pull honestly brought, and
proves nothing. What is not committed is the person's own. A renamed file is the work of whoever committed it under
its new name: who moves a text into memory answers for it. A path below a submodule goes by the submodule's entry.

The person's addresses are all that git would commit as: of their own configuration, of the repository's, and of the
environment. Many have an address for each repository, and neither a clone nor a pull ever brings a .git/config. Who
hands over a whole .git folder could write an address there, as they could give their commits any author.

A shallow clone begins with commits that seem to add every file: who wrote what they hold, nobody can tell there.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from agentsup.core.text import on_one_line
from agentsup.core.trust.model import Origin
from agentsup.store.git_calls import Git, GitUnavailable

PATIENCE = 1.5
"""Seconds for all that git is asked: a restore text waits for it."""

_UNKNOWN = Origin("", "")
_AUTHOR_MOST = 120
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_OWN_SCOPES = (b"system", b"global", b"local", b"worktree")
_OWN_VARIABLES = (b"GIT_AUTHOR_EMAIL", b"EMAIL")
_SUBMODULE = b"160000"

_LOG = (
    # Of a file in .git/objects that says which paths a commit changed nobody checks that it is right.
    "-c", "core.commitGraph=false", "-c", "log.showRoot=true", "-c", "log.follow=false", "--literal-pathspecs",
    "log", "-z", "-c", "--name-only", "--no-renames", "--no-mailmap", "--no-show-signature", "--no-notes",
    "--encoding=UTF-8", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=none",
    # No path of a repository begins with a slash.
    "--format=/%H%x00%an%x00%ae%x00%P",
)  # fmt: skip


@dataclass(frozen=True)
class Provenance:
    """What came from others."""

    files: tuple[tuple[str, Origin], ...] = ()
    """By path: the newest commit of somebody else that touched it."""
    head: str = ""
    """The commit that was asked about; empty without one."""
    known: bool = True
    """False where there is a repository and git did not answer: then every file counts as somebody else's."""


def foreign(root: Path, paths: Iterable[str], *, accepted: str = "", patience: float = PATIENCE) -> Provenance:
    """Return which of these files of a project somebody else has written since the commit `accepted`; never raises.

    Without `accepted`, or where it is no ancestor of HEAD, all of history counts. Paths are relative to `root`.
    """
    wanted = tuple(dict.fromkeys(paths))
    top = _top(root)
    if top is None:
        return Provenance()
    found: dict[str, Origin] = {}
    head = ""
    try:
        git = Git(top, patience)
        _check_top(git, top)
        head = git.run("rev-parse", "--quiet", "--verify", "HEAD", allowed=(0, 1)).strip().decode("ascii", "replace")
        if head and head != accepted:
            tracked = _tracked(git, head, _names(root, top, wanted), folds=_folds(top))
            for path, origin in _origins(git, tracked, _range(git, head, accepted)):
                found[path] = origin
    except GitUnavailable:
        files = tuple((path, found.get(path, _UNKNOWN)) for path in wanted if _exists(root, path))
        return Provenance(files, head, known=False)
    return Provenance(tuple((path, found[path]) for path in wanted if path in found), head)


def _top(root: Path) -> Path | None:
    """Return the folder in which git would look for its repository; None where it would find none."""
    try:
        folder = Path(os.path.realpath(root))
        device = folder.stat().st_dev
        for each in (folder, *folder.parents):
            if each.stat().st_dev != device:
                break  # git, too, stays on one file system
            if os.path.lexists(each / ".git"):
                return each
    except OSError:
        pass
    return None


def _check_top(git: Git, top: Path) -> None:
    """Raise GitUnavailable where a repository's configuration says that its files are elsewhere."""
    if git.run("rev-parse", "--show-toplevel").removesuffix(b"\n") != os.fsencode(top):
        raise GitUnavailable("another work tree")


def _names(root: Path, top: Path, paths: Iterable[str]) -> dict[str, bytes]:
    """Return the names that a repository knows paths of a project by."""
    inside = os.path.relpath(os.path.realpath(root), top)
    beneath = [path for path in paths if not path.startswith("/") and ".." not in path.split("/") and "\0" not in path]
    names = {path: os.path.normpath(os.path.join(inside, path)) for path in beneath}
    return {path: os.fsencode(name) for path, name in names.items() if name != "."}


def _folds(top: Path) -> bool:
    """Say whether the file system takes capital and small letters for the same."""
    return os.path.lexists(top / ".GIT")


def _tracked(git: Git, head: str, names: dict[str, bytes], *, folds: bool) -> dict[bytes, list[str]]:
    """Return by the name that a commit knows it by, which of these paths each of its entries is or holds."""
    asked = {parent for name in names.values() for parent in _with_parents(name)}
    if not asked:
        return {}
    narrow = () if folds else ("--", *map(os.fsdecode, sorted(asked)))
    listing = git.run("--literal-pathspecs", "ls-tree", "-z", "-r" if folds else "-t", head, *narrow)
    entries: dict[bytes, bytes] = {}
    submodules = set()
    for entry in listing.split(b"\0"):
        about, _, name = entry.partition(b"\t")
        if not name or about.split(b" ")[1:2] == [b"tree"]:
            continue
        entries[_key(name, folds=folds)] = name
        if about.startswith(_SUBMODULE):
            submodules.add(name)
    tracked: dict[bytes, list[str]] = {}
    for path, name in names.items():
        for parent in _with_parents(name):
            known = entries.get(_key(parent, folds=folds))
            if known is not None and (parent == name or known in submodules):
                tracked.setdefault(known, []).append(path)
    return tracked


def _with_parents(name: bytes) -> list[bytes]:
    parts = name.split(b"/")
    return [b"/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _key(name: bytes, *, folds: bool) -> bytes:
    """Return what two names have in common that are one file."""
    if not folds:
        return name
    return os.fsencode(unicodedata.normalize("NFC", os.fsdecode(name)).casefold())


def _range(git: Git, head: str, accepted: str) -> tuple[str, ...]:
    """Return the commits to look at: git takes a commit that is no ancestor, too, and would leave out too much."""
    if not _COMMIT.fullmatch(accepted):
        return (head,)
    base = git.run("-c", "core.commitGraph=false", "merge-base", accepted, head, allowed=(0, 1, 128))
    return (head, f"^{accepted}") if base.strip().decode("ascii", "replace") == accepted else (head,)


def _origins(git: Git, tracked: dict[bytes, list[str]], commits: Sequence[str]) -> Iterator[tuple[str, Origin]]:
    """Yield each path once with the newest commit that is not known to be the person's; raises GitUnavailable."""
    if not tracked:
        return
    own = _own_addresses(git)
    is_shallow = git.run("rev-parse", "--is-shallow-repository").strip() != b"false"
    waiting = dict(tracked)
    is_own, origin = True, _UNKNOWN
    names = map(os.fsdecode, sorted(tracked))
    with closing(git.records(*_LOG, *commits, "--", *names)) as records:
        for record in records:
            if record.startswith(b"/"):
                author, address, parents = (next(records, b"") for _ in range(3))
                is_own, origin = address.lower() in own, _origin(record[1:], author, address)
                if is_shallow and not parents:  # what was before it is not here: it is not what this commit changed
                    is_own, origin = False, Origin(origin.commit, "")
            elif not is_own:
                # A line end stands before the first name.
                for name in (record, record.removeprefix(b"\n")):
                    for path in waiting.pop(name, ()):
                        yield path, origin
                if not waiting:
                    return


def _own_addresses(git: Git) -> frozenset[bytes]:
    """Return the person's own addresses, in lower case."""
    asked = ("config", "--show-scope", "-z", "--get-regexp", r"^(user|author)\.email$")
    fields = git.run(*asked, allowed=(0, 1)).split(b"\0")
    values = [value.partition(b"\n")[2] for scope, value in zip(fields[::2], fields[1::2], strict=False)
              if scope in _OWN_SCOPES]  # fmt: skip
    values += [os.environb.get(name, b"") for name in _OWN_VARIABLES]
    return frozenset(value.strip().lower() for value in values if value.strip())


def _origin(commit: bytes, author: bytes, address: bytes) -> Origin:
    said = f"{author.decode('utf-8', 'replace')} <{address.decode('utf-8', 'replace')}>"
    plain = "".join(c if c.isprintable() else "\ufffd" for c in on_one_line(said[: 4 * _AUTHOR_MOST]))
    return Origin(commit[:8].decode("ascii", "replace"), plain[:_AUTHOR_MOST])


def _exists(root: Path, path: str) -> bool:
    try:
        return os.path.lexists(root / path)
    except ValueError:  # a name that no file can have
        return False
