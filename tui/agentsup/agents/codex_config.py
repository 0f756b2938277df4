"""What Codex's own configuration says about things that agentsup must know; read, never written.

Measured on 0.171.0: the last -c of a key wins, then the `.codex/config.toml` nearest to the current folder of
those that the person trusts, the profile (a file NAME.config.toml; a table in older versions), config.toml, and
that of the machine.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KEY = "model_auto_compact_token_limit"
"""It compacts once `last_token_usage.total_tokens` reaches the lower of this and 90 % of the raw window."""

REPORTED_SHARE = 0.95
"""Share of the raw window that Codex reports as `model_context_window`."""

COMPACTION_PERCENT = 90

MACHINE = Path("/etc/codex/config.toml")

_READ_MOST = 1 << 20


@dataclass(frozen=True)
class Layer:
    """One place of the configuration; `table` is None where it exists and can't be read."""

    table: Mapping[str, Any] | None
    is_undecided: bool = False
    """Whether Codex will first ask the person if it may take it."""


def compaction_limit(options: Sequence[str], environment: Mapping[str, str], project: Path) -> int | None:
    """Return the person's own limit; None where there is none, or it can't be read."""
    for value in reversed(given(options, KEY)):
        if (found := _number(value)) is not None:
            return found
    tables = (layer.table or {} for layer in layers(options, environment, project) if not layer.is_undecided)
    return next((found for table in tables if (found := _number(table.get(KEY))) is not None), None)


def given(options: Sequence[str], key: str) -> list[object]:
    """Return the values that -c gives a key, in order; the last one is what Codex takes."""
    pairs = (setting.partition("=") for setting in _options(options, ("-c", "--config")))
    return [_value(value) for name, _, value in pairs if name.strip() == key]


def given_keys(options: Sequence[str]) -> list[str]:
    """Return the keys that -c gives a value, in order."""
    return [setting.partition("=")[0].strip() for setting in _options(options, ("-c", "--config"))]


def option_values(options: Sequence[str], name: str) -> list[str]:
    """Return the values of a long option, in order."""
    return _options(options, (name, name))


def layers(options: Sequence[str], environment: Mapping[str, str], project: Path) -> Iterator[Layer]:
    """Yield what a Codex that is started in `project` reads from files, the strongest first."""
    here = Path(os.path.realpath(project / _option(options, ("-C", "--cd"))))
    user = _read(config_file(environment))
    yield from _of_project(here, user.table or {}, home(environment))
    table = user.table or {}
    if name := _option(options, ("-p", "--profile")) or str(table.get("profile") or ""):
        yield _read(home(environment) / f"{name}.config.toml")
        profiles = table.get("profiles")
        if isinstance(profiles, dict) and isinstance(profile := profiles.get(name), dict):
            yield Layer(profile)
    yield user
    yield _read(MACHINE)


def config_file(environment: Mapping[str, str]) -> Path:
    """Return the path of Codex's configuration; the file need not exist."""
    return home(environment) / "config.toml"


def home(environment: Mapping[str, str]) -> Path:
    """Return the folder in which Codex keeps its files."""
    given = environment.get("CODEX_HOME", "")
    return Path(given) if given else Path(environment.get("HOME", "~")).expanduser() / ".codex"


def _of_project(here: Path, user: Mapping[str, Any], home: Path) -> Iterator[Layer]:
    """Yield the configurations that the project's own folders hold, without those that are not trusted."""
    folders = (here, *here.parents)
    root = next((folder for folder in folders if (folder / ".git").exists()), here)
    projects = user.get("projects")
    for folder in folders[: folders.index(root) + 1]:
        own = folder / ".codex"
        if not own.is_dir() or os.path.realpath(own) == os.path.realpath(home):
            continue
        trusted = _is_trusted((folder, root, _main_work_tree(root)), projects if isinstance(projects, dict) else {})
        if trusted is not False:
            yield Layer(_read(own / "config.toml").table, trusted is None)


def _is_trusted(folders: Sequence[Path], projects: Mapping[str, Any]) -> bool | None:
    """Return what the person has said about the first of these folders that has an entry; None without one."""
    for folder in folders:
        entry = projects.get(str(folder))
        if isinstance(entry, dict) and "trust_level" in entry:
            return bool(entry["trust_level"] == "trusted")
    return None


def _main_work_tree(root: Path) -> Path:
    """Return the work tree that a linked one belongs to, by the file that stands for its .git folder."""
    try:
        with open(os.open(root / ".git", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), encoding="utf-8") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return root
            target = Path(file.read(_READ_MOST).removeprefix("gitdir:").strip())
    except (OSError, ValueError):
        return root
    return target.parents[2] if target.parent.name == "worktrees" and len(target.parents) > 2 else root


def _read(path: Path) -> Layer:
    try:
        # O_NONBLOCK: a project's file may be anything, and a FIFO must not stop us.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            data = file.read(_READ_MOST + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except (FileNotFoundError, NotADirectoryError):
        return Layer({})
    except OSError:
        return Layer(None)
    if data is None or len(data) > _READ_MOST:
        return Layer(None)
    try:
        return Layer(tomllib.loads(data.decode()))
    except (ValueError, RecursionError):
        return Layer(None)


def _value(text: str) -> object:
    """Return what Codex takes the value of a -c for: TOML, or else the words themselves without outer quotes."""
    try:
        return tomllib.loads(f"value = {text.strip()}")["value"]
    except (ValueError, RecursionError):
        return text.strip().strip("\"'")


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _option(options: Sequence[str], names: tuple[str, str]) -> str:
    return next(reversed(_options(options, names)), "")


def _options(options: Sequence[str], names: tuple[str, str]) -> list[str]:
    """Return the values of an option, in order: `-c x`, `-cx`, `-c=x`, `--config x`, `--config=x`."""
    short, long = names
    values: list[str] = []
    words = iter(options)
    for word in words:
        if word in names:
            values += [value for value in (next(words, None),) if value is not None]
        elif word.startswith(f"{long}="):
            values.append(word.partition("=")[2])
        elif word.startswith(short) and not word.startswith("--"):
            values.append(word[len(short) :].removeprefix("="))
    return values
