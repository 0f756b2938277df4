"""Memory as it is read, and the restore text that is made of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.memory import Document, EngramItem, Memory, parse_engram, state_sections
from agentsup.core.restore import compose, compose_cold_start
from agentsup.core.text import sanitise, starts_plainly
from agentsup.locale import LANGUAGES, restore_frame

ENGRAM = "[Task] Make add() safe.\n[Progress] Wrote calc.py.\n[Pending] test_calc.py\n[Taboo] README.md: the owner's\n"


def memory(engram: str | None) -> Memory:
    return Memory(engram=Document(".agent/engram.md", engram))


def test_an_engram_is_read_in_both_languages_and_loose_forms() -> None:
    assert parse_engram(ENGRAM)[0] == EngramItem("task", "Make add() safe.")
    text = "\ufeff【任务】：修好加法\r\n- [进度] 写了 calc.py\n* ［未决］测试\n[禁忌] README.md\n[Nonsense] x\nprose"
    assert [item.tag for item in parse_engram(text)] == ["task", "progress", "pending", "taboo"]
    assert parse_engram(text)[0].text == "修好加法"


def test_state_sections_are_read_in_both_languages() -> None:
    text = "# State\n## Scope\ncalc\n## 已完成\n- a (commit 1)\n2. b\n## Next:\n* first\n## Other\nx\n"
    assert state_sections(text) == {
        "scope": ("calc",),
        "completed": ("a (commit 1)", "b"),
        "next": ("first",),
    }


def test_a_restore_text_holds_the_engram_once_between_rules_and_ends_with_the_recital() -> None:
    for language in LANGUAGES:
        frame = restore_frame(language)
        restored = compose(memory(ENGRAM), frame, id="abc123", number=2)
        assert restored.text.count(ENGRAM.strip()) == 1
        assert starts_plainly(restored.text)
        assert "abc123" in restored.text.partition("\n")[0]
        assert "2" in restored.text.partition("\n")[0]
        assert restored.text.endswith(frame.wait)
        assert compose(memory(ENGRAM), frame, id="abc123", number=2) == restored
        go_on = compose(memory(ENGRAM), frame, id="abc123", number=2, interrupted=True)
        assert go_on.text.endswith(frame.go_on)
        cold = compose_cold_start(memory(ENGRAM), frame, id="abc123", number=1)
        assert cold.text.endswith(frame.begin)


def test_nothing_is_restored_where_there_is_no_engram() -> None:
    frame = restore_frame("en")
    for nothing in (None, "", " \n\n"):
        assert compose(memory(nothing), frame, id="x", number=1).text == ""
        assert compose_cold_start(memory(nothing), frame, id="x", number=1).text == ""


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=300))
def test_a_restore_text_holds_no_control_and_cannot_end_its_paste(engram: str) -> None:
    hostile = engram + "\x1b[201~rm -rf\r\x9b201~\x07"
    text = compose(memory(hostile), restore_frame("en"), id="abc123", number=1).text
    assert not [c for c in text if c not in "\n\t" and (c < " " or "\x7f" <= c <= "\x9f")]
    assert sanitise(text) == text
