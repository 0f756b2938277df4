"""A memory file is read as text, whole or in its parts, and its faults are said with their place."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.memory.abridging import KEPT, abridged
from agentsup.core.memory.model import Spot
from agentsup.store.documents import MOST, read_document, read_json_document, read_last_lines, read_whole_document

BIG = 50 << 20
TEXTS = {
    "lines": b"# STATE\n" + b"- a line of text that is long enough to be one\n" * (BIG // 47),
    "one line": b"x" * BIG,
    "line ends": b"\n" * BIG,
    "number signs": b"#" * BIG,
    "headings": b"\n#" * (BIG // 2),
    "number signs at the ends of lines": b"x#\n" * (BIG // 3),
    "sections": (b"## S\n" + b"x\n" * 5000) * (BIG // 10_005),
    "Chinese in one line": "完成一步 ".encode() * (BIG // 13),
}


@pytest.mark.parametrize("name", TEXTS)
def test_fifty_megabytes_are_read_in_150_ms(tmp_path: Path, name: str) -> None:
    (tmp_path / "STATE.md").write_bytes(TEXTS[name])
    best = 9.0
    for _ in range(5):
        started = time.process_time()  # others run beside it
        document = read_document(tmp_path, "STATE.md")
        best = min(best, time.process_time() - started)
    assert best < 0.15
    assert document.problem == "memory.too-long"
    assert document.size == len(TEXTS[name])
    assert document.text is not None
    assert len(document.text.encode()) < MOST + (1 << 20)
    assert document.text.encode()[:100] == TEXTS[name][:100]
    assert document.text.encode()[-60:] == TEXTS[name][-60:]


def test_of_each_section_the_beginning_and_the_end_stay_and_the_rest_is_counted() -> None:
    lines = [f"- item {number:05}\n" for number in range(30_000)]
    text = "# STATE\n\n## Completed\n" + "".join(lines) + "## Next\n- go on\n"
    parts = abridged(text.encode(), 200_000).decode()
    before, mark, after = parts.partition("[… ")
    assert text.startswith(before)
    assert before.endswith("\n")
    assert mark
    count, _, rest = after.partition(" lines left out …]\n")
    assert text.endswith(rest)
    assert rest.endswith("## Next\n- go on\n")
    assert int(count.replace(",", "")) == len(text.splitlines()) - len((before + rest).splitlines())
    assert len(before) > KEPT
    assert len(rest) > KEPT


@given(st.lists(st.sampled_from(["#", "\n", "# x\n", "完", "word ", "\r\n", "é"]), max_size=400), st.integers(1, 900))
def test_an_abridged_text_is_text_again_and_never_longer_than_its_gaps_make_it(pieces: list[str], most: int) -> None:
    text = "".join(pieces * 20)
    parts = abridged(text.encode(), most).decode()
    if len(text.encode()) <= most:
        assert parts == text
    assert parts.replace("\n", "").split("[…")[0] in text.replace("\n", "")
    assert len(parts) <= len(text) + 60 * parts.count("left out …]")


def test_of_a_file_of_gigabytes_only_the_ends_are_looked_at(tmp_path: Path) -> None:
    line = b"- a line of text that is long enough to be one\n"
    with open(tmp_path / "STATE.md", "wb") as file:
        file.write(b"# STATE\n" + line * ((33 << 20) // len(line)))
        file.seek(20 << 30)
        file.write(line * ((33 << 20) // len(line)) + b"## Next\n- go on\n")
    started = time.process_time()
    document = read_document(tmp_path, "STATE.md")
    assert time.process_time() - started < 1.0
    assert document.text is not None
    assert document.text.startswith("# STATE\n- a line")
    assert document.text.endswith("## Next\n- go on\n")
    assert document.text.count("left out …]") == 3
    assert f"[… {document.size - (64 << 20):,} bytes left out …]" in document.text


def test_a_file_of_20_gb_without_text_is_told_from_one_in_a_moment(tmp_path: Path) -> None:
    with open(tmp_path / "STATE.md", "wb") as file:
        file.write(b"# STATE\n")
        file.truncate(20 << 30)
    started = time.process_time()
    document = read_document(tmp_path, "STATE.md")
    assert time.process_time() - started < 1.0
    assert (document.text, document.problem, document.spot) == (None, "memory.not-text", Spot(2, 1))


def test_a_bad_byte_in_a_long_file_is_told_by_its_place_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "STATE.md").write_bytes(b"line\n" * 2_000_000 + b"ab\xff\n")
    document = read_document(tmp_path, "STATE.md")
    assert (document.text, document.problem, document.spot) == (None, "memory.not-text", Spot(2_000_001, 3))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfx", "\ufeffx"),
        ("\ufeff完\r\n".encode("utf-16-le"), "\ufeff完\r\n"),
        ("\ufeff完".encode("utf-16-be"), "\ufeff完"),
        (b"", ""),
    ],
)
def test_a_text_is_decoded_as_its_first_bytes_say(tmp_path: Path, data: bytes, text: str) -> None:
    (tmp_path / "f").write_bytes(data)
    assert read_document(tmp_path, "f").text == text


@pytest.mark.parametrize(
    ("data", "spot"),
    [
        (b"\xff", Spot(1, 1)),
        (b"a\nbc\0", Spot(2, 3)),
        ("é\r\n完\rx".encode() + b"\x80", Spot(3, 2)),
        (b"\xef\xbb\xbfab\xc3", Spot(1, 3)),
        ("\ufeffab\ncd".encode("utf-16-le") + b"\x00", Spot(2, 3)),
    ],
)
def test_what_is_no_text_is_told_by_its_first_bad_byte(tmp_path: Path, data: bytes, spot: Spot) -> None:
    (tmp_path / "f").write_bytes(data)
    document = read_document(tmp_path, "f")
    assert (document.text, document.problem, document.spot) == (None, "memory.not-text", spot)


def test_a_long_utf_16_file_is_abridged_too(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(("\ufeff# 状态\n" + "- 完成\n" * 800_000).encode("utf-16-le"))
    document = read_document(tmp_path, "f")
    assert document.text is not None
    assert document.text.startswith("\ufeff# 状态\n")
    assert "lines left out" in document.text


@pytest.mark.parametrize(
    ("text", "spot"),
    [
        ('{"a": 1,\n  x}', Spot(2, 3)),
        ('\ufeff{"a": }', Spot(1, 7)),
        ("[" * 100_000, Spot(1, 1)),
        ("9" * 5000, Spot(1, 1)),
    ],
)
def test_broken_json_is_told_by_line_and_column(tmp_path: Path, text: str, spot: Spot) -> None:
    (tmp_path / "f").write_text(text)
    document = read_json_document(tmp_path, "f")
    assert (document.text, document.problem, document.spot) == (None, "memory.unparsable", spot)


def test_good_and_empty_json_is_read(tmp_path: Path) -> None:
    for text in ('\ufeff{"a": 1}\n', "", " \n"):
        (tmp_path / "f").write_text(text)
        assert read_json_document(tmp_path, "f").text == text


def test_a_file_that_must_be_whole_has_no_text_when_it_is_too_long(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * (MOST + 1))
    document = read_whole_document(tmp_path, "f")
    assert (document.text, document.problem, document.size) == (None, "memory.too-long", MOST + 1)


def test_of_a_long_index_the_last_lines_are_read(tmp_path: Path) -> None:
    lines = [b'{"id": "op-%07d"}\n' % number for number in range(300_000)]
    (tmp_path / "f").write_bytes(b"".join(lines))
    document = read_last_lines(tmp_path, "f")
    assert document.problem == "memory.too-long"
    assert document.text is not None
    found = document.text.encode().splitlines(keepends=True)
    assert found == lines[-len(found) :]
    assert MOST - 100 < len(document.text) <= MOST
