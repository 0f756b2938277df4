"""A manifest's digest stands for exactly what was read, and nothing else has the same."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from agentsup.core.trust.manifest import INCLUDES_MOST, Manifest, ManifestFile, declared_includes, is_unit

INIT = ".agent/init.d"


def script(path: str = f"{INIT}/10-a.sh", data: bytes = b"echo a\n", *, executable: bool = True) -> ManifestFile:
    return ManifestFile(path, "script", executable, hashlib.sha256(data).hexdigest(), "", data)


def link(path: str, target: str) -> ManifestFile:
    return ManifestFile(path, "link", False, "", target)


def test_every_field_is_in_the_digest() -> None:
    file = script()
    others = (
        replace(file, path=f"{INIT}/11-a.sh"),
        replace(file, kind="data"),
        replace(file, executable=False),
        script(data=b"echo b\n"),
        replace(file, target="x"),
    )
    digests = {Manifest((each,)).digest for each in (file, *others)}
    assert len(digests) == len(others) + 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((link("ab", "c"),), (link("a", "bc"),)),
        ((link("a", "b"), link("c", "d")), (link("a", "d"), link("c", "b"))),
        ((link("a", ""), link("b", "")), (link("a", "b"),)),
        ((), (link("", ""),)),
        ((link("\udc80", ""),), (link("\\udc80", ""),)),
    ],
)
def test_no_text_can_stand_for_another_however_it_is_divided(
    one: tuple[ManifestFile, ...], other: tuple[ManifestFile, ...]
) -> None:
    assert Manifest(one).digest != Manifest(other).digest


def test_the_digest_does_not_depend_on_the_order_of_reading() -> None:
    files = (script(), script(f"{INIT}/9-b.sh"), link("x", "y"))
    assert Manifest(files).digest == Manifest(files[::-1]).digest


def test_scripts_run_in_numeric_then_name_order_and_nothing_else_runs() -> None:
    names = ["100-z.sh", "9-b.sh", "9-a.sh", "10-c.sh"]
    files = [*(script(f"{INIT}/{name}") for name in names), link(f"{INIT}/1-l.sh", "x")]
    assert [file.name for file in Manifest(tuple(files)).runnable] == ["9-a", "9-b", "10-c", "100-z"]


def test_includes_are_read_from_comment_lines_in_their_order() -> None:
    data = (
        b"#!/bin/sh\n# agentsup: include lib/b.sh\n"
        b"#agentsup:include lib/c.sh\n\t#  agentsup:  include ./lib//a b.sh \r\n"
        b"echo # agentsup: include lib/no.sh\n# agentsup: include\n# agentsup: include /etc/passwd\n"
    )
    assert declared_includes(data) == ("lib/b.sh", "lib/c.sh", "lib/a b.sh", "/etc/passwd")
    assert script(data=data).includes == ("lib/b.sh", "lib/c.sh", "lib/a b.sh", "/etc/passwd")
    assert replace(script(data=data), kind="data").includes == ()
    assert len(declared_includes(b"# agentsup: include x\n" * 1000)) == INCLUDES_MOST


@pytest.mark.parametrize(
    ("name", "executable", "expected"),
    [
        ("10-a.sh", False, True), ("10-a", True, True), ("10-a.py", False, False), ("lib.sh", True, False),
        ("README", True, False), ("90-engram.sh", True, False), ("95-recite.sh", False, False),
    ],
)  # fmt: skip
def test_only_numbered_executables_run_and_never_in_place_of_engram_and_recite(
    name: str, executable: bool, expected: bool
) -> None:
    assert is_unit(name, executable=executable) is expected


def test_it_can_be_kept_as_a_text_for_a_later_comparison() -> None:
    files = (script(data="echo 中\n".encode()), script(f"{INIT}/11-b", b"\0binary"), link("\udcff", "away"))
    manifest = Manifest(files)
    again = Manifest.from_text(manifest.to_text())
    assert (again, again.digest) == (manifest, manifest.digest)
    assert [file.data for file in again.files] == ["echo 中\n".encode(), b"", b""]


def test_a_secret_is_not_kept_with_it() -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
    text = Manifest((script(data=f"TOKEN={token}\n".encode()),)).to_text()
    assert token not in text
    assert "secret removed" in text


@pytest.mark.parametrize("text", ["", "{}x", "[1]", '[{"path": "a"}]', "[" * 100_000, '[{"kind": "run"}]', "5"])
def test_what_is_no_manifest_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="no manifest"):
        Manifest.from_text(text)
