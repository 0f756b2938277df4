"""Run the units that a person has approved, once: `python -m agentsup.restoring.units`.

The host asks this process for it at turn ends. What a unit leaves running becomes a child of this process, and is
ended before it answers.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from agentsup.core.problems import Problem
from agentsup.core.trust.running import UnitsRun, UnitsWanted
from agentsup.store.atomic import Conflict
from agentsup.store.manifests import read_manifest
from agentsup.store.trust_record import approvals
from agentsup.store.unit_cache import save_outputs
from agentsup.store.unit_runs import TOGETHER, run_units

__all__ = ["UnitsRun", "UnitsWanted", "run"]

NICENESS = 10
"""What is prepared for later must not slow down what is typed."""

LIFETIME = int(TOGETHER) + 12
"""Seconds after which it ends, whatever it waits for."""


def run(wanted: UnitsWanted, environment: Mapping[str, str] | None = None) -> UnitsRun:
    """Run a project's units if they are exactly what was approved, and keep what they print. Nothing is raised."""
    root = Path(wanted.root)
    approved = approvals(root, witnessed=wanted.witnessed, environment=environment).scripts
    manifest = read_manifest(root) if approved else None
    # From here on the files don't matter: what runs are the bytes that this digest is of.
    if manifest is None or manifest.digest != approved or not manifest.runnable:
        return UnitsRun()
    done = run_units(root, manifest, seconds=wanted.seconds)
    kept = ""
    # Where they can't be kept, the text says of these units that they were not run.
    with suppress(OSError, Problem, Conflict):
        kept = save_outputs(root, approved, done.outputs, environment)
    return UnitsRun(len(done.outputs), done.changed, kept)


def main() -> None:
    """Answer one request on standard input."""
    # Ended by another way than SIGKILL, it still ends what it has started.
    for number in (signal.SIGALRM, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    signal.alarm(LIFETIME)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    wanted = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=UnitsWanted)
    sys.stdout.buffer.write(msgspec.msgpack.encode(run(wanted)))


if __name__ == "__main__":
    main()
