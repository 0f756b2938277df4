"""Offer a person to commit what `agentsup init` has made: exactly those files, whatever else is staged.

The commit is the person's own: they were asked, so their hooks and their signature apply as to any commit of theirs.
Leaving hooks out would pass by the checks that they, or their team, have set up; and a repository cannot bring a
hook along, somebody has to install it. (Everything that agentsup asks git for by itself runs no hook.) Where git or
a hook refuses, nothing is left staged.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from agentsup.core.catalogue import Catalogue
from agentsup.store.git_calls import Git, GitUnavailable, git_program

YES = ("y", "yes", "是")


def offer(root: Path, paths: Sequence[str], catalogue: Catalogue) -> bool:
    """Ask on a terminal and commit; returns whether it was. Asks nothing without a terminal, repository or files."""
    if not paths or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    ignored = _ignored(root, paths)
    if ignored is None:
        return False
    if ignored:
        print(catalogue.text("commit.ignored", paths=", ".join(ignored)), file=sys.stderr)
    paths = [path for path in paths if path not in ignored]
    if not paths:
        return False
    print(catalogue.text("commit.ask", count=len(paths)), end=" ", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in YES:
        return False
    committed = commit(root, paths, catalogue.text("commit.message"))
    print(catalogue.text("commit.done" if committed else "commit.failed"), file=sys.stderr)
    return committed


def commit(root: Path, paths: Sequence[str], message: str) -> bool:
    """Commit these files and nothing else; returns whether it was done. What git says goes to standard error."""
    if not _git(root, "add", "--", *paths):
        return False
    if _git(root, "commit", "--only", "-m", message, "--", *paths):
        return True
    # They were new: as before, the index knows nothing of them. Before the first commit there is nothing to reset to.
    if not _git(root, "reset", "-q", "--", *paths):
        _git(root, "rm", "-q", "--cached", "--ignore-unmatch", "--", *paths)
    return False


def _git(root: Path, *arguments: str) -> bool:
    program = git_program(root)
    if program is None:
        return False
    command = [program, "-C", str(root), "--literal-pathspecs", *arguments]
    return subprocess.run(command, stdout=2, check=False).returncode == 0


def _ignored(root: Path, paths: Sequence[str]) -> list[str] | None:
    """Return those of the files that git ignores; None where there is no repository or no answer."""
    git = Git(root)
    try:
        if git.run("rev-parse", "--is-inside-work-tree").strip() != b"true":
            return None
        names = "".join(f"{path}\0" for path in paths).encode()
        output = git.run("check-ignore", "-z", "--stdin", given=names, allowed=(0, 1))
    except GitUnavailable:
        return None
    return [name.decode() for name in output.split(b"\0") if name]
