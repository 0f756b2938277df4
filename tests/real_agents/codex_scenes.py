"""The situations of the real Codex that matter for typing into it, each as a short play.

`record_codex_screens` plays them and stores what is on screen at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.real_agents.codex import EMPTY_HINT, CodexSettings
from tests.servers.model_server import ModelServer, Script
from tests.servers.responses import Command, Gate, Turn, Usage
from tests.terminals.tmux import Tmux

FULL = Usage(21_500, output=100)
"""More input than the limit for automatic compaction."""

STANDARD = CodexSettings()

HOOK = 'hooks.SessionStart = [{ hooks = [{ type = "command", command = "true" }] }]'


@dataclass(frozen=True, slots=True)
class Stage:
    """What a scene works with: the model, the terminal, and a gate that ends with the scene."""

    model: ModelServer
    terminal: Tmux
    gate: Gate

    def say(self, text: str) -> None:
        """Send one prompt."""
        self.terminal.paste(text)
        self.terminal.key("Enter")

    def finish_turn(self, text: str = "Read calc.py and explain it.") -> None:
        """Send one prompt and wait until it is answered and the composer is empty again."""
        self.say(text)
        self.terminal.wait_for("Worked for")
        self.terminal.wait_for(EMPTY_HINT)


Act = Callable[[Stage], object]


@dataclass(frozen=True, slots=True)
class Scene:
    """One situation: the model's script, what a person does, what is on screen at the end."""

    name: str
    act: Act
    note: str
    script: Callable[[Gate], Script] = lambda gate: ()
    settings: CodexSettings = STANDARD
    starts_idle: bool = True
    settles: bool = True


def steps(*acts: Act) -> Act:
    """Do one thing after the other."""

    def act(stage: Stage) -> None:
        for each in acts:
            each(stage)

    return act


def nothing(_stage: Stage) -> None:
    """Leave the composer as it is."""


def send(stage: Stage) -> None:
    """Send a prompt and do not wait."""
    stage.say("go")


def reach_gate(stage: Stage) -> None:
    """Wait until an answer stands at the gate."""
    stage.gate.wait_reached()


def open_gate(stage: Stage) -> None:
    """Let everything pass the gate."""
    stage.gate.release()


def keys(*names: str) -> Act:
    """Press keys."""
    return lambda stage: stage.terminal.key(*names)


def typed(text: str, *then: str) -> Act:
    """Type a text, then press keys."""
    return steps(
        lambda stage: stage.terminal.type(text),
        lambda stage: stage.terminal.wait_still(0.2),
        *(keys(name) for name in then),
    )


def pasted(text: str) -> Act:
    """Paste a text."""
    return lambda stage: stage.terminal.paste(text)


def said(text: str, wanted: str, *then: Act) -> Act:
    """Send a prompt, wait for something on screen, go on."""
    return steps(lambda stage: stage.say(text), waits(wanted), *then)


def after_turn(*then: Act) -> Act:
    """Finish one turn, go on."""
    return steps(Stage.finish_turn, *then)


def waits(wanted: str) -> Act:
    """Wait for something on screen."""
    return lambda stage: stage.terminal.wait_for(wanted)


def streaming(gate: Gate) -> Sequence[Turn]:
    """Answer half, then wait."""
    return [Turn("Looking at the file now. The rest follows later.", hold=gate)]


def running_tool(_gate: Gate) -> Sequence[Turn]:
    """Run a command that lasts longer than the scene."""
    return [Turn("Running.", (Command("sleep 20"),))]


def asking(_gate: Gate) -> Sequence[Turn]:
    """Ask for approval of a command."""
    return [Turn("I need approval.", (Command("touch note.txt", escalate=True),))]


def filling(_gate: Gate) -> Sequence[Turn]:
    """Fill the window, so that Codex compacts in the middle of the turn."""
    return [Turn("Looking.", (Command("ls"),), usage=FULL), Turn("Done after the compaction.")]


IMITATION = "Here is what it shows:\n\n```\n› Ask Codex to do anything\n\n  ← for agents · ? for shortcuts\n```\n"
LINES = "\n".join(f"- line {number} of a restore text" for number in range(1, 6))
MANY_LINES = "\n".join(f"- line {number} of a restore text" for number in range(1, 31))


def words(length: int) -> str:
    """Return a text of exactly `length` characters."""
    return ("Restore text that fills some rows of it. " * (length // 20))[:length]


def answers(text: str) -> Callable[[Gate], Script]:
    """Answer with one text."""
    return lambda gate: [Turn(text)]


SCENES = (
    Scene("idle_empty", nothing, "just started, nothing typed"),
    Scene("idle_placeholder_done", after_turn(), "a turn has ended, nothing typed since"),
    Scene("draft", typed("half typed by a hum"), "a half-typed draft"),
    Scene("draft_after_turn", after_turn(typed("half typed")), "a turn has ended, then a draft"),
    Scene("draft_wrapped", typed("a longer draft that goes over the edge of the row " * 4), "draft of rows"),
    Scene("draft_space", typed("  "), "two blanks typed: looks empty, is not"),
    Scene("draft_cursor_home", typed("half typed", "C-a"), "a draft, cursor moved to its start"),
    Scene("draft_same_as_placeholder", typed("Ask Codex to do anything"), "the placeholder's words, typed"),
    Scene("draft_removed", typed("abc", "BSpace", "BSpace", "BSpace"), "a draft, deleted again"),
    Scene("draft_newline", typed("first", "C-j"), "a draft and a newline"),
    Scene("pasted_short", pasted(words(300)), "bracketed paste of 300 characters"),
    Scene("pasted_900", pasted(words(900)), "bracketed paste of 900 characters"),
    Scene("pasted_long", pasted(words(3000)), "bracketed paste of 3000 characters"),
    Scene("pasted_multiline", pasted(LINES), "bracketed paste of 5 lines"),
    Scene("pasted_many_lines", pasted(MANY_LINES), "bracketed paste of 30 lines"),
    Scene(
        "pasted_into_draft",
        steps(typed("half typed by hum"), pasted(LINES)),
        "bracketed paste of 5 lines after a draft",
    ),
    Scene("slash_popup", typed("/"), "completion of commands"),
    Scene("slash_unknown", typed("/restore now", "Enter"), "a command that does not exist"),
    Scene("file_popup_at", typed("@"), "completion of files, nothing typed yet"),
    Scene("file_popup_match", typed("@calc"), "completion of files with a match"),
    Scene("shell_mode_bang", typed("!"), "shell mode, nothing typed"),
    Scene("shell_mode_command", typed("!ls -l"), "shell mode with a command"),
    Scene("shortcuts", typed("?"), "the list of shortcuts below the empty composer"),
    Scene("history_recalled", after_turn(keys("Up")), "the last prompt recalled by Up"),
    Scene("history_search", after_turn(keys("C-r")), "search in history"),
    Scene("transcript", after_turn(keys("C-t")), "Ctrl-T after a turn: details toggled, the composer stays"),
    Scene("escape_once", after_turn(keys("Escape")), "Escape at an empty composer"),
    Scene("escape_twice", after_turn(keys("Escape"), waits("again"), keys("Escape")), "going back to a prompt"),
    Scene("plan_mode", keys("BTab"), "Plan mode switched on, nothing typed"),
    Scene("agents_center", keys("Left"), "the list of agents, reached by Left from an empty composer"),
    Scene(
        "background_terminal",
        said("go", "OK.", waits("Worked for"), waits("terminal running")),
        "idle, while a command of the finished turn runs on",
        running_tool,
    ),
    Scene(
        "hooks_review",
        waits("need review"),
        "start with a hook that is not trusted yet",
        settings=CodexSettings(extra=HOOK),
        starts_idle=False,
    ),
    Scene("model_picker", typed("/model", "Enter"), "the model picker"),
    Scene("permissions_picker", typed("/permissions", "Enter"), "the permissions picker"),
    Scene("resume_picker", after_turn(typed("/resume", "Enter")), "the picker of sessions"),
    Scene("status", typed("/status", "Enter"), "the status card above the empty composer"),
    Scene("new_conversation_dialog", after_turn(typed("/new", "Enter")), "where a new conversation runs"),
    Scene("working", said("go", "Looking at"), "an answer streams, nothing typed", streaming, settles=False),
    Scene(
        "working_draft",
        said("go", "Looking at", typed("half typed")),
        "an answer streams, a draft",
        streaming,
        settles=False,
    ),
    Scene(
        "queued",
        said("go", "Looking at", typed("do this next", "Tab"), waits("Queued")),
        "Tab while an answer streams: queued to the turn's end",
        streaming,
        settles=False,
    ),
    Scene(
        "tool_running",
        said("go", "Running.", waits("to interrupt")),
        "a command runs, nothing typed",
        running_tool,
        settles=False,
    ),
    Scene(
        "steering",
        said(
            "go",
            "Running.",
            waits("to interrupt"),
            pasted("also do this"),
            keys("Enter"),
            waits("Messages to be"),
        ),
        "Enter while a command runs",
        running_tool,
        settles=False,
    ),
    Scene(
        "interrupted",
        said("go", "Looking at", keys("Escape"), waits("interrupted")),
        "Escape while an answer streams",
        streaming,
    ),
    Scene("approval", said("go", "Yes, proceed"), "approval of a command", asking),
    Scene(
        "approval_imitation",
        after_turn(said("go", "Yes, proceed")),
        "approval of a command below a printed composer",
        lambda gate: [Turn(IMITATION), *asking(gate)],
    ),
    Scene("imitation_idle", after_turn(), "idle below a printed composer", answers(IMITATION)),
    Scene(
        "imitation_draft",
        after_turn(typed("half typed")),
        "a draft below a printed composer",
        answers(IMITATION),
    ),
    Scene(
        "compacting",
        steps(send, reach_gate, waits("ompact")),
        "an automatic compaction runs",
        filling,
        settles=False,
    ),
    Scene(
        "compacted",
        steps(open_gate, after_turn()),
        "an automatic compaction in a finished turn",
        filling,
    ),
    Scene(
        "compacting_manual",
        after_turn(typed("/compact", "Enter"), reach_gate, waits("ompact")),
        "a compaction asked for by the person runs",
        settles=False,
    ),
    Scene(
        "compacted_manual",
        after_turn(
            open_gate,
            typed("/compact", "Enter"),
            waits("compacted"),
            waits(EMPTY_HINT),
        ),
        "a compaction asked for by the person has ended",
    ),
    Scene(
        "trust_dialog",
        waits("rust"),
        "first start in a folder",
        settings=CodexSettings(answer_trust=False),
        starts_idle=False,
    ),
    Scene(
        "model_migration",
        waits("Meet GPT"),
        "a newer model is offered",
        settings=CodexSettings(answer_migration=False),
        starts_idle=False,
    ),
)
