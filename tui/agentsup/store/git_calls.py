"""Run git so that nothing runs that a repository brings: no hooks, monitors, filters, pagers, transports.

A repository's own configuration can name programs for most of what git does, and a clone that an agent or an archive
made is not to be trusted. So only commands are used that need none of them, each such setting is overruled, and of
the settings that can't be overruled by name (`filter.X.clean`) the names are asked for first.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

PATIENCE = 3.0
"""Seconds for all calls about one question."""

OUTPUT_MOST = 16 << 20
"""Bytes of an answer that are taken at most: of most questions a part of the answer could say the opposite."""

_OVERRULED = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.sshCommand=false",
    "core.askPass=true", "core.alternateRefsCommand=true", "core.untrackedCache=keep", "credential.helper=",
    "diff.external=", "diff.orderFile=/dev/null", "log.showSignature=false", "gpg.program=false",
    "safe.bareRepository=explicit", "submodule.recurse=false", "status.submoduleSummary=false",
    "uploadpack.packObjectsHook=", "color.ui=false", "gc.auto=0", "maintenance.auto=false", "protocol.allow=never",
)  # fmt: skip


class GitUnavailable(Exception):
    """There is no answer: no git, no repository, an error, or none in time."""


class Git:
    """Git about one folder, with one deadline for all calls."""

    def __init__(self, root: Path, patience: float = PATIENCE) -> None:
        self._root = root
        self._deadline = time.monotonic() + patience
        self._program = git_program(root)
        self._overruled = [part for setting in _OVERRULED for part in ("-c", setting)]
        self._environment = _environment(root)
        self._filters_known = False

    def run(self, *arguments: str, given: bytes = b"", allowed: Sequence[int] = (0,), cut: bool = False) -> bytes:
        """Return what a command prints, `cut` where a part will do; raises GitUnavailable."""
        process = self._started(arguments, with_input=bool(given))
        try:
            output, _ = process.communicate(given or None, timeout=self._left())
        except subprocess.TimeoutExpired as error:
            raise GitUnavailable("timeout") from error
        finally:
            _end(process)
        if process.returncode not in allowed:
            raise GitUnavailable(arguments[0])
        if len(output) > OUTPUT_MOST and not cut:
            raise GitUnavailable("too much")
        return output[:OUTPUT_MOST]

    def records(self, *arguments: str) -> Generator[bytes, None, None]:
        """Yield what a command prints between NULs, as it comes; raises GitUnavailable. To be closed."""
        process = self._started(arguments)
        rest, taken = b"", 0
        try:
            while part := self._part(process):
                *whole, rest = (rest + part).split(b"\0")
                yield from whole
                taken += len(part)
                if taken > OUTPUT_MOST:
                    raise GitUnavailable("too much")
            if rest:
                yield rest
            if self._ended(process) != 0:
                raise GitUnavailable(arguments[0])
        finally:
            _end(process)
            if process.stdout is not None:
                process.stdout.close()

    def _started(self, arguments: Sequence[str], *, with_input: bool = False) -> subprocess.Popen[bytes]:
        if self._program is None:
            raise GitUnavailable("no git")
        command = [self._program, "--no-pager", "-C", str(self._root), *self._overruled, *arguments]
        try:
            return subprocess.Popen(
                command, stdin=subprocess.PIPE if with_input else subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=self._environment, start_new_session=True, cwd="/",
            )  # fmt: skip
        except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
            raise GitUnavailable(str(error)) from error

    def _part(self, process: subprocess.Popen[bytes]) -> bytes:
        """Return the next bytes that a command prints, none at its end; raises GitUnavailable when time is over."""
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(self._left()):
                raise GitUnavailable("timeout")
        return os.read(process.stdout.fileno(), 1 << 16)

    def _ended(self, process: subprocess.Popen[bytes]) -> int:
        try:
            return process.wait(self._left())
        except subprocess.TimeoutExpired as error:
            raise GitUnavailable("timeout") from error

    def _left(self) -> float:
        return max(0.01, self._deadline - time.monotonic())

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


def git_program(root: Path, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of git: never one that lies in the project."""
    path = _path(root, environment)
    return shutil.which("git", path=path) if path else None


def _path(root: Path, environment: Mapping[str, str] = os.environ) -> str:
    """Return the folders in which programs are looked for, without those that lie in the project."""
    inside = os.path.realpath(root)
    folders = []
    for folder in environment.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder):
            real = os.path.realpath(folder)
            if real != inside and not real.startswith(inside.rstrip("/") + "/"):
                folders.append(folder)
    return os.pathsep.join(folders)


def _environment(root: Path) -> Mapping[str, str]:
    # What a hook or a git alias has set would point git at another repository.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "PATH": _path(root), "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": "/dev/null", "GIT_SSH_COMMAND": "false", "GIT_EDITOR": "true",
    }  # fmt: skip


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a git that is still there, with all it has started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
