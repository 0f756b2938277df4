"""The cache of libghostty's declarations: code that is executed, so only if it is surely our own."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentsup.terminal import declarations, open_engine
from agentsup.terminal.declarations import cache_folder, load_types, package_folder
from agentsup.terminal.engine import EngineUnavailable


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return a list that grows with each parse of the declarations."""
    seen: list[Path] = []
    generate = declarations._generate

    def counted(path: Path) -> bytes:
        seen.append(path)
        return generate(path)

    monkeypatch.setattr(declarations, "_generate", counted)
    return seen


def usable(ffi: Any) -> bool:
    """Return whether these are the types the engine works with."""
    return bool(ffi.sizeof("GhosttyPointTwin") == ffi.sizeof("GhosttyPoint"))


def only_file(folder: Path) -> Path:
    """Return the single file in a folder."""
    (file,) = folder.iterdir()
    return file


def test_the_declarations_are_parsed_once(tmp_path: Path, parses: list[Path]) -> None:
    folder = tmp_path / "cache" / "agentsup"
    assert usable(load_types(package_folder(), folder))
    assert len(parses) == 1
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(only_file(folder).stat().st_mode) == 0o600
    assert usable(load_types(package_folder(), folder))
    assert len(parses) == 1


def test_other_declarations_get_a_cache_of_their_own() -> None:
    assert declarations.cache_name([b"a", b"b"]) != declarations.cache_name([b"a", b"c"])


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_never_executed(tmp_path: Path, parses: list[Path], mode: int) -> None:
    load_types(package_folder(), tmp_path)
    file = only_file(tmp_path)
    _plant(file)
    file.chmod(mode)
    assert usable(load_types(package_folder(), tmp_path))
    assert len(parses) == 2
    assert stat.S_IMODE(only_file(tmp_path).stat().st_mode) == 0o600


def test_a_file_of_another_user_is_never_executed(
    tmp_path: Path, parses: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    load_types(package_folder(), tmp_path)
    _plant(only_file(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert usable(load_types(package_folder(), tmp_path))
    assert len(parses) == 2


def test_nothing_in_a_folder_that_others_may_write_is_used_or_written(tmp_path: Path, parses: list[Path]) -> None:
    load_types(package_folder(), tmp_path)
    _plant(only_file(tmp_path))
    planted = only_file(tmp_path).read_bytes()
    tmp_path.chmod(0o777)
    assert usable(load_types(package_folder(), tmp_path))
    assert len(parses) == 2
    assert only_file(tmp_path).read_bytes() == planted


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path, parses: list[Path]) -> None:
    folder = tmp_path / "agentsup"
    load_types(package_folder(), folder)
    file = only_file(folder)
    _plant(file)
    file.rename(tmp_path / "elsewhere.py")
    file.symlink_to(tmp_path / "elsewhere.py")
    assert usable(load_types(package_folder(), folder))
    assert len(parses) == 2
    assert not file.is_symlink()


@pytest.mark.parametrize("keep", [0, 10, 50_000, -1])
def test_a_torn_file_is_made_again(tmp_path: Path, parses: list[Path], keep: int) -> None:
    load_types(package_folder(), tmp_path)
    file = only_file(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[:keep])
    assert usable(load_types(package_folder(), tmp_path))
    assert file.read_bytes() == whole


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path: Path, parses: list[Path]) -> None:
    (tmp_path / "file").write_text("no folder can be made in here")
    for count in (1, 2):
        assert usable(load_types(package_folder(), tmp_path / "file" / "agentsup"))
        assert len(parses) == count


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, parses: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_from: object, _to: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", full)
    assert usable(load_types(package_folder(), tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_the_cache_stands_where_xdg_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "agentsup"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for unusable in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", unusable)
        assert cache_folder() == tmp_path / "home" / ".cache" / "agentsup"


def test_an_engine_opens_without_importing_pyghostty_or_cffi(tmp_path: Path) -> None:
    """Their import and the parse are the time that the cache saves."""
    program = (
        "import sys; from agentsup.terminal import open_engine; open_engine(80, 24);"
        "print(sorted({'pyghostty', 'cffi', 'pycparser'} & set(sys.modules)))"
    )
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert said == ["['cffi', 'pycparser']", "[]"]


def test_a_missing_library_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("__init__.py", "_cdef.py"):
        (tmp_path / name).write_bytes((package_folder() / name).read_bytes())
    monkeypatch.setattr(declarations, "package_folder", lambda: tmp_path)
    monkeypatch.setattr(declarations, "cache_folder", lambda: tmp_path / "cache")
    declarations.load.cache_clear()
    try:
        with pytest.raises(EngineUnavailable, match="no library for this platform"):
            open_engine(80, 24)
        (tmp_path / "_lib").mkdir()
        (tmp_path / "_lib" / "libghostty-vt.so").write_bytes(b"not a library")
        with pytest.raises(EngineUnavailable, match="can't be loaded"):
            open_engine(80, 24)
    finally:
        declarations.load.cache_clear()


def test_a_missing_package_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(EngineUnavailable, match="not installed"):
        package_folder()


def _plant(file: Path) -> None:
    """Put a well-sealed program in the cache's place, as an attacker would."""
    evil = b"raise SystemExit('a foreign program was executed')\n"
    file.write_bytes(declarations._seal(evil) + evil)
