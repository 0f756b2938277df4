"""The rules of wording one by one, in both languages; the corpus says how well they do together."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from agentsup.core.checks.characters import word_count
from agentsup.core.checks.word_lists import Code, Verbs, lists, stems
from agentsup.core.checks.wording import Fault, LineKind, faults, is_one_step, said_anew
from agentsup.locale import wording

CASES: list[tuple[LineKind, Fault, str, str]] = [
    (
        "progress",
        "no-verb",
        r"""
        config work | Release notes for 2.4 | Support for Windows paths | Refactoring of the parser |
        Error handling in net.py | Update to React 18 | Tests for parse_date() | The retry logic | Fix for #12 |
        CI: caching of node_modules | `parse()` with tabs | Nested loops in a.c | Search index rebuild |
        Deploy of the worker to staging | Rename of Foo to Bar in 12 files | 配置工作 | 测试环境的数据库 |
        部署文档第二版 | 用户登录的优化 | 登录页：布局和校验 | net.py 的重试逻辑 | 对账单导出 | 修复方案 |
        迁移脚本初稿 | 优化工作
        """,
        r"""
        Wrote parse() in a.py | Undid the import in b.py | Adding tests to c.py | Release 2.4 is tagged as v2.4.0 |
        Also fixed net.py:12 | - [x] Pinned numpy to 1.26 | feat(api): return 409 for a taken slug |
        parser: handle tabs in lexer.c | Update README.md for 3.0 | We have moved 3 files to lib/ |
        Re-signed the 4 packages | Move to pydantic 2 in 3 packages | Shoehorned the patch into a.c |
        Switch to pnpm in 3 packages | Don't log the token in auth.ts | Test the retry path with a fake clock |
        修复 a.py 的除零 | 已经把 14 个超时收敛到 timeout.yaml | 在 lexer.rs 里补上了嵌套注释 |
        用 qsort 替换 rank.c 的冒泡 | 测试了 3 条重试路径 | 优化代码生成器 gen.py 的缩进 |
        按评审意见调整 Parser::unary 的优先级 | lexer.rs 里补上了嵌套注释 | 改 MAX_CONN 为 512 |
        fix 登录超时 auth.ts:40
        """,
    ),
    (
        "progress",
        "vague",
        r"""
        Made some changes | Fixed various issues in src/ | Everything is fine | Improved things | Went well |
        Continued with parser.py | Fixed a few small bugs | Did the usual maintenance | Updated utils.py |
        Made good progress on the migration | Fixed it | Reviewed the code | 处理余额问题 | 进展顺利 | 修复若干 bug |
        修改了 a.py 中的部分内容 | 优化了代码 | 搞定了昨天说的事 | 继续完善功能 | 改了几个小地方 | 做了一些调整
        """,
        r"""
        Fixed the redirect loop in login | Pinned numpy to 1.26 | Wrote calc.py | Renamed `a` to `b` in 61 files |
        Ran the fuzzer for 6 h: 0 crashes, as planned in docs/fuzz.md and issue #12 | Removed the `misc` folder |
        修复登录页重定向死循环 | 锁定 numpy 1.26 | 把 usr_id 改名为 user_id | 删除“杂项”页签的 3 个按钮
        """,
    ),
    (
        "task",
        "vague",
        r"""
        Fix bugs | Improve the code | Continue with the project | Do what the user wants | 修 bug | 优化一下代码 |
        继续开发 | 按需求进行开发
        """,
        r"""
        Port the tokenizer from flex to a hand-written scanner | 把微信支付从 v2 迁到 v3
        """,
    ),
    (
        "pending",
        "no-place",
        r"""
        write the remaining tests for billing | dark mode for the settings | A/B test of the banner |
        Node.js upgrade | the UI/UX review | HTTP/2 and/or HTTP/3 | ask GitHub support about the outage |
        24/7 monitoring | gRPC on iOS | APIs and URLs | 新文案的英文翻译 | HTTP/3 支持 | iOS 打包 |
        导入模块还有 3 个用例失败
        """,
        r"""
        parse_date() drops the zone | README.md still says 3.8 | src/auth/: no tests | Dockerfile runs as root |
        GET /v1/me leaks the hash | HttpClient retries for ever | the debit method takes negatives |
        `make docs` fails | mypy complains about the stubs | Order::cancel at the end | .gitlab-ci.yml pins Node 16 |
        users.email may be null | debit 方法没有处理负数 | app.json 的图标 | DATABASE_URL 指向生产 |
        HttpClient 没有退避
        """,
    ),
    (
        "taboo",
        "no-reason",
        r"""
        Don't touch src/a.py | README.md | Leave a.c as it is | Never edit the Makefile by hand |
        Keep a.py untouched | do not, under any circumstances, change the API |
        Don't upgrade webpack — really, don't | legacy/: hands off | Don't rename files, folders or branches |
        Do not touch a.py, b.py and c.py | No changes in core/ (important!) | Don't touch config, tests, docs |
        Physics engine: do not use globals | 物理模块里：不要用全局变量 | 不要动 session.py | infra/prod/ 只读 |
        未经同意不得改 CONTRACT.md | 重构时，也不要碰 roundCents | 避免新增依赖 | 任何情况下都不要编辑 prod.yaml |
        不要升级依赖（很重要！） | 不要重命名文件、目录或分支
        """,
        r"""
        Don't touch a.py, because the audit compares its hash | yarn.lock: only the bot writes it |
        Keep vendor/ as it is, since it is signed | Hands off 0042.py, it already ran in production |
        Never call fsync there — it stalls the frames | No LTO. Crash dumps become unreadable. |
        The ABI is frozen until 3.0: no renames in include/ | 勿删 __isr_end，链接脚本里引用了它 |
        由于审计比对校验和，archive/ 不能变 | 不要用 ${}，防止 SQL 注入 | okhttp 不许升级，否则车机端闪退 |
        生产环境已经执行过，不要动 V12.sql | CI 机器不能访问外网，单测里禁止联网
        """,
    ),
    (
        "completed",
        "no-evidence",
        r"""
        Legend shows the groups in `src/Legend.tsx` | Refactored `parse_header` into two | Closed ticket 2048813 |
        Merged PR #517 | Checked by hand | Links are #1a2b3c4d now | Restored the defaced page | Extracted `Clock` |
        Uses `class Foo` now | 手动点了一遍 | 合并了 PR #517 | 把 `parseCookie` 拆成了两个函数 |
        坏行报错，见 `pipeline/records.py`
        """,
        r"""
        Limit (commit 4e91c0d) | Dropped 3.7: e55d1a4 | Green: `pytest -q` | terraform plan shows no changes |
        commit 2048813 | Built with `./configure && make check` | `CI=1 npm test` passes | npm run build ok |
        mypy clean after the split | `SELECT count(*) FROM orphans` gives 0 | Links checked with scripts/links.sh |
        验签 9c1e77a | 文档无断链（`mkdocs build --strict`） | 换到 Biome 之后 pnpm lint 零告警 | pytest 全过
        """,
    ),
    (
        "next",
        "vague",
        r"""
        Continue work on parser.py | See what else is needed | Finish the remaining parts | 继续推进 |
        接着弄 parser.py
        """,
        r"""
        Refactor src/radio.c | 重构 net/session.cpp | Ensure a.py exists | 确保 a.py 存在
        """,
    ),
    (
        "next",
        "not-atomic",
        r"""
        Run `pytest -q` until it passes, then commit | Ensure a.py is typed; also have b.py return it |
        Ensure a.go passes ctx and add a test for it | Make sure a() passes, as well as that b() logs |
        Ensure `total()` rounds once and src/Basket.tsx shows it | Set X in a.ts, after that check b.tf |
        Ensure a.py exists; delete b.py | 运行 `npm test` 直到通过，然后提交 | 确保 a.go 透传 ctx 以及 b.go 打印 id |
        确保 a.py 有类型，并让 b.py 返回它 | 更新 a.md；顺便让 `b.sh` 不报错 | 设置 .env 并重启 `docker compose`
        """,
        r"""
        Ensure a.yaml and b.yaml define the same keys | Check that the read and write paths of a.rs lock in order |
        Ensure X in a.py exists and is typed | Replace A by B in a.c, keep A until grep finds no caller |
        If a.h still uses int, then set it to long | Ensure create and delete of users.py return 204 |
        确保登录和注册都走 validators.ts | 检查 PageCache 的读写两条路径 | 若 a.h 仍是 int，则改为 long |
        确保合并请求都跑 `make ci`
        """,
    ),
    (
        "next",
        "not-idempotent",
        r"""
        Add a test to a.py | Please add x.py | Fix the deadlock in pool.rs | Refactor src/radio.c |
        Double the buffer in a.c | Increase the timeout in client.go by 10 s | Create b.py | Append a line to c.md |
        1. Implement `Order.cancel()` | 给 fetch() 加缓存 | 修复 pool.rs 的死锁 | 重构 net/session.cpp |
        把 ringbuf.c 的缓冲区加大一倍 | 对 core/ 进行优化 | 在 routes.ts 插入新路由 | 新增 export_csv()
        """,
        r"""
        Ensure a.py exists | Run `pytest` until it passes | Add x.py if it does not exist | 添加 x.py（已有则跳过） |
        Set N in a.ts to 5 | Raise the timeout in client.go to 30 s |
        Replace A by B in a.c, keep A until grep finds no caller | Delete old() once `rg old` finds no caller |
        Make `make docs` exit non-zero | Report b.py's coverage | 确保 a.py 存在 | 若 a.h 仍是 int，则改为 long |
        把 a.py 的报错清到 0 | rg 查不到调用后删除 old() | 把连接池从 5 调到 10 | a.yml 的版本固定为 20 |
        让 Config::load 报出行号
        """,
    ),
]
"""Kind, fault, lines that have it, and lines that have not."""


def each(texts: str) -> list[str]:
    return [" ".join(text.split()) for text in texts.split(" |")]


@pytest.mark.parametrize(
    ("kind", "fault", "text", "is_there"),
    [
        pytest.param(kind, fault, text, is_there, id=f"{fault}-{'bad' if is_there else 'good'}-{text}")
        for kind, fault, bad, good in CASES
        for texts, is_there in ((bad, True), (good, False))
        for text in each(texts)
    ],
)
def test_a_fault_is_found_where_it_is(kind: LineKind, fault: Fault, text: str, is_there: bool) -> None:
    assert (fault in faults(kind, text, wording())) is is_there


def test_what_is_in_progress_or_in_scope_is_only_vague_where_it_says_nothing() -> None:
    assert faults("note", "Everything is going well", wording()) == ("vague",)
    assert faults("note", "进展顺利", wording()) == ("vague",)
    assert faults("note", "The hall, the basket", wording()) == ()
    assert faults("note", "去重窗口", wording()) == ()


@pytest.mark.parametrize(
    ("text", "one"),
    [
        ("`npm test` passes", True),
        ("A sold seat can't be picked and the basket shows the total", False),
        ("Bytes and lines are counted", True),
        ("断网一小时后读数一条不少，并且顺序不变", False),
        ("所有接口返回 JSON", True),
    ],
)
def test_a_criterion_is_one_or_two(text: str, one: bool) -> None:
    assert is_one_step(text, wording()) is one


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("Add zoom buttons to src/SeatMap.tsx", "Ensure src/SeatMap.tsx has zoom buttons"),
        ("Add b.py", "Ensure b.py exists"),
        ("Fix the deadlock in pool.rs", "Run the test that shows the deadlock in pool.rs until it passes"),
        ("Fix `make docs` in a.yml", "Run `make docs` until it passes"),
        ("Refactor src/radio.c", "Replace the old src/radio.c by the new, keep the old until grep finds no caller"),
        ("Increase the timeout in client.go by 10 s", "Set the timeout in client.go to the value that it is to have"),
        ("添加 src/uploader.rs", "确保 src/uploader.rs 存在"),
        ("给 fetch() 加缓存", "确保 fetch() 有缓存"),
        ("修复 thread_pool.rs 的死锁", "反复运行能复现“thread_pool.rs 的死锁”的测试，直到通过"),
        ("重构 net/session.cpp", "用新的 net/session.cpp 替换旧的，grep 查不到调用之前保留旧的"),
        ("把 a.yml 的锁等待时间翻倍", "把 a.yml 的锁等待时间设为写明的目标值"),
        ("Ensure a.py exists", ""),
    ],
)
def test_a_step_that_cannot_be_done_again_is_said_anew(step: str, said: str) -> None:
    assert said_anew(step, wording()) == said
    assert not said or "not-idempotent" not in faults("next", said, wording())


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 0), ("a b-c 12", 4), ("余额 debit() 处理", 5), ("ひらがな한글", 6), ("，。!?", 0), ("src/a.py", 3)],
)
def test_a_word_is_a_cjk_character_or_a_run_of_letters_and_digits(text: str, words: int) -> None:
    assert word_count(text) == words


def test_the_forms_of_a_word_lead_back_to_it() -> None:
    for form, base in {"stopped": "stop", "tries": "try", "writing": "write", "fixes": "fix", "tried": "try"}.items():
        assert base in stems(form)


def test_a_list_that_nothing_uses_is_refused() -> None:
    with pytest.raises(ValueError, match="unheard-of"):
        lists(Verbs, {"unheard-of": "a b"})
    assert lists(Code, {"names": "a b", "commands": "a b | c"}).commands == {"a b", "c"}


def test_the_lists_hold_each_word_once() -> None:
    folder = files("agentsup.locale").joinpath("wording")
    for name in ("en", "zh", "code"):
        tables = tomllib.loads(folder.joinpath(f"{name}.toml").read_text(encoding="utf-8"))
        for table in [tables] if name == "code" else [part for key, part in tables.items() if key != "rewrites"]:
            for key, value in table.items():
                words = value.split("|") if "|" in value else value.split()
                assert len(words) == len({" ".join(word.split()) for word in words}), f"{name}: {key}"
