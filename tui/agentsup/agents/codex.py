"""OpenAI Codex CLI, measured on 0.171.0.

It is launched with --no-daemon: otherwise the program on our pty is only a client of a background server,
and neither the log nor the end of the agent would be ours to see.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from agentsup.agents import codex_config, codex_hooks, codex_instructions, codex_threads
from agentsup.agents.adapter import Adapter, Conversation, Place, Process
from agentsup.agents.codex_log import CodexLog, is_log
from agentsup.core.events import AgentState, AgentStateReported
from agentsup.core.injector import Composer, Typing, one_paste
from agentsup.core.screen import BOLD, DIM, INVERSE, Row, Run, Screen, row_text

_PROMPT = "›"
_INDENT = 2
"""Column at which the composer's text begins."""

_EMPTY_HINT = "? for shortcuts"
"""Shown in the footer only while the composer is empty."""

_SCROLL_MARKS = ("↑", "↓", "↕")
"""At the right edge of a composer that has more rows than it shows."""

_PASTED = re.compile(r"^\[Pasted Content (\d+) chars\](?: #\d+)?$")

_COMPLETED = re.compile(r"(?:\A|\s)[@$]\S*\Z")
"""The end of a text that opens a menu of files or skills: Enter would take what that offers, and send nothing."""

_FIRST_LINE_MOST = 1 << 20
"""Bytes of a rollout's first line that are read: it holds the model's instructions."""

_STATES: dict[str, AgentState] = {
    "idle": "idle", "done": "done", "working": "working", "blocked": "blocked", "error": "error",
}  # fmt: skip

_WITH_VALUE = frozenset({
    "-c", "--config", "--enable", "--disable", "--remote", "--remote-auth-token-env", "-i", "--image", "-m",
    "--model", "--local-provider", "-p", "--profile", "-s", "--sandbox", "-C", "--cd", "--add-dir", "-a",
    "--ask-for-approval",
})  # fmt: skip
"""Options that take the next argument; needed to tell options from the prompt at a cold restart."""

_NOT_INTERACTIVE = frozenset({
    "exec", "e", "review", "login", "logout", "mcp", "plugin", "app-server", "remote-control", "completion",
    "update", "doctor", "sandbox", "debug", "apply", "a", "queue", "archive", "delete", "migrate-rollouts",
    "migrate-nfs-db", "unarchive", "cloud", "exec-server", "features", "help",
})  # fmt: skip
"""Subcommands without the interface: nothing is added to their command line."""

_ONLY_TELLS = frozenset({"-h", "--help", "-V", "--version"})
"""Options with which it says something about itself and ends."""

_ONLY_OF_RESUME = frozenset({"--last", "--all", "--include-non-interactive"})


class Codex(Adapter):
    """The Codex command line."""

    name = "codex"
    reports = True
    measured = ("0.171.0",)
    hook_most = codex_hooks.CONTEXT_MOST
    late_hooks = True

    def find(self, environment: Mapping[str, str]) -> str | None:
        """Return the path of `codex`."""
        return shutil.which("codex", path=environment.get("PATH"))

    def version(self, program: str) -> str:
        """Return the version of the npm package that the program belongs to."""
        try:
            package = Path(os.path.realpath(program)).parent.parent / "package.json"
            found = json.loads(package.read_bytes())
        except (OSError, ValueError):
            return ""
        return str(found.get("version", "")) if isinstance(found, dict) else ""

    def launch(self, place: Place) -> list[str]:
        """Add --no-daemon and the instructions, unless the person's arguments do without the interface.

        Nor where they name a server: it is another process, with a configuration of its own.
        """
        options, _ = _split(place.arguments)
        if not _is_ours(place.arguments):
            return [place.program, *place.arguments]
        alone = () if "--no-daemon" in options else ("--no-daemon",)
        end = _end_of_options(place.arguments)
        # The last -c of a key wins, also over one before a subcommand.
        added = (*codex_instructions.addition(place, options).words, *codex_hooks.addition(place, options).words)
        return [place.program, *alone, *place.arguments[:end], *added, *place.arguments[end:]]

    def without_instructions(self, place: Place) -> str:
        """Return why: they can't be joined to the person's own, or are too long together with them."""
        if not _is_ours(place.arguments):
            return ""
        return codex_instructions.addition(place, _split(place.arguments)[0]).problem

    def without_hooks(self, place: Place) -> str:
        """Return why: the person's own would be lost, they are switched off, or this Codex has not reviewed them."""
        if not place.hook:
            return ""
        if not _is_ours(place.arguments):
            return "hooks.no-agent"
        return codex_hooks.addition(place, _split(place.arguments)[0]).problem

    def hooks_to_review(self, place: Place) -> str:
        """Return our hooks as this Codex is given them."""
        return "\n".join(codex_hooks.definitions(place.hook))

    def review_hooks(self, place: Place) -> str:
        """Return the hashes of our hooks."""
        return codex_hooks.reviewed(place.program, place.hook, place.environment)

    def fresh_launch(self, place: Place, prompt: str) -> list[str]:
        """Keep the options, drop a subcommand, its id and an earlier prompt."""
        options, _ = _split(place.arguments)
        kept = tuple(option for option in options if option not in _ONLY_OF_RESUME)
        return [*self.launch(replace(place, arguments=kept)), *(["--", prompt] if prompt else [])]

    def conversation(self, process: Process, place: Place, strangers: Container[str] = ()) -> Conversation | None:
        """Return the thread that was opened or spoken to last; at its start it also reads rollouts of others."""
        return codex_threads.current(process.written_files(*codex_threads.HELD), strangers)

    def begins_anew(self, conversation: Conversation, place: Place, *, first: bool) -> bool:
        """Say so of a thread without a rollout: one that is resumed has its own, a fork's is there at once."""
        words = _split(place.arguments)[1] if first else []
        return not conversation.log and words[:1] not in (["resume"], ["fork"])

    def is_log(self, head: bytes) -> bool:
        """Recognise a rollout by the way its records begin."""
        return is_log(head)

    def is_persons(self, log: Path) -> bool:
        """Read the thread's first line: a sub-agent's `source` is an object, `exec` has nobody to talk to."""
        try:
            with log.open("rb") as file:
                payload = json.loads(file.readline(_FIRST_LINE_MOST))["payload"]
        except (OSError, ValueError, KeyError, TypeError):
            return False
        if not isinstance(payload, dict):
            return False
        return payload.get("source") in ("cli", "vscode") and payload.get("thread_source") in ("user", None)

    def compacts_at(self, window: int, place: Place) -> int | None:
        """Return the lower of 90 % of the raw window and the person's own limit.

        `window` is the reported one, 95 % of the raw one.
        """
        most = round(window / codex_config.REPORTED_SHARE) * codex_config.COMPACTION_PERCENT // 100
        options = _split(place.arguments)[0]
        limit = codex_config.compaction_limit(options, place.environment, place.project)
        return most if limit is None else min(most, limit)

    def decoder(self) -> CodexLog:
        """Return a decoder for a rollout."""
        return CodexLog()

    def state(self, fields: Mapping[str, str], time: float) -> AgentStateReported | None:
        """Translate OSC 7501; `clear` says goodbye and decides nothing."""
        state = _STATES.get(fields.get("state", ""))
        return AgentStateReported(time, state, fields.get("kind", "")) if state else None

    def quit_keys(self) -> Sequence[bytes]:
        """Ctrl-C three times: one clears a draft, one ends a turn, one leaves."""
        return (b"\x03", b"\x03", b"\x03")

    def typing(self, text: str) -> Typing:
        """Return one paste; of 64 KiB, too, all arrives. A blank at the end, which is not sent, keeps menus closed."""
        return one_paste(f"{text} " if _COMPLETED.search(text) else text)

    def composer(self, screen: Screen) -> Composer:
        """Read the composer.

        The cursor shows where it is: approvals and pickers hide it. The prompt mark of the composer is bold;
        that of an earlier message is dim, that of a menu inverse. Empty is proven by three things together:
        the cursor in its first column, nothing but the dim placeholder, and the hint in the footer.
        """
        cursor = screen.cursor
        if not cursor.visible or cursor.column < _INDENT or cursor.row >= len(screen.rows):
            return Composer()
        top = cursor.row
        while top >= 0 and not _has_prompt(screen.rows[top]):
            if row_text(screen.rows[top])[:_INDENT].strip():
                return Composer()
            top -= 1
        if top < 0:
            return Composer()
        if cursor.row == top and cursor.column == _INDENT and _only_placeholder(screen.rows[top]):
            below = "\n".join(row_text(row) for row in screen.rows[top + 1 :])
            return Composer("empty") if _EMPTY_HINT in below else Composer()
        rows = screen.rows[top : cursor.row + 1]
        scrolled = any(row and _is_scroll_mark(row[-1]) for row in rows)
        text = "\n".join(_shown(row) for row in rows)
        pasted = _PASTED.match(text.strip())
        return Composer("text", text, int(pasted[1]) if pasted else None, scrolled)


def _has_prompt(row: Row) -> bool:
    if not row or not row[0].text.startswith(_PROMPT):
        return False
    flags = row[0].style.flags
    return bool(flags & BOLD) and not flags & (DIM | INVERSE)


def _is_scroll_mark(run: Run) -> bool:
    return run.text.strip() in _SCROLL_MARKS and bool(run.style.flags & DIM)


def _shown(row: Row) -> str:
    """Return what the composer shows in a row, without the mark of more rows above or below."""
    kept = row[:-1] if row and _is_scroll_mark(row[-1]) else row
    return row_text(kept)[_INDENT:]


def _only_placeholder(row: Row) -> bool:
    """Say whether all that follows the prompt mark is dim or blank."""
    rest = ((row[0].text[len(_PROMPT) :], row[0].style), *((run.text, run.style) for run in row[1:]))
    return all(style.flags & DIM or not text.strip() for text, style in rest)


def _is_ours(arguments: Sequence[str]) -> bool:
    """Say whether this command line opens the interface of a Codex that runs in its own process."""
    options, words = _split(arguments)
    is_client = any(option == "--remote" or option.startswith("--remote=") for option in options)
    only_tells = any(option in _ONLY_TELLS for option in options)
    return not is_client and not only_tells and not (words and words[0] in _NOT_INTERACTIVE)


def _end_of_options(arguments: Sequence[str]) -> int:
    """Return the position of the `--` after which nothing is an option, or of the end."""
    position = 0
    while position < len(arguments) and arguments[position] != "--":
        position += 2 if arguments[position] in _WITH_VALUE else 1
    return min(position, len(arguments))


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options (with their values) and the other words, in order."""
    options: list[str] = []
    words: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            words += waiting
            break
        if word.startswith("-") and word != "-":
            options.append(word)
            if word in _WITH_VALUE and waiting:
                options.append(waiting.pop(0))
        else:
            words.append(word)
    return options, words
