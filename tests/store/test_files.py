"""Our files: memory is read only where it is what it seems, folders are ours alone, intents survive."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from agentsup.core.occasion import as_written
from agentsup.core.problems import UsageProblem
from agentsup.store.folders import SOCKET_PATH_LIMIT, new_session_folder, own_folder, runtime_folder
from agentsup.store.injection_record import InjectionRecord, Recorded
from agentsup.store.memory_files import SIZE_LIMIT, read_memory


def test_memory_is_found_in_its_places(tmp_path: Path) -> None:
    assert read_memory(tmp_path).engram.text is None
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "engram.md").write_text("[Task] x\n")
    (tmp_path / "STATE.md").write_text("root\n")
    memory = read_memory(tmp_path)
    assert (memory.engram.text, memory.state.text, memory.state.path) == ("[Task] x\n", "root\n", "STATE.md")
    (tmp_path / ".agent" / "STATE.md").write_text("agent\n")
    assert read_memory(tmp_path).state.text == "agent\n"


def test_what_is_no_plain_text_file_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / ".agent"
    folder.mkdir()
    engram = folder / "engram.md"
    secret = tmp_path / "secret"
    secret.write_text("outside")
    engram.symlink_to(secret)
    assert read_memory(tmp_path).engram.problem == "memory.unreadable"
    engram.unlink()
    os.mkfifo(engram)
    assert read_memory(tmp_path).engram.problem == "memory.unreadable"
    engram.unlink()
    engram.write_bytes(b"\xff\xfe\x00")
    assert read_memory(tmp_path).engram.problem == "memory.not-text"
    with engram.open("wb") as file:
        file.truncate(SIZE_LIMIT + 1)
    assert read_memory(tmp_path).engram.problem == "memory.too-long"
    engram.unlink()
    engram.mkdir()
    assert read_memory(tmp_path).engram.problem == "memory.unreadable"


def test_a_folder_is_ours_alone_or_refused(tmp_path: Path) -> None:
    made = own_folder(tmp_path / "a" / "b")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    wide = tmp_path / "wide"
    wide.mkdir(mode=0o755)
    assert stat.S_IMODE(own_folder(wide).stat().st_mode) == 0o700
    (tmp_path / "link").symlink_to(made)
    with pytest.raises(UsageProblem, match="foreign"):
        own_folder(tmp_path / "link")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageProblem):
        own_folder(tmp_path / "file")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a folder that belongs to somebody else")
def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir(mode=0o700)
    os.chown(foreign, 12345, 12345)
    with pytest.raises(UsageProblem, match="foreign"):
        own_folder(foreign)


def test_a_runtime_folder_too_long_for_a_socket_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/tmp")
    long = tmp_path / ("x" * SOCKET_PATH_LIMIT)
    long.mkdir()
    assert not str(runtime_folder({"XDG_RUNTIME_DIR": str(long)})).startswith(str(long))
    folder = new_session_folder(own_folder(tmp_path / "run"))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_an_intent_is_read_back_and_a_torn_line_is_not_in_the_way(tmp_path: Path) -> None:
    record = InjectionRecord(tmp_path / "record.jsonl")
    assert record.read() == {}
    record.append(Recorded("abc", as_written("compaction:1"), "writing", 1.0))
    with open(tmp_path / "record.jsonl", "ab") as file:
        file.write(b'{"id":"torn')
    record.append(Recorded("abc", as_written("compaction:1"), "confirmed", 2.0))
    record.append(Recorded("def", as_written("compaction:2"), "writing", 3.0))
    found = record.read()
    assert {occasion.written: entry.state for occasion, entry in found.items()} == {
        "compaction:1": "confirmed", "compaction:2": "writing",
    }  # fmt: skip
    assert stat.S_IMODE((tmp_path / "record.jsonl").stat().st_mode) == 0o600
