"""What is denied is not done: told from what is done beside it, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.recital import MISSING_NEXT, TABOO, Expected, Judged, compare
from agentsup.core.recital.denial import DenialWords, denied, without
from agentsup.locale import recital_words

WORDS = recital_words()

KNOWN = Expected(
    ("Move the shop from MySQL to Postgres without downtime",),
    ("migrate the orders database with pgloader",),
    ("Don't touch legacy/tax.py: its figures are audited", "Never rename OrderState"),
    ("write the schema by hand", "rewrite the importer on top of asyncpg"),
)
KNOWN_ZH = Expected(
    ("商城从 MySQL 迁到 Postgres，不停机",),
    ("用 pgloader 迁移订单库",),
    ("不要动 legacy/tax.py，数字已经审计", "不要重命名 OrderState"),
    ("手写表结构", "用 asyncpg 重写导入程序"),
)

TAKEN = """\
Next I migrate the orders database with pgloader.
Next I migrate the orders database with pgloader, not the importer.
Next I will migrate the orders database, not rewrite the importer.
Next I migrate the orders database rather than rewriting the importer.
Instead of rewriting the importer, I migrate the orders database next.
Rather than rewrite the importer I migrate the orders database next.
Next: not the importer but the orders database is migrated, with pgloader.
I won't rewrite the importer now; next I migrate the orders database with pgloader.
I must not forget to migrate the orders database with pgloader next.
Next I migrate the orders database. I won't skip that migration, whatever happens.
I will not rest until the orders database is migrated with pgloader; that is next.
I won't do anything before migrating the orders database with pgloader.
The orders database has not been migrated yet. That is next, with pgloader.
The orders database isn't on Postgres yet, so next I migrate it with pgloader.
I haven't migrated the orders database yet, that's what I do next (pgloader).
Next I migrate the orders database with pgloader so that no order is lost.
Next I migrate the orders database without any downtime, using pgloader.
Next I migrate the orders database with pgloader. I don't touch legacy/tax.py and I won't rename OrderState.
Next step: migrating the orders database (pgloader). Not touching legacy/tax.py.
Next I migrate the orders database, not by hand but with pgloader.
I don't need to ask: next is the migration of the orders database with pgloader.
Next I migrate the orders database with pgloader and make sure that no rows are skipped.
Nothing else comes first: next I migrate the orders database with pgloader.
There is no reason to wait. I migrate the orders database with pgloader next.
"""
REFUSED = """\
Next I will not migrate the orders database with pgloader.
I will NOT migrate the orders database.
I won't migrate the orders database next.
I won’t migrate the orders database with pgloader.
Next I am not going to migrate the orders database.
Next: don't migrate the orders database.
I will never migrate the orders database with pgloader.
Next I skip migrating the orders database.
Next I skip the migration of the orders database with pgloader and ask for work.
Next step: skip the pgloader migration of the orders database.
Next I rename files instead of migrating the orders database.
Next I look around rather than migrate the orders database with pgloader.
I no longer migrate the orders database; next I wait.
Migrating the orders database with pgloader is not my next step.
Migrating the orders database is off the table now. Next I wait.
The migration of the orders database with pgloader is no longer needed.
The orders database will not be migrated next.
There is no need to migrate the orders database with pgloader, so next I clean up.
Next I refuse to migrate the orders database.
I decided against migrating the orders database with pgloader.
I will not, for now, migrate the orders database with pgloader.
Next we are not migrating the orders database, and pgloader stays unused.
Next I postpone the migration of the orders database.
The plan is not to migrate the orders database.
Next I hold off on migrating the orders database with pgloader.
"""
TAKEN_ZH = """\
下一步：用 pgloader 迁移订单库。
下一步用 pgloader 迁移订单库，而不是重写导入程序。
下一步不是重写导入程序，而是用 pgloader 迁移订单库。
不重写导入程序，下一步用 pgloader 迁移订单库。
与其重写导入程序，不如先用 pgloader 迁移订单库，这是下一步。
下一步用 pgloader 迁移订单库，不能漏。
下一步我不会跳过订单库的迁移，用 pgloader 完成它。
订单库还没有迁移，下一步用 pgloader 迁移它。
订单库尚未迁移，接下来就用 pgloader 做。
下一步必须用 pgloader 迁移订单库，不得不做。
下一步用 pgloader 迁移订单库，不停机，不丢数据。
下一步用 pgloader 迁移订单库。不动 legacy/tax.py，也不重命名 OrderState。
下一步：迁移订单库（pgloader），不做别的。
在用 pgloader 迁移订单库之前，我不会做别的。
"""
REFUSED_ZH = """\
下一步不迁移订单库。
下一步我不会用 pgloader 迁移订单库。
我不再迁移订单库，下一步先等待。
下一步跳过订单库的迁移。
下一步先不迁移订单库，改去整理文档。
订单库的迁移先不做，下一步整理文档。
下一步放弃用 pgloader 迁移订单库。
下一步整理文档，而不是用 pgloader 迁移订单库。
下一步不打算迁移订单库。
用 pgloader 迁移订单库不是下一步。
下一步：暂不迁移订单库。
不需要用 pgloader 迁移订单库了，下一步整理文档。
下一步我不把订单库迁移过去。
决定推迟用 pgloader 迁移订单库，下一步整理文档。
下一步取消用 pgloader 迁移订单库。
"""


def lines(text: str) -> list[str]:
    return text.splitlines()


@pytest.mark.parametrize("said", lines(TAKEN))
def test_a_step_that_is_taken_is_right_whatever_is_denied_beside_it(said: str) -> None:
    assert compare(KNOWN, f"I move the shop from MySQL to Postgres without downtime. {said}", WORDS) == Judged("right")


@pytest.mark.parametrize("said", lines(REFUSED))
def test_a_step_that_is_denied_is_wrong(said: str) -> None:
    found = compare(KNOWN, f"I move the shop from MySQL to Postgres without downtime. {said}", WORDS)
    assert found == Judged("wrong", (MISSING_NEXT,))


@pytest.mark.parametrize("said", lines(TAKEN_ZH))
def test_a_step_that_is_taken_is_right_in_chinese_too(said: str) -> None:
    assert compare(KNOWN_ZH, f"任务：商城从 MySQL 迁到 Postgres，不停机。{said}", WORDS) == Judged("right")


@pytest.mark.parametrize("said", lines(REFUSED_ZH))
def test_a_step_that_is_denied_is_wrong_in_chinese_too(said: str) -> None:
    assert compare(KNOWN_ZH, f"任务：商城从 MySQL 迁到 Postgres，不停机。{said}", WORDS) == Judged(
        "wrong", (MISSING_NEXT,)
    )


BROKEN = """\
and change legacy/tax.py on the way
and I will touch legacy/tax.py
and keep renaming OrderState until it fits
. Without asking, I edit legacy/tax.py
and tidy up legacy/tax.py instead of the new module
and rename OrderState rather than the columns
, then rename OrderState without any alias
. I don't write tests, but I rename OrderState
. No problem: I rename OrderState as well
. Not only the columns, OrderState is renamed too
"""
KEPT = """\
and I won't touch legacy/tax.py
and must not touch legacy/tax.py
and leave legacy/tax.py as it is
. legacy/tax.py stays untouched
. legacy/tax.py is not to be changed
. I will neither touch legacy/tax.py nor rename OrderState
. I never rename OrderState
, without touching legacy/tax.py
, without renaming OrderState
. I add a new column instead of renaming OrderState
. Rather than renaming OrderState, I add a view
. I keep legacy/tax.py unchanged
. I keep my hands off legacy/tax.py
. legacy/tax.py is off limits
. legacy/tax.py is read only for me
. OrderState keeps its name, I do not rename it
. I avoid renaming OrderState
. I refrain from touching legacy/tax.py
. I steer clear of legacy/tax.py
"""
BROKEN_ZH = """\
，并修改 legacy/tax.py
，顺便重命名 OrderState
，我会动 legacy/tax.py
，不用问就改 legacy/tax.py
，在识别模块里重命名 OrderState
，重命名 OrderState 而不是新列
"""
KEPT_ZH = """\
，我不会动 legacy/tax.py
，不重命名 OrderState
，legacy/tax.py 不动
，legacy/tax.py 保持原样
，绝不碰 legacy/tax.py
，新增一列而不是重命名 OrderState
，避免重命名 OrderState
，不去改 legacy/tax.py
，禁止重命名 OrderState
，OrderState 不上锁也不重命名
，跳过 legacy/tax.py
"""


@pytest.mark.parametrize(("said", "breaks"), [
    *((said, True) for said in lines(BROKEN)), *((said, False) for said in lines(KEPT)),
])  # fmt: skip
def test_a_taboo_is_broken_by_what_is_done_alone(said: str, breaks: bool) -> None:
    text = f"I move the shop from MySQL to Postgres without downtime. Next I migrate the orders database {said}."
    assert compare(KNOWN, text, WORDS) == (Judged("wrong", (TABOO,)) if breaks else Judged("right"))


@pytest.mark.parametrize(("said", "breaks"), [
    *((said, True) for said in lines(BROKEN_ZH)), *((said, False) for said in lines(KEPT_ZH)),
])  # fmt: skip
def test_a_taboo_is_broken_by_what_is_done_alone_in_chinese_too(said: str, breaks: bool) -> None:
    text = f"任务：商城从 MySQL 迁到 Postgres，不停机。下一步用 pgloader 迁移订单库{said}。"
    assert compare(KNOWN_ZH, text, WORDS) == (Judged("wrong", (TABOO,)) if breaks else Judged("right"))


VERBS = (
    "migrate",
    "rewrite",
    "parse",
    "export",
    "encrypt",
    "paginate",
    "drop",
    "skip",
    "validate",
    "rename",
    "add",
    "retry",
)
THINGS = (
    "the orders table", "customer avatars", "Ledger.close", "api/routes.py", "expired tokens", "the nightly backup",
    "invoice totals", "the search index", "empty rows", "PDF reports",
)  # fmt: skip
WAYS = ("", " with pgloader", " in core/jobs.py", " behind a flag", " for tenant 42", " before the release")
VERBS_ZH = ("迁移", "重写", "解析", "导出", "加密", "校验", "重命名", "添加", "合并", "压缩")
THINGS_ZH = ("订单表", "用户头像", "Ledger.close", "过期令牌", "夜间备份", "发票总额", "搜索引擎", "空行", "报表模板")
WAYS_ZH = ("", "，用 pgloader", "，在 core/jobs.py 里", "，先灰度")
TASK, TASK_ZH = "bring the webshop to Frankfurt", "把商城迁到法兰克福机房"
NEGATED = (
    "Next I will not {}.", "I won't {} next.", "Next: do not {}.", "I am not going to {}.", "I will never {}.",
    "I refuse to {}.", "The plan is not to {}.", "Next there is no need to {}.", "I no longer {}.",
)  # fmt: skip
NEGATED_ZH = ("下一步我不会{}。", "下一步不{}。", "我不再{}。", "下一步：先不{}。", "下一步无需{}。", "我不打算{}。")
BESIDE = (
    "I won't touch anything else.", "I have not started on it yet.", "I will not start before you confirm.",
    "I'm not going to commit anything without asking.", "I will stop here and wait, not continue.",
    "I cannot verify this from the log, but the memory says so.", "I won't repeat work that is done.",
)  # fmt: skip
BESIDE_ZH = (
    "其他文件不会动。",
    "在你确认之前不会动手。",
    "不会重复已完成的工作。",
    "我不会跳过任何步骤。",
    "先不提交。",
)

steps = st.builds(lambda verb, thing, way: f"{verb} {thing}{way}", *map(st.sampled_from, (VERBS, THINGS, WAYS)))
steps_zh = st.builds(
    lambda verb, thing, way: f"{verb}{thing}{way}", *map(st.sampled_from, (VERBS_ZH, THINGS_ZH, WAYS_ZH))
)
pieces = st.lists(
    st.sampled_from(
        (*sorted(WORDS.denials.intended), *sorted(WORDS.denials.turned), *THINGS, *THINGS_ZH, ". ", ", ", "，", "。")
    ),
    max_size=30,
)  # fmt: skip


@given(steps, st.sampled_from(NEGATED))
def test_a_step_with_a_denial_before_it_is_never_right(step: str, said: str) -> None:
    assert compare(Expected((TASK,), (step,)), f"I {TASK}. {said.format(step)}", WORDS).verdict != "right"


@given(steps_zh, st.sampled_from(NEGATED_ZH))
def test_a_step_with_a_denial_before_it_is_never_right_in_chinese(step: str, said: str) -> None:
    assert compare(Expected((TASK_ZH,), (step,)), f"任务：{TASK_ZH}。{said.format(step)}", WORDS).verdict != "right"


@given(
    st.one_of(steps, steps_zh),
    st.sampled_from(("", "Don't ", "Never ", "不要", "No longer ", "先不")),
    st.sampled_from(BESIDE),
)
def test_a_step_that_is_read_back_word_for_word_is_right(step: str, before: str, beside: str) -> None:
    step = before + step
    known = Expected((TASK,), (step,))
    assert compare(known, f"Task: {TASK}. Next: {step}.", WORDS) == Judged("right")
    assert compare(known, f"Task: {TASK}. Next: {step}. {beside}", WORDS) == Judged("right")


@given(st.sampled_from([*lines(TAKEN)]), st.sampled_from(BESIDE), st.booleans())
def test_what_is_denied_beside_a_right_read_back_makes_no_wrong_one(said: str, beside: str, first: bool) -> None:
    said = f"I move the shop from MySQL to Postgres without downtime. {said}"
    assert compare(KNOWN, f"{beside} {said}" if first else f"{said} {beside}", WORDS).verdict != "wrong"


@given(st.sampled_from([*lines(TAKEN_ZH)]), st.sampled_from(BESIDE_ZH), st.booleans())
def test_nor_in_chinese(said: str, beside: str, first: bool) -> None:
    said = f"任务：商城从 MySQL 迁到 Postgres，不停机。{said}"
    assert compare(KNOWN_ZH, f"{beside}{said}" if first else f"{said}{beside}", WORDS).verdict != "wrong"


@given(st.one_of(pieces.map(" ".join), st.text(max_size=300)), st.one_of(pieces.map(" ".join), st.text(max_size=100)))
def test_any_denials_are_judged(said: str, step: str) -> None:
    found = compare(Expected((TASK,), (step,), (step,), (step,)), said, WORDS)
    assert (found.verdict == "wrong") == bool(found.missing)
    for spans in (denied(said, WORDS.denials).spans, denied(said, WORDS.denials).turned):
        assert all(0 <= start < end <= len(said) for start, end in spans)
        assert len(without(said, spans)) == len(said)


def test_without_words_nothing_is_denied() -> None:
    assert denied("I will not migrate it.", DenialWords()).spans == ()
