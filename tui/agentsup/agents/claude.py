"""Claude Code, measured on 2.1.332.

Which conversation it is in, and what it does, it says in a file of its own, sessions/<pid>.json; that file is
undocumented, so the id that was chosen at the launch and the window title stand in where it is missing. The
transcript is not held open and is found by its name, which is the conversation's id. The size of the window is
told to a status line command only (claude_settings.py).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import time
import uuid
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentsup.agents import (
    claude_composer,
    claude_hooks,
    claude_log,
    claude_options,
    claude_settings,
    claude_typing,
)
from agentsup.agents.adapter import ARGUMENT_MOST, Adapter, Conversation, Place, Process, joined
from agentsup.agents.claude_log import ClaudeLog
from agentsup.agents.json_objects import figure, parsed_object, read_object
from agentsup.agents.untouched import is_untouched
from agentsup.core.events import AgentState, AgentStateReported, Event, TokensReported, WindowReported
from agentsup.core.injector import Composer, Typing
from agentsup.core.screen import Screen

_STATES: dict[str, AgentState] = {"idle": "idle", "busy": "working", "waiting": "blocked", "shell": "idle"}
"""`shell`: it waits for the person while a command of its own, such as a server, runs in the background."""
_TITLES: dict[str, AgentState] = {"✳": "idle", "◐": "working", "◑": "working"}
"""The first character of the window title. It says idle while a permission prompt is open, too."""

_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_READ_MOST = 1 << 16

SEARCH_INTERVAL = 2.0
"""Seconds between two searches for a transcript in the folders of all projects."""

AGENT_VIEW = "CLAUDE_CODE_DISABLE_AGENT_VIEW"

APPENDED = "--append-system-prompt"
"""Of several the last one counts. The text of an --append-system-prompt-file comes before it, and stays."""

REPLY_RESERVE = 20_000
COMPACTION_RESERVE = 13_000
"""Tokens that Claude Code keeps free for a reply and for compacting: it compacts when less than both are left."""

LEAST_LIMIT = 100_000
"""A smaller window for compaction, by its variable, is taken for this one."""

REACTIVE_WINDOW = 200_000
"""Up to this window it waits until the server refuses a request, and nobody knows when that is."""


class Claude(Adapter):
    """The Claude Code command line."""

    name = "claude"
    reports = True
    measured = ("2.1.332",)
    hook_most = claude_hooks.CONTEXT_MOST
    early_hooks = True

    def __init__(self) -> None:
        self._transcripts: dict[str, str] = {}
        self._vim_keys = self._shows_cursor = False
        self._search_again = 0.0
        self._current = ""
        self._told: tuple[str, int] = ("", 0)
        """The conversation and its tokens in use that the status line was told of last."""

    def find(self, environment: Mapping[str, str]) -> str | None:
        """Return the path of `claude`."""
        return shutil.which("claude", path=environment.get("PATH"))

    def version(self, program: str) -> str:
        """Return the version of the npm package or of the native installation that the program belongs to."""
        real = Path(os.path.realpath(program))
        with contextlib.suppress(OSError, ValueError, AttributeError):
            for folder in real.parents[:2]:
                package = folder / "package.json"
                if package.exists():
                    return str(json.loads(package.read_bytes()).get("version", ""))
        # The native installer names the program after its version: …/claude/versions/2.1.332
        return real.name if re.fullmatch(r"\d+\.\d+\.\d+", real.name) else ""

    def launch(self, place: Place) -> list[str]:
        """Choose the conversation's id, add our status line, where the person has left both open, and instructions."""
        options = claude_options.parse(place.arguments)
        if not claude_options.is_interactive(options):
            return [place.program, *place.arguments]
        added: list[str] = []
        if not any(claude_options.may_choose(option) for option in options):
            added += ["--session-id", str(uuid.uuid4())]
        if self.without_hooks(place):
            place = replace(place, hook=())
        given = claude_options.last(options, "--settings")
        settings = claude_settings.merged(given, place)
        if place.hook and not claude_settings.is_inline(given):
            added += ["--plugin-dir", str(place.session_folder / claude_hooks.PLUGIN)]
        if settings is not None:
            options = [option for option in options if option.name != "--settings"]
            added += ["--settings", settings]
        if not self.without_instructions(place) and (prompt := _system_prompt(options, place)):
            options = [option for option in options if option.name != APPENDED]
            added += [APPENDED, prompt]
        return [place.program, *added, *claude_options.words(options)]

    def without_instructions(self, place: Place) -> str:
        """Return why: together with the person's own they are too long."""
        options = claude_options.parse(place.arguments)
        prompt = _system_prompt(options, place) if claude_options.is_interactive(options) else ""
        return "instructions.too-long" if len(os.fsencode(prompt)) > ARGUMENT_MOST else ""

    def without_hooks(self, place: Place) -> str:
        """Return why: they are switched off, or the person's own leave no place for them."""
        return claude_settings.without_hooks(claude_options.parse(place.arguments), place) if place.hook else ""

    def install_hooks(self, place: Place) -> None:
        """Write the plugin that carries them where the person's --settings is a file."""
        given = claude_options.last(claude_options.parse(place.arguments), "--settings")
        if place.hook and not claude_settings.is_inline(given):
            claude_hooks.write_plugin(place.session_folder, place.hook)

    def environment(self, environment: Mapping[str, str]) -> Mapping[str, str]:
        """Switch the agents' view off, unless the person has said something about it.

        One Left at the empty input box would open it, and move the conversation into a background process that
        nobody supervises.
        """
        return {} if AGENT_VIEW in environment else {AGENT_VIEW: "1"}

    def began(self, place: Place) -> None:
        """Read whether the input box takes vim's keys, and whose cursor stands in it."""
        given = claude_options.last(claude_options.parse(place.arguments), "--settings")
        self._vim_keys = claude_settings.uses_vim_keys(given, place)
        self._shows_cursor = claude_settings.shows_cursor(given, place)

    def fresh_launch(self, place: Place, prompt: str) -> list[str]:
        """Keep the options; drop those that choose a conversation, and an earlier prompt."""
        kept = [
            option
            for option in claude_options.parse(place.arguments)
            if option.name and option.name not in claude_options.OF_A_CONVERSATION
        ]
        fresh = replace(place, arguments=tuple(claude_options.words(kept)))
        return [*self.launch(fresh), *(["--", prompt] if prompt else [])]

    def conversation(self, process: Process, place: Place, strangers: Container[str] = ()) -> Conversation | None:
        """Return the conversation that the process says it is in, or the one that was chosen at its launch."""
        home = claude_settings.home(place.environment)
        says = read_object(_session_file(process.pid, home), _READ_MOST)
        # Before it has a state, the id may be another one than that of the conversation it goes on with.
        id = str(says.get("sessionId") or "") if says.get("status") and _is_of(says, process.pid) else ""
        if not id and not _has_session_files(home):
            # A version without that file. One that has it is still at a question before its first conversation.
            id = claude_options.last(claude_options.parse(process.arguments()[1:]), "--session-id") or ""
        if not _ID.fullmatch(id):
            return None
        self._current = id
        return Conversation(id, self._transcript(id, home, place.project))

    def begins_anew(self, conversation: Conversation, place: Place, *, first: bool) -> bool:
        """Say so where the transcript holds no prompt: that of /clear begins with the command.

        A fork that the launch begins with has no transcript until its first prompt.
        """
        options = claude_options.parse(place.arguments) if first else []
        chosen = any(claude_options.may_choose(option) and option.name != "--session-id" for option in options)
        return not chosen and is_untouched(conversation.log, self.decoder())

    def is_persons(self, log: Path) -> bool:
        """Return True: the process itself has named it; sub-agents have files of their own."""
        return True

    def status_files(self, pid: int, place: Place) -> tuple[Path, ...]:
        """Return the file about the process, and the one of our status line command."""
        home = claude_settings.home(place.environment)
        return (_session_file(pid, home), place.session_folder / claude_settings.STATUS_FILE)

    def read_status(self, path: Path, data: bytes, now: float) -> tuple[Event, ...]:
        """Return the state, or the size of the window."""
        says = parsed_object(data) or {}
        if path.name != claude_settings.STATUS_FILE:
            status, kind = says.get("status"), str(says.get("waitingFor") or "")
            if not status or not isinstance(status, str):
                return ()
            # Of a state that nobody knows it is no use to know the one before.
            return (AgentStateReported(now, _STATES.get(status, "unknown"), kind, "status-file"),)
        context = says.get("context_window")
        if not isinstance(context, dict):
            return ()
        size = figure(context.get("context_window_size"))
        window = (WindowReported(now, size),) if size else ()
        return (*window, *self._usage(str(says.get("session_id") or ""), context.get("current_usage"), now))

    def _usage(self, conversation: str, usage: object, now: float) -> tuple[TokensReported, ...]:
        """Return what it has changed to: the transcript has it too, but not after the person went back in it."""
        if not isinstance(usage, dict) or conversation != self._current:
            return ()
        names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        used = sum(figure(usage.get(name)) or 0 for name in names)
        before, self._told = self._told, (conversation, used)
        if used <= 0 or (conversation, used) == before:
            return ()
        return (TokensReported(now, used, None),)

    def compacts_at(self, window: int, place: Place) -> int | None:
        """Return the window less what Claude Code keeps free, or the person's lower limit."""
        options = claude_options.parse(place.arguments)
        given = claude_options.last(options, "--settings")
        if not claude_settings.compacts_by_itself(given, place) or window <= REACTIVE_WINDOW:
            return None
        environment = claude_settings.variables(given, place)
        for limit in (
            _tokens(claude_options.last(options, "--autocompact") or ""),
            _tokens(environment.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "")),
            _tokens(str(claude_settings.setting("autoCompactWindow", given, place) or "")),
        ):
            if limit:
                window = min(window, max(limit, LEAST_LIMIT))
        usable = window - REPLY_RESERVE
        share = environment.get("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", "")
        lowered = usable * int(share) // 100 if share.isdigit() and 1 <= int(share) <= 100 else usable
        return min(usable - COMPACTION_RESERVE, lowered)

    def is_log(self, head: bytes) -> bool:
        """Say whether a file is a transcript, by how it begins."""
        return claude_log.is_log(head)

    def decoder(self) -> ClaudeLog:
        """Return a decoder for a transcript."""
        return ClaudeLog()

    def composer(self, screen: Screen) -> Composer:
        """Read the input box."""
        return claude_composer.composer(screen, vim_keys=self._vim_keys, shows_cursor=self._shows_cursor)

    def typing(self, text: str) -> Typing:
        """Return how its input box takes a text."""
        return claude_typing.typing(text)

    def title_state(self, title: str, time: float) -> AgentStateReported | None:
        """Translate the glyph before the title."""
        state = _TITLES.get(title[:1])
        return AgentStateReported(time, state, by="title") if state else None

    def quit_keys(self) -> Sequence[bytes]:
        """Ctrl-C clears a draft or ends a turn; Ctrl-D twice leaves."""
        return (b"\x03", b"\x04\x04", b"\x04\x04")

    def _transcript(self, id: str, home: Path, project: Path) -> str:
        """Return the transcript's path; empty as long as there is none. It is made at the first prompt."""
        if id not in self._transcripts:
            # The rule is undocumented, so every folder is searched, but not at every look: there may be many.
            everywhere = time.monotonic() >= self._search_again
            if everywhere:
                self._search_again = time.monotonic() + SEARCH_INTERVAL
            found = _find(home / "projects", f"{id}.jsonl", project, everywhere=everywhere)
            if not found:
                return ""
            self._transcripts[id] = found
        return self._transcripts[id]


def _system_prompt(options: Sequence[claude_options.Option], place: Place) -> str:
    """Return what is appended to the system prompt, the person's own included; empty where nothing is of ours."""
    given = claude_options.last(options, APPENDED)
    if not place.instructions or any(option.words == (APPENDED,) for option in options):
        return ""  # without its value the option is a mistake, and Claude Code's to name
    return joined(given or "", place.instructions)


def _session_file(pid: int, home: Path) -> Path:
    return home / "sessions" / f"{pid}.json"


def _has_session_files(home: Path) -> bool:
    return (home / "sessions").is_dir()


def _is_of(says: Mapping[str, Any], pid: int) -> bool:
    """Say whether a session file is of this very process: one that was killed leaves its file behind."""
    start = says.get("procStart")
    if says.get("pid") != pid:
        return False
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # Field 22 of the line; the second is the name in brackets, which may hold blanks.
            now = file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return True
    return not isinstance(start, str) or not start.isdigit() or start == now


def _find(projects: Path, name: str, project: Path, *, everywhere: bool) -> str:
    """Look where this project's transcripts are by the rule for their folder, then in every project's folder."""
    slug = re.sub(r"[^A-Za-z0-9]", "-", os.path.realpath(project))
    first = os.path.join(projects, slug, name)
    if os.path.exists(first):  # False also for a name that is too long
        return first
    if not everywhere:
        return ""
    with contextlib.suppress(OSError), os.scandir(projects) as folders:
        for folder in folders:
            path = os.path.join(folder.path, name)
            if os.path.exists(path):
                return path
    return ""


def _tokens(text: str) -> int:
    """Return a number of tokens written as `120000` or `100k`; 0 for anything else."""
    found = re.fullmatch(r"(\d+)([kKmM]?)", text.strip())
    if found is None:
        return 0
    return int(found[1]) * {"": 1, "k": 1000, "m": 1_000_000}[found[2].lower()]
