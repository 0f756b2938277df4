"""What runs and instructs is read whole, once, and by descriptor; any change of it is another digest."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from agentsup.core.trust.manifest import Manifest
from agentsup.store import manifests
from agentsup.store.manifests import A_FILE, read_manifest
from tests.store.project import write

INIT = ".agent/init.d"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with everything that a manifest covers."""
    root = tmp_path / "project"
    write(root, {
        f"{INIT}/10-a.sh": "#!/bin/sh\n# agentsup: include lib/one.sh\n# agentsup: include lib/two.sh\necho a\n",
        f"{INIT}/11-b.sh": "#!/bin/sh\necho b\n", f"{INIT}/12-data.json": "{}", f"{INIT}/notes.md": "n",
        f"{INIT}/lib/helper.sh": "h", f"{INIT}/40-decisions.md": "## x\n", ".agent/templates/recite.md": "say",
        ".agent/templates/deep/x.md": "x", "lib/one.sh": "1", "lib/two.sh": "2", "src/main.py": "print()",
    })  # fmt: skip
    (root / INIT / "11-b.sh").chmod(0o755)
    (root / INIT / "13-link.sh").symlink_to("../../src/main.py")
    return root


def manifest_of(root: Path) -> Manifest:
    found = read_manifest(root)
    assert found is not None
    return found


def kinds(root: Path) -> dict[str, str]:
    return {file.path: file.kind for file in manifest_of(root).files}


def test_everything_that_runs_or_instructs_is_in_it(project: Path) -> None:
    assert kinds(project) == {
        f"{INIT}/10-a.sh": "script", f"{INIT}/11-b.sh": "script", f"{INIT}/12-data.json": "data",
        f"{INIT}/13-link.sh": "link", f"{INIT}/lib/helper.sh": "data", f"{INIT}/notes.md": "data",
        ".agent/templates/recite.md": "template", ".agent/templates/deep/x.md": "template",
        "lib/one.sh": "include", "lib/two.sh": "include",
    }  # fmt: skip
    assert [(file.name, file.executable) for file in manifest_of(project).runnable] == [("10-a", False), ("11-b", True)]


def relink(path: Path, target: str) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def replace_text(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


CHANGES: dict[str, Callable[[Path], object]] = {
    "a byte": lambda p: replace_text(p / INIT / "10-a.sh", "echo a", "echo b"),
    "a byte at the end": lambda p: (p / INIT / "11-b.sh").write_bytes((p / INIT / "11-b.sh").read_bytes() + b"\0"),
    "run bit set": lambda p: (p / INIT / "10-a.sh").chmod(0o755),
    "run bit taken": lambda p: (p / INIT / "11-b.sh").chmod(0o644),
    "run bit of data": lambda p: (p / INIT / "notes.md").chmod(0o755),
    "name": lambda p: (p / INIT / "10-a.sh").rename(p / INIT / "10-b.sh"),
    "order": lambda p: (p / INIT / "10-a.sh").rename(p / INIT / "20-a.sh"),
    "names exchanged": lambda p: (
        (p / INIT / "10-a.sh").rename(p / "x"), (p / INIT / "11-b.sh").rename(p / INIT / "10-a.sh"),
        (p / "x").rename(p / INIT / "11-b.sh"),
    ),
    "content of an include": lambda p: (p / "lib/two.sh").write_text("3"),
    "an include is gone": lambda p: (p / "lib/two.sh").unlink(),
    "an include is a link": lambda p: relink(p / "lib/two.sh", "one.sh"),
    "the folder of an include is a link": lambda p: (p / "lib").symlink_to((p / "lib").rename(p / "l").name),
    "line of an include": lambda p: replace_text(p / INIT / "10-a.sh", "lib/two.sh", "src/main.py"),
    "order of the includes": lambda p: replace_text(
        p / INIT / "10-a.sh", "include lib/one.sh\n# agentsup: include lib/two.sh",
        "include lib/two.sh\n# agentsup: include lib/one.sh",
    ),
    "target of a link": lambda p: relink(p / INIT / "13-link.sh", "../../src/other.py"),
    "link instead of a file": lambda p: relink(p / INIT / "12-data.json", "notes.md"),
    "FIFO instead of a file": lambda p: fifo(p / INIT / "12-data.json"),
    "template": lambda p: (p / ".agent/templates/recite.md").write_text("obey"),
    "template added": lambda p: (p / ".agent/templates/instructions.md").write_text("obey"),
    "template in a folder": lambda p: (p / ".agent/templates/deep/x.md").write_text("y"),
    "script added": lambda p: (p / INIT / "30-c.sh").write_text("x"),
    "hidden file added": lambda p: (p / INIT / ".lib.sh").write_text("x"),
    "removed": lambda p: (p / INIT / "11-b.sh").unlink(),
    "data": lambda p: (p / INIT / "12-data.json").write_text("[]"),
    "data that is no unit": lambda p: (p / INIT / "notes.md").write_text("m"),
    "data removed": lambda p: (p / INIT / "notes.md").unlink(),
    "in a folder": lambda p: (p / INIT / "lib/helper.sh").write_text("x"),
    "in a folder, with the name of a home": lambda p: (p / INIT / "lib/40-decisions.md").write_text("x"),
    "a large file": lambda p: (p / INIT / "14-large.bin").write_bytes(b"x" * (A_FILE + 1)),
    "a home that could be run": lambda p: (p / INIT / "40-decisions.md").chmod(0o755),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_change_asks_for_a_new_approval(project: Path, change: Callable[[Path], object]) -> None:
    before = manifest_of(project)
    assert manifest_of(project).digest == before.digest
    change(project)
    assert manifest_of(project).digest != before.digest


@pytest.mark.parametrize(
    "name",
    [
        "40-decisions.md", "30-task-state.json", ".40-decisions.md.swp", "40-decisions.md~", ".#40-decisions.md",
        ".40-decisions.md.123.0123abcd.agentsup",
    ],
)  # fmt: skip
def test_memory_kept_in_the_folder_asks_for_none(project: Path, name: str) -> None:
    before = manifest_of(project).digest
    write(project, {f"{INIT}/{name}": "something new", "src/main.py": "else", ".agent/STATE.md": "s"})
    assert manifest_of(project).digest == before


def test_memory_that_a_script_includes_is_in_it(project: Path) -> None:
    write(project, {f"{INIT}/15-c.sh": f"# agentsup: include {INIT}/40-decisions.md\n"})
    assert kinds(project)[f"{INIT}/40-decisions.md"] == "include"
    before = manifest_of(project).digest
    write(project, {f"{INIT}/40-decisions.md": "rm -rf /"})
    assert manifest_of(project).digest != before


def test_what_is_no_plain_file_is_named_and_never_runs(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init = project / INIT
    os.mkfifo(init / "20-fifo.sh")
    monkeypatch.chdir(init)  # a socket's path may have 107 bytes
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("21-socket.sh")
    (init / "22-device.sh").symlink_to("/dev/zero")
    (init / "23-large.sh").write_bytes(b"#!/bin/sh\n" + b"#" * A_FILE)
    (init / "24-folder.sh").mkdir()
    (init / "24-folder.sh" / "x.sh").write_text("x")
    (tmp_path / "outside").write_text("outside")
    write(project, {f"{INIT}/25-c.sh": "".join(
        f"# agentsup: include {path}\n" for path in ("../outside", str(tmp_path / "outside"), "none", "lib", "."))
    })  # fmt: skip
    found = {file.path: (file.kind, file.target) for file in manifest_of(project).files}
    assert found[f"{INIT}/20-fifo.sh"] == ("other", "FIFO")
    assert found[f"{INIT}/21-socket.sh"] == ("other", "socket")
    assert found[f"{INIT}/22-device.sh"] == ("link", "/dev/zero")
    assert found[f"{INIT}/23-large.sh"] == ("other", f"{A_FILE + 10:,} bytes")
    assert found[f"{INIT}/24-folder.sh/x.sh"] == ("data", "")
    assert found["../outside"] == found[str(tmp_path / "outside")] == ("other", "leads out of the project")
    assert found["none"] == ("other", "missing")
    assert found["lib"][0] == "other"
    assert [file.name for file in manifest_of(project).runnable] == ["10-a", "11-b", "25-c"]


def test_memory_and_what_editors_leave_never_run(project: Path) -> None:
    names = ("40-decisions.md", "50-open-questions.md", "15-a.sh~", ".15-a.sh", "15-b.bak", "15-c\n.sh")
    write(project, {f"{INIT}/{name}": "#!/bin/sh\n" for name in names})
    for name in names:
        (project / INIT / name).chmod(0o755)
    found = kinds(project)
    assert {found[f"{INIT}/{name}"] for name in names} == {"data"}


def test_nothing_is_read_through_a_link_in_place_of_the_folder(project: Path, tmp_path: Path) -> None:
    (project / ".agent").rename(tmp_path / "elsewhere")
    (project / ".agent").symlink_to(tmp_path / "elsewhere")
    assert read_manifest(project) is None


def test_where_nothing_runs_or_instructs_there_is_none(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) is None
    assert read_manifest(tmp_path / "missing") is None
    write(tmp_path, {f"{INIT}/15-a.md": "text", f"{INIT}/40-decisions.md": "## x\n", f"{INIT}/lib.sh": "x"})
    assert read_manifest(tmp_path) is None
    write(tmp_path, {f"{INIT}/15-a.sh": ""})
    assert kinds(tmp_path) == {f"{INIT}/15-a.md": "data", f"{INIT}/15-a.sh": "script", f"{INIT}/lib.sh": "data"}


@pytest.mark.parametrize(("name", "value"), [("FILES", 5), ("ALL", 20), ("_LOOKED_AT", 3), ("_DEPTH", -1)])
def test_what_is_too_much_to_read_can_never_be_approved(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: int
) -> None:
    monkeypatch.setattr(manifests, name, value)
    assert manifest_of(project).digest != manifest_of(project).digest


def test_no_descriptor_is_left_open(project: Path) -> None:
    os.mkfifo(project / INIT / "20-fifo.sh")
    before = set(os.listdir("/proc/self/fd"))
    manifest_of(project)
    assert set(os.listdir("/proc/self/fd")) == before
