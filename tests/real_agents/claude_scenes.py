"""The situations of the real Claude Code that matter for typing into it, each as a short play.

`record_claude_screens` plays them and stores what is on screen at the end.
"""

from __future__ import annotations

from tests.real_agents.claude import ClaudeSettings
from tests.real_agents.claude_acts import (
    AUTO_COMPACT,
    FILLED,
    IMITATION,
    LINES,
    MANY_LINES,
    QUESTION,
    THREE_LINES,
    Scene,
    after_turn,
    answers,
    calling,
    filling,
    idle,
    keys,
    nothing,
    open_gate,
    pasted,
    reach_gate,
    said,
    steps,
    streaming,
    thinking,
    typed,
    waits,
    words,
)
from tests.servers.messages import OVERLOADED, Command, Failure, ToolUse, Turn, Usage

WRAPPED = "a longer draft that goes over the edge of the row " * 4
TALL = "\n".join(f"row {number}" for number in range(1, 61))
"""Higher than the screen, yet short enough that Claude Code does not take it for a paste."""

EDIT = ToolUse("Write", {"file_path": "note.txt", "content": "one\ntwo\n"})
PLAN = ToolUse("ExitPlanMode", {"plan": "1. Do it.\n2. Test it."})
TASK = ToolUse("Agent", {"description": "Count", "prompt": "Count.", "subagent_type": "general-purpose"})
ASKING = Command("touch note.txt")

SUGGESTING = ClaudeSettings(
    settings={"promptSuggestionEnabled": True}, environment={"CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION": "1"}
)
UNASKED = ClaudeSettings(settings={"permissions": {"defaultMode": "default", "allow": ["Bash(sleep:*)"]}})
VIM = ClaudeSettings(settings={"editorMode": "vim"})


def with_status_line(command: str) -> ClaudeSettings:
    """Return settings with a status line of the person's own."""
    return ClaudeSettings(settings={"statusLine": {"type": "command", "command": command}})


RESTING = (
    Scene("idle_empty", nothing, "just started, nothing typed", classic=True),
    Scene("idle_after_turn", after_turn(), "a turn has ended, nothing typed since", classic=True),
    Scene("draft_removed", typed("abc", "BSpace", "BSpace", "BSpace"), "a draft, deleted again"),
    Scene("draft_killed", typed("abc", "C-u"), "a draft, deleted by Ctrl-U: a hint how to get it back"),
    Scene("draft_stashed", typed("abc", "C-s"), "a draft, stashed by Ctrl-S", proof=False),
    Scene("shortcuts", typed("?"), "the list of shortcuts below the empty composer", classic=True),
    Scene("escape_once", after_turn(keys("Escape")), "Escape at an empty composer"),
    Scene("exit_asked", steps(keys("C-c"), waits("again to exit")), "Ctrl-C at an empty composer", settles=False,
          proof=False),
    Scene("plan_mode", keys("BTab", "BTab"), "another permission mode, nothing typed"),
    Scene("accepting_edits", keys("BTab"), "edits are accepted, nothing typed"),
    Scene("context_report", after_turn(typed("/context", "Enter"), waits("Free space")), "/context has reported"),
    Scene("nearly_full", steps(*[after_turn()] * 2), "the window is nearly full", arguments=AUTO_COMPACT,
          script=lambda gate: [Turn(usage=Usage.of_context(64_000))] * 2, classic=True),
    Scene("scrolled_up", after_turn(keys("PPage")), "scrolled up in a long answer", script=answers(MANY_LINES)),
    Scene("interrupted", said("go", "Looking at", keys("Escape"), idle), "Escape while an answer streams",
          script=streaming, classic=True),
    Scene("failed", said("go", "API Error"), "the model answered with an error",
          script=lambda gate: lambda request: Turn(failure=Failure(400, "invalid_request_error"))),
    Scene("background_agent", after_turn(waits("finished"), idle), "a subagent has reported from the background",
          script=calling(TASK)),
    Scene("suggestion_first", nothing, "a suggestion stands in the empty composer at the start",
          settings=SUGGESTING, classic=True),
    Scene("suggestion", steps(*[after_turn()] * 2, waits("run the tests")),
          "a suggested next prompt stands in the empty composer", settings=SUGGESTING, classic=True),
    Scene("status_line", nothing, "a status line of one row", settings=with_status_line("echo words"), classic=True),
    Scene("status_line_tall", after_turn(), "a status line of two rows, one like a rule",
          settings=with_status_line("echo words; echo ────────────────")),
    Scene("status_line_silent", after_turn(), "a status line that says nothing",
          settings=with_status_line("true"), classic=True),
    Scene("vim_insert", nothing, "vim keys, insert mode, nothing typed", settings=VIM),
    Scene("imitation_idle", after_turn(), "idle below a printed composer", script=answers(IMITATION), classic=True),
)  # fmt: skip

DRAFTS = (
    Scene("draft", typed("half typed by a hum"), "a half-typed draft", "text", "half typed by a hum", classic=True),
    Scene("draft_after_turn", after_turn(typed("half typed")), "a turn has ended, then a draft", "text",
          "half typed"),
    Scene("draft_wrapped", typed(WRAPPED), "draft of rows", "text", WRAPPED, classic=True),
    Scene("draft_lines", typed("first line", "C-j", "C-j", "x"), "a draft of three lines, the second empty",
          "text", "first line\n\nx", classic=True),
    Scene("draft_tall", typed(TALL), "a draft higher than the screen", "text", TALL, classic=True),
    Scene("draft_tall_top", typed(TALL, *["Up"] * 59), "the same, cursor on its first row", "text", TALL),
    Scene("draft_space", typed("  "), "two blanks typed: looks empty, is not", "text", "  ", proof=False),
    Scene("draft_cursor_home", typed("half typed", "C-a"), "a draft, cursor at its start", "text", "half typed"),
    Scene("draft_like_hint", typed("Press up to edit queued messages"), "words of a placeholder, typed", "text",
          "Press up to edit queued messages"),
    Scene("draft_rule", typed("─" * 30), "a draft like a rule", "text", "─" * 30),
    Scene("typed_restore", typed(LINES), "5 lines typed with line feeds", "text", LINES, classic=True),
    Scene("typed_restore_long", typed(MANY_LINES), "30 lines typed with line feeds: taken for a paste", "text",
          MANY_LINES),
    Scene("pasted_short", pasted(words(300)), "bracketed paste of 300 characters", "text", words(300)),
    Scene("pasted_900", pasted(words(900)), "bracketed paste of 900 characters", "text", words(900),
          classic=True),
    Scene("pasted_lines", pasted(THREE_LINES), "bracketed paste of 3 lines", "text", THREE_LINES, classic=True),
    Scene("pasted_many_lines", pasted(MANY_LINES), "bracketed paste of 30 lines", "text", MANY_LINES, classic=True),
    Scene("pasted_into_draft", steps(typed("half typed by hum", "x"), pasted(LINES)),
          "bracketed paste of 5 lines after a draft", "text", "half typed by humx\n" + LINES),
    Scene("slash_menu", typed("/"), "completion of commands", "text", "/", classic=True, proof=False),
    Scene("slash_menu_match", typed("/comp"), "completion of commands with a match", "text", "/comp", proof=False),
    Scene("slash_argument", typed("/compact "), "a command's argument as a placeholder", "text", "/compact ",
          proof=False),
    Scene("file_menu", typed("@"), "completion of files, nothing typed yet", "text", "@", classic=True, proof=False),
    Scene("file_menu_match", typed("look at @calc"), "completion of files with a match", "text", "look at @calc",
          proof=False),
    Scene("history_recalled", after_turn(keys("Up")), "the last prompt recalled by Up", "text",
          "Read calc.py and explain it."),
    Scene("interrupted_early", steps(lambda stage: stage.say("do this now"), reach_gate, waits("esc to interrupt"),
                                     keys("Escape"), idle),
          "Escape before the first word: the prompt is back", "text", "do this now", script=thinking, classic=True),
    Scene("compaction_interrupted", steps(FILLED, reach_gate, waits("Compacting"), keys("Escape"), idle),
          "Escape in an automatic compaction: the prompt is back", "text", "Go on.", script=filling,
          arguments=AUTO_COMPACT, proof=False, classic=True),
    Scene("compaction_interrupted_manual",
          after_turn(typed("/compact", "Enter"), reach_gate, waits("Compacting"), keys("Escape"), idle),
          "Escape in a compaction asked for by the person: the command is back", "text", "/compact ", proof=False),
    Scene("suggestion_draft", typed("half typed"), "a draft where a suggestion was", "text", "half typed",
          settings=SUGGESTING),
    Scene("status_line_draft", typed("half typed"), "a draft above a status line", "text", "half typed",
          settings=with_status_line("echo words")),
    Scene("imitation_draft", after_turn(typed("half typed")), "a draft below a printed composer", "text",
          "half typed", script=answers(IMITATION)),
)  # fmt: skip

WORKING = (
    Scene("working", steps(lambda stage: stage.say("go"), reach_gate, waits("esc to interrupt")),
          "waiting for the first word, nothing typed", script=thinking, status="busy", settles=False, classic=True),
    Scene("streaming", said("go", "Looking at"), "an answer streams, nothing typed", script=streaming,
          status="busy", settles=False, classic=True),
    Scene("streaming_draft", said("go", "Looking at", typed("half typed"), waits("half typed")),
          "an answer streams, a draft", "text", "half typed", script=streaming,
          status="busy", settles=False, classic=True),
    Scene("tool_running", said("go", "Running"), "a command runs, nothing typed", script=calling(Command("sleep 20")),
          settings=UNASKED, status="busy", settles=False),
    Scene("queued", said("go", "Looking at", typed("do this next"), waits("do this next"), keys("Enter"),
                         waits("Queued")),
          "Enter while an answer streams: queued", script=streaming, status="busy", settles=False, classic=True),
    Scene("queued_draft", said("go", "Looking at", typed("do this next"), waits("do this next"), keys("Enter"),
                               waits("Queued"), typed("and th"), waits("and th")),
          "a draft behind a queued prompt", "text", "and th", script=streaming, status="busy", settles=False),
    Scene("retrying", said("go", "retrying in"), "the model is overloaded: asked again and again",
          script=lambda gate: lambda request: Turn(failure=OVERLOADED), status="busy", settles=False),
    Scene("compacting", steps(FILLED, reach_gate, waits("Compacting")), "an automatic compaction runs",
          script=filling, arguments=AUTO_COMPACT, status="busy", settles=False, classic=True),
    Scene("compacting_draft", steps(FILLED, reach_gate, waits("Compacting"), typed("half typed"), waits("half typed")),
          "a draft while an automatic compaction runs", "text", "half typed", script=filling,
          arguments=AUTO_COMPACT, status="busy", settles=False, classic=True),
    Scene("compacting_manual", after_turn(typed("/compact", "Enter"), reach_gate, waits("Compacting")),
          "a compaction asked for by the person runs", status="busy", settles=False, classic=True),
    Scene("compacted", steps(open_gate, FILLED, waits("Done after"), idle), "an automatic compaction has ended",
          script=filling, arguments=AUTO_COMPACT, classic=True),
    Scene("compacted_manual", steps(open_gate, after_turn(typed("/compact", "Enter"), waits("Compacted"), idle)),
          "a compaction asked for by the person has ended", classic=True),
    Scene("nothing_to_compact", steps(typed("/compact", "Enter"), waits("No messages"), idle),
          "/compact with nothing to compact"),
)  # fmt: skip

COVERED = (
    Scene("shell_mode", typed("!"), "shell mode, nothing typed", "unknown", classic=True),
    Scene("shell_mode_command", typed("!ls -l"), "shell mode with a command", "unknown"),
    Scene("vim_normal", keys("Escape"), "vim keys, normal mode, nothing typed", "unknown", settings=VIM),
    Scene("history_search", after_turn(keys("C-r")), "search in history", "unknown", classic=True),
    Scene("transcript", after_turn(keys("C-o")), "the detailed transcript", "unknown", classic=True),
    Scene("rewind", after_turn(typed("", "Escape", "Escape"), waits("Rewind")),
          "going back to a prompt", "unknown", status="waiting"),
    Scene("model_picker", steps(typed("/model", "Enter"), waits("Select model")), "the model picker", "unknown",
          status="waiting", classic=True),
    Scene("model_picker_by_key", steps(keys("M-p"), waits("Select model")), "the same, by its key", "unknown"),
    Scene("agents_view", after_turn(waits("← for agents"), keys("Left"), waits("describe a task")),
          "the sessions at work: what is typed begins another one", "unknown"),
    Scene("configuration", steps(typed("/config", "Enter"), waits("Usage")), "the settings", "unknown",
          status="waiting"),
    Scene("resume_picker",
          after_turn(typed("/clear", "Enter"), idle, typed("/resume", "Enter"), waits("Resume session")),
          "the picker of sessions", "unknown", status="waiting", classic=True),
    Scene("permission", said("go", "Do you want to proceed?"), "permission for a command", "unknown", status="waiting",
          script=calling(ASKING), settles=False, classic=True),
    Scene("permission_edit", said("go", "Do you want to"), "permission for a new file", "unknown", status="waiting",
          script=calling(EDIT), settles=False),
    Scene("permission_imitation", after_turn(said("go", "Do you want to proceed?")),
          "permission for a command below a printed composer", "unknown", status="waiting",
          script=lambda gate: [Turn(IMITATION), Turn("Now.", (ASKING,))], settles=False, classic=True),
    Scene("question", said("go", "Which colour?"), "a question of the model", "unknown",
          status="waiting", script=calling(QUESTION), settles=False, classic=True),
    Scene("plan_approval", said("go", "plan mode?"), "approval of a plan", "unknown",
          status="waiting", script=calling(PLAN), settings=ClaudeSettings(permission_mode="plan"), settles=False),
    Scene("trust_dialog", waits("Yes, I trust"), "first start in a folder", "unknown", status=None,
          settings=ClaudeSettings(answer_trust=False), starts_idle=False, classic=True),
    Scene("auto_mode_dialog", waits("Make auto mode"), "automatic permissions are offered", "unknown", status="waiting",
          settings=ClaudeSettings(answer_auto_mode=False), starts_idle=False, classic=True),
    Scene("editor", steps(typed("half typed", "C-g"), waits("~")), "the draft in an editor of the person's",
          "unknown", settings=ClaudeSettings(environment={"EDITOR": "vim -u NONE -n", "VISUAL": ""})),
)  # fmt: skip

SCENES = RESTING + DRAFTS + WORKING + COVERED
