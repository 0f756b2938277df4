"""Units run only where exactly they were approved, in a process of its own, and what they print is kept."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from agentsup.core.restore.preparation import Wanted
from agentsup.core.trust.model import UnitOutput
from agentsup.core.trust.running import UnitsRun, UnitsWanted
from agentsup.restoring import units
from agentsup.restoring.prepare import prepare
from agentsup.store.engram_history import project_path
from agentsup.store.manifests import read_manifest
from agentsup.store.trust_record import NewEntry, Record, add
from agentsup.store.unit_cache import cached_outputs
from tests.store.units import INIT, in_folder, script

Environment = dict[str, str]


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """Return an environment with a data folder of its own."""
    return {"XDG_DATA_HOME": str(tmp_path / "data"), "PATH": os.environ["PATH"], "HOME": str(tmp_path)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with a script that leaves a trace where it has run."""
    path = tmp_path / "project"
    path.mkdir()
    script(path, "15-a.sh", "echo a; echo x >>trace\n")
    return path


def approve(root: Path, environment: Environment, verdict: str = "allow") -> Record:
    manifest = read_manifest(root)
    assert manifest is not None
    entry = NewEntry("scripts", "", manifest.digest, verdict, "test", manifest.to_text())  # type: ignore[arg-type]
    return add(root, [entry], environment=environment)


def run(root: Path, environment: Environment, witnessed: tuple[str, ...] | None = None) -> UnitsRun:
    """Ask the process for it, as a host does."""
    command = [sys.executable, "-P", "-m", "agentsup.restoring.units"]
    request = msgspec.msgpack.encode(UnitsWanted(str(root), witnessed, 10))
    done = subprocess.run(command, input=request, capture_output=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return msgspec.msgpack.decode(done.stdout, type=UnitsRun)


def digest(root: Path) -> str:
    manifest = read_manifest(root)
    assert manifest is not None
    return manifest.digest


def test_what_was_approved_runs_and_its_output_is_kept(root: Path, environment: Environment) -> None:
    assert run(root, environment) == UnitsRun()
    assert not (root / "trace").exists()
    approve(root, environment)
    done = run(root, environment)
    assert (done.ran, done.changed) == (1, ("trace",))
    kept = cached_outputs(root, digest(root), environment, outputs_sha=done.outputs_sha)
    assert kept == (UnitOutput("15-a", "a\n"),)


def test_after_a_change_nothing_runs_until_it_is_approved(root: Path, environment: Environment) -> None:
    approve(root, environment)
    script(root, "16-b.sh", "touch canary\n")
    assert run(root, environment) == UnitsRun()
    approve(root, environment)
    assert run(root, environment).ran == 2
    approve(root, environment, "deny")
    (root / "canary").unlink()
    assert run(root, environment) == UnitsRun()
    assert not (root / "canary").exists()


def test_what_no_witness_saw_does_not_run(root: Path, environment: Environment) -> None:
    first = approve(root, environment)
    script(root, "15-a.sh", "touch canary\n")
    approve(root, environment)
    assert run(root, environment, first.macs) == UnitsRun()
    assert run(root, environment, ("another",)) == UnitsRun()
    assert not (root / "canary").exists()


def test_a_copy_of_the_project_elsewhere_is_not_approved(root: Path, environment: Environment, tmp_path: Path) -> None:
    approve(root, environment)
    script(tmp_path / "copy", "15-a.sh", (root / INIT / "15-a.sh").read_bytes())
    assert digest(tmp_path / "copy") == digest(root)
    assert run(tmp_path / "copy", environment) == UnitsRun()


def test_where_outputs_cannot_be_kept_the_run_is_told_all_the_same(root: Path, environment: Environment) -> None:
    approve(root, environment)
    in_the_way = project_path(root, environment) / "unit-outputs"
    in_the_way.mkdir(parents=True)
    assert units.run(UnitsWanted(str(root)), environment) == UnitsRun(1, ("trace",), "")


def test_a_restore_text_holds_what_approved_units_have_printed(
    root: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", environment["XDG_DATA_HOME"])
    script(root, "15-a.sh", "echo what the unit says\n")
    script(root, "16-b.sh", "echo why >&2; exit 1\n")
    approve(root, environment)
    done = run(root, environment)
    assert done.ran == 2
    assert "\nwhat the unit says\n" in restored(root, done.outputs_sha)
    assert "what the unit says" not in restored(root, "")  # a host that had nothing run believes in no outputs
    assert "\nwhat the unit says\n" in restored(root)
    assert f"({INIT}/16-b.sh failed: why)" in restored(root)
    script(root, "15-a.sh", "echo something else\n")
    text = restored(root)
    assert "what the unit says" not in text
    assert f"{INIT}/15-a.sh is executable and not approved" in text


def restored(root: Path, outputs_sha: str | None = None) -> str:
    text = prepare(Wanted(str(root), "en", outputs_sha=outputs_sha)).of("compaction")
    assert text is not None
    return text.text(id="wwwwww", number=9999)


@pytest.mark.parametrize(("number", "left"), [(signal.SIGTERM, "setsid sleep 1000 &"), (signal.SIGKILL, "true")])
def test_a_process_that_is_ended_takes_the_unit_along(
    root: Path, environment: Environment, number: signal.Signals, left: str
) -> None:
    script(root, "15-a.sh", f"mkfifo pipe\n({left})\necho $$ >pipe\nexec sleep 1000\n")
    approve(root, environment)
    command = [sys.executable, "-P", "-m", "agentsup.restoring.units"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        process.stdin.write(msgspec.msgpack.encode(UnitsWanted(str(root), None, 50)))
        process.stdin.close()
        pipe = root / "pipe"
        while not pipe.exists():
            assert process.poll() is None
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        assert select.select([reader], [], [], 10)[0]
        unit = os.pidfd_open(int(os.read(reader, 100)))
        os.close(reader)
        process.send_signal(number)
        assert process.wait(10) == (143 if number == signal.SIGTERM else -signal.SIGKILL)
    ready, _, _ = select.select([unit], [], [], 10)
    os.close(unit)
    assert ready
    assert not in_folder(root)
