"""Texts as hypothesis draws them: arbitrary ones, and ones put together of what memory files are made of."""

from __future__ import annotations

from hypothesis import strategies as st

from agentsup.core.memory.state import Step, TaskState, steps

_LINES = r"""
# STATE
# TASK
# Task: fix calc
# 任务：修好加法
# Scope
## Scope
### Next:
## Next: do it
#Next
## 已完成 (3)
## 下一步：
## In Progress
## Evidence / 最近证据
## Evidence — foo
## Blocked
## Goal
## Allowed paths
## 禁止修改
## Acceptance
## Notes
### sub
#### deep
#42 is fixed
######
- a
- b (commit 8bd1a50)
  more
- [x] c
- [ ]
- [x] Allowed: q
-
* * *
---
1. one
2、two
+ plus
  - nested
prose line
- (none)
无
- …
…
<!-- c -->
<!-- open
end -->
- <!-- x -->
* a -->
<!-- updated: 2026 by a -->
```
```py
~~~
  ```
pytest -q
updated: 2026-11-30 by codex
- updated: 2027
更新：session-42 由 codex
updated_by: me
last_updated:
**Updated:** 2026-01-01 by x
Next: x
Next:
阻塞：b
- Scope: y
**Evidence:** z
Completed:
Goal: g
Allowed: src/
- Forbidden: a.py, b.py
- Forbidden:
- Goal: Allowed: z
- Allowed: Forbidden: Allowed: v
- [x] [ ] [x] u
- Allowed: Goal: w
- Next: - [ ] v
[… 12 lines left out …]
> quote
| a | b |
"""
LINES = ("", "  ", "- ", "\t- tab", "\ufeff## Next", "\u3000\u3000段落", "- \x0bq", "a\u2028b",
         *_LINES.strip("\n").split("\n"))  # fmt: skip

DENSE = "#-*+[]x `~<!>:：()（）.1、\n\n\t\r\ufeffNextGoal updated2026by…下一步"

LABELS = ("Next", "Goal", "下一步", "updated", "Allowed", "Forbidden", "Completed", "none", "x")
MARKS = ("", "# ", "## ", "### ", "- ", "* ", "1. ", "  ", "  - ", "- [ ] ", "**", "<!-- ", "```", "> ")
ENDS = ("", ":", "：", ": x", ":** x", " -->", " (3)", " - y", "```", " by z", ": 2026-11-30 by z")

lines = st.one_of(
    st.sampled_from(LINES),
    st.tuples(st.sampled_from(MARKS), st.sampled_from(LABELS), st.sampled_from(ENDS)).map("".join),
    st.text(DENSE, max_size=12),
)
structured = st.builds(
    lambda rows, separator, end: separator.join(rows) + end,
    st.lists(lines, max_size=12),
    st.sampled_from(("\n", "\n", "\n", "\r\n")),
    st.sampled_from(("\n", "")),
)
texts = st.one_of(st.text(max_size=200), st.text(DENSE, max_size=80), structured)
"""What a memory file may hold."""

items = st.one_of(lines, st.text(max_size=30)).map(Step)
item_lists = st.lists(items, max_size=3).map(tuple)

words = st.from_regex(r"[a-z]{2,8} [a-z]{2,8}( \([0-9a-f]{7}\))?", fullmatch=True)
"""Items that mean what they say."""

word_lists = st.lists(words, max_size=4, unique=True).map(lambda each: steps(*each))

states = st.builds(
    TaskState,
    item_lists, item_lists, item_lists, item_lists, item_lists, item_lists,
    status=st.sampled_from(("", "blocked")),
    updated_at=st.sampled_from(("", "2026-12-01", "session-7", "some day")) | st.text(max_size=12),
    updated_by=st.sampled_from(("", "codex")) | st.text(max_size=12),
    language=st.sampled_from(("en", "zh")),
)  # fmt: skip
"""States as no file would say them."""

plain_states = st.builds(
    TaskState,
    word_lists, word_lists, word_lists, word_lists, word_lists, word_lists,
    updated_at=st.sampled_from(("2026-12-01", "2026-12-01T10:00:00Z", "session-7")),
    updated_by=st.sampled_from(("", "codex", "ann lee")),
    language=st.sampled_from(("en", "zh")),
)  # fmt: skip
