"""Run the approved executables of init.d: from the bytes that were approved, and from nothing else.

Each is a process in a session of its own, with a fixed environment, without a terminal, from a sealed file that
stands for no path of the project. To be used in a process that does nothing else at that time: what units leave
running becomes its child, and is ended.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from agentsup.core.text import on_one_line, sanitise
from agentsup.core.trust.manifest import Manifest, ManifestFile
from agentsup.core.trust.model import UnitOutput
from agentsup.store.descendants import adopting, end_descendants, reap_adopted
from agentsup.store.interpreters import Refused, command
from agentsup.store.sealed import Altered, sealed
from agentsup.store.structure import visible
from agentsup.store.unit_limits import limits
from agentsup.store.work_tree import changes, snapshot

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "COLUMNS": "80"}
"""All that a unit finds in its environment, beside $AGENTSUP_INCLUDE_1 and so on."""

OUTPUT_MOST = 64 << 10
"""Bytes of a unit's output; one that prints more is ended."""

TOGETHER = 60.0
"""Seconds for all units of a run."""


_DETAIL_MOST = 200

_GLANCE = 0.05
"""Seconds after which it is looked whether a unit has ended whose output somebody else still holds open."""


@dataclass(frozen=True)
class UnitRun:
    """What units have printed, in their order, and the paths that changed in the work tree while they ran."""

    outputs: tuple[UnitOutput, ...]
    changed: tuple[str, ...] = ()
    """Relative to the root, sorted, fit to be shown."""


class _NotRun(Exception):
    """A unit that can't be run as it is: a catalogue key, and one line."""

    def __init__(self, problem: str, detail: str = "") -> None:
        super().__init__(problem, detail)
        self.problem, self.detail = problem, detail


def run_units(root: Path, manifest: Manifest, *, seconds: float = 5.0, together: float = TOGETHER) -> UnitRun:
    """Run what can run of an approved manifest, each unit for at most so many seconds. Nothing is raised."""
    scripts = manifest.runnable
    if not scripts:
        return UnitRun(())
    before = snapshot(root)
    until = time.monotonic() + together
    outputs = []
    with adopting() as spared:
        for script in scripts:
            left = until - time.monotonic()
            outputs.append(_output(root, manifest, script, min(seconds, left), spared=spared))
    return UnitRun(tuple(outputs), changes(before, snapshot(root)))


def _output(
    root: Path, manifest: Manifest, script: ManifestFile, seconds: float, *, spared: frozenset[int]
) -> UnitOutput:
    if not script.data.strip():
        return UnitOutput(script.name, "")  # an empty file switches a unit off
    try:
        if seconds <= 0:
            raise _NotRun("unit.no-time")
        with ExitStack() as held:
            path, number = held.enter_context(sealed(script.data, script.sha))
            words = _command(root, script, path)
            environment, numbers = _includes(manifest, script, held)
            passed = (number, *numbers) if number is not None else ()
            finished = _run(_Start(words, root, environment, passed), seconds, spared)
    except _NotRun as error:
        return UnitOutput(script.name, "", error.problem, _one_line(error.detail))
    except Altered:
        return UnitOutput(script.name, "", "unit.altered")
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        return UnitOutput(script.name, "", "unit.failed", _one_line(f"{_first_line(script)}: {reason or error}"))
    return finished.output(script.name)


def _command(root: Path, script: ManifestFile, path: str) -> list[str]:
    by_shell = script.path.endswith(".sh") and not (script.data.startswith(b"#!") and script.executable)
    try:
        return command(os.fspath(root), script.data, path, by_shell=by_shell)
    except Refused as error:
        # Nobody has approved what is there.
        raise _NotRun("unit.interpreter", visible(str(error))) from None


def _includes(manifest: Manifest, script: ManifestFile, held: ExitStack) -> tuple[dict[str, str], list[int]]:
    """Return a script's environment with the files that it includes, and their descriptors."""
    environment = dict(ENVIRONMENT)
    numbers = []
    for place, included in enumerate(script.includes, 1):
        file = manifest.file(included)
        if file is None or file.kind in ("link", "other"):
            raise _NotRun("unit.include", f"{visible(included)}: {file.target if file else ''}")
        path, number = held.enter_context(sealed(file.data, file.sha))
        environment[f"AGENTSUP_INCLUDE_{place}"] = path
        if number is not None:
            numbers.append(number)
    return environment, numbers


@dataclass(frozen=True)
class _Start:
    """What a process is started with."""

    command: list[str]
    root: Path
    environment: dict[str, str]
    passed: tuple[int, ...]
    """Descriptors that it gets beside the first three."""


@dataclass
class _Finished:
    """How a process has ended, and what it has printed until then."""

    out: bytearray = field(default_factory=bytearray)
    errors: bytearray = field(default_factory=bytearray)
    ended: Literal["", "late", "cut"] = ""
    """Why it was ended, if it did not end by itself."""
    code: int = 0

    def output(self, name: str) -> UnitOutput:
        """Return what there is to say of the unit of this name."""
        if self.ended == "late":
            return UnitOutput(name, "", "unit.late")  # how much it had printed is a matter of chance
        text = bytes(self.out[:OUTPUT_MOST]).decode("utf-8", "replace")
        if self.ended == "cut":
            return UnitOutput(name, sanitise(text.rstrip("\ufffd")), "unit.cut")
        if not self.code:
            return UnitOutput(name, sanitise(text))
        lines = self.errors.decode("utf-8", "replace").splitlines()
        said = next((line for line in map(_one_line, lines) if line), "")
        return UnitOutput(name, sanitise(text), "unit.failed", said or _ending(self.code))


def _run(start: _Start, seconds: float, spared: frozenset[int]) -> _Finished:
    """Run a process until it ends or has to be ended, with all that it has started; raises OSError."""
    finished = _Finished()
    process = subprocess.Popen(
        start.command, cwd=start.root, env=start.environment, pass_fds=start.passed, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, start_new_session=True, preexec_fn=limits(seconds),
    )  # fmt: skip
    try:
        with selectors.DefaultSelector() as selector:
            for pipe, kept in ((process.stdout, finished.out), (process.stderr, finished.errors)):
                assert pipe is not None
                os.set_blocking(pipe.fileno(), False)
                selector.register(pipe, selectors.EVENT_READ, kept)
            finished.ended = _follow(process, selector, finished.out, time.monotonic() + seconds, spared=spared)
            _end(process, spared)
            if not finished.ended:
                # All who could write are gone: what is left is in the pipes.
                while selector.get_map() and _take(selector, 0.0):
                    pass
                finished.ended = "cut" if len(finished.out) > OUTPUT_MOST else ""
    finally:
        _end(process, spared)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
    finished.code = process.returncode
    return finished


def _follow(
    process: subprocess.Popen[bytes], selector: selectors.BaseSelector, out: bytearray, until: float,
    *, spared: frozenset[int],
) -> Literal["", "late", "cut"]:  # fmt: skip
    """Read until the process has ended; return why it has to be ended, if it has not."""
    while process.poll() is None:
        left = until - time.monotonic()
        if left <= 0:
            return "late"
        if selector.get_map():
            _take(selector, min(left, _GLANCE))
        else:
            with suppress(subprocess.TimeoutExpired):
                process.wait(min(left, _GLANCE))
        reap_adopted(spared | {process.pid})
        if len(out) > OUTPUT_MOST:
            return "cut"
    return ""


def _take(selector: selectors.BaseSelector, patience: float) -> bool:
    """Read once from each pipe that has something; whether any had."""
    ready = selector.select(patience)
    for key, _ in ready:
        part = b""
        with suppress(BlockingIOError):
            part = os.read(key.fd, 1 << 16)
            if not part:
                selector.unregister(key.fileobj)
        key.data.extend(part[: max(0, OUTPUT_MOST + 1 - len(key.data))])
    return bool(ready)


def _end(process: subprocess.Popen[bytes], spared: frozenset[int]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    end_descendants(spared)


def _ending(code: int) -> str:
    if code > 0:
        return f"exit {code}"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def _first_line(script: ManifestFile) -> str:
    """Return a script's first line, where it says what runs it."""
    line = script.data.partition(b"\n")[0] if script.data.startswith(b"#!") else script.path.encode("utf-8", "replace")
    return visible(os.fsdecode(line[:_DETAIL_MOST]))


def _one_line(text: str) -> str:
    return on_one_line(text)[:_DETAIL_MOST]
