"""What a session leaves on disk is the person's alone, whatever others may do by their umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Begin, wait_until
from tests.end_to_end.headless import Client
from tests.end_to_end.test_host import host_of

ENGRAM = "[Task] Write lex() in lex.py\n[Progress] Wrote a() in a.py\n[Pending] b() in b.py\n[Taboo] c.py: is theirs\n"


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    """Return what is in a folder, and is more than 0700 for a folder, 0600 for all else."""
    found = []
    for path in (folder, *folder.rglob("*")):
        mode = path.lstat().st_mode
        if stat.S_IMODE(mode) & ~(0o700 if stat.S_ISDIR(mode) else 0o600):
            found.append(f"{path.relative_to(folder)} {stat.filemode(mode)}")
    return found


@pytest.mark.usefixtures("open_umask")
def test_everything_is_the_persons_alone_also_after_a_crash(begin: Begin, tmp_path: Path) -> None:
    work, data = tmp_path / "work", tmp_path / "data"
    work.mkdir()
    session = begin("sh", "-c", "umask; exec cat", cwd=work, environment={"XDG_DATA_HOME": str(tmp_path / "lasting")})
    client = Client(session.folder)
    client.wait_text("0000")  # the agent's umask is the person's
    (work / ".agent").mkdir()
    (work / ".agent" / "engram.md").write_text(ENGRAM)
    wait_until(lambda: any((tmp_path / "lasting").rglob("*.jsonl")), "the engram's version is kept")
    first = host_of(session)
    first.kill()
    wait_until(lambda: host_of(session).pid != first.pid, "another host")
    Client(session.folder).wait_text("0000")
    kinds = {path.name for path in session.folder.iterdir()}
    assert {"socket", "session.json", "keeper.log", "host.log"} <= kinds
    assert [open_to_others(folder) for folder in (tmp_path / "run", data, tmp_path / "lasting")] == [[], [], []]


def test_a_host_log_that_is_no_file_is_not_written_and_stops_nothing(begin: Begin, tmp_path: Path) -> None:
    session = begin("cat")
    Client(session.folder)
    outside = tmp_path / "outside"
    outside.write_text("as it was")
    for lay in (lambda path: path.symlink_to(outside), os.mkfifo):
        first = host_of(session)
        (session.folder / "host.log").unlink(missing_ok=True)
        lay(session.folder / "host.log")
        first.kill()
        wait_until(lambda first=first: host_of(session).pid != first.pid, "another host")  # type: ignore[misc]
        client = Client(session.folder)
        client.wait(lambda client=client: client.session is not None, "it answers")  # type: ignore[misc]
    assert outside.read_text() == "as it was"
