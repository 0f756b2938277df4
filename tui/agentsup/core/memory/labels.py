"""The words that memory files are written with, in both languages: data, not logic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from agentsup.core.memory.model import Language

Tag = Literal["task", "progress", "files", "pending", "taboo"]

TAGS: Mapping[str, Tag] = {
    "task": "task", "任务": "task",
    "progress": "progress", "进度": "progress",
    "files": "files", "关键文件": "files",
    "pending": "pending", "未决": "pending",
    "taboo": "taboo", "禁忌": "taboo",
}  # fmt: skip
"""Engram tags, lower case."""

TAG_LABELS: Mapping[Language, Mapping[Tag, str]] = {
    "en": {"task": "Task", "progress": "Progress", "files": "Files", "pending": "Pending", "taboo": "Taboo"},
    "zh": {"task": "任务", "progress": "进度", "files": "关键文件", "pending": "未决", "taboo": "禁忌"},
}

# Task and state. Names are compared in lower case, with single blanks in place of - and _.


def _named(groups: Mapping[str, str]) -> Mapping[str, str]:
    """Return what each name stands for."""
    return {name: section for section, names in groups.items() for name in " ".join(names.split()).split(" | ")}


SECTIONS: Mapping[str, str] = _named({
    "scope": """scope | current scope | scope of work | current task | focus | current focus | 当前范围 | 范围
        | 任务范围 | 工作范围 | 当前任务 | 当前焦点""",
    "completed": """completed | complete | done | finished | already done | done so far | what is done
        | what's done | completed steps | completed tasks | completed items | completed work | 已完成 | 完成
        | 已完成项 | 已完成事项 | 已完成任务 | 已完成的任务 | 已完成的工作 | 已完成步骤 | 完成项 | 已做""",
    "in_progress": """in progress | doing | now | wip | work in progress | working on | currently working on
        | ongoing | under way | underway | current step | current work | 进行中 | 正在进行 | 正在做 | 进行中的任务
        | 正在进行的任务 | 当前步骤 | 当前工作""",
    "next": """next | next step | next steps | next up | next action | next actions | next task | next tasks
        | what's next | what is next | upcoming | to do | todo | todos | remaining | remaining steps
        | remaining work | not done | pending | 下一步 | 下一步计划 | 下一步行动 | 下一步工作 | 接下来 | 后续
        | 后续步骤 | 后续计划 | 后续工作 | 待办 | 待办事项 | 待完成 | 未完成 | 剩余工作""",
    "blocked": """blocked | blocked by | blocked on | blocker | blockers | blocking | waiting for | waiting on
        | 阻塞 | 阻塞项 | 阻塞点 | 被阻塞 | 受阻 | 卡点 | 卡住""",
    "evidence": """evidence | last evidence | latest evidence | recent evidence | proof | verification | 最近证据
        | 证据 | 最新证据 | 近期证据 | 验证证据 | 验证记录""",
})  # fmt: skip
"""Sections of STATE.md. Blocked is none of its five, but agents write it."""

SECTION_KEYS: Mapping[str, str] = {"task": "scope", "任务": "scope"}
"""What only a key says, of `key: value` lines or of JSON: a heading of that name is a file's title."""

STATE_ORDER = ("scope", "completed", "in_progress", "next", "blocked", "evidence")
"""Sections of STATE.md as they follow each other where the file does not say otherwise."""

TASK_SECTIONS: Mapping[str, str] = _named({
    "goal": "goal | goals | objective | objectives | aim | purpose | 目标 | 任务目标 | 目的",
    "scope": "scope | in scope | scope of work | 范围 | 任务范围 | 工作范围 | 当前范围",
    "allowed": """allowed paths | allowed path | allowed | allowed files | allowed changes | allowed edits
        | allowed to change | allowed to edit | paths allowed | may change | may edit | may touch | editable
        | editable paths | 允许路径 | 允许的路径 | 允许修改 | 允许修改的路径 | 允许修改的文件 | 允许改动 | 允许编辑
        | 可修改 | 可修改路径 | 可以修改 | 可改 | 允许""",
    "forbidden": """forbidden paths | forbidden path | forbidden | forbidden files | forbidden changes
        | do not touch | don't touch | do not change | don't change | do not edit | don't edit | do not modify
        | don't modify | must not change | must not touch | never touch | never change | not allowed | off limits
        | prohibited | protected paths | 禁止路径 | 禁止的路径 | 禁止修改 | 禁止修改的路径 | 禁止修改的文件
        | 禁止改动 | 禁止编辑 | 禁止触碰 | 不可修改 | 不得修改 | 不允许修改 | 不要修改 | 不要动 | 不能改 | 禁止""",
    "acceptance": """acceptance | acceptance criteria | acceptance criterion | acceptance test | acceptance tests
        | acceptance command | acceptance commands | accepted when | done when | definition of done
        | success criteria | 验收 | 验收标准 | 验收条件 | 验收命令 | 验收方式 | 完成标准 | 成功标准""",
})  # fmt: skip
"""Sections of TASK.md."""

TASK_KEYS: Mapping[str, str] = {"task": "goal", "任务": "goal"}
"""As SECTION_KEYS."""

TASK_ORDER = ("goal", "scope", "allowed", "forbidden", "acceptance")

SECTION_LABELS: Mapping[Language, Mapping[str, str]] = {
    "en": {"scope": "Scope", "completed": "Completed", "in_progress": "In progress", "next": "Next",
           "blocked": "Blocked", "evidence": "Evidence", "task": "Task", "goal": "Goal", "allowed": "Allowed paths",
           "forbidden": "Forbidden paths", "acceptance": "Acceptance"},
    "zh": {"scope": "当前范围", "completed": "已完成", "in_progress": "进行中", "next": "下一步", "blocked": "阻塞",
           "evidence": "最近证据", "task": "任务", "goal": "目标", "allowed": "允许路径", "forbidden": "禁止路径",
           "acceptance": "验收"},
}  # fmt: skip
"""Sections of STATE.md and TASK.md as they are written."""

TASK_LABELS: Mapping[Language, Mapping[str, str]] = {
    "en": SECTION_LABELS["en"],
    "zh": {**SECTION_LABELS["zh"], "scope": "范围"},
}
"""TASK.md's scope is not a current one."""

EVERYTHING = frozenset({
    "everything", "anything", "all", "any", "all files", "all paths", "any file", "all code", "whole project",
    "the whole project", "whole repository", "the whole repository", "entire repository", "entire project",
    "全部", "所有", "任意", "全部文件", "所有文件", "任何文件", "整个项目", "整个仓库", "全部代码", "所有代码",
})  # fmt: skip
"""What stands in a list of paths for every path, lower case."""

EXCEPT_WORDS = ("except for", "except", "excepting", "apart from", "other than", "but not", "excluding", "除了", "除")
"""Between the paths of a list and those that are not meant."""

NOTHING = frozenset({
    "none", "none yet", "nothing", "nothing yet", "n/a", "na", "nil", "null", "empty",
    "无", "暂无", "没有", "空", "无内容",
})  # fmt: skip
"""What stands in a section where there is no item, lower case, without brackets and marks around it."""

UPDATED_KEYS: Mapping[str, str] = _named({
    "updated": """updated | updated at | updated on | last updated | last update | last modified | 更新 | 更新于
        | 更新时间 | 更新日期 | 最后更新 | 最后更新时间 | 上次更新 | 最近更新""",
    "updated_by": "updated by | last updated by | 更新者 | 更新人",
})  # fmt: skip
"""What a line begins with that says when a file was updated, or by whom."""

UPDATED_LABELS: Mapping[Language, str] = {"en": "updated", "zh": "更新"}

BY_WORDS: Mapping[Language, str] = {"en": "by", "zh": "由"}
"""Between the time of an update and who made it."""


def label_language(label: str) -> Language:
    """Return the language of a label as it was written: Chinese where it has an ideograph."""
    return "zh" if any("\u4e00" <= c <= "\u9fff" for c in label) else "en"


# Decisions and questions.

Confidence = Literal["HARD", "SOFT", "TENTATIVE", "STALE"]
DecisionStatus = Literal["active", "rejected", "stale"]
DecisionKey = Literal["reason", "confidence", "date", "status", "files", "id", "by"]

DECISION_KEYS: Mapping[str, DecisionKey] = {
    "reason": "reason", "why": "reason", "rationale": "reason", "because": "reason",
    "理由": "reason", "原因": "reason",
    "confidence": "confidence", "trust": "confidence", "可信度": "confidence", "置信度": "confidence",
    "date": "date", "日期": "date", "时间": "date",
    "status": "status", "状态": "status",
    "files": "files", "file": "files", "文件": "files",
    "id": "id", "编号": "id",
    "by": "by", "replaced by": "by", "superseded by": "by", "取代": "by", "被取代": "by", "取代者": "by", "替代": "by",
}  # fmt: skip
"""Keys of a decision's lines, lower case."""

DECISION_LABELS: Mapping[Language, Mapping[DecisionKey, str]] = {
    "en": {"reason": "reason", "confidence": "confidence", "date": "date", "status": "status", "files": "files",
           "id": "id", "by": "by"},
    "zh": {"reason": "理由", "confidence": "可信度", "date": "日期", "status": "状态", "files": "文件",
           "id": "id", "by": "取代"},
}  # fmt: skip

STALE_KEYS = frozenset({"replaced by", "superseded by", "取代", "被取代", "取代者", "替代"})
"""Keys that alone say that a decision is stale; a bare `by` can also be who wrote it."""

CONFIDENCE_WORDS: Mapping[str, Confidence] = {
    "hard": "HARD", "强制": "HARD", "硬": "HARD",
    "soft": "SOFT", "软": "SOFT",
    "tentative": "TENTATIVE", "暂定": "TENTATIVE",
    "stale": "STALE", "过期": "STALE", "已过期": "STALE",
}  # fmt: skip
"""Tags, lower case."""

STATUS_WORDS: Mapping[str, DecisionStatus] = {
    "rejected": "rejected", "declined": "rejected", "已否决": "rejected", "否决": "rejected", "已拒绝": "rejected",
    "superseded": "stale", "replaced": "stale", "deprecated": "stale", "stale": "stale", "obsolete": "stale",
    "已过期": "stale", "过期": "stale", "已取代": "stale", "被取代": "stale", "已废弃": "stale",
    "active": "active", "accepted": "active", "adopted": "active", "已采用": "active", "采用": "active",
    "有效": "active",
}  # fmt: skip
"""How a status begins, lower case."""

STATUS_LABELS: Mapping[Language, Mapping[DecisionStatus, str]] = {
    "en": {"active": "active", "rejected": "rejected", "stale": "stale"},
    "zh": {"active": "采用", "rejected": "已否决", "stale": "已过期"},
}

STATUS_TAGS: Mapping[DecisionStatus, str] = {"active": "ACTIVE", "rejected": "REJECTED", "stale": "SUPERSEDED"}
"""Tags of titles that say a status and no confidence."""

DECISION_TITLES = frozenset({
    "decisions", "decision log", "decisions log", "design decisions", "architecture decisions", "decision record",
    "决策", "决定", "决策记录", "决策日志", "设计决策", "架构决策",
})  # fmt: skip
"""What a file or a part of one is called that holds decisions, lower case."""

DECISION_TITLE: Mapping[Language, str] = {"en": "Decisions", "zh": "决策"}

DECISION_GROUPS: Mapping[str, DecisionStatus] = {
    "rejected": "rejected", "rejected alternatives": "rejected", "rejected ideas": "rejected",
    "rejected decisions": "rejected", "已否决": "rejected", "否决": "rejected", "已否决的方案": "rejected",
    "已否决方案": "rejected", "被否决的方案": "rejected",
    "active": "active", "active decisions": "active", "accepted": "active", "accepted decisions": "active",
    "taken": "active", "decisions taken": "active", "已采用": "active", "采用": "active", "有效决策": "active",
    "stale": "stale", "superseded": "stale", "superseded decisions": "stale", "deprecated": "stale",
    "已过期": "stale", "已取代": "stale", "已废弃": "stale",
}  # fmt: skip
"""Headings over decisions of one status, lower case."""

SOURCE_WORDS = frozenset({"user", "person", "human", "agent", "team", "用户", "人", "代理", "智能体", "团队"})
"""How the name of a source begins that stands in brackets behind a list item, lower case."""

ARCHIVED_LABELS: Mapping[Language, str] = {"en": "archived", "zh": "已归档"}
"""What an index line begins with that names decisions in an archive."""

UNTITLED: Mapping[Language, str] = {"en": "untitled", "zh": "未命名"}
