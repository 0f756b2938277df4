"""`.agent/restore.sh`: the script that prints a project's memory where agentsup is not installed.

It is a template; what both read files by (places, names of sections, words) and most of what both say come from
where agentsup itself has them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from importlib.resources import files

from agentsup.core.memory import labels
from agentsup.core.memory.model import Language
from agentsup.locale import load, restore_frame
from agentsup.store.placements import DEFAULTS, FOUR, PLACES
from agentsup.store.structure import NOISE

PLACE = ".agent/restore.sh"

_PLACEHOLDER = re.compile(r"@([a-z_]+)@")
_OWN = ("header", "legend", "nothing", "unreadable", "not_run", "usage", "help", "unknown")
_SHARED = ("parts_left_out", "cut", "void_hard", "completed_more", "contract", "engram", "recite", "wait")


def restore_script(language: Language) -> str:
    """Return the script with its sentences in this language."""
    catalogue = load("zh-CN" if language == "zh" else "en")
    frame = restore_frame(catalogue.language)
    values = {name: catalogue.text(f"restore_script.{name}") for name in _OWN}
    values |= {name: getattr(frame, name) for name in _SHARED}
    values |= _names(language) | {
        name: frame.unit_problem.format(path="{path}", problem=catalogue.text(key), detail=": {detail}")
        for name, key in (("failed", "unit.failed"), ("no_include", "unit.include"))
    }
    script = files("agentsup.locale").joinpath("templates", "restore.sh").read_text(encoding="utf-8")
    return _PLACEHOLDER.sub(lambda found: shlex.quote(values[found[1]]), script)


def _names(language: Language) -> dict[str, str]:
    """Return the lists by which files are found and read, an entry a line."""
    titles = {**dict.fromkeys(labels.DECISION_TITLES, "title"), **labels.DECISION_GROUPS}
    return {
        "labels": _lines(labels.SECTION_LABELS[language].items()),
        "places": _lines((role, " ".join(paths)) for role, paths in PLACES.items()),
        "four": _lines((role, " ".join(names)) for role, names in FOUR.items()),
        "defaults": _lines(DEFAULTS.items()),
        "state_names": _grouped({**labels.SECTIONS, **labels.SECTION_KEYS}),
        "task_names": _grouped({**labels.TASK_SECTIONS, **labels.TASK_KEYS}),
        "decision_keys": _grouped({**labels.DECISION_KEYS, **dict.fromkeys(labels.STALE_KEYS, "stale")}),
        "decision_titles": _grouped(titles),
        "confidences": _grouped(labels.CONFIDENCE_WORDS),
        "statuses": _grouped(labels.STATUS_WORDS),
        "nothings": "|".join(sorted(labels.NOTHING)),
        "noise": "\n".join(sorted(NOISE)),
    }


def _lines(pairs: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{name} {value}" for name, value in pairs)


def _grouped(names: Mapping[str, str]) -> str:
    """Return what each group of words stands for: `completed done|finished`, a line each."""
    groups: dict[str, list[str]] = {}
    for word, group in names.items():
        groups.setdefault(group, []).append(word)
    return _lines((group, "|".join(sorted(words))) for group, words in groups.items())
