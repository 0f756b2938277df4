"""What units have printed is kept for exactly what was run, and only as we wrote it."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from agentsup.core.trust.model import UnitOutput
from agentsup.store.engram_history import project_path
from agentsup.store.trust_key import trust_path
from agentsup.store.unit_cache import cached_outputs, save_outputs

OUTPUTS = (UnitOutput("10-a", "text é\n"), UnitOutput("11-b", "", "unit.failed", "exit 3"))
DIGEST = "d" * 64


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment with a data folder of its own, in which the outputs of a project are kept."""
    found = {"XDG_DATA_HOME": str(tmp_path / "data")}
    (tmp_path / "project").mkdir()
    save_outputs(tmp_path / "project", DIGEST, OUTPUTS, found)
    return found


def test_outputs_come_back_for_the_same_digest_and_project_only(tmp_path: Path, environment: dict[str, str]) -> None:
    assert cached_outputs(tmp_path / "project", DIGEST, environment) == OUTPUTS
    assert cached_outputs(tmp_path / "project", "e" * 64, environment) == ()
    assert cached_outputs(tmp_path / "project", "", environment) == ()
    assert cached_outputs(tmp_path, DIGEST, environment) == ()


def test_a_host_takes_only_what_it_had_made_itself(tmp_path: Path, environment: dict[str, str]) -> None:
    made = save_outputs(tmp_path / "project", DIGEST, OUTPUTS, environment)
    assert cached_outputs(tmp_path / "project", DIGEST, environment, outputs_sha=made) == OUTPUTS
    assert cached_outputs(tmp_path / "project", DIGEST, environment, outputs_sha="") == ()
    # Who has the key can write one that fits in all but this.
    save_outputs(tmp_path / "project", DIGEST, OUTPUTS[:1], environment)
    assert cached_outputs(tmp_path / "project", DIGEST, environment, outputs_sha=made) == ()
    assert cached_outputs(tmp_path / "project", DIGEST, environment) == OUTPUTS[:1]


def test_newer_ones_take_the_place_of_older_ones(tmp_path: Path, environment: dict[str, str]) -> None:
    save_outputs(tmp_path / "project", "e" * 64, OUTPUTS[:1], environment)
    assert cached_outputs(tmp_path / "project", DIGEST, environment) == ()
    assert cached_outputs(tmp_path / "project", "e" * 64, environment) == OUTPUTS[:1]


def test_only_the_person_can_read_them(tmp_path: Path, environment: dict[str, str]) -> None:
    (path,) = files(tmp_path / "project", environment)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_secret_that_a_unit_has_printed_is_not_kept(tmp_path: Path, environment: dict[str, str]) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
    save_outputs(tmp_path / "project", DIGEST, (UnitOutput("10-a", token, "unit.failed", token),), environment)
    (path,) = files(tmp_path / "project", environment)
    assert token.encode() not in path.read_bytes()
    (found,) = cached_outputs(tmp_path / "project", DIGEST, environment)
    assert "secret removed" in found.text
    assert "secret removed" in found.detail


def files(project: Path, environment: dict[str, str]) -> list[Path]:
    return [path for path in project_path(project, environment).iterdir() if path.is_file()]


def flipped(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def away(path: Path) -> Path:
    path.rename(path.parent / "kept")
    return path


SPOILED: dict[str, Callable[[Path], object]] = {
    "text": lambda p: p.write_bytes(p.read_bytes().replace(b"text", b"evil")),
    "problem": lambda p: p.write_bytes(p.read_bytes().replace(b"unit.failed", b"unit.FAILED")),
    "cut short": lambda p: p.write_bytes(p.read_bytes()[:-1]),
    "longer": lambda p: p.write_bytes(p.read_bytes() + b"\0"),
    "empty": lambda p: p.write_bytes(b""),
    "another thing": lambda p: p.write_bytes(b"\x93\xa1a\xa1b\xc4\x00"),
    "folder": lambda p: away(p).mkdir(),
    "link": lambda p: p.symlink_to(p.rename(p.parent / "kept")),
    "FIFO": lambda p: os.mkfifo(away(p)),
    "gone": lambda p: p.unlink(),
    "another key": lambda p: (p.parents[2] / "trust" / "key").write_bytes(b"k" * 32),
    "no key": lambda p: (p.parents[2] / "trust" / "key").unlink(),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_what_we_did_not_write_is_no_cache(
    tmp_path: Path, environment: dict[str, str], spoil: Callable[[Path], object]
) -> None:
    (path,) = files(tmp_path / "project", environment)
    assert (path.parents[2] / "trust") == trust_path(environment)
    spoil(path)
    assert cached_outputs(tmp_path / "project", DIGEST, environment) == ()


def test_no_single_bit_can_be_changed(tmp_path: Path, environment: dict[str, str]) -> None:
    (path,) = files(tmp_path / "project", environment)
    for place in range(path.stat().st_size):
        flipped(path, place)
        assert cached_outputs(tmp_path / "project", DIGEST, environment) == ()
        flipped(path, place)
    assert cached_outputs(tmp_path / "project", DIGEST, environment) == OUTPUTS


def test_the_cache_of_another_project_is_none(tmp_path: Path, environment: dict[str, str]) -> None:
    (path,) = files(tmp_path / "project", environment)
    (tmp_path / "other").mkdir()
    save_outputs(tmp_path / "other", DIGEST, (), environment)
    (other,) = files(tmp_path / "other", environment)
    shutil.copy(path, other)
    assert cached_outputs(tmp_path / "other", DIGEST, environment) == ()


def test_reading_makes_nothing(tmp_path: Path) -> None:
    assert cached_outputs(tmp_path, DIGEST, {"XDG_DATA_HOME": str(tmp_path / "none")}) == ()
    assert os.listdir(tmp_path) == []
