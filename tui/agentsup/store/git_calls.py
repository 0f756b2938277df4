"""Run git so that nothing runs that a repository brings: no hooks, monitors, filters, pagers, transports.

A repository's own configuration can name programs for most of what git does, and a clone that an agent or an archive
made is not to be trusted. So only commands are used that need none of them, each such setting is overruled, and of
the settings that can't be overruled by name (`filter.X.clean`) the names are asked for first.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

PATIENCE = 3.0
"""Seconds for all calls about one question."""

OUTPUT_MOST = 16 << 20
"""Bytes of an answer that are taken at most."""

_OVERRULED = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.sshCommand=false",
    "core.askPass=true", "core.alternateRefsCommand=true", "core.untrackedCache=keep", "credential.helper=",
    "diff.external=", "log.showSignature=false", "gpg.program=false", "safe.bareRepository=explicit",
    "submodule.recurse=false", "status.submoduleSummary=false", "uploadpack.packObjectsHook=", "color.ui=false",
    "gc.auto=0", "maintenance.auto=false", "protocol.allow=never",
)  # fmt: skip


class GitUnavailable(Exception):
    """There is no answer: no git, no repository, an error, or none in time."""


class Git:
    """Git about one folder, with one deadline for all calls."""

    def __init__(self, root: Path, patience: float = PATIENCE) -> None:
        self._root = root
        self._deadline = time.monotonic() + patience
        self._program = _program(root)
        self._overruled = [part for setting in _OVERRULED for part in ("-c", setting)]
        self._environment = _environment(root)
        self._filters_known = False

    def run(self, *arguments: str, given: bytes = b"", allowed: Sequence[int] = (0,)) -> bytes:
        """Return what a command prints; raises GitUnavailable."""
        if self._program is None:
            raise GitUnavailable("no git")
        command = [self._program, "--no-pager", "-C", str(self._root), *self._overruled, *arguments]
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE if given else subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=self._environment, start_new_session=True, cwd="/",
            )  # fmt: skip
        except OSError as error:
            raise GitUnavailable(str(error)) from error
        try:
            output, _ = process.communicate(given or None, timeout=max(0.01, self._deadline - time.monotonic()))
        except subprocess.TimeoutExpired as error:
            raise GitUnavailable("timeout") from error
        finally:
            _end(process)
        if process.returncode not in allowed:
            raise GitUnavailable(arguments[0])
        return output[:OUTPUT_MOST]

    def run_on_files(self, *arguments: str, allowed: Sequence[int] = (0,)) -> bytes:
        """Return what a command prints that compares files, without the repository's own filters."""
        if not self._filters_known:
            self._filters_known = True
            for name in _own_filters(self.run("config", "--show-scope", "--name-only", "--list", "-z")):
                self._overruled += ["-c", name if name.endswith("=false") else f"{name}="]
        return self.run(*arguments, allowed=allowed)


def _own_filters(listing: bytes) -> list[str]:
    """Return the settings of filters that the repository, not the person, has made; raises GitUnavailable."""
    fields = listing.split(b"\0")
    found = []
    for scope, name in zip(fields[::2], fields[1::2], strict=False):
        text = os.fsdecode(name)
        if scope in (b"local", b"worktree", b"submodule") and text.startswith("filter."):
            if "=" in text:  # can't be overruled by name: git would cut it there
                raise GitUnavailable(text)
            found.append(f"{text}=false" if text.endswith(".required") else text)
    return found


def _program(root: Path) -> str | None:
    """Return the path of git: never one that lies in the project."""
    inside = os.path.realpath(root)
    folders = []
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder):
            real = os.path.realpath(folder)
            if real != inside and not real.startswith(inside.rstrip("/") + "/"):
                folders.append(folder)
    return shutil.which("git", path=os.pathsep.join(folders)) if folders else None


def _environment(root: Path) -> Mapping[str, str]:
    # What a hook or a git alias has set would point git at another repository.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_SSH_COMMAND": "false", "GIT_EDITOR": "true",
    }  # fmt: skip


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a git that is still there, with all it has started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
