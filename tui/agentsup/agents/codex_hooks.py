"""Hooks of ours in a Codex, for one launch only, and the trust that Codex wants for them.

Measured on 0.171.0. A hook that -c gives an event joins those of the person's files, and of two -c of one key the last
one wins: so where the person gives theirs by -c, ours stay away. What nobody has reviewed does not run, and stops the
start with a question; a review is the hash of this very definition in hooks.state, and -c adds to that table as well.
The program itself tells the hash (app-server, hooks/list). It is asked in a folder of its own, made for that, so that
it neither reads nor writes anything of the person's.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentsup.agents import codex_config
from agentsup.agents.adapter import Place
from agentsup.agents.codex_instructions import toml_string
from agentsup.agents.hook_command import hook_command

EVENTS = ("SessionStart", "UserPromptSubmit")

KEYS = tuple(f"/<session-flags>/config.toml:{event}:0:0" for event in ("session_start", "user_prompt_submit"))
"""What Codex calls them in hooks.state. Nothing else is ever trusted for the person, whoever has written it down."""

NOT_REVIEWED = "hooks.not-trusted"

CONTEXT_MOST = 200_000
"""additionalContextLimit of ours: without one Codex cuts a text to 10,000 characters; with this 64 KiB arrive whole."""

TIMEOUT = 5
"""Seconds after which Codex ends a hook of ours, which itself gives up earlier."""

ASK_DEADLINE = 10.0
"""Seconds for both questions together. Codex answers in a fifth of one; the first start after an update is slower."""

_ANSWER_MOST = 1 << 20
_STATE = "hooks.state"

_CONFIGURATION = """\
check_for_update_on_startup = false
[features]
plugins = false
apps = false
[analytics]
enabled = false
[otel]
exporter = "none"
"""
"""Of the Codex that is asked: it is to do nothing else, least of all fetch anything."""


@dataclass(frozen=True)
class Addition:
    """What comes on the command line, or why it does not, as a catalogue key."""

    words: tuple[str, ...] = ()
    problem: str = ""


def addition(place: Place, options: Sequence[str]) -> Addition:
    """Return what to add to a command line with these options."""
    if not place.hook:
        return Addition()
    if any(_is_about_ours(name) for name in codex_config.given_keys(options)):
        return Addition(problem="hooks.own")
    if _are_off(place, options):
        return Addition(problem="hooks.off")
    hashes = _hashes(place.hook_trust)
    if not hashes:
        return Addition(problem=NOT_REVIEWED)
    settings = (*definitions(place.hook), f"{_STATE}={_table(hashes)}")
    return Addition(tuple(word for setting in settings for word in ("-c", setting)))


def definitions(hook: Sequence[str]) -> tuple[str, ...]:
    """Return our hooks as settings: the same words for every launch, or they would have to be reviewed anew."""
    return tuple(
        f"hooks.{event}=[{{hooks=[{{type={toml_string('command')},command={toml_string(hook_command(hook, event))},"
        f"timeout={TIMEOUT},additionalContextLimit={CONTEXT_MOST}}}]}}]"
        for event in EVENTS
    )


def reviewed(program: str, hook: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the hashes that this Codex takes for a review of our hooks, as JSON by key; empty where it tells none.

    It is asked once more whether it does, so that a Codex that counts otherwise asks nobody at its start. Raises
    OSError where it does not answer, or not in time.
    """
    until = time.monotonic() + ASK_DEADLINE
    ours = definitions(hook)
    try:
        with tempfile.TemporaryDirectory(prefix="agentsup-codex-", ignore_cleanup_errors=True) as home:
            (Path(home) / "config.toml").write_text(_CONFIGURATION)
            env = {**environment, "CODEX_HOME": home, "HOME": home}
            told = _listed(program, ours, env, until)
            hashes = {str(each["key"]): str(each["currentHash"]) for each in told}
            if set(hashes) != set(KEYS):
                return ""
            again = _listed(program, (*ours, f"{_STATE}={_table(hashes)}"), env, until)
    except (ValueError, KeyError, TypeError):
        return ""
    if [each.get("trustStatus") for each in again] != ["trusted"] * len(EVENTS):
        return ""
    return json.dumps(hashes, sort_keys=True)


def _listed(
    program: str, settings: Sequence[str], environment: Mapping[str, str], until: float
) -> list[dict[str, Any]]:
    """Ask an app-server for its hooks; raises OSError without an answer, ValueError, KeyError or TypeError by one."""
    home = environment["CODEX_HOME"]
    words = [word for setting in settings for word in ("-c", setting)]
    server = subprocess.Popen(
        [program, "app-server", *words], env=dict(environment), cwd=home, start_new_session=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert server.stdin is not None
        assert server.stdout is not None
        client = {"name": "agentsup", "title": "agentsup", "version": "0"}
        asked = (
            {"id": 1, "method": "initialize", "params": {"clientInfo": client}},
            {"method": "initialized"},
            {"id": 2, "method": "hooks/list", "params": {"cwds": [home]}},
        )
        server.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in asked))
        server.stdin.flush()
        for line in _lines(server.stdout.fileno(), until):
            answer = json.loads(line)
            if answer.get("id") == 2:
                (found,) = answer["result"]["data"]
                return [each for each in found["hooks"] if each["source"] == "sessionFlags"]
        raise ConnectionError("it ended without an answer")
    finally:
        _end(server)


def _lines(number: int, until: float) -> Iterator[bytes]:
    held, left = b"", _ANSWER_MOST
    while left > 0:
        # Asked each time: who never falls silent would always be ready to be read.
        patience = until - time.monotonic()
        if patience <= 0 or not select.select([number], [], [], patience)[0]:
            raise TimeoutError
        piece = os.read(number, 1 << 16)
        if not piece:
            return
        left -= len(piece)
        *lines, held = (held + piece).split(b"\n")
        yield from lines
    raise ValueError("it says too much")


def _end(server: subprocess.Popen[bytes]) -> None:
    """End a server: it goes when its input closes; a launcher that does not gets a signal, with all it has started."""
    for stream in (server.stdin, server.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    try:
        server.wait(1.0)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(OSError):
            os.killpg(server.pid, 9)
        server.wait()


def _is_about_ours(name: str) -> bool:
    return name == "hooks" or any(
        name == own or name.startswith(f"{own}.") for own in (_STATE, *(f"hooks.{event}" for event in EVENTS))
    )


def _are_off(place: Place, options: Sequence[str]) -> bool:
    """Say whether the person has switched hooks off, on the command line or in a file."""
    if "hooks" in codex_config.option_values(options, "--disable"):
        return True
    if said := codex_config.given(options, "features.hooks"):
        return said[-1] is False
    for layer in codex_config.layers(options, place.environment, place.project):
        features = (layer.table or {}).get("features")
        if isinstance(features, dict) and "hooks" in features:
            return features["hooks"] is False
    return False


def _hashes(trust: str) -> dict[str, str]:
    try:
        found = json.loads(trust)
    except ValueError:
        return {}
    if not isinstance(found, dict) or set(found) != set(KEYS):
        return {}
    return {key: str(value) for key, value in found.items()}


def _table(hashes: Mapping[str, str]) -> str:
    entries = (f"{toml_string(key)}={{trusted_hash={toml_string(value)}}}" for key, value in sorted(hashes.items()))
    return f"{{{','.join(entries)}}}"
