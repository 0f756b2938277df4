"""What the agents' screens say, and what only looks as if they said it."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.agents.screen_patterns import BadPatterns, Patterns, Seen, built_in, parse, seen_on
from agentsup.core.screen import BOLD, DIM, PLAIN, CellStyle, Row, Run, Screen
from tests.agents.screens import captures, names
from tests.host.played import PlayedScreen, recording

AGENTS = tuple(tomllib.loads(files("agentsup.agents").joinpath("screen_patterns.toml").read_text(encoding="utf-8")))


def patterns(agent: str) -> Patterns:
    found = built_in(agent)
    assert found is not None
    return found


def screen(*rows: str | Row) -> Screen:
    return Screen(120, tuple((Run(row, len(row)),) if isinstance(row, str) else row for row in rows))


def seen(agent: str, *rows: str | Row) -> Seen:
    return seen_on(screen(*rows), patterns(agent))


def seen_in(name: str) -> list[Seen]:
    """Return all that a recording ever shows, each once, in order."""
    played = recording(name)
    shown = PlayedScreen(played.columns, played.rows)
    found: dict[Seen, None] = {}
    for output in played.outputs:
        shown.feed(output.data)
        found[seen_on(Screen(played.columns, tuple(shown.lines)), patterns(name.partition("-")[0]))] = None
    shown.close()
    return list(found)


def used(tokens: int, window: int | None = None, share: float | None = None) -> Seen:
    return Seen(tokens, window, share)


NOTHING, COMPACTS = Seen(), Seen(compacting=True)

EVER_SEEN = {
    "aider-summarise-unanswered": [NOTHING, used(2115), used(3600), used(5000), used(6500), used(6277, 32_000)],
    "claude-01-startup-answered": [NOTHING],
    "claude-02-tools-compact-clear": [NOTHING, used(25_500, 1_000_000), Seen(25_500, 1_000_000, None, True)],
    "claude-03-auto-compact": [NOTHING, COMPACTS],
    "claude-04-inject": [NOTHING],
    "claude-05-inject-midturn": [NOTHING],
    "claude-11-trust-dialog": [NOTHING],
    "codex-approval": [NOTHING],
    "codex-auto-compact": [NOTHING, COMPACTS, used(6970, 38_000)],
    "codex-daemon-mode": [NOTHING],
    "codex-hooks-auto-compact": [NOTHING, COMPACTS],
    "codex-manual-compact": [NOTHING, COMPACTS, used(8090, 38_000)],
    "codex-plain": [NOTHING, used(7190, 38_000)],
    "codex-remote-compact": [NOTHING, COMPACTS],
    "codex-tools-interrupt": [NOTHING],
    "copilot-answered": [NOTHING, COMPACTS, used(12_000, 32_000)],
    "gemini-answered": [
        NOTHING, Seen(share=0.0), Seen(share=0.01), Seen(share=0.01, compacting=True),
    ],
    "opencode-answered": [
        NOTHING, used(3000, None, 0.1), used(9000, None, 0.28), used(31_100, None, 0.97),
        Seen(31_100, None, 0.97, True), Seen(5100, None, 0.16, True), used(5100, None, 0.16),
    ],
    "qwen-answered": [
        NOTHING, Seen(share=0.376), Seen(share=0.751), Seen(share=0.69), Seen(share=0.095), COMPACTS,
        Seen(share=0.034),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", EVER_SEEN)
def test_all_that_a_recording_of_the_real_agent_ever_shows(name: str) -> None:
    assert seen_in(name) == EVER_SEEN[name]


@pytest.mark.parametrize(("agent", "name"), [(agent, name) for agent in ("codex", "claude") for name in names(agent)])
def test_no_captured_screen_compacts_but_those_of_a_compaction(agent: str, name: str) -> None:
    """The captures hold imitations: text that looks like the interface, in messages and in the composer."""
    found = {seen_on(shown, patterns(agent)).compacting for shown in captures(name, agent)}
    assert found == {name.startswith("compacting")}


def row(*parts: tuple[str, int]) -> Row:
    return tuple(Run(text, len(text), CellStyle(flags=flags)) for text, flags in parts)


CODEX_STATUS = row(
    ("• ", 0), ("Compacting context", DIM), (" ", 0), ("(1m 02s • ", DIM), ("esc", BOLD), (" to interrupt)", DIM)
)
CODEX_COMPOSER = (row(("›", BOLD), (" Ask Codex to do anything", DIM)), "", "  GPT-5.5 · /tmp/demo · Explain calc")


def test_the_status_line_of_codex_is_told_from_the_same_words() -> None:
    text = "• Compacting context (1m 02s • esc to interrupt)"
    assert seen("codex", CODEX_STATUS, "  └ Making room.", "", *CODEX_COMPOSER).compacting
    assert seen(
        "codex", CODEX_STATUS, "", "• Messages to be submitted after it", "  ↳ and this", *CODEX_COMPOSER
    ).compacting
    said_by_the_model = row(("• ", DIM), (text[2:], 0))
    thought_by_the_model = row(("• ", DIM), (text[2:], DIM))
    printed = row(("  └ ", DIM), (text, DIM))
    for trap in (said_by_the_model, thought_by_the_model, printed, row(("› ", BOLD), (text, 0)), f"  {text}"):
        assert not seen("codex", trap, "", *CODEX_COMPOSER).compacting


RULE = "─" * 120
CLAUDE_BELOW = (RULE, "❯\u00a0", RULE, "  ⏸ manual mode on · esc to interrupt")
CLAUDE_STATUS = "✽ Compacting conversation… (12s · ↑ 2 tokens)"


@pytest.mark.parametrize("glyph", "·✢*✶✻✽")
def test_claude_compacts_with_every_glyph_of_its_spinner(glyph: str) -> None:
    assert seen("claude", "❯ go", "", f"{glyph}{CLAUDE_STATUS[1:]}", "  ⎿  Tip: go on", *CLAUDE_BELOW).compacting


@pytest.mark.parametrize(
    "rows",
    [
        (f"● {CLAUDE_STATUS}", *CLAUDE_BELOW),
        ("● Look:", f"  {CLAUDE_STATUS}", *CLAUDE_BELOW),
        ("● Bash(cat screen.txt)", f"  ⎿ \u00a0{CLAUDE_STATUS}", *CLAUDE_BELOW),
        (f"❯ {CLAUDE_STATUS}", *CLAUDE_BELOW),
        ("● done", RULE, f"❯\u00a0{CLAUDE_STATUS}", RULE),
        ("● done", RULE, "❯\u00a0see:", CLAUDE_STATUS, RULE),
        (CLAUDE_STATUS, "● An older one, left over by a resize", *CLAUDE_BELOW),
        ("✽ Running PreCompact hooks… (running PreCompact hook · 0s)", *CLAUDE_BELOW),
        ("✽ Explaining the words Compacting conversation… (2s)", *CLAUDE_BELOW),
    ],
)
def test_words_of_a_compaction_are_none_in_claude(rows: tuple[str, ...]) -> None:
    assert not seen("claude", *rows).compacting


GEMINI_BELOW = (
    "",
    "   ? for shortcuts",
    RULE,
    "▄" * 120,
    " >   Type your message",
    "▀" * 120,
    " x   context",
    " y   5% used",
)


@pytest.mark.parametrize(
    ("agent", "rows", "expected"),
    [
        ("gemini", ("⠋ Compressing chat history", *GEMINI_BELOW), Seen(share=0.05, compacting=True)),
        ("gemini", ("✦ ⠋ Compressing chat history", *GEMINI_BELOW), Seen(share=0.05)),
        ("gemini", ("✦ said:", "  ⠋ Compressing chat history", *GEMINI_BELOW), Seen(share=0.05)),
        ("gemini", ("│ ⠋ Compressing chat history │", *GEMINI_BELOW), Seen(share=0.05)),
        ("gemini", ("⠋ Compressing chat history", "✦ over", *GEMINI_BELOW), Seen(share=0.05)),
        ("gemini", ("▄▄▄", " > see:   context", "   it said   75% used", "▀▀▀"), NOTHING),
        ("gemini", ("✦ it said   context", "  and then   75% used", "✦ more"), NOTHING),
        ("qwen", ("  ⠙ Compressing chat history", RULE, ">   Type", RULE, "  ? for shortcuts   37.6% context used"),
         Seen(share=0.376, compacting=True)),
        ("qwen", (RULE, "> look:", "  ⠙ Compressing chat history", RULE, "  ? for shortcuts"), NOTHING),
        ("qwen", (RULE, "> it says   75% context used", RULE, "  ? for shortcuts"), NOTHING),
        ("qwen", (RULE, "> it says   75% context used", RULE), NOTHING),
        ("qwen", ("  ✦ It was 75.1% context used.", RULE, ">   Type", RULE, "  ? for shortcuts   9.5% context used"),
         Seen(share=0.095)),
        ("opencode", ("     ▣  Compaction · Fake", "", "  ┃", "  ╹▀▀▀", "   ■■  esc   31.1K (97%)  ctrl+p commands"),
         Seen(31_100, None, 0.97, True)),
        ("opencode", ("     ▣  Compaction · Fake Model · 757ms", "", "  ┃", "   ~/x   5.1K (16%)  ctrl+p commands"),
         used(5100, None, 0.16)),
        ("opencode", ("     ▣  Compaction · Fake Model", "", "     ▣  Build · Fake Model", "  ┃", "   ~/x"), NOTHING),
        ("opencode", ("     It is at  3.0K (10%)", "", "  ┃  is it 3.0K (10%)", "   ~/x   ctrl+p commands"), NOTHING),
        ("copilot", ("● Compacting conversation history (2s)", "╻▄▄▄", "┃", "╹▀▀▀", " ← open sidebar"), COMPACTS),
        ("copilot", (" ● Compacting conversation history...", "╻▄▄▄", "┃", "╹▀▀▀"), NOTHING),
        ("copilot", (" ● Compacting conversation history (2s)", "╻▄▄▄", "┃", "╹▀▀▀"), NOTHING),
        ("copilot", ("╻▄▄▄", "┃ ● Compacting conversation history (2s)", "╹▀▀▀"), NOTHING),
        ("copilot", (" ● It printed 12k/32k tokens (39%)", "┃"), NOTHING),
        ("copilot", ("   ○ ○ ◌ ◌   gpt · 133k/1081k tokens (12%)       ┃",), used(133_000, 1_081_000)),
        ("aider", ("Tokens: 2.2k sent, 1.1k cache hit, 1.4k received. Cost: $0.01 message.", "────", "> "),
         used(3600)),
        ("aider", ("The line Tokens: 2.2k sent, 1.4k received. is one", "> "), NOTHING),
        ("aider", ("> Tokens: 2.2k sent, 1.4k received.",), NOTHING),
        ("aider", ("Tokens: 9k sent, 1.4k received.", "Tokens: 715 sent, 12 received."), used(727)),
        ("kimi", ("agent (k2)   context: 42.0% (84k/200k)",), used(84_000, 200_000)),
        ("kimi", ("• it says context: 42.0% (84k/200k) there", "✨ "), NOTHING),
        ("crush", ("  ╱╱╱ text          ~42% (84.5K) $0.12", "> ready"), used(84_500, None, 0.42)),
        ("goose", ("  ━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 20% 25k/128k", "> "), used(25_000, 128_000)),
        ("goose", ("◒  goose is compacting the conversation...",), COMPACTS),
        ("goose", ("It said: goose is compacting the conversation...",), NOTHING),
        ("claude", ("● ⛁ ⛁ 25.5k/1m tokens (3%)", *CLAUDE_BELOW), NOTHING),
        ("codex", ("• Context window: 100% left (8.09K used / 38K)",), NOTHING),
    ],
)  # fmt: skip
def test_a_screen_says_what_it_says_and_no_more(agent: str, rows: tuple[str, ...], expected: Seen) -> None:
    assert seen(agent, *rows) == expected


def test_the_lowest_figures_are_the_newest_and_rows_are_counted_from_the_last_with_text() -> None:
    own = parse(r"""[x]
usage = [{ regex = 'used (?P<used>[\d.,]+[kKmM]?)', rows = 2 }, { regex = 'left (?P<pct_left>\d+)%', rows = 0 }]
""", "x")  # fmt: skip
    assert own is not None
    assert seen_on(screen("used 3", "used 1,200", "x", "", ""), own) == used(1200)
    assert seen_on(screen("used 3", "x", "y"), own) == NOTHING
    assert seen_on(screen("left 30%", "x", "y"), own) == Seen(share=0.7)
    assert seen_on(screen("used 1.05M", "left 101%"), own) == Seen(share=0.0)
    assert seen_on(screen("used 1.2.3"), own) == NOTHING


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[x", "Expected"),
        ("x = 1", "no table"),
        ("[x]\nusages = []", "usages"),
        ("[x]\nusage = 'x'", "no list"),
        ("[x]\nusage = ['(?P<used>x)']", "regex, rows"),
        ("[x]\nusage = [{ regex = 'x', rows = 1 }]", "used"),
        ("[x]\nusage = [{ regex = '(?P<us>x)', rows = 1 }]", "used"),
        ("[x]\ncompacting = ['(']", "compacting"),
        ("[x]\nbelow = 3", "no text"),
    ],
)
def test_a_file_that_can_not_be_used_says_where(text: str, reason: str) -> None:
    with pytest.raises(BadPatterns, match=re.escape(reason)):
        parse(text, "x")
    assert parse("[y]\ncompacting = ['(']", "x") is None


@pytest.mark.parametrize("agent", AGENTS)
def test_every_built_in_table_can_be_read(agent: str) -> None:
    found = patterns(agent)
    assert found.usage or found.compacting
    assert seen_on(Screen(), found) == NOTHING


_TEXT = st.one_of(
    st.text(max_size=60),
    st.sampled_from([
        RULE, "▄▄▄▄", " > x", "▀▀▀▀", "❯\u00a0x", "> x", "  ┃ x", CLAUDE_STATUS, "⠋ Compressing chat history",
        "Tokens: 1.2.3k sent, 9,9 received.", "  9.9.9K (999%)", "  context: 1% (,k/.M)", "~999% (.K) $9.99",
        "          ━━━━━━━━━━━━━━━━━━━━ 1% .k/.k", " , tokens remaining in context window",
        " , tokens max context window size", "• Compacting context (1s • esc to interrupt)",
    ]),
)  # fmt: skip
_RUNS = st.builds(lambda text, dim: Run(text, len(text), CellStyle(flags=DIM) if dim else PLAIN), _TEXT, st.booleans())
_ROWS = st.lists(st.lists(_RUNS, max_size=3).map(tuple), max_size=40)


@given(agent=st.sampled_from(AGENTS), rows=_ROWS)
def test_any_screen_says_something_sound(agent: str, rows: list[Row]) -> None:
    found = seen_on(Screen(80, tuple(rows)), patterns(agent))
    assert found.used is None or found.used >= 0
    assert found.window is None or found.window >= 0
    assert found.share is None or 0 <= found.share <= 1
