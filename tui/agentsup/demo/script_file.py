"""Script files for tests: TOML, or JSON of the same shape. All times are milliseconds.

    window = 40000                  # tokens

    [behaviour]                     # all optional; what each means: Behaviour in script.py
    alternate_screen = false
    paste_burst = 0                 # Enter so soon after typed text becomes a newline
    paste_guard = 0                 # Enter so soon after a bracketed paste is swallowed
    pasted_from = 1000              # a longer paste shows as a placeholder
    queue = "turn-end"              # or "tool": when messages of a running turn are delivered
    escape = "return"               # or "deliver": what Esc does to them
    idle_flash = 0                  # idleness reported between queued turns
    report_delay = 0                # state reports come late
    log_delay = 0                   # log records come late
    compact_hook = "next-request"   # or "before-record": when the hook of a compaction runs

    [[step]]                        # the first step whose pattern is found in a prompt is taken
    prompt = "^build"               # a regular expression; a step for "^/model" replaces that command
    times = 0                       # how often; 0 without end
    turn = true                     # false: no turn; the state stays idle meanwhile
    actions = [
      { say = "I read it.", chunk = 4, delay = 20 },
      { note = "A remark of the narrator" },
      { read = "src/a.py", takes = 100 },
      { edit = "src/a.py" },
      { run = "pytest", takes = 300, exit_code = 1 },
      { usage = 21000, window = 40000 },
      { approve = "rm -r build", takes = 100, draw_after = 0, report_after = 10 },
      { pick = "Select a model", choices = ["small", "large"], draw_after = 0 },
      { compact = "auto", takes = 200, after = 8000, outcome = "done" },   # manual; failed, cancelled
      { sleep = 500 },
      { editor = true },
      { exit = 3 },
      { crash = "SEGV" },
    ]

    [[step]]                        # without a prompt: follows the step before it by itself,
    after = 400                     # so long after that has ended
    actions = [{ pick = "Still there?" }]

A prompt that no step takes gets a short answer, a restore text a recital. `approve` logs a `run` where it is
allowed; where it is not, the turn ends.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from agentsup.demo import script as do

Value = TypeVar("Value")

ACTIONS: dict[str, tuple[type[do.Action], str]] = {
    "say": (do.Say, "text"), "note": (do.Note, "text"), "read": (do.Read, "target"), "edit": (do.Edit, "target"),
    "run": (do.Run, "target"), "usage": (do.Usage, "used"), "approve": (do.Approve, "command"),
    "pick": (do.Pick, "title"), "compact": (do.Compact, "trigger"), "sleep": (do.Sleep, "milliseconds"),
    "editor": (do.OpenEditor, "enabled"), "exit": (do.Exit, "code"), "crash": (do.Crash, "signal"),
}  # fmt: skip
"""The word that names an action in a file, its type, and the field that its value fills."""


@dataclass(frozen=True)
class _StepTable:
    """The keys of a step besides its actions."""

    prompt: str = ""
    times: int = 0
    turn: bool = True
    after: int = 0


class ScriptProblem(Exception):
    """The script can't be used; the text says where and why."""


def read_script(path: Path) -> do.Script:
    """Read a script file; raises ScriptProblem."""
    try:
        text = path.read_text(encoding="utf-8")
        tables = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise ScriptProblem(f"{path}: {error}") from error
    try:
        return parse_script(tables)
    except ScriptProblem as problem:
        raise ScriptProblem(f"{path}: {problem}") from problem


def parse_script(tables: object) -> do.Script:
    """Make a script from decoded TOML or JSON; raises ScriptProblem."""
    top = _table(tables, "script")
    steps: list[do.ScriptedStep] = []
    for number, found in enumerate(_list(top.pop("step", []), "step"), 1):
        _add_step(steps, _table(found, f"step {number}"), f"step {number}")
    behaviour = _make(do.Behaviour, _table(top.pop("behaviour", {}), "behaviour"), "behaviour")
    return replace(_make(do.Script, top, "script", of=("window",)), behaviour=behaviour, steps=tuple(steps))


def _add_step(steps: list[do.ScriptedStep], table: dict[str, Any], where: str) -> None:
    actions = tuple(
        _action(found, f"{where}, action {number}")
        for number, found in enumerate(_list(table.pop("actions", []), where), 1)
    )
    made = _make(_StepTable, table, where)
    step = do.Step(actions, turn=made.turn)
    if "prompt" in table and "after" not in table:
        _check_pattern(made.prompt, where)
        steps.append(do.ScriptedStep(made.prompt, step, made.times))
    elif "after" in table and "prompt" not in table and steps:
        follow_up = do.FollowUp(made.after, replace(step, asked=False))
        steps[-1] = replace(steps[-1], step=_followed(steps[-1].step, follow_up))
    else:
        raise ScriptProblem(f"{where}: needs either a prompt, or `after` and a step before it")


def _followed(step: do.Step, last: do.FollowUp) -> do.Step:
    """Put a follow-up behind all those that a step has already."""
    if step.follow_up is None:
        return replace(step, follow_up=last)
    return replace(step, follow_up=replace(step.follow_up, step=_followed(step.follow_up.step, last)))


def _action(found: object, where: str) -> do.Action:
    table = _table(found, where)
    names = [name for name in table if name in ACTIONS]
    if len(names) != 1:
        raise ScriptProblem(f"{where}: needs exactly one of {', '.join(ACTIONS)}")
    kind, field = ACTIONS[names[0]]
    return _make(kind, {field: table.pop(names[0]), **table}, f"{where}: {names[0]}")


def _make(kind: type[Value], table: dict[str, Any], where: str, *, of: tuple[str, ...] = ()) -> Value:
    """Make a value from a table whose keys are its fields; raises ScriptProblem."""
    hints = get_type_hints(kind)
    declared = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    known = of or tuple(declared)
    arguments = {}
    for key, value in table.items():
        if key not in known:
            raise ScriptProblem(f"{where}: unknown key {key!r}; known: {', '.join(known)}")
        arguments[key] = _checked(value, hints[key], f"{where}: {key}")
    for field in declared.values():
        if field.name not in arguments and field.default is MISSING and field.default_factory is MISSING:
            raise ScriptProblem(f"{where}: needs {field.name!r}")
    return kind(**arguments)


def _checked(value: object, hint: object, where: str) -> object:
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            raise ScriptProblem(f"{where} is one of {', '.join(get_args(hint))}")
        return value
    if get_origin(hint) is tuple:
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise ScriptProblem(f"{where} is a list of texts")
    assert isinstance(hint, type)
    if not isinstance(value, hint) or isinstance(value, bool) is not (hint is bool):
        raise ScriptProblem(f"{where} is of type {hint.__name__}")
    if isinstance(value, int) and value < 0:
        raise ScriptProblem(f"{where} is not negative")
    return value


def _check_pattern(pattern: str, where: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ScriptProblem(f"{where}: prompt: {error}") from error


def _table(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ScriptProblem(f"{where}: is a table")
    return dict(value)


def _list(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise ScriptProblem(f"{where}: is a list")
    return value
