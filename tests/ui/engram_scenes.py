"""Projects with an engram to edit: an agent's vague one with an older version, one in Chinese, a hostile one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agentsup.core.session import Session
from agentsup.store import engram_history
from agentsup.ui.engram_desk import ENGRAM
from tests.ui.scenes import CALM

OLD = """\
[Task] Make invoice rounding exact in billing/rounding.py
[Progress] Read billing/rounding.py
[Pending] Ledger.close() in billing/ledger.py
[Taboo] none
"""
VAGUE = """\
[Task] Make invoice rounding exact: round once, at the end
[Progress] config work
[Pending] fix the rest
[Taboo] Don't touch billing/tax.py
"""
GOOD = """\
[Task] Make invoice rounding exact: round once, at the end
[Progress] Wrote round_cents() in billing/rounding.py
[Pending] Ledger.close() in billing/ledger.py
[Taboo] Don't touch billing/tax.py, because its figures are audited
"""
CHINESE = """\
[任务] 修正发票舍入：最后只舍入一次
[进度] 处理余额问题
[未决] 把剩下的改完
[禁忌] 不要动 billing/tax.py：数字已经审计过，任何改动都需要财务部门书面批准，否则无法通过年底的外部审计
"""
HOSTILE = "[Task] [bold red]x[/] \x1b[31mred\x1b]0;owned\x07 \u202eabc\u2066\n[Progress] a\u200bb ⟨1b⟩ \U000e0041\n"

TIME = 1_790_000_000.0
"""When the versions were written: long ago on every machine that compares pictures."""


def project(folder: Path, text: str, *, author: engram_history.Author = "agent") -> Session:
    """Lay out a project and its history, and return the session of an agent in it."""
    root = folder / "shop"
    (root / ".agent").mkdir(parents=True)
    (root / "billing").mkdir()
    for name in ("rounding", "ledger", "tax"):
        (root / "billing" / f"{name}.py").write_text("")
    (root / ENGRAM).write_bytes(text.encode())
    engram_history.record(root, OLD, "person", "by hand")
    engram_history.record(root, text, author, "its last message")
    return replace(CALM, project=str(root))
