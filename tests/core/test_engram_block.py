"""Only what stands at the end of a message is the agent's engram; what it quotes on the way there is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.engram_block import SEARCHED, block_elsewhere, engram_block, is_same, joined
from agentsup.core.memory.engram import MOST_ITEMS, read_engram
from agentsup.core.memory.labels import TAG_LABELS

A = "[Task] Make a() faster.\n[Progress] Wrote a() in a.py\n[Pending] b() in b.py\n[Taboo] c.py: shared\n"
B = A.replace("a()", "z()")
ZH = "[任务] 让 parse() 支持周\n[进度] 实现 a.py 的 parse()\n[未决] a.py:40\n[禁忌] b.py：被导入器依赖\n"


@pytest.mark.parametrize(
    "message",
    [
        A,
        A.rstrip("\n"),
        f"All done, tests pass.\n\n{A}",
        f"All done.\n{A}",
        f"All done.\n\n{A}\n\n---\n",
        f"Engram:\n\n```\n{A}```\n",
        f"Engram:\n```text\n{A}```",
        f"~~~\n{A}~~~\n",
        A.replace("\n", "\n\n"),
        A.replace("\n", "\r\n"),
        A.replace("[Task]", "**[Task]**").replace("[Pending]", "`[Pending]`").replace("[Taboo]", "__[Taboo]__"),
        A.replace("\n", "   \n"),
        f"It was:\n{B}\nIt is now:\n{A}",
        f"It was:\n\n{B}\nIt is now:\n\n{A}",
        f"{B}\n{A}",
        f"```\n{B}```\n\n{A}",
        f"> {B}\n{A}",
        f"```python\nprint(1)\n{A}",  # a fence that is never closed hides nothing
    ],
)
def test_the_block_at_the_end_is_taken_as_it_was_written(message: str) -> None:
    assert engram_block(message) == A


@pytest.mark.parametrize(
    "message",
    [
        "",
        "\n\n",
        "Done.",
        "---",
        f"{A}\nAnything else?",
        f"The file says:\n\n{A}\nI left it alone.",
        f"The file says:\n```\n{A}```\nI left it alone.",
        f"{A}\n- one more thing",
        f"{A}Anything else?",
        f"{A}==== engram ====\nagentsup restore bcd234\n",
        f"{ZH}还有别的吗？",
        f"```\n{A}And so on.\n```",
        "".join(f"> {line}\n" for line in A.splitlines()),
        f"```diff\n{A}```",
        f"```\n# .agent/engram.md\n\n{A}```",
        f"```\n{A}\nNotes below it.\n```",
        f"<!--\n{A}-->",
        "[Files] a.py",
        "[Files] a.py\n[Files] b.py",
        "See [1] and [2].\n[1] a\n[2] b",
        "| [Task] | a |\n| [Taboo] | b |",
    ],
)
def test_what_is_quoted_or_stands_elsewhere_is_none(message: str) -> None:
    assert engram_block(message) is None


@pytest.mark.parametrize(
    "block",
    [
        ZH,
        "[Task] a\n[Progress]\n- Wrote b\n- Wrote c\n[Pending] d\n[Taboo] e\n",
        "[Task] a\n[Pending] b\n",
        "[Task] a\n[Rules] none\n[Taboo] b\n",
        f"{A}[Rules] none\n",
        f"{A}  - and d.py\n",
        A.replace("[Taboo] c.py: shared", "[Taboo]\n- c.py: shared"),
        A.replace("[Pending]", "And so on.\n[Pending]"),
        "[Task] a\n[Pending] b\nAnd so on.\n",
        "- [Task] a\n- [Progress] b\n",
        "[Task] a\x1b[31m\n[Pending] b\n",
        "[Progress] a\n[Progress] b\n[Task] c\n",
    ],
)
def test_a_block_with_faults_is_one_too_so_that_they_can_be_told(block: str) -> None:
    assert engram_block(f"Said before.\n\n{block}") == block


LONG = "[Taboo] Leave services/quotes/api.py alone: the partner's importer calls it"
LONG_ZH = "[禁忌] 不要改 services/quotes.py 的返回结构：对账服务依赖它的字段顺序和"


@pytest.mark.parametrize(
    ("wrapped", "item"),
    [
        ("[Taboo] Leave c.py alone: the importer\nrelies on it", "[Taboo] Leave c.py alone: the importer relies on it"),
        ("[Taboo] c.py: shared\n  and d.py", "[Taboo] c.py: shared and d.py"),
        ("[Taboo] a.py,\nB.py: shared", "[Taboo] a.py, B.py: shared"),
        ("[Taboo] c.py: a non-\nblocking read", "[Taboo] c.py: a non-blocking read"),
        ("[Taboo] services/quotes/\napi.py: shared", "[Taboo] services/quotes/api.py: shared"),
        ("[Taboo] c.py: `make\nDEPLOY=1` runs it", "[Taboo] c.py: `make DEPLOY=1` runs it"),
        ("[Taboo] c.py (shared with\nThe Importer)", "[Taboo] c.py (shared with The Importer)"),
        (f"{LONG}\nREADME.md names it", f"{LONG} README.md names it"),
        (f"{LONG}\n(see README.md)", f"{LONG} (see README.md)"),
        (f"{LONG}\nfrom both of its\nworkers.", f"{LONG} from both of its workers."),
        (f"{LONG_ZH}\n小数位数", f"{LONG_ZH}小数位数"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["{}", "Done.\n\n{}\n---\n", "```\n{}```"])
def test_an_item_that_the_agent_has_wrapped_is_one_line(wrapped: str, item: str, around: str) -> None:
    head = A.partition("[Taboo]")[0]
    assert engram_block(around.format(f"{head}{wrapped}\n")) == f"{head}{item}\n"
    within = A.replace("[Taboo] c.py: shared", f"{{}}\n{A.splitlines()[-1]}")
    assert engram_block(around.format(within.format(wrapped))) == within.format(item)


@pytest.mark.parametrize(
    "below",
    [
        "Anything else?",
        "anything else?",
        "I left it alone",
        "Done.",
        "All tests pass, and nothing else was changed",
        "# Notes",
        "- one more thing",
        "2. one more thing",
        "> one more thing",
        "| a | b |",
        "```",
        "==== engram ====",
        "还有别的吗？",
    ],
)
@pytest.mark.parametrize("item", ["[Taboo] c.py: shared", f"{LONG}.", LONG])
def test_what_may_be_a_remark_is_not_taken_for_the_rest_of_an_item(item: str, below: str) -> None:
    message = f"{A.partition('[Taboo]')[0]}{item}\n{below}\n"
    assert engram_block(message) is None
    assert block_elsewhere(message) == message.removesuffix(f"{below}\n")


def test_a_line_that_had_room_for_more_was_not_wrapped() -> None:
    wide = A.replace(
        "faster.", "faster: it is called for every row of every report that the importer makes in a night."
    )
    for item in (LONG, "[Taboo] c.py: shared"):
        assert engram_block(wide.replace("[Taboo] c.py: shared", f"{item}\nREADME.md names it")) is None


@pytest.mark.parametrize(
    "message",
    [
        f"{A}\nAnything else?",
        f"The file says:\n\n{A}\nI left it alone.",
        f"The file says:\n```\n{A}```\nI left it alone.",
        f"{B}\n```\n{A}```\n\nAnything else?\n```python\nprint(1)\n```",
        f"{B}\nNow:\n{A}\n- one more thing",
        f"```\n{A}\nNotes below it.\n```",
    ],
)
def test_a_block_that_is_seen_and_not_taken_is_known(message: str) -> None:
    assert engram_block(message) is None
    assert block_elsewhere(message) == A


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Done.",
        "[Task] a\n\nDone.",
        f"```diff\n{A}```\nDone.",
        f"<!--\n{A}-->\nDone.",
        "> " + A.replace("\n", "\n> "),
    ],
)
def test_what_is_none_is_not_seen_either(message: str) -> None:
    assert block_elsewhere(message) is None


def test_above_the_words_that_introduce_it_stands_another_one() -> None:
    block = "[Progress] a\n[Pending] b\n"
    assert engram_block(f"[Task] x\n[Taboo] y\n\nNow:\n{block}") == block


def test_half_a_character_does_no_harm() -> None:
    found = engram_block(A.replace("shared", "sha\ud83dred"))
    assert found is not None
    assert found.encode()
    assert "sha\ufffdred" in found


def test_a_message_of_any_length_is_looked_at_from_its_end() -> None:
    assert engram_block("[Task] x\n" * 200_000 + "\nNow:\n" + A) == A
    assert len(engram_block("[Task] x\n[Taboo] y\n" * 200_000) or "") <= SEARCHED + 1
    assert engram_block("\n" * 2_000_000) is None
    assert engram_block("```\n" * 100_000 + A) is not None
    for filler in ("```\n", "```\n[Task] x\n```\n", "[Task] x\ny\n", "[Task] x\n" + "y\n" * 50, "[Task] x\n\n"):
        assert block_elsewhere(filler * 100_000 + "\nDone.") is None


TAG = st.sampled_from([f"[{label}]" for labels in TAG_LABELS.values() for label in labels.values()])
WORDS = st.text("abc [](){}`*_-:#>\t日。\x1b\u202e", max_size=20)
LINES = st.lists(st.one_of(st.builds(lambda tag, words: f"{tag} {words}", TAG, WORDS), WORDS), max_size=12)


def bare(text: str) -> str:
    """Return a text without blanks, bold and code."""
    return "".join(text.replace("**", "").replace("__", "").replace("`", "").split())


@given(LINES)
def test_whatever_is_found_is_a_part_of_the_message_and_found_again(lines: list[str]) -> None:
    message = "\n".join(lines)
    found = engram_block(message)
    if found is not None:
        assert len({item.tag for item in read_engram(found).items}) >= 2
        for line in found.splitlines():
            assert bare(line) in bare(message)
        again = engram_block(f"Before.\n\n{found}")
        assert again is not None


def test_blank_lines_and_line_ends_make_no_other_engram() -> None:
    assert is_same(A, f"\ufeff\n{A.replace(chr(10), chr(13) + chr(10) * 2)}")
    assert not is_same(A, B)
    assert not is_same(A, A.replace("faster", "fast"))


def test_too_many_items_are_joined_files_first_then_the_oldest_progress() -> None:
    files = "[Files] a.py:1-9\n[Files] b.py\n[Files] c.py\n"
    progress = "[Progress] Wrote d().\n[Progress] Wrote e()\n"
    whole = A.replace("[Pending]", f"{files}{progress}[Pending]")
    assert len(read_engram(whole).items) == 9
    assert joined(whole, MOST_ITEMS) == whole.replace("[Files] a.py:1-9\n[Files] b.py\n", "[Files] a.py:1-9, b.py\n")
    assert joined(whole, 5) == A.replace(
        "[Progress] Wrote a() in a.py\n",
        "[Progress] Wrote a() in a.py; Wrote d(); Wrote e()\n[Files] a.py:1-9, b.py, c.py\n",
    )
    assert joined(A, MOST_ITEMS) == A


def test_what_can_not_be_joined_stays_as_it_is() -> None:
    pending = A + "[Pending] x in y.py\n" * 6
    assert joined(pending, MOST_ITEMS) == pending
    continued = A + "and more of it\n" + "[Files] a.py\n" * 6
    assert joined(continued, MOST_ITEMS) == continued


@given(st.lists(st.tuples(TAG, st.text("ab, ;.", min_size=1, max_size=9)), min_size=1, max_size=20))
def test_joining_leaves_no_word_out(items: list[tuple[str, str]]) -> None:
    block = "".join(f"{tag} x{text}y\n" for tag, text in items)
    after = joined(block, MOST_ITEMS)
    before, now = read_engram(block), read_engram(after)
    assert {item.tag for item in before.items} == {item.tag for item in now.items}
    assert len(now.items) <= len(before.items)
    for item in before.items:
        assert any(item.text in other.text for other in now.items if other.tag == item.tag)
