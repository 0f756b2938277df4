"""The listing of a project is short, sorted, and shows every name as what it is."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

from agentsup.store.structure import NOISE, structure
from tests.store.project import write


def test_two_levels_are_listed_and_folders_end_with_a_slash(tmp_path: Path) -> None:
    write(
        tmp_path, {"README.md": "", "src/app.py": "", "src/core/deep.py": "", ".agent/engram.md": "", "src-old/x": ""}
    )
    assert structure(tmp_path) == (
        ".agent/", ".agent/engram.md", "README.md", "src-old/", "src-old/x", "src/", "src/app.py", "src/core/",
    )  # fmt: skip


def test_noise_is_left_out_at_both_levels(tmp_path: Path) -> None:
    write(tmp_path, {f"{name}/x": "" for name in sorted(NOISE)} | {f"lib/{name}/x": "" for name in sorted(NOISE)})
    write(tmp_path, {"lib/a.pyc": "", "lib/a.egg-info/x": "", "env/pyvenv.cfg": "", "cache/CACHEDIR.TAG": ""})
    assert structure(tmp_path) == ("lib/",)


def test_what_agentsup_puts_there_itself_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, {".agent/restore/s.restore.txt": "", ".agent/STATE.md": "", "restore/x": ""})
    assert structure(tmp_path) == (".agent/", ".agent/STATE.md", "restore/", "restore/x")


def test_links_are_shown_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"real/x": ""})
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "dangling").symlink_to("nowhere")
    assert structure(tmp_path) == ("dangling", "link", "loop", "real/", "real/x")


def test_what_is_too_much_in_a_folder_is_a_count_and_quick(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for number in range(100_000):
        os.close(os.open(tmp_path / "src" / f"f{number:06}", os.O_CREAT))
    started = time.process_time()  # others may want the processor
    found = structure(tmp_path)
    assert time.process_time() - started < 1.0
    assert found[:3] == ("src/", "src/ (+99,900)", "src/f000000")
    assert found[-1] == "src/f000099"
    assert structure(tmp_path / "src")[:2] == ("./ (+99,900)", "f000000")


def test_folders_share_the_room_equally(tmp_path: Path) -> None:
    write(tmp_path, {f"{folder}/{number:03}": "" for folder in "abcde" for number in range(100)} | {"f/only": ""})
    found = structure(tmp_path, 100)
    assert len(found) <= 100
    assert [path for path in found if path.startswith("a/")] == [
        "a/", f"a/ (+{100 - 17})", *(f"a/{number:03}" for number in range(17)),
    ]  # fmt: skip
    assert "f/only" in found
    for most in (1, 2, 6, 12, 13):
        assert len(structure(tmp_path, most)) <= most


def test_names_that_are_no_plain_text_are_shown_by_their_codes(tmp_path: Path) -> None:
    for name in (b"new\nline", b"esc\x1b[31m", b"bad\xff", "rtl\u202etxt".encode(), "完成".encode(), b"back\\slash"):
        (tmp_path / os.fsdecode(name)).mkdir()
    write(tmp_path, {"new\nline/in\tside": ""})
    assert set(structure(tmp_path)) == {
        "new\\x0aline/", "new\\x0aline/in\\x09side", "esc\\x1b[31m/", "bad\\xff/", "rtl\\u202etxt/", "完成/",
        "back\\\\slash/",
    }  # fmt: skip


def test_the_order_is_that_of_the_bytes_whatever_the_folders_give(tmp_path: Path) -> None:
    names = [f"{a}{b}" for a in "aZ_-é完.1" for b in "bY ~0"]
    for seed in range(3):
        root = tmp_path / str(seed)
        random.Random(seed).shuffle(names)
        write(root, {f"{name}/{other}": "" for name in names for other in names[:3]})
    first = structure(tmp_path / "0")
    assert first == tuple(sorted(first, key=str.encode))
    top = [
        [path for path in structure(tmp_path / str(seed)) if path.count("/") == 1 and path[-1] == "/"]
        for seed in (1, 2)
    ]
    assert top[0] == top[1]


def test_a_folder_that_cannot_be_listed_is_empty(tmp_path: Path) -> None:
    assert structure(tmp_path / "missing") == ()
