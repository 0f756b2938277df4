"""What Codex's own configuration says about compaction; read, never written.

Measured on 0.171.0: it compacts once `last_token_usage.total_tokens` reaches the lower of 90 % of the raw
window and `model_auto_compact_token_limit`. Lowest first: config.toml, its profile, -c on the command line.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

KEY = "model_auto_compact_token_limit"

REPORTED_SHARE = 0.95
"""Share of the raw window that Codex reports as `model_context_window`."""

COMPACTION_PERCENT = 90

_READ_MOST = 1 << 20


def compaction_limit(options: Sequence[str], environment: Mapping[str, str]) -> int | None:
    """Return the person's own limit; None where there is none, or it can't be read."""
    config = _read(config_file(environment))
    found = _number(config.get(KEY))
    name = _option(options, ("-p", "--profile")) or str(config.get("profile") or "")
    profiles = config.get("profiles")
    if name and isinstance(profiles, dict) and isinstance(profile := profiles.get(name), dict):
        found = _number(profile.get(KEY)) or found
    for setting in _options(options, ("-c", "--config")):
        key, _, value = setting.partition("=")
        if key.strip() == KEY:
            found = _number(value) or found
    return found


def config_file(environment: Mapping[str, str]) -> Path:
    """Return the path of Codex's configuration; the file need not exist."""
    return home(environment) / "config.toml"


def home(environment: Mapping[str, str]) -> Path:
    """Return the folder in which Codex keeps its files."""
    given = environment.get("CODEX_HOME", "")
    return Path(given) if given else Path(environment.get("HOME", "~")).expanduser() / ".codex"


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.loads(file.read(_READ_MOST).decode())
    except (OSError, ValueError):
        return {}


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _option(options: Sequence[str], names: tuple[str, str]) -> str:
    return next(reversed(_options(options, names)), "")


def _options(options: Sequence[str], names: tuple[str, str]) -> list[str]:
    """Return the values of an option, in order: `-c x`, `--config x`, `--config=x`."""
    values = [value for name, value in pairwise(options) if name in names]
    return values + [word.partition("=")[2] for word in options if word.startswith(f"{names[1]}=")]
