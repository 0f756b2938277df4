"""A project on disk to its restore texts: the largest ones, a project's own sentences, and the process that does it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from agentsup.core.memory.model import Work
from agentsup.core.restore.frame import Budget
from agentsup.core.restore.preparation import Prepared, Wanted
from agentsup.restoring.prepare import prepare, tokens
from agentsup.store.manifests import read_manifest
from agentsup.store.trust_record import NewEntry, add

ENGRAM = "[Task] a in a.py\n[Progress] Wrote b().\n[Pending] c() in a.py\n[Taboo] d: because\n"


@pytest.fixture
def root(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with an engram; what is approved of it is recorded elsewhere."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "engram.md").write_text(ENGRAM)
    return tmp_path


def approve(root: Path) -> None:
    """Approve what the project has of its own sentences."""
    manifest = read_manifest(root)
    assert manifest is not None
    add(root, [NewEntry("scripts", "", manifest.digest, "allow", "terminal", manifest.to_text())])


def restored(root: Path, **wanted: object) -> str:
    prepared = prepare(Wanted(str(root), "en", **wanted))  # type: ignore[arg-type]
    text = prepared.of("compaction")
    assert text is not None
    return text.text(id="wwwwww", number=9999)


@pytest.mark.parametrize("window", [None, 200_000, 20_000, 1_000])
def test_a_state_of_50_mb_and_10_000_decisions_stay_below_the_limit(root: Path, window: int | None) -> None:
    with (root / ".agent" / "STATE.md").open("w") as file:
        file.write("# State\n## Scope\nall of it\n## Completed\n")
        row = "- Ensured that step {0} in file_{0}.py is typed (commit 8bd1a50)\n"
        for start in range(0, 800_000, 10_000):
            file.write("".join(row.format(n) for n in range(start, start + 10_000)))
        file.write("## Next\n1. Ensure last() in end.py exists\n## Evidence\n- `pytest -q`: passed\n")
    assert (root / ".agent" / "STATE.md").stat().st_size > 50_000_000
    (root / ".agent" / "DECISIONS.md").write_text("".join(
        f"## Decision {n} about module_{n}\n- reason: measured {n} times\n- confidence: [{tag}] agent\n"
        for n in range(10_000) for tag in (("HARD", "SOFT", "TENTATIVE")[n % 3],)
    ))  # fmt: skip
    text = restored(root, window=window)
    assert tokens(text) <= Budget().limit(window)
    assert "[Task] a in a.py" in text
    assert "[left out: " in text
    if window != 1_000:
        assert "Next 1: Ensure last() in end.py exists" in text
        assert "more, in .agent/DECISIONS.md]" in text


def test_equal_files_give_equal_bytes(root: Path) -> None:
    assert restored(root) == restored(root)


def test_a_project_may_have_its_own_sentences(root: Path) -> None:
    folder = root / ".agent" / "templates"
    folder.mkdir()
    (folder / "recite.md").write_text("Say what you do.\n")
    (folder / "restore-header.md").write_text("Memory {id}, number {number}, of our project.\n")
    (folder / "cold-start.md").write_text("Begin as the wiki says.\n")
    approve(root)
    prepared = prepare(Wanted(str(root), "en"))
    compaction, cold = prepared.of("compaction"), prepared.of("cold-start")
    assert compaction is not None
    assert cold is not None
    assert compaction.text(id="abc234", number=3).startswith("Memory abc234, number 3, of our project.\n")
    assert "\nSay what you do.\nThen wait." in compaction.text(id="abc234")
    assert "Begin as the wiki says." in cold.text(id="abc234")
    assert prepared.notices == ()


@pytest.mark.parametrize("header", ["/exit {id}", "# {id}", "No name at all", "Long {id} " + "word " * 700])
def test_a_sentence_that_can_not_be_used_is_said_and_ours_stands(root: Path, header: str) -> None:
    folder = root / ".agent" / "templates"
    folder.mkdir()
    (folder / "restore-header.md").write_text(header)
    approve(root)
    prepared = prepare(Wanted(str(root), "en"))
    assert prepared.notices == (("template.unusable", (("path", ".agent/templates/restore-header.md"),)),)
    text = prepared.of("compaction")
    assert text is not None
    assert text.text(id="abc234").startswith("Restored from disk by agentsup (restore abc234")


def test_the_id_stands_in_the_first_line_whatever_ends_it(root: Path) -> None:
    folder = root / ".agent" / "templates"
    folder.mkdir()
    (folder / "restore-header.md").write_bytes(b"Memory of\r{id}")
    (folder / "restore-start.md").write_text("No name")
    approve(root)
    (said,) = prepare(Wanted(str(root), "en")).notices
    paths = ".agent/templates/restore-header.md, .agent/templates/restore-start.md"
    assert said == ("template.unusable", (("path", paths),))  # one notice: of two with one key only one is shown


@pytest.mark.parametrize("budget", [Budget(400), Budget(1_000), Budget(2_000)])
def test_a_projects_sentences_never_take_the_room_of_the_facts(root: Path, budget: Budget) -> None:
    folder = root / ".agent" / "templates"
    folder.mkdir()
    for name in ("restore-header.md", "restore-start.md", "restore-cold-start.md"):
        (folder / name).write_text("Memory {id}: " + "word " * 570)
    for name in ("restore-legend.md", "recite.md", "cold-start.md"):
        (folder / name).write_text("Say " + "word " * 570)
    approve(root)
    prepared = prepare(Wanted(str(root), "en", budget))
    for text in prepared.texts:
        assert ENGRAM.strip() in text.text(id="abc234"), text.occasion
        assert text.tokens <= budget.target
    assert prepared.notices == (("template.unusable", (("path", ".agent/templates"),)),)


def test_what_a_person_should_know_of_the_files_is_said(root: Path) -> None:
    (root / "STATE.md").write_text("## Next\n- old\n")
    (root / ".agent" / "STATE.md").write_text("## Next\n- new\n")
    (root / ".agent" / "identity.md").write_bytes(b"language: \xff\n")
    (root / ".agent" / "engram.md").write_text("[Taboo] never: " + "because of this " * 2_000)
    said = dict(prepare(Wanted(str(root), "en")).notices)
    assert said["memory.double"] == (("files", "STATE.md (.agent/STATE.md)"),)
    assert said["memory.broken"] == (("files", ".agent/identity.md:1:11"),)


def test_the_process_answers_what_is_asked(root: Path) -> None:
    wanted = Wanted(str(root), "zh-CN", window=30_000, work=Work(last_request="x", edited=("a.py",)))
    command = [sys.executable, "-P", "-m", "agentsup.restoring"]
    done = subprocess.run(command, input=msgspec.msgpack.encode(wanted), capture_output=True, check=True)
    assert msgspec.msgpack.decode(done.stdout, type=Prepared) == prepare(wanted)


def test_the_process_ends_though_nobody_ends_it() -> None:
    code = "import agentsup.restoring.__main__ as program; program.LIFETIME = 1; program.main()"
    with subprocess.Popen([sys.executable, "-P", "-c", code], stdin=subprocess.PIPE) as process:
        assert process.wait(20) == -signal.SIGALRM


def test_a_project_that_is_gone_gives_nothing(tmp_path: Path) -> None:
    prepared = prepare(Wanted(str(tmp_path / "gone"), "en"))
    assert not any(prepared.texts)


def test_a_current_task_that_is_not_there_is_told(root: Path) -> None:
    for name in ("a", "b"):
        (root / ".agent" / "tasks" / name).mkdir(parents=True)
        (root / ".agent" / "tasks" / name / "STATE.md").write_text(f"## Next\n1. Ensure {name}() in x.py exists\n")
    (root / ".agent" / "state").mkdir()
    (root / ".agent" / "state" / "current-task").write_text("c\n")
    prepared = prepare(Wanted(str(root), "en"))
    assert dict(prepared.notices)["memory.no-task"] == (("name", "c"), ("used", "a"))
    (root / ".agent" / "state" / "current-task").write_text("b\n")
    assert prepare(Wanted(str(root), "en")).notices == ()
