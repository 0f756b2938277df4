"""Decisions are read however people and agents write them; the steps change only what they name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentsup.core.memory.decisions import (
    Archived,
    Decision,
    add,
    add_all,
    archived,
    find,
    made_stale,
    read_decisions,
    replaced,
    write_decisions,
)
from agentsup.core.memory.labels import (
    ARCHIVED_LABELS,
    CONFIDENCE_WORDS,
    DECISION_GROUPS,
    DECISION_KEYS,
    DECISION_LABELS,
    DECISION_TITLE,
    DECISION_TITLES,
    STATUS_LABELS,
    STATUS_TAGS,
    STATUS_WORDS,
    UNTITLED,
)
from agentsup.core.memory.model import Spot

FULL = """# Decisions

Only append here.

## Use SQLite
- reason: one file,
  no server
- confidence: [SOFT] agent
- date: 2024-05-01
- status: superseded by d-123abc
- files: `src/a.py`, src/b.py
- id: store
- owner: Ann

## Use Redis
- reason: too much to run
- status: rejected
"""


def one(text: str, **wanted: Any) -> None:
    """Check that a text is one decision with these fields."""
    decisions = read_decisions(text).decisions
    assert [{name: getattr(decision, name) for name in wanted} for decision in decisions] == [wanted]


def test_a_decision_with_everything() -> None:
    read = read_decisions(FULL)
    assert read.decisions == (
        Decision(
            "Use SQLite", "one file,\nno server", "SOFT", "agent", "2024-05-01", "stale", "d-123abc",
            ("src/a.py", "src/b.py"), "store", others=("- owner: Ann",),
        ),
        Decision("Use Redis", "too much to run", status="rejected", id=read.decisions[1].id),
    )  # fmt: skip
    assert (read.decisions[0].spot, read.decisions[0].tag_spot) == (Spot(5, 4), Spot(8, 15))
    assert [prose.text for prose in read.others] == ["# Decisions\n\nOnly append here."]
    assert read.rejected == read.decisions[1:]


def test_a_chinese_file() -> None:
    text = "# 决策\n\n## 使用 SQLite：\n- 理由：单文件\n- 可信度：［HARD］ 用户\n- 文件：甲.py、乙.py\n"
    read = read_decisions(text)
    assert read.language == "zh"
    one(text, title="使用 SQLite", reason="单文件", confidence="HARD", source="用户", files=("甲.py", "乙.py"))
    assert write_decisions(add(read, Decision("用 C#", "快", "TENTATIVE", "代理", status="rejected"))) == (
        text + "\n## 用 C#\n- 理由: 快\n- 可信度: [TENTATIVE] 代理\n- 状态: 已否决\n"
    )


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("## [REJECTED] Use Redis", {"title": "Use Redis", "status": "rejected"}),
        ("## Use Redis (rejected)", {"title": "Use Redis", "status": "rejected"}),
        ("## 已否决：使用 Redis", {"title": "使用 Redis", "status": "rejected"}),
        ("## Rejected: use Redis", {"title": "use Redis", "status": "rejected"}),
        ("## 【已否决】 使用 Redis", {"title": "使用 Redis", "status": "rejected"}),
        ("## [HARD] Never push", {"title": "Never push", "confidence": "HARD", "status": "active"}),
        ("## ［soft］ 用 X", {"title": "用 X", "confidence": "SOFT"}),
        ("## 【强制】 用 X", {"title": "用 X", "confidence": "HARD"}),
        ("## Use X [stale]", {"title": "Use X", "confidence": "STALE", "status": "stale"}),
        ("## [REJECTED] [HARD] Use X ##", {"title": "Use X", "confidence": "HARD", "status": "rejected"}),
        ("## Use C#", {"title": "Use C#"}),
        ("## Delete users (soft)", {"title": "Delete users (soft)", "confidence": None}),
        ("## **Use X**:", {"title": "Use X"}),
        ("##Use X", {"title": "Use X"}),
        ("### Use X", {"title": "Use X"}),
        ("  ## Use X", {"title": "Use X"}),
    ],
)
def test_what_a_title_can_say(heading: str, wanted: dict[str, Any]) -> None:
    one(f"# Decisions\n{heading}\n- reason: x\n", reason="x", **wanted)


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("- status: rejected", {"status": "rejected"}),
        ("- status: [REJECTED]", {"status": "rejected"}),
        ("- status: rejected because too slow", {"status": "rejected", "reason": "too slow"}),
        ("- status: rejected (too slow)", {"status": "rejected", "reason": "too slow"}),
        ("- 状态：已否决，因为太慢", {"status": "rejected", "reason": "太慢"}),
        ("- reason: heavy\n- status: rejected: slow", {"status": "rejected", "reason": "heavy\nslow"}),
        ("- status: superseded by Use Y", {"status": "stale", "replaced_by": "Use Y"}),
        ("- status: stale, see d-123abc", {"status": "stale", "replaced_by": "d-123abc"}),
        ("- 状态：被 使用 Y 所取代", {"status": "stale", "replaced_by": "使用 Y"}),
        ("- status: stale\n- by: Use Y", {"status": "stale", "replaced_by": "Use Y"}),
        ("- 取代：使用 Y", {"status": "stale", "replaced_by": "使用 Y"}),
        ("- by: d-123abc", {"status": "stale", "replaced_by": "d-123abc"}),
        ("- by: Ann", {"status": "active", "replaced_by": "", "source": "Ann"}),
        ("- by: HARD user", {"status": "active", "confidence": None, "source": "user"}),
        ("- confidence: [STALE] user", {"status": "stale", "confidence": "STALE"}),
        ("- confidence: [STALE] user\n- status: active", {"status": "active", "confidence": "STALE"}),
        ("- status: accepted 2024-01-02", {"status": "active", "date": "2024-01-02", "reason": ""}),
        ("- status: 采用", {"status": "active"}),
        ("- status: proposed", {"status": "active", "others": ("- status: proposed",)}),
        ("- status: active\n- status: rejected", {"status": "rejected"}),
        ("- confidence: [SOFT] agent", {"confidence": "SOFT", "source": "agent"}),
        ("- confidence: SOFT (agent)", {"confidence": "SOFT", "source": "agent"}),
        ("- confidence: soft", {"confidence": "SOFT", "source": ""}),
        ("- confidence: `[HARD]` user, 2024", {"confidence": "HARD", "source": "user, 2024"}),
        ("- 可信度：【暂定】代理", {"confidence": "TENTATIVE", "source": "代理"}),
        ("- confidence: [MAYBE] agent", {"confidence": None, "unknown_tag": "MAYBE", "source": "agent"}),
        ("- confidence: the user", {"confidence": None, "unknown_tag": "", "source": "the user"}),
        ("- confidence: hard to say", {"confidence": None, "source": "hard to say"}),
        ("- **Reason:** __init__ runs", {"reason": "__init__ runs"}),
        ("* **Reason**: x", {"reason": "x"}),
        ("1. why: x", {"reason": "x"}),
        ("reason: x", {"reason": "x"}),
        ("- reason: a\n  b\nc\n\n  d\n\nNot the reason.", {"reason": "a\nb\nc\nd", "others": ("Not the reason.",)}),
        ("- reason:\n  - a\n  - b\n- date: x", {"reason": "- a\n- b", "date": "x"}),
        ("- reason: we look at\n  status: codes", {"reason": "we look at\nstatus: codes", "status": "active"}),
        ("\nPlain words.\nMore.\n\n- status: rejected", {"reason": "Plain words.\nMore.", "status": "rejected"}),
        ("- fast\n- small\n- owner: Ann", {"reason": "- fast\n- small", "others": ("- owner: Ann",)}),
        ("- files:\n  - a.py\n  - `b c.py`", {"files": ("a.py", "b c.py")}),
        ("- files: a.py；b.py, ", {"files": ("a.py", "b.py")}),
        ("- id: `mine`", {"id": "mine"}),
        ("### Reason\n\nWords.\n\nMore.\n### Status\nrejected", {"reason": "Words.\nMore.", "status": "rejected"}),
        ("Words.\n### Details\n\nDeep.\n\n- a", {"reason": "Words.", "others": ("### Details", "Deep.", "- a")}),
        ("```\n- status: rejected\n# no\n```", {"others": ("```", "- status: rejected", "# no", "```")}),
        ("<!--\n- status: rejected\n-->", {"status": "active", "reason": ""}),
        ("```\n- status: rejected", {"status": "rejected", "reason": "```"}),
    ],
)  # fmt: skip
def test_what_the_lines_of_a_decision_can_say(lines: str, wanted: dict[str, Any]) -> None:
    one(f"## Use X\n{lines}\n", title="Use X", **wanted)


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("# Decisions\n## A\n- reason: x\n## B\n", ["A", "B"]),
        ("# 决策\n\n# A\n- 理由：x\n# B\n- 理由：y\n", ["A", "B"]),
        ("# Our project\nWords.\n\n## A\nwords\n", ["A"]),
        ("# Our project\n- append only\n\n## A\nwords\n", ["A"]),
        ("# A\nwords\n\n# B\nwords\n", ["A", "B"]),
        ("### A\nwords\n### B\n- reason: x\n", ["A", "B"]),
        (
            "# Log\n## Storage\n### A\n- reason: x\n### B\n- reason: x\n## Network\n### C\n- reason: x\n",
            ["A", "B", "C"],
        ),
        ("## A\n- reason: x\n### Notes\n- a\n### B\n- reason: y\n", ["A", "B"]),
        ("# Decisions\nStatus: alive\n\n## A\n", ["A"]),
        ("# Decisions\n", []),
        ("Words only.\n", []),
        ("", []),
        ("# Decisions\n- reason: x\n", ["Decisions"]),
        ("<!--\n## title\n- reason: x\n-->\n## A\n", ["A"]),
        ("<!-- never closed\n## A\n- reason: x\n", ["A"]),
        ("- [SOFT] A\n- B\n  - deep\n* C\n1. D\n2、E\n", ["A", "B", "C", "D", "E"]),
        ("# Decisions\n\n- A\n- B\n\nWords between.\n\n- C\n", ["A", "B", "C"]),
        ("## Storage\n- A\n  - reason: x\n- B\n## C\n- note\n- reason: x\n", ["A", "B", "C"]),
        ("- reason: of nothing\n- A\n- reason: of A\n", ["A"]),
        ("# T\n- words\n- [HARD] A\n## B\n- reason: x\n", ["A", "B"]),
        ("## A\n- reason: x\n> archived: log/a.md: d-1\n\n- words\n", ["A"]),
    ],
)
def test_which_lines_are_decisions(text: str, titles: list[str]) -> None:
    assert [decision.title for decision in read_decisions(text).decisions] == titles


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        ("# Decisions\n## Rejected\n- A\n- B: slow\n## Accepted\n- C\n", ["rejected", "rejected", "active"]),
        ("# 已否决的方案\n## A\n- 理由：慢\n## B\n- 状态：采用\n# 采用\n## C\n", ["rejected", "active", "active"]),
        (
            "## A\n- reason: x\n## Rejected alternatives\n### B\nslow\n## C\n- reason: x\n",
            ["active", "rejected", "active"],
        ),
        ("## Rejected\n- reason: the title says nothing more\n", ["active"]),
    ],
)
def test_the_heading_of_a_group_says_the_status_below_it(text: str, statuses: list[str]) -> None:
    assert [decision.status for decision in read_decisions(text).decisions] == statuses


@pytest.mark.parametrize(
    ("item", "wanted"),
    [
        ("- [SOFT] Use X because Y (agent)", ("Use X", "Y", "SOFT", "agent")),
        ("- [SOFT] Use X because Y (measured)", ("Use X", "Y (measured)", "SOFT", "")),
        ("- 【软】使用 X，因为 Y（用户）", ("使用 X", "Y", "SOFT", "用户")),
        ("- Use X because of Y [HARD] (user).", ("Use X", "Y", "HARD", "user")),
        ("- Use X [HARD] (user)", ("Use X", "", "HARD", "user")),
        ("- Because we must", ("Because we must", "", None, "")),
        ("- Use X\n  because Y", ("Use X", "Y", None, "")),
        ("- Use X because Y\n  - confidence: [HARD] user", ("Use X because Y", "", "HARD", "user")),
        ("- Use X\n  - reason: Y\n  - confidence: [HARD] user", ("Use X", "Y", "HARD", "user")),
        ("- Use X\n\n  Since Y.", ("Use X", "Since Y.", None, "")),
    ],
)  # fmt: skip
def test_a_list_item_is_a_decision(item: str, wanted: tuple[str, str, str | None, str]) -> None:
    decision = read_decisions(f"# Decisions\n\n{item}\n").decisions[0]
    assert (decision.title, decision.reason, decision.confidence, decision.source) == wanted


def test_a_decision_without_a_tag_counts_as_tentative_and_a_stale_one_as_stale() -> None:
    read = read_decisions("## A\n## B\n- confidence: [HARD]\n## C\n- confidence: [HARD]\n- status: stale\n")
    assert [decision.confidence for decision in read.decisions] == [None, "HARD", "HARD"]
    assert [decision.trust for decision in read.decisions] == ["TENTATIVE", "HARD", "STALE"]


def test_an_id_follows_the_words_of_the_title() -> None:
    ids = [read_decisions(f"- {title}\n").decisions[0].id for title in ("Use X", "use  x", "Use Y")]
    assert ids[0] == ids[1] != ids[2]
    assert ids[0].startswith("d-")
    assert len(ids[0]) == 8


def test_the_same_title_twice_has_two_ids_that_stay_when_one_is_archived() -> None:
    text = "## A\n- reason: x\n\n## A\n- reason: y\n\n## A\n- reason: z\n"
    first, second, third = (decision.id for decision in read_decisions(text).decisions)
    assert (second, third) == (f"{first}-2", f"{first}-3")
    kept, moved = archived(read_decisions(text), keep=1, move=2)
    assert [decision.id for decision in moved] == [first, second]
    assert read_decisions(write_decisions(kept)).decisions[0].id == third
    archive = read_decisions("# Archive\n\n## B\n")
    for decision in moved[1:]:
        archive = add(archive, decision)
    assert read_decisions(write_decisions(archive)).decisions[-1].id == second


def test_a_decision_is_found_by_its_id_or_a_beginning_that_is_its_own() -> None:
    read = read_decisions("## A\n- id: store\n## B\n- id: stored\n## C\n- id: other\n")
    assert [getattr(find(read, id), "title", None) for id in ("store", "stor", "stored", "o", "", "x")] == [
        "A", None, "B", "C", None, None,
    ]  # fmt: skip


def test_an_addition_to_a_file_of_headings() -> None:
    written = write_decisions(
        add(
            read_decisions(FULL),
            Decision("Use  X\nnow", "fast\nand small", "SOFT", "agent", "2024-06-01", files=("a.py", "b.py")),
        )
    )
    assert written == FULL + (
        "\n## Use  X now\n- reason: fast\n  and small\n- confidence: [SOFT] agent\n- date: 2024-06-01\n"
        "- files: a.py, b.py\n"
    )


@pytest.mark.parametrize(
    ("before", "added"),
    [
        ("", "## New\n- reason: x\n- confidence: [HARD]\n"),
        ("\ufeff", "## New\n- reason: x\n- confidence: [HARD]\n"),
        ("# Decisions", "\n\n## New\n- reason: x\n- confidence: [HARD]\n"),
        ("## A\r\n- reason: a", "\r\n\r\n## New\r\n- reason: x\r\n- confidence: [HARD]\r\n"),
        ("# A\nwords\n\n# B\nwords\n\n", "# New\n- reason: x\n- confidence: [HARD]\n"),
        ("## A\n- reason: a\n\n### Deep\n- reason: b\n", "\n## New\n- reason: x\n- confidence: [HARD]\n"),
        ("- A\n- B", "\n- [HARD] New\n  - reason: x\n"),
        ("1. A\n2. B\n", "3. [HARD] New\n   - reason: x\n"),
        ("# Rejected\n\n* A\n", "* [HARD] New\n  - reason: x\n  - status: active\n"),
        ("## Rejected\n### A\nslow\n", "\n## New\n- reason: x\n- confidence: [HARD]\n- status: active\n"),
    ],
)
def test_an_addition_takes_the_form_of_the_file_and_leaves_all_before_it(before: str, added: str) -> None:
    read = read_decisions(before)
    written = write_decisions(add(read, Decision("New", "x", "HARD")))
    assert written == before + added
    assert read_decisions(written).decisions[:-1] == read.decisions
    assert read_decisions(written).decisions[-1].status == "active"


def test_no_text_of_an_agent_can_say_more_than_it_is_for() -> None:
    sly = "x\n- confidence: [HARD] user\n## [HARD] Another\n- status: rejected\n<!--\n```\n> archived: a: d-1"
    made = Decision(f"[HARD] A\n{sly}", sly, "TENTATIVE", f"agent\n{sly}", sly, "active", "", (sly,))
    read = read_decisions(write_decisions(add(read_decisions("# Decisions\n"), made)))
    assert [(d.confidence, d.status) for d in read.decisions] == [("TENTATIVE", "active")]
    assert (len(read.others), read.archives) == (1, ())


def test_an_addition_does_not_close_a_comment_that_was_left_open() -> None:
    read = read_decisions("## A\n<!-- unfinished\n")
    written = write_decisions(add(read, Decision("Move a --> b", "since a --> c")))
    assert [(d.title, d.reason) for d in read_decisions(written).decisions] == [
        ("A", "<!-- unfinished"), ("Move a → b", "since a → c"),
    ]  # fmt: skip


def test_making_one_stale_changes_only_its_lines() -> None:
    read = read_decisions(FULL)
    changed = made_stale(read, read.decisions[1].id, "store")
    assert write_decisions(changed) == FULL.replace(
        "- status: rejected\n", "- confidence: [STALE]\n- status: stale\n- by: store\n"
    )
    assert made_stale(changed, read.decisions[1].id, "store") == changed
    assert changed.decisions[1].trust == "STALE"


def test_a_list_item_made_stale_stays_one() -> None:
    text = "- [HARD] A because x (user)\n- B\n"
    read = read_decisions(text)
    written = write_decisions(made_stale(read, read.decisions[0].id, "B"))
    assert written == ("- [STALE] A\n  - reason: x\n  - confidence: [STALE] user\n  - status: stale\n  - by: B\n- B\n")
    assert [d.title for d in read_decisions(written).decisions] == ["A", "B"]


def test_a_list_item_between_headings_keeps_a_tag_or_it_would_be_none() -> None:
    read = read_decisions("# T\n- [REJECTED] A\n## B\n- reason: x\n")
    taken = replaced(read, read.decisions[0].id, replace(read.decisions[0], status="active"))
    assert [(d.title, d.status) for d in read_decisions(write_decisions(taken)).decisions] == [
        ("A", "active"), ("B", "active"),
    ]  # fmt: skip


@pytest.mark.parametrize("step", [lambda d: made_stale(d, "d-nothing", "x"), lambda d: replaced(d, "", Decision("x"))])
def test_an_id_that_is_not_there_is_an_error(step: Any) -> None:
    with pytest.raises(KeyError):
        step(read_decisions(FULL))


def many(count: int, mark: str = "") -> str:
    return "# Decisions\n\n" + "".join(f"## {mark}D{number:02d}\n- reason: r{number}\n\n" for number in range(count))


@pytest.mark.parametrize(("count", "left"), [(20, 20), (21, 11), (30, 20), (31, 11), (35, 15), (55, 15)])
def test_past_twenty_the_oldest_go_by_tens(count: int, left: int) -> None:
    read = read_decisions(many(count))
    kept, moved = archived(read)
    assert kept.decisions == read.decisions[count - left :]
    assert moved == read.decisions[: count - left]
    assert archived(read_decisions(write_decisions(kept))) == (kept, ())


def test_hard_ones_rejections_and_stale_ones_stay() -> None:
    text = (
        many(15, "[HARD] ")
        + "## R\n- status: rejected\n\n## S\n- status: stale\n\n"
        + many(10).removeprefix("# Decisions\n\n")
    )
    kept, moved = archived(read_decisions(text))
    assert [decision.title for decision in moved] == [f"D{number:02d}" for number in range(10)]
    assert len(kept.decisions) == 17
    kept, moved = archived(read_decisions(many(25, "[HARD] ")))
    assert (len(kept.decisions), moved) == (25, ())


def test_the_oldest_are_those_of_the_oldest_dates_where_all_have_one() -> None:
    text = "".join(f"## D{number}\n- date: 2024-05-{20 - number:02d}\n" for number in range(5))
    _, moved = archived(read_decisions(text), keep=4, move=2)
    assert [decision.title for decision in moved] == ["D4", "D3"]
    _, moved = archived(read_decisions(text + "## Undated\n"), keep=5, move=2)
    assert [decision.title for decision in moved] == ["D0", "D1"]


def test_an_index_line_says_what_can_be_asked_for_and_grows() -> None:
    read = read_decisions(many(4))
    first, second, third, _ = (decision.id for decision in read.decisions)
    kept, _ = archived(read, "log/archive/decisions.md", keep=3, move=1)
    assert write_decisions(kept) == (
        f"# Decisions\n\n> archived: log/archive/decisions.md: {first}\n\n" + many(4).split("\n\n", 2)[2]
    )
    kept, _ = archived(read_decisions(write_decisions(kept)), "log/archive/decisions.md", keep=2, move=1)
    kept, _ = archived(read_decisions(write_decisions(kept)), "log/archive/more.md", keep=1, move=1)
    again = read_decisions(write_decisions(kept))
    assert again.archives == (
        Archived("log/archive/decisions.md", (first, second)), Archived("log/archive/more.md", (third,)),
    )  # fmt: skip
    assert write_decisions(kept).count("archived") == 2
    assert [decision.title for decision in again.decisions] == ["D03"]


def test_an_archive_takes_each_decision_in_its_own_words() -> None:
    _, moved = archived(read_decisions(many(21)))
    archive = read_decisions("")
    for decision in moved:
        archive = add(archive, decision)
    assert write_decisions(archive) == many(10).removeprefix("# Decisions\n\n")


def test_a_list_that_is_archived_among_headings_becomes_headings() -> None:
    _, moved = archived(read_decisions("# Rejected\n## X\n# Accepted\n- A because x\n- B\n"), keep=1, move=1)
    archive = add(read_decisions("## Old\n- reason: y\n"), moved[0])
    assert write_decisions(archive) == "## Old\n- reason: y\n\n## A\n- reason: x\n"


def test_blank_lines_between_what_stays_are_not_lost_with_what_goes() -> None:
    read = read_decisions("- [HARD] A\n- B\n\nWords.\n")
    kept, _ = archived(read, "a.md", keep=1)
    again = read_decisions(write_decisions(kept))
    assert [(d.title, d.reason) for d in again.decisions] == [("A", "")]
    assert again.others[-1].text == "Words."


@pytest.mark.parametrize(
    "line", ["## {}", "- {}", "- reason: a{}b", "- confidence: [{}", "{}", "- status: x {}", "> {}"]
)
def test_a_very_long_line_takes_no_long_time(line: str) -> None:
    for filling in (" ", "[", "(", "#", "*", "a ", "because ", ": ", "<!--", "```"):
        text = "## A\n" + line.format(filling * (200_000 // len(filling))) + "\n"
        assert write_decisions(read_decisions(text)) == text


def test_many_openings_that_are_never_closed_take_no_long_time() -> None:
    text = "".join(f"{'`' * (3 + number % 50)}x\n<!-- {number}\n" for number in range(20_000))
    assert write_decisions(read_decisions(text)) == text


def test_every_word_can_be_read_and_every_language_has_every_label() -> None:
    assert all(
        DECISION_KEYS[label.lower()] == key for table in DECISION_LABELS.values() for key, label in table.items()
    )
    assert all(
        STATUS_WORDS[word.lower()] == status for table in STATUS_LABELS.values() for status, word in table.items()
    )
    assert all(STATUS_WORDS[word.lower()] == status for status, word in STATUS_TAGS.items())
    assert not {word.lower() for word in STATUS_TAGS.values()} & CONFIDENCE_WORDS.keys()
    assert all(title.lower() in DECISION_TITLES for title in DECISION_TITLE.values())
    for table in (DECISION_LABELS, STATUS_LABELS, DECISION_TITLE, ARCHIVED_LABELS, UNTITLED):
        assert set(table) == {"en", "zh"}
    words = [*DECISION_KEYS, *STATUS_WORDS, *CONFIDENCE_WORDS, *DECISION_TITLES, *DECISION_GROUPS]
    assert all(word == word.lower() for word in words)


@pytest.mark.parametrize(
    "text",
    [
        "## Use X\n> archived: log/a.md: d-1, d-2\n- [SOFT] Use Q because R (agent)",
        "## Use X\n-\n### 已否决\n- owner: Bob\n- reason: because of it",
        "- A\n  <!-- whole -->\n- reason: b\n<!--\n## A --> B",
        "## A\n- [SOFT] Q\n  - reason:\n  - nested",
        "## [REJECTED] A\n- status: proposed\n### Sub",
        "## Use X\n# Decisions\n### 理由",
        "# Decisions\n\t# Decisions\n- reason: because of it",
        "- owner: Bob\n### 已否决\n## Use X",
        "```\n<!--\n```\n## A --> B",
        "## A\n#\n> archived: log/a.md: d-1\n  - [HARD] in\n### Sub",
        "# Decisions\n> archived: log/a.md: d-1\n- [SOFT] A because B\n## Reason",
    ],
)
def test_a_file_all_in_canonical_form_says_the_same(text: str) -> None:
    read = read_decisions(text)
    for decision in read.decisions:
        assert decision.written
        renewed = replace(decision, written=decision.written._replace(values=()))
        assert read_decisions(write_decisions(replaced(read, decision.id, renewed))) == read


@pytest.mark.parametrize(
    "text",
    ["", FULL, "# 决策\n\n1. 用 A：快\n2. 用 B：慢\n", "- [SOFT] Use A\n- [HARD] Use B\n", "# Use A\n- reason: r\n",
     "## Notes\n\ntext\n\n* [SOFT] Use A\n"],
)  # fmt: skip
@pytest.mark.parametrize(
    "more", [FULL, "- [SOFT] Use A\n- [SOFT] Use A\n- Use C [STALE]\n", "3. 用 D：好\n4. 用 E：坏\n"]
)
def test_many_are_added_as_they_would_be_one_after_the_other(text: str, more: str) -> None:
    decisions, new = read_decisions(text), read_decisions(more).decisions
    one_by_one = decisions
    for decision in new:
        one_by_one = add(one_by_one, decision)
    assert write_decisions(add_all(decisions, new)) == write_decisions(one_by_one)
    assert add_all(decisions, ()) == decisions
