"""Projects with executables in init.d, run in a process of their own as agentsup does."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from agentsup.core.trust.model import UnitOutput
from agentsup.store.unit_runs import UnitRun

INIT = ".agent/init.d"

_RUN = """
import signal, sys, msgspec
from pathlib import Path
from agentsup.store.manifests import read_manifest
from agentsup.store.unit_runs import run_units
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
root, seconds, together = Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
run = run_units(root, read_manifest(root), seconds=seconds, together=together)
sys.stdout.buffer.write(msgspec.msgpack.encode(run))
"""


def script(root: Path, name: str, content: str | bytes, mode: int = 0o755) -> Path:
    """Write an executable of init.d."""
    path = root / INIT / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)
    return path


def run(root: Path, *, seconds: float = 20, together: float = 60) -> UnitRun:
    """Run the units of a project as they are, without asking for an approval."""
    command = [sys.executable, "-P", "-c", _RUN, str(root), str(seconds), str(together)]
    done = subprocess.run(command, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return msgspec.msgpack.decode(done.stdout, type=UnitRun)


def output(root: Path, content: str | bytes, name: str = "15-unit", mode: int = 0o755) -> UnitOutput:
    """Return what the only unit of a project prints."""
    script(root, name, content, mode)
    (found,) = run(root).outputs
    return found


def in_folder(folder: Path) -> list[str]:
    """Return the processes whose current folder this is."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            found += [path.parent.name] if path.readlink() == folder else []
    return found
