"""A block of ours in a person's file: put in once, replaced, and taken out without a trace."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from agentsup.core.marked_block import BEGIN, END, DamagedBlock, block_of, put, remove

BLOCK = "## Memory\n\nIt is in `.agent/`.\n"

LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r", ""])
WORDS = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ["", " ", "\ufeff", f"see {BEGIN}", f"{END}.", "agentsup:begin", "```", "\x85", "\u2028", "- x"]
)
TEXTS = st.lists(st.tuples(WORDS, LINE_ENDS), max_size=8).map(
    lambda parts: "".join(word + line_end for word, line_end in parts)
)
BLOCKS = st.lists(WORDS, max_size=4).map("\n".join)


def has_marker_line(text: str) -> bool:
    """Say whether any line is a marker and nothing else."""
    return any(line.strip() in (BEGIN, END) for line in text.replace("\r", "\n").split("\n"))


@given(TEXTS, BLOCKS)
@example("", BLOCK)
@example("\n", BLOCK)
@example("\r", BLOCK)
@example("abc", BLOCK)
@example("abc\n", BLOCK)
@example("abc\r", BLOCK)
@example("abc\r\n", BLOCK)
@example("\ufeff", BLOCK)
@example("a\r\nb\nc\r\n", BLOCK)
@example("a\nb\r\n", BLOCK)
@example("a\r\nb\n", BLOCK)
@example("a\nb\r", BLOCK)
def test_taken_out_it_leaves_the_file_as_it_was(text: str, block: str) -> None:
    assume(not has_marker_line(text) and not has_marker_line(block))
    once = put(text, block)
    assert remove(once) == text
    assert put(once, block) == once
    # A person's own text stays untouched, wherever the block is replaced.
    assert once.startswith(text)
    assert remove(put(once, BLOCK)) == text


@given(BLOCKS)
def test_a_file_that_was_not_there_is_gone_again(block: str) -> None:
    assume(not has_marker_line(block))
    once = put(None, block)
    assert once.startswith(BEGIN)
    assert once.endswith(f"{END}\n")
    assert put(once, block) == once
    assert remove(once) is None
    assert remove(put("", block)) == ""  # an empty file was one


@given(TEXTS, TEXTS, BLOCKS, st.sampled_from(["\n", "\r\n"]))
def test_what_a_person_writes_around_it_stays(before: str, after: str, block: str, line_end: str) -> None:
    assume(not any(map(has_marker_line, (before, after, block))))
    assume(before == "" or before.endswith("\n"))
    text = f"{before}{BEGIN}{line_end}old{line_end}{END}{line_end}{after}"
    replaced = put(text, block)
    assert replaced.startswith(f"{before}{BEGIN}{line_end}")
    assert replaced.endswith(f"{END}{line_end}{after}")
    assert put(replaced, block) == replaced
    left = remove(replaced)
    assert left in (before + after, before.removesuffix(line_end) + after, None)
    assert (left is None) == (before + after == "")


@given(st.lists(st.sampled_from([BEGIN, END, "words", "", "\ufeff"]), max_size=6), LINE_ENDS.filter(bool))
def test_a_text_with_markers_is_either_handled_or_refused(lines: list[str], line_end: str) -> None:
    text = line_end.join(lines)
    # A lone carriage return ends no line here: what stands between two of them is no marker line.
    kinds = [bare for line in text.split("\n") if (bare := line.removesuffix("\r").strip(" \t")) in (BEGIN, END)]
    if kinds in ([], [BEGIN, END]):
        once = put(text, BLOCK)
        assert put(once, BLOCK) == once
        assert remove(once) == remove(text)
        return
    for change in (remove, block_of, lambda text: put(text, BLOCK)):
        with pytest.raises(DamagedBlock) as raised:
            change(text)
        assert text.split("\n")[raised.value.line - 1].strip() in (BEGIN, END)


def test_it_takes_over_the_line_ends_of_the_file() -> None:
    once = put("# Mine\r\n\r\nUse tabs.\r\n", BLOCK)
    assert "\n" not in once.replace("\r\n", "")
    assert once == f"# Mine\r\n\r\nUse tabs.\r\n\r\n{BEGIN}\r\n## Memory\r\n\r\nIt is in `.agent/`.\r\n{END}\r\n"
    assert put("# Mine", BLOCK) == f"# Mine\n\n{BEGIN}\n{BLOCK}{END}"


def test_the_block_is_read_back() -> None:
    assert block_of("# Mine\n") is None
    assert block_of(put("# Mine\r\n", BLOCK)) == BLOCK.replace("\n", "\r\n").strip()
    assert block_of("# Mine\n  <!--agentsup:begin-->\nours\n<!--  agentsup:end -->  \n") == "ours"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"a\n{BEGIN}\nours\n", 2),
        (f"a\r\n\r\n{END}\r\nb", 3),
        (f"{END}\n{BEGIN}\n", 1),
        (f"{BEGIN}\nours\n{END}\n\n{BEGIN}\nmore\n{END}\n", 5),
        (f"{BEGIN}\n{BEGIN}\nours\n{END}\n", 2),
        (f"{BEGIN}\nours\n{END}\n{END}\n", 4),
    ],
)
def test_half_a_pair_is_refused_with_its_line(text: str, line: int) -> None:
    for change in (remove, block_of, lambda text: put(text, BLOCK)):
        with pytest.raises(DamagedBlock) as raised:
            change(text)
        assert raised.value.line == line


def test_a_block_can_not_hold_a_marker() -> None:
    with pytest.raises(ValueError, match="agentsup"):
        put("a\n", f"x\n{END}\ny")
