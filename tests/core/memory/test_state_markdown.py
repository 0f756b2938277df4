"""STATE.md as people and agents write it, and what comes back of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsup.core.memory.labels import SECTIONS, STATE_ORDER
from agentsup.core.memory.model import Spot
from agentsup.core.memory.state import TaskState, steps, with_progress
from agentsup.core.memory.state_markdown import read_markdown, unknown_sections, write_markdown

CANONICAL = """\
# STATE

updated: 2026-11-30 by codex

## Scope
- calc

## Completed
- ensure add() is typed (commit 8bd1a50)

## In progress
- sub()

## Next
- ensure mul() exists in calc.py
- run `pytest -q`

## Evidence
- `pytest -q`: 4 passed
"""


def texts_of(state: TaskState, section: str) -> list[str]:
    return [step.text for step in getattr(state, section)]


def test_a_canonical_file_comes_back_to_the_byte() -> None:
    state = read_markdown(CANONICAL)
    assert write_markdown(state) == CANONICAL
    assert texts_of(state, "scope") == ["calc"]
    assert texts_of(state, "completed") == ["ensure add() is typed (commit 8bd1a50)"]
    assert texts_of(state, "in_progress") == ["sub()"]
    assert state.next_step == "ensure mul() exists in calc.py"
    assert texts_of(state, "evidence") == ["`pytest -q`: 4 passed"]
    assert (state.updated_at, state.updated_by, state.language, state.form) == (
        "2026-11-30", "codex", "en", "markdown"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "section"),
    [
        ("## Next:", "next"), ("### 下一步：", "next"), ("## Next steps", "next"), ("## 已完成 (3)", "completed"),
        ("## In Progress", "in_progress"), ("## Evidence / 最近证据", "evidence"), ("##Next", "next"),
        ("# NEXT", "next"), ("## **Next**", "next"), ("## 1. Scope", "scope"), ("## 一、当前范围", "scope"),
        ("## ✅ Completed ✅", "completed"), ("## Completed (3 of 5)", "completed"), ("## [Blocked]", "blocked"),
        ("## 阻塞", "blocked"), ("## in-progress", "in_progress"), ("## What's next?", "next"),
        ("## What’s next?", "next"), ("## 下一步（按顺序）", "next"), ("## Scope（当前范围）", "scope"),
        ("## 当前范围 Scope", "scope"), ("## Next ##", "next"), ("   ## Next", "next"), ("## Next — 下一步", "next"),
        ("## To-do", "next"), ("## 已完成：3", "completed"),
    ],
)  # fmt: skip
def test_a_section_is_known_however_its_heading_is_written(line: str, section: str) -> None:
    for text in (f"{line}\n- item\n", f"\ufeff{line}\r\n\r\n* item\r\n", f"intro\n\n{line}\n1. item"):
        state = read_markdown(text)
        assert {name: texts_of(state, name) for name in STATE_ORDER if getattr(state, name)} == {section: ["item"]}


@pytest.mark.parametrize("line", ["## Nextcloud", "## Scope and completed", "## Completed / Next", "## 42", "## -",
                                  "#### Out of scope", "## Task", "## 进度"])  # fmt: skip
def test_other_headings_are_no_section(line: str) -> None:
    state = read_markdown(f"{line}\n- item\n")
    assert not any(getattr(state, name) for name in STATE_ORDER)
    assert write_markdown(state).endswith("- item\n")


@pytest.mark.parametrize("name", list(SECTIONS))
def test_every_known_name_is_read_as_a_heading_and_as_a_key(name: str) -> None:
    for text in (f"## {name}\n- item\n", f"{name}: item\n", f"- **{name.title()}**：item\n"):
        assert texts_of(read_markdown(text), SECTIONS[name]) == ["item"]


def test_items_are_read_in_every_form_a_list_has() -> None:
    text = """\
## Completed
- a
* b
• c
+ d
1. e
2) f
3、g
- [x] h
- [ ] i
- [X] [ ] [x] j
  - nested
\t- tabbed
- long
  goes on
    and on
plain prose
another line
-
- (none)
"""
    assert texts_of(read_markdown(text), "completed") == [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "nested", "tabbed", "long goes on and on", "plain prose",
        "another line",
    ]  # fmt: skip


@pytest.mark.parametrize("nothing", ["(none)", "none", "None.", "无", "暂无", "（无）", "N/A", "- (none)", "- 无。",
                                     "* _none yet_", "- [ ] none", "- [ ]", "-", "…"])  # fmt: skip
def test_a_line_that_says_none_is_no_item(nothing: str) -> None:
    state = read_markdown(f"## Next\n{nothing}\n## Scope\n- nonexistent files\n")
    assert state.next == ()
    assert texts_of(state, "scope") == ["nonexistent files"]


def test_each_item_knows_where_its_text_begins() -> None:
    text = "# STATE\n\n## Next: first\n- second\n  - [ ]  third\nfourth\n10. fifth\n"
    assert [step.spot for step in read_markdown(text).next] == [
        Spot(3, 10), Spot(4, 3), Spot(5, 10), Spot(6, 1), Spot(7, 5),
    ]  # fmt: skip


def test_what_is_no_item_stays_where_it_is() -> None:
    text = """\
# STATE of the parser
Kept by hand.

- not an item: no section yet

## Scope
<!-- one line
- only -->
- calc
---
### Later, perhaps
- parser

## Notes
- The designer is away.

```
## Next
- not read
```

## Next
- a

## Links
[x](y)
"""
    state = read_markdown(text)
    assert write_markdown(state) == text
    assert texts_of(state, "scope") == ["calc", "parser"]
    assert texts_of(state, "next") == ["a"]
    changed = write_markdown(replace(state, next=steps("b", "c"), completed=steps("a (commit 8bd1a50)")))
    assert changed == text.replace("## Notes", "## Completed\n- a (commit 8bd1a50)\n\n## Notes").replace(
        "- a\n\n## L", "- b\n- c\n\n## L"
    )


def test_a_heading_within_code_or_a_comment_is_none() -> None:
    text = "```text\n## Next\n- x\n```\n<!--\n## Next\n- y\n-->\n~~~~\n~~~\n## Next\n- no\n~~~~\n## Next\n- z\n"
    assert texts_of(read_markdown(text), "next") == ["z"]


def test_what_nothing_closes_does_not_swallow_the_rest() -> None:
    for opened in ("```python", "<!-- later", "~~~"):
        text = f"# STATE\n{opened}\n## Next\n- a\n"
        state = read_markdown(text)
        assert texts_of(state, "next") == ["a"]
        again = read_markdown(write_markdown(replace(state, scope=steps("b --> c", "```"))))
        assert (texts_of(again, "next"), texts_of(again, "scope")) == (["a"], ["b --> c"])


def test_code_below_an_item_belongs_to_it_and_code_in_a_section_is_items() -> None:
    text = "## Completed\n- add calc\n  ```sh\n  pytest -q\n  ```\n## Evidence\n```\n$ make test\n# fine\n```\n"
    state = read_markdown(text)
    assert texts_of(state, "completed") == ["add calc `pytest -q`"]
    assert state.completed[0].commands == ("pytest -q",)
    assert texts_of(state, "evidence") == ["$ make test", "# fine"]


def test_a_deeper_heading_divides_a_section_and_any_other_ends_it() -> None:
    state = read_markdown("### Completed\n#### Module A\n- a\n#### Next\n- n\n### Notes\n- x\n")
    assert (texts_of(state, "completed"), texts_of(state, "next")) == (["a"], ["n"])
    assert write_markdown(state) == "## Completed\n#### Module A\n- a\n\n## Next\n- n\n\n## Notes\n- x\n"
    assert write_markdown(read_markdown("# Completed\n## Module A\n- a\n")) == "## Completed\n### Module A\n- a\n"


def test_a_number_sign_within_a_section_is_an_item_and_no_heading() -> None:
    assert texts_of(read_markdown("## Completed\n#42 is fixed\n"), "completed") == ["#42 is fixed"]


def test_the_unknown_sections_are_named_without_the_title() -> None:
    text = "# STATE\n## Notes\n## Next\n- a\n### deeper\n## Links\n```\n# no\n```\n"
    found = unknown_sections(read_markdown(text))
    assert [(each.text, each.spot) for each in found] == [("## Notes", Spot(2, 4)), ("## Links", Spot(6, 4))]
    assert [each.text for each in unknown_sections(read_markdown("## Next\n# Odd\n"))] == ["# Odd"]


def test_a_section_that_is_there_twice_is_read_as_one() -> None:
    state = read_markdown("## Next\n- a\n## Notes\nx\n## 下一步\n- b\n## More\n")
    assert write_markdown(state) == "## Next\n- a\n- b\n\n## Notes\nx\n\n## More\n"


def test_the_language_is_the_files_own() -> None:
    assert read_markdown("## 下一步\n- a\n", "en").language == "zh"
    assert read_markdown("## Next\n- 修好加法\n", "zh").language == "en"
    assert read_markdown("nothing known", "zh").language == "zh"
    state = replace(read_markdown("## 下一步\n- a\n"), completed=steps("b"), blocked=steps("c"))
    assert write_markdown(state) == "## 已完成\n- b\n\n## 下一步\n- a\n\n## 阻塞\n- c\n"


def test_a_new_state_is_written_with_what_it_holds_in_canonical_order() -> None:
    state = TaskState(
        evidence=steps("e"), scope=steps("s"), next=steps("n"), updated_at="2026-11-30", updated_by="codex"
    )
    assert write_markdown(state) == (
        "updated: 2026-11-30 by codex\n\n## Scope\n- s\n\n## Next\n- n\n\n## Evidence\n- e\n"
    )
    assert write_markdown(TaskState()) == ""
    zh = replace(state, language="zh", scope=(), evidence=())
    assert write_markdown(zh) == "更新: 2026-11-30 由 codex\n\n## 下一步\n- n\n"


def test_a_blank_line_below_headings_is_kept_and_used_for_new_sections() -> None:
    text = "## Scope\n\n- a\n\n## Next\n\n- b\n"
    state = read_markdown(text)
    assert write_markdown(state) == text
    assert "## Completed\n\n- c\n" in write_markdown(replace(state, completed=steps("c")))


@pytest.mark.parametrize(
    ("line", "at", "by"),
    [
        ("updated: 2026-11-30 by codex", "2026-11-30", "codex"),
        ("更新: 2026-11-30", "2026-11-30", ""),
        ("最后更新：2026-11-30 10:00 由 codex", "2026-11-30 10:00", "codex"),
        ("last_updated: session-42", "session-42", ""),
        ("**Last updated:** 2026-11-30T10:00:00Z by Ann Lee", "2026-11-30T10:00:00Z", "Ann Lee"),
        ("_Updated: 2026-11-30_", "2026-11-30", ""),
        ("> updated: 30 Nov 2026", "30 Nov 2026", ""),
        ("<!-- updated: 2026-11-30 by codex -->", "2026-11-30", "codex"),
        ("- updated: 2026-11-30, by codex", "2026-11-30", "codex"),
        ("updated:", "", ""),
    ],
)
def test_the_line_that_says_when_it_was_updated_is_read_kept_and_brought_up_to_date(
    line: str, at: str, by: str
) -> None:
    text = f"# STATE\n\n{line}\n\n## Next\n- a\n"
    state = read_markdown(text)
    assert (state.updated_at, state.updated_by) == (at, by)
    assert write_markdown(state) == text
    changed = write_markdown(with_progress(state, at="2027-01-02", by="ann"))
    assert (read_markdown(changed).updated_at, read_markdown(changed).updated_by) == ("2027-01-02", "ann")
    assert changed.replace("2027-01-02", at).count("\n") == text.count("\n")
    assert changed.split("\n")[2].startswith(line[:3])


def test_what_only_looks_like_an_update_is_left_alone() -> None:
    text = "# STATE\nUpdated: the docs of calc.py\n\n## Completed\n- updated: 2026 figures\nUpdated: src/a.py\n"
    state = read_markdown(text)
    assert (state.updated_at, texts_of(state, "completed")) == ("", ["updated: 2026 figures", "Updated: src/a.py"])
    assert write_markdown(replace(state, updated_at="2026-11-30")).startswith(
        "# STATE\n\nupdated: 2026-11-30\n\nUpdated: the docs of calc.py\n\n## Completed\n"
    )


def test_an_update_below_the_last_section_is_no_item() -> None:
    state = read_markdown("## Next\n- a\n\nupdated: 2026-11-30 by codex\n")
    assert (texts_of(state, "next"), state.updated_at) == (["a"], "2026-11-30")
    assert write_markdown(state) == "## Next\n- a\nupdated: 2026-11-30 by codex\n"


def test_who_updated_it_can_stand_in_a_line_of_its_own() -> None:
    text = "updated: 2026-11-30\nupdated_by: codex\n\n## Next\n- a\n"
    state = read_markdown(text)
    assert (state.updated_at, state.updated_by) == ("2026-11-30", "codex")
    assert write_markdown(with_progress(state, at="2026-12-01", by="ann")) == text.replace(
        "2026-11-30", "2026-12-01"
    ).replace("codex", "ann")


def test_what_is_no_time_is_not_written_as_one() -> None:
    text = "updated: 2026-11-30\n\n## Next\n- a\n"
    assert write_markdown(replace(read_markdown(text), updated_at="some other\nday")) == text


def test_a_file_without_headings_is_read_by_its_keys() -> None:
    text = """\
# STATE
Owner: Ann
Scope: calc
Completed:
- a (commit 8bd1a50)
- b

In progress:
the parser
**Next:** do x
  and y
阻塞：the key
Some prose.
"""
    state = read_markdown(text)
    assert {name: texts_of(state, name) for name in STATE_ORDER} == {
        "scope": ["calc"], "completed": ["a (commit 8bd1a50)", "b"], "in_progress": ["the parser"],
        "next": ["do x and y"], "blocked": ["the key"], "evidence": [],
    }  # fmt: skip
    assert [step.spot for step in (*state.scope, *state.next)] == [Spot(3, 8), Spot(10, 11)]
    assert write_markdown(state).startswith("# STATE\nOwner: Ann\n\nSome prose.\n\n## Scope\n- calc\n\n## Completed\n")


def test_prose_below_a_key_ends_with_a_blank_line() -> None:
    state = read_markdown("Next:\n\nfirst\nsecond\n\nNot this.\n\nScope: calc\nNor this.\n")
    assert (texts_of(state, "next"), texts_of(state, "scope")) == (["first", "second"], ["calc"])
    assert write_markdown(state).startswith("Not this.\n\nNor this.\n\n## ")


def test_a_key_is_only_an_item_where_there_are_headings() -> None:
    assert texts_of(read_markdown("## Completed\n- a\nNext: b\n"), "completed") == ["a", "Next: b"]


def test_a_line_that_stands_for_what_was_not_read_is_no_item() -> None:
    state = read_markdown("## Completed\n- a\n[… 1,234 lines left out …]\n- b\n")
    assert texts_of(state, "completed") == ["a", "b"]
    assert read_markdown(write_markdown(state)) == state


def test_byte_order_marks_and_line_ends_of_any_kind_do_no_harm() -> None:
    state = read_markdown("\ufeff# STATE\r\n## Next\r- a\n\ufeff## 已完成\n- b\r\n")
    assert write_markdown(state) == "# STATE\n\n## Next\n- a\n\n## Completed\n- b\n"


def test_texts_of_a_new_item_are_written_so_that_they_stay_one_item() -> None:
    state = TaskState(next=steps("a\nb\r\n\n  c ", "## Scope", "", "none", "- x", "[ ] [x] y"))
    assert texts_of(read_markdown(write_markdown(state)), "next") == ["a b c", "## Scope", "- x", "y"]


@pytest.mark.parametrize("mark", ["x", "X", "✓", "✔"])
def test_a_step_to_come_whose_box_is_ticked_is_done(mark: str) -> None:
    state = read_markdown(
        f"## Completed\n- a (`ls`)\n## Next\n1. [{mark}] b (`ls`)\n2. [ ] c\n## In progress\n- [{mark}] d\n"
    )
    assert [step.text for step in state.completed] == ["a (`ls`)", "b (`ls`)", "d"]
    assert ([step.text for step in state.next], state.in_progress) == (["c"], ())
    assert read_markdown(write_markdown(state)) == state
