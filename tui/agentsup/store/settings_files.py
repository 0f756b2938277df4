"""Merge the settings: defaults < the person's config.toml < .agent/config.toml < AGENTSUP_* < options."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from agentsup.core.problems import UsageProblem
from agentsup.core.settings import SETTINGS, BadSetting, Settings, Value, checked, defaults, raises
from agentsup.store.folders import config_file
from agentsup.store.opening import open_beneath, open_persons, read_whole

MOST = 1 << 20
"""Largest file of settings that is read, in bytes."""


def read_settings(
    environment: Mapping[str, str], project: Path, options: Mapping[str, str | None] | None = None
) -> Settings:
    """Return the merged settings; raises UsageProblem naming file, line and nearest key."""
    values = defaults()
    own, theirs = config_file(environment), project / ".agent" / "config.toml"
    values |= _from_file(own, lambda: open_persons(own))
    values |= _from_file(theirs, lambda: open_beneath(project, ".agent/config.toml"), most=values)
    for setting in SETTINGS:
        if setting.variable in environment:
            values[setting.key] = _one(setting.key, environment[setting.variable], setting.variable)
    for key, value in (options or {}).items():
        if value is not None:
            values[key] = _one(key, value, key)
    return Settings(values)


def _from_file(
    path: Path, opened: Callable[[], tuple[int, os.stat_result] | None], *, most: Mapping[str, Value] | None = None
) -> dict[str, Value]:
    """Return the settings of a file; `most`: what a project's own may not loosen."""
    try:
        file = opened()
        text = "" if file is None else read_whole(file[0], file[1].st_size, MOST, path).decode("utf-8")
    except NotADirectoryError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageProblem("settings.unreadable", path=path, reason=reason) from error
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageProblem("settings.broken", path=path, reason=error) from error
    values: dict[str, Value] = {}
    for table, content in tables.items():
        entries = content.items() if isinstance(content, dict) else [("", content)]
        for name, value in entries:
            key = f"{table}.{name}" if name else table
            place = f"{path}:{_line_of(text, table, name)}"
            values[key] = _one(key, value, place)
            if most is not None and raises(key, values[key], most[key]):
                raise UsageProblem("settings.project-raises", place=place, key=key, most=most[key])
    return values


def _one(key: str, value: object, place: str) -> Value:
    try:
        return checked(key, value)
    except BadSetting as bad:
        if bad.reason == "unknown":
            problem = "settings.unknown-near" if bad.nearest else "settings.unknown"
            raise UsageProblem(problem, place=place, key=key, nearest=bad.nearest) from bad
        raise UsageProblem("settings.bad-value", place=place, key=key, allowed=bad.reason) from bad


def _line_of(text: str, table: str, name: str) -> int:
    """Return the line of a key, by its words: the parser does not tell."""
    current = ""
    for number, line in enumerate(text.splitlines(), 1):
        if heading := re.match(r"\s*\[\s*([^\]]+?)\s*\]", line):
            current = heading[1]
        word = re.match(r"\s*[\"']?([\w.-]+)[\"']?\s*=", line)
        if word and (word[1] in (f"{table}.{name}", table) or (current == table and word[1] == name)):
            return number
    return 1
