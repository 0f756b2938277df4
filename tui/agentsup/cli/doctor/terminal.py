"""The terminal doctor is run in: what it can show, and what stands between it and agentsup."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping

from agentsup.cli.doctor.finding import Finding

LEAST_COLUMNS, LEAST_ROWS = 80, 24

ESCAPE_MOST = 100
"""Milliseconds for which tmux may hold an Esc back without a person noticing."""

_TMUX_DEADLINE = 2.0
_NO_TERMINALS = ("", "dumb", "unknown")


def size() -> tuple[int, int] | None:
    """Return the terminal's columns and rows; None where there is no terminal."""
    for descriptor in (1, 0, 2):
        try:
            found = os.get_terminal_size(descriptor)
        except OSError:
            continue
        return found.columns, found.lines
    return None


def look(environment: Mapping[str, str], seen: tuple[int, int] | None) -> Iterator[Finding]:
    """Judge the terminal by its size and by what the environment says of it."""
    if seen is None:
        yield Finding("terminal.size", "unknown", "doctor.no-terminal")
    else:
        yield judged_size(*seen)
        yield judged_name(environment.get("TERM", ""))
        yield judged_colours(environment)
    yield judged_locale(environment)
    yield from judged_way(environment)


def look_tmux() -> Iterator[Finding]:
    """Ask the tmux around us for those of its options that matter."""
    done = subprocess.run(
        ["tmux", "show-options", "-s"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
        timeout=_TMUX_DEADLINE, check=False,
    )  # fmt: skip
    yield from judged_tmux(dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line))


def judged_size(columns: int, rows: int) -> Finding:
    """Judge the size: agents draw for 80x24 at least, and panels need room beside them."""
    enough = columns >= LEAST_COLUMNS and rows >= LEAST_ROWS
    key = "doctor.terminal-size" if enough else "doctor.terminal-small"
    values = {"columns": str(columns), "rows": str(rows), "least": f"{LEAST_COLUMNS}x{LEAST_ROWS}"}
    return Finding("terminal.size", "ok" if enough else "warning", key, values)


def judged_name(term: str) -> Finding:
    """Judge TERM."""
    if term in _NO_TERMINALS:
        return Finding("terminal.term", "problem", "doctor.term-dumb", {"term": term})
    return Finding("terminal.term", "ok", "doctor.term", {"term": term})


def judged_colours(environment: Mapping[str, str]) -> Finding:
    """Judge how many colours there are said to be."""
    term, colours = environment.get("TERM", ""), environment.get("COLORTERM", "")
    values = {"term": term, "colorterm": colours}
    if environment.get("NO_COLOR"):
        return Finding("terminal.colours", "ok", "doctor.colours-none", values)
    if colours in ("truecolor", "24bit") or term.endswith("-direct"):
        return Finding("terminal.colours", "ok", "doctor.colours-all", values)
    if "256color" in term or "kitty" in term:
        return Finding("terminal.colours", "ok", "doctor.colours-256", values)
    return Finding("terminal.colours", "warning", "doctor.colours-16", values)


def judged_locale(environment: Mapping[str, str]) -> Finding:
    """Judge the locale: frames, marks and other scripts need UTF-8."""
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    name, value = next(((name, value) for name in names if (value := environment.get(name))), ("LANG", ""))
    is_utf8 = value.lower().replace("-", "").partition(".")[2].startswith("utf8")
    key = "doctor.locale" if is_utf8 else "doctor.locale-not-utf8"
    return Finding("terminal.locale", "ok" if is_utf8 else "warning", key, {"name": name, "value": value})


def judged_way(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Judge what stands between the terminal's window and us."""
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"):
        yield Finding("terminal.ssh", "ok", "doctor.ssh")
    if environment.get("TMUX"):
        yield Finding("terminal.tmux", "ok", "doctor.tmux")
    elif environment.get("STY"):
        yield Finding("terminal.screen", "warning", "doctor.screen")
    if session := environment.get("AGENTSUP_SESSION"):
        yield Finding("terminal.nested", "ok", "doctor.nested", {"session": session})


def judged_tmux(options: Mapping[str, str]) -> Iterator[Finding]:
    """Judge tmux's server options; one that this tmux does not have is passed over."""
    delay = options.get("escape-time", "")
    if delay.isdigit() and int(delay) > ESCAPE_MOST:
        yield Finding("terminal.tmux-escape", "warning", "doctor.tmux-escape", {"milliseconds": delay})
    # With `external`, its default, tmux ignores what a program in it puts on the clipboard.
    if (clipboard := options.get("set-clipboard", "on")) != "on":
        yield Finding("terminal.tmux-clipboard", "warning", "doctor.tmux-clipboard", {"value": clipboard})
    if options.get("focus-events") == "off":
        yield Finding("terminal.tmux-focus", "warning", "doctor.tmux-focus")
    if options.get("extended-keys") == "off":
        yield Finding("terminal.tmux-keys", "warning", "doctor.tmux-keys")
