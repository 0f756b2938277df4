"""`agentsup AGENT …`: start a session's keeper, then open the interface on it."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from agentsup.agents.adapter import Adapter, Place
from agentsup.agents.registry import adapter_for, is_known, names
from agentsup.cli import hook_consent
from agentsup.cli.main import require_terminal
from agentsup.cli.outer_colours import ask
from agentsup.cli.person import announcer, refuse_agents
from agentsup.core.environment import child_environment
from agentsup.core.instructions import Examples, Places, compose_instructions
from agentsup.core.layout import Layout, agent_area
from agentsup.core.policy import ChannelChoice, Policy
from agentsup.core.problems import Problem, UsageProblem
from agentsup.core.settings import Settings
from agentsup.locale import detect, load, template
from agentsup.store.examples import read_example
from agentsup.store.folders import data_folder, new_session_folder, runtime_folder
from agentsup.store.placements import find
from agentsup.store.project_root import project_root
from agentsup.store.task_choice import tasks
from agentsup.store.templates import approved_templates
from agentsup.store.trust_key import trust_folder
from agentsup.store.trust_record import project_key, read_records
from agentsup.store.trust_review import adopt

HAND_ON_DEADLINE = 2.0
"""Seconds for the host to take what was typed early; the interface does not wait for it longer."""


def run(options: argparse.Namespace, name: str, arguments: Sequence[str], *, literal: bool) -> int:
    """Start a supervised session and show it; returns the exit code."""
    require_terminal()
    # A session that an agent starts could not be shown: its interface would let the agent answer for a person.
    refuse_agents()
    adapter, program = _program(name, literal)
    if is_known(adapter):
        from agentsup.cli import picker

        if running := picker.attach_instead(options, adapter.name):
            from agentsup.cli import interface

            return interface.show(running.socket, options)
    folder = new_session_folder(runtime_folder(os.environ))
    try:
        outer = ask()
        spec = _spec(options, adapter, program, arguments, folder)
        spec |= {"foreground": outer.foreground, "background": outer.background}
        keeper = _start_keeper(spec)
        from agentsup.cli import interface  # imports Textual while the keeper starts agent and host

        _await_agent(keeper, program)
        if outer.typed:
            _type(folder / "socket", outer.typed)
    except BaseException:
        # Once there is a socket there is a session: it goes on, and `attach` finds it.
        if not (folder / "socket").exists():
            shutil.rmtree(folder, ignore_errors=True)
        raise
    for key in (key for key, _ in spec["notices"]):
        interface.print_notice(options.language, key)
    return interface.show(folder / "socket", options)


def _program(name: str, literal: bool) -> tuple[Adapter, str]:
    adapter = adapter_for(name, supervised=not literal)
    program = adapter.find(os.environ)
    if program is None:
        if not literal and name in names():
            raise UsageProblem(f"agent.{name}-missing", name=name)
        raise UsageProblem("command.missing" if literal else "agent.unknown", name=name, known=", ".join(names()))
    return adapter, program


def _spec(
    options: argparse.Namespace, adapter: Adapter, program: str, arguments: Sequence[str], folder: Path
) -> dict[str, Any]:
    window = os.get_terminal_size(sys.stdout.fileno())
    columns, rows = agent_area(window.columns, window.lines, cast("Layout", options.layout))
    environment = child_environment(os.environ, session=folder.name, socket=str(folder / "socket"))
    environment |= adapter.environment(environment)
    status_line = options.settings.text("claude.status_line")
    language = options.language if options.language != "auto" else detect(os.environ)
    root = project_root(Path.cwd())
    records = trust_folder(os.environ)
    if is_known(adapter):
        _adopt(root)
    told = _instructions(root, language) if options.settings.text("memory.instructions") == "on" else ""
    place = Place(program, tuple(arguments), environment, Path.cwd(), folder, status_line, told)
    place, without_hooks = hook_consent.placed(adapter, place, options.settings, load(language))
    return {
        "session": folder.name,
        "folder": str(folder),
        "data_folder": str(data_folder(os.environ)),
        "agent": adapter.name,
        "supervised": is_known(adapter),
        "version": adapter.version(program),
        "program": program,
        "arguments": list(arguments),
        "argv": adapter.launch(place),
        "status_line": status_line,
        "instructions": told,
        "estimate": options.settings.text("estimate.programs"),
        "cwd": os.getcwd(),
        "memory_root": str(root),
        "repository": _in_repository(root),
        "trust_folder": str(records),
        "trust_heads": {name: record.head for name, record in read_records(records).items() if record.head},
        "project": project_key(root),
        "policy": msgspec.to_builtins(_policy(options.settings, hooks=bool(place.hook))),
        "hook": list(place.hook),
        "hook_trust": place.hook_trust,
        "unit_seconds": options.settings.number("memory.unit_seconds"),
        "env": environment,
        "host_env": dict(os.environ),
        "scrollback": options.scrollback,
        "restore_tokens": options.settings.number("memory.restore_tokens"),
        "restore_ceiling": options.settings.number("memory.restore_ceiling"),
        "columns": columns,
        "rows": rows,
        "language": language,
        "started": time.time(),
        "notices": [*_notices(adapter, place), *((key, {}) for key in without_hooks)],
    }


def _policy(settings: Settings, *, hooks: bool) -> Policy:
    """Return how the loop around compactions is to go."""
    return Policy(
        channel=cast("ChannelChoice", settings.text("injection.channel")),
        hooks=hooks,
        breaker_compactions=settings.number("injection.breaker_compactions"),
        breaker_percent=settings.number("injection.breaker_percent"),
        ask_engram=settings.number("memory.ask_engram"),
        start=settings.text("memory.start_restore") == "on",
        gate=settings.text("memory.gate") == "on",
        wait_after_recital=settings.text("memory.after_recital") == "stop",
    )


def _adopt(root: Path) -> None:
    """Take note of what is there before an agent is: so that it is seen what one changes."""
    with contextlib.suppress(OSError, Problem):  # without a record nothing is approved, which is safe, and shown
        adopt(root, announce=announcer(root))


def _instructions(root: Path, language: str) -> str:
    """Return what an agent is told for this launch.

    In the project's own words where it has some and they are approved, and by what its person has corrected last.
    """
    name = "instructions.md"
    own = approved_templates(root).get(name)
    corrected = None
    with contextlib.suppress(OSError):  # the shipped pair teaches, too
        corrected = read_example(root)
    shipped = Examples(template("engram-good.md", language), template("engram-bad.md", language))
    examples = corrected or shipped
    task = tasks(root).folder
    places = Places(find(root, "state", task).path, find(root, "decisions", task).path)
    return compose_instructions(template(name, language) if own is None else own, examples, places)


def _notices(adapter: Adapter, place: Place) -> list[tuple[str, dict[str, str]]]:
    """Return what the person should know before the start, for agents only: a plain command has no memory."""
    if not is_known(adapter):
        return []
    here = Path.cwd()
    notices = []
    if not _in_repository(here):
        notices.append("git.none")
    if not os.access(here, os.W_OK):
        notices.append("project.read-only")
    if problem := adapter.without_instructions(place):
        notices.append(problem)
    return [(key, {}) for key in notices]


def _in_repository(here: Path) -> bool:
    return any((folder / ".git").exists() for folder in (here, *here.parents))


def _start_keeper(spec: dict[str, Any]) -> subprocess.Popen[bytes]:
    # -P: the current folder is the project's, and none of its files may be taken for a module of ours.
    keeper = subprocess.Popen(
        [sys.executable, "-P", "-m", "agentsup.keeper"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert keeper.stdin is not None
    keeper.stdin.write(json.dumps(spec).encode())
    keeper.stdin.close()
    return keeper


def _await_agent(keeper: subprocess.Popen[bytes], program: str) -> None:
    """Wait until the agent runs; raises UsageProblem with the keeper's reason where it can't."""
    assert keeper.stdout is not None
    assert keeper.stderr is not None
    line = keeper.stdout.readline()
    keeper.wait()
    answer = json.loads(line) if line else {"problem": _last_line(keeper.stderr.read())}
    keeper.stdout.close()
    keeper.stderr.close()
    if "problem" in answer:
        raise UsageProblem("command.not-started", name=program, reason=answer["problem"])


def _type(path: Path, keys: bytes) -> None:
    """Hand on what the person has typed before there was an interface."""
    from agentsup.protocol import messages as m
    from agentsup.protocol import wire

    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(HAND_ON_DEADLINE)
        connection.connect(str(path))
        connection.sendall(wire.encode(m.Hello(m.VERSION, "ui")) + wire.encode(m.Keys(keys)))
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 16):
            pass  # until it has taken everything and closed


def _last_line(output: bytes) -> str:
    return (output.decode(errors="replace").strip().splitlines() or ["the keeper ended"])[-1]
