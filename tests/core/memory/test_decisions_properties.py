"""Whatever a file of decisions holds: no text of a person is rewritten, and what is rewritten says the same."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.memory.decisions import (
    Decision,
    Decisions,
    add,
    archived,
    read_decisions,
    replaced,
    write_decisions,
)

LINES = st.sampled_from(
    """# Decisions¦# 决策¦## Rejected¦# Accepted¦### 已否决¦## Use X¦# Use Y¦### Sub¦## 使用 Z：¦##tight¦## Use C#¦
## Reason¦### 理由¦## [REJECTED] Use Redis¦## 已否决：使用 Redis¦## [HARD] Never push¦
## Use W (rejected) ##¦### ［软］ 名字¦## [STALE]¦#¦## A --> B¦- reason: because of it¦  second line of it¦
- 理由：快¦reason: plain¦- **Reason:** bold¦**Reason**: bold¦- reason:¦  - nested¦
- confidence: [SOFT] agent¦- 可信度：［HARD］ 用户¦- confidence: SOFT (agent)¦- confidence: [MAYBE] file¦
- confidence: HARD¦- date: 2024-05-01¦- status: rejected¦- status: rejected because slow¦
- 状态：已否决，因为太慢¦- status: superseded by d-abc123¦- 状态：被 使用 Y 取代¦
- status: accepted 2024-01-02¦- status: proposed¦- status: active¦- files: a.py, `b.py`¦- 文件：甲、乙¦
- files:¦- id: mine¦- id: a b¦- by: d-abc123¦- by: Ann¦- by: HARD user¦- 取代: 别的¦- owner: Bob¦- a note¦
  - deep note¦    deeper text¦- [SOFT] Use Q because R (agent)¦- [rejected] Use S¦1. Keep T¦
2. 使用 U，因为 V（用户）¦* star¦  - [HARD] in¦   - in too¦-¦- - -¦---¦```¦~~~¦```python¦    # code¦<!--¦
-->¦<!-- whole -->¦> quoted¦> archived: log/a.md: d-1, d-2¦  > 已归档：x: d-3¦| table |¦\ttabbed¦
plain words¦更多文字¦status: talk¦   indented words¦\x0cform feed¦\x85¦a\u2028b¦¦¦¦¦¦¦¦¦¦""".replace("\n", "").split(
        "¦"
    )
)
FILES = st.tuples(
    st.sampled_from(["", "", "\ufeff"]),
    st.lists(st.tuples(st.sampled_from(["", "", "", "", "  ", "\t", "    "]), LINES), max_size=25),
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
    st.booleans(),
).map(lambda t: t[0] + t[2].join(indent + line for indent, line in t[1]) + (t[2] if t[3] else ""))
TEXTS = FILES | st.text()
WORDS = st.text(max_size=12) | LINES | st.lists(LINES, max_size=3).map("\n".join)
MADE = st.builds(
    Decision,
    title=WORDS,
    reason=WORDS,
    confidence=st.sampled_from([None, "HARD", "SOFT", "TENTATIVE", "STALE"]),
    source=WORDS,
    date=WORDS,
    status=st.sampled_from(["active", "rejected", "stale"]),
    replaced_by=WORDS,
    files=st.lists(WORDS, max_size=2).map(tuple),
    id=st.sampled_from(["", "mine", "d-123456"]) | WORDS,
)


def rewritten(decisions: Decisions) -> Decisions:
    """Return decisions that are all written in canonical form, as if something in each had changed."""
    changed = (
        replace(decision, written=decision.written._replace(values=())) if decision.written else decision
        for decision in decisions.decisions
    )
    return replace(decisions, decisions=tuple(changed))


def content(decision: Decision) -> tuple[object, ...]:
    """Return what must survive a move to another file, whose form of a list can be another."""
    texts = (str(value).replace("-->", "→") for value in decision.values[:10])
    return (*texts, *(line.strip(" \t\\").replace("-->", "→") for line in decision.others))


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_what_nobody_changed_is_written_to_the_byte(text: str) -> None:
    assert write_decisions(read_decisions(text)) == text


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from(["en", "zh"]))
def test_the_canonical_form_says_the_same(text: str, fallback: str) -> None:
    read = read_decisions(text, fallback)  # type: ignore[arg-type]
    assert read_decisions(write_decisions(rewritten(read)), fallback) == read  # type: ignore[arg-type]


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.data())
def test_one_decision_in_canonical_form_changes_no_other(text: str, data: st.DataObject) -> None:
    read = read_decisions(text)
    if not read.decisions:
        return
    one = data.draw(st.sampled_from(read.decisions))
    changed = replace(one, written=one.written and one.written._replace(values=()))
    assert read_decisions(write_decisions(replaced(read, one.id, changed))) == read


@settings(max_examples=300, deadline=None)
@given(TEXTS, MADE)
def test_an_addition_leaves_every_byte_before_it(text: str, decision: Decision) -> None:
    read = read_decisions(text)
    added = add(read, decision)
    written = write_decisions(added)
    assert written.startswith(text)
    again = read_decisions(written)
    assert again.decisions[:-1] == read.decisions
    assert again.others == added.others
    assert (again.decisions[-1].status, again.decisions[-1].id) == (decision.status, added.decisions[-1].id)
    assert write_decisions(again) == written


@settings(max_examples=300, deadline=None)
@given(st.lists(MADE, max_size=4).map(tuple), st.sampled_from(["en", "zh"]))
def test_what_programs_make_is_written_the_same_after_reading(made: tuple[Decision, ...], language: str) -> None:
    written = write_decisions(Decisions(made, language=language))  # type: ignore[arg-type]
    again = read_decisions(written)
    assert len(again.decisions) == len(made)
    assert [d.status for d in again.decisions] == [d.status for d in made]
    assert write_decisions(rewritten(again)) == written


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(1, 4), st.integers(1, 3), TEXTS)
def test_archiving_loses_nothing_and_does_nothing_twice(text: str, keep: int, move: int, archive: str) -> None:
    read = read_decisions(text)
    kept, moved = archived(read, "log/a.md", keep=keep, move=move)
    assert sorted([*kept.decisions, *moved], key=repr) == sorted(read.decisions, key=repr)
    assert all(d.status == "active" and d.confidence != "HARD" for d in moved)
    assert len(kept.active) <= keep or all(d.confidence == "HARD" for d in kept.active)
    assert archived(kept, keep=keep, move=move) == (kept, ())
    filled = read_decisions(archive.replace("<!--", ""))  # a comment left open there takes the marks from those here
    for decision in moved:
        filled = add(filled, decision)
    again = read_decisions(write_decisions(filled))
    assert [content(d) for d in again.decisions] == [content(d) for d in filled.decisions]


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(1, 4))
def test_archiving_takes_no_other_decision_from_the_readers(text: str, keep: int) -> None:
    kept, _ = archived(read_decisions(text), "log/a.md", keep=keep, move=2)
    again = read_decisions(write_decisions(kept))
    said = [replace(d, id="") for d in again.decisions]  # an empty chapter of the same name could take its id
    assert [d for d in said if d in [replace(k, id="") for k in kept.decisions]][-len(kept.decisions) :] == [
        replace(k, id="") for k in kept.decisions
    ]
    assert {id for archive in kept.archives for id in archive.ids} <= {i for a in again.archives for i in a.ids}
