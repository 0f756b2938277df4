"""The estimate of a conversation that nobody tells anything of: never too high, seldom told, begun anew in time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from agentsup.agents.screen_patterns import Patterns, built_in
from agentsup.core.events import Event, TokensReported
from agentsup.host.estimate import REPORT_INTERVAL, SAMPLE_INTERVAL, Estimate
from agentsup.tokens import Count, count, guess
from tests.host.played import PlayedScreen, Recording, recording
from tests.host.virtual_time import run


class PatientCounter:
    """A counter without a process; `takes` so many seconds."""

    def __init__(self, on_count: Callable[[Count, int], None], *, exact: bool = True) -> None:
        self._on_count, self._exact = on_count, exact
        self.takes = 0.0
        self.texts: list[str] = []
        self.closed = 0

    def count(self, text: str, tag: int = 0) -> bool:
        self.texts.append(text)
        answer = count(text) if self._exact else Count(guess(text), False)
        asyncio.get_running_loop().call_later(self.takes, self._on_count, answer, tag)
        return True

    def close(self) -> None:
        self.closed += 1


class Stage:
    """An estimate on a screen, and what it has told."""

    def __init__(self, agent: str = "gemini", *, exact: bool = True, size: tuple[int, int] = (80, 24)) -> None:
        self.screen = PlayedScreen(*size)
        self.told: list[TokensReported] = []
        self.times: list[float] = []
        self.has_figures = False
        patterns = built_in(agent) or Patterns()
        self.estimate = Estimate(
            self.screen, self._told, patterns=lambda: patterns, has_figures=lambda: self.has_figures,
            counter=lambda on_count: self._counter(on_count, exact),
        )  # fmt: skip

    def _counter(self, on_count: Callable[[Count, int], None], exact: bool) -> PatientCounter:
        self.counter = PatientCounter(on_count, exact=exact)
        return self.counter

    def _told(self, event: Event) -> None:
        assert isinstance(event, TokensReported)
        assert (event.window, event.share, event.source, event.at_least) == (None, None, "estimate", True)
        self.told.append(event)
        self.times.append(asyncio.get_running_loop().time())

    @property
    def used(self) -> list[int | None]:
        return [event.used for event in self.told]

    async def show(self, text: str, seconds: float = 10) -> None:
        """Show something, and let so much time pass."""
        self.screen.feed(text)
        self.estimate.frame()
        await asyncio.sleep(seconds)


def on_stage(scene: Callable[[Stage], Awaitable[None]], agent: str = "gemini", *, exact: bool = True) -> None:
    async def main() -> None:
        stage = Stage(agent, exact=exact)
        await scene(stage)
        stage.estimate.close()
        stage.screen.close()

    run(main())


def test_what_is_shown_is_told_once_it_has_stayed() -> None:
    async def scene(stage: Stage) -> None:
        await stage.show("hello world\r\nhow are you\r\n", SAMPLE_INTERVAL * 1.5)
        assert stage.used == []
        await asyncio.sleep(REPORT_INTERVAL * 2)
        assert stage.used == [count("hello world\nhow are you").tokens]
        await asyncio.sleep(100)
        assert len(stage.used) == 1

    on_stage(scene)


def test_it_is_told_no_more_often_than_every_two_seconds() -> None:
    async def scene(stage: Stage) -> None:
        for letter in "abcdefghijklmnopqrstuvwxyz":
            await stage.show(f"line {letter * 5}\r\n", 0.9)
        await asyncio.sleep(5)
        assert 5 < len(stage.used) <= 14
        assert stage.used == sorted(used for used in stage.used if used is not None)
        gaps = [later - earlier for earlier, later in zip(stage.times, stage.times[1:], strict=False)]
        assert min(gaps) >= REPORT_INTERVAL - 1e-6

    on_stage(scene)


def test_lines_that_flew_by_are_counted_and_a_flood_only_in_part() -> None:
    async def scene(stage: Stage) -> None:
        text = "".join(f"some line about {number:x} {chr(97 + number % 26) * 3}\r\n" for number in range(200))
        await stage.show(text)
        assert stage.used[-1] is not None
        assert 0.5 < stage.used[-1] / count(text).tokens <= 1
        flood = "".join(
            f"{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)} flood\r\n" for n in range(9000)
        )
        await stage.show(flood, 60)
        assert stage.used[-1] < count(text + flood).tokens / 2

    on_stage(scene)


@pytest.mark.parametrize("typed", ["/clear", "/cle", "/compress", "/clear ", "/chat resume x", "x\x7f/clear"])
def test_a_command_that_empties_the_conversation_begins_anew(typed: str) -> None:
    async def scene(stage: Stage) -> None:
        await stage.show("hello world\r\n")
        for letter in typed:
            stage.estimate.keys(letter.encode())
        stage.estimate.keys(b"\r")
        await asyncio.sleep(10)
        assert stage.used == [2, 0]
        await stage.show("fine weather\r\n")
        assert stage.used == [2, 0, count("fine weather").tokens]

    on_stage(scene)


@pytest.mark.parametrize("typed", ["clear", "/c", "/help", "/clearly", "see /clear", "/clear\x03", "/clear\x15"])
def test_other_words_do_not(typed: str) -> None:
    async def scene(stage: Stage) -> None:
        await stage.show("hello world\r\n")
        for letter in typed:
            stage.estimate.keys(letter.encode())
        stage.estimate.keys(b"\x1b[A\r")
        await asyncio.sleep(10)
        assert stage.used == [2]

    on_stage(scene)


@pytest.mark.parametrize(
    ("agent", "row"),
    [
        ("gemini", "ℹ Context compressed from 57% to 0%. Change threshold in /settings."),
        ("gemini", "✦ Chat history compressed from 13000 to 184 tokens."),
        ("qwen", "  ✦ Chat history compressed from 3040 to 1080 tokens."),
        ("opencode", "  ──────────────── Compaction ────────────────"),
        ("copilot", " ● Compaction completed"),
    ],
)
def test_a_row_that_says_it_was_compacted_begins_anew(agent: str, row: str) -> None:
    async def scene(stage: Stage) -> None:
        await stage.show("one two three four five six seven\r\n")
        await stage.show(f"{row}\r\n")
        assert stage.used[0] == 7
        assert (stage.used[-1] or 0) <= count(row).tokens  # no more than that row itself
        before = stage.used[-1] or 0
        await stage.show("eight nine\r\n")
        assert stage.used[-1] == before + count("eight nine").tokens
        # It is old news when it scrolls off.
        await stage.show("\r\n" * 40)
        assert stage.used[-1] == before + count("eight nine").tokens

    on_stage(scene, agent)


def test_what_is_counted_when_the_conversation_was_emptied_is_of_the_old_one() -> None:
    async def scene(stage: Stage) -> None:
        stage.counter.takes = 20.0
        await stage.show("one two three\r\n")
        stage.estimate.keys(b"/clear\r")
        await asyncio.sleep(60)
        assert stage.used == []

    on_stage(scene)


def test_a_paste_counts_when_it_is_sent_and_not_again_when_it_is_shown() -> None:
    async def scene(stage: Stage) -> None:
        stage.estimate.pasted(b"please mend")
        stage.estimate.pasted(b" the parser")
        await asyncio.sleep(10)
        assert stage.used == []
        stage.estimate.keys(b"\r")
        await stage.show("> please mend the parser\r\n")
        assert stage.used == [count("please mend the parser").tokens]

    on_stage(scene)


@pytest.mark.parametrize("key", [b"\x03", b"\x15", b"\x1b"])
def test_a_paste_that_was_taken_back_does_not_count(key: bytes) -> None:
    async def scene(stage: Stage) -> None:
        stage.estimate.pasted(b"please mend the parser")
        stage.estimate.keys(key)
        stage.estimate.keys(b"\r")
        await asyncio.sleep(10)
        assert stage.counter.texts == []

    on_stage(scene)


def test_the_agents_own_figures_end_it() -> None:
    async def scene(stage: Stage) -> None:
        stage.has_figures = True
        await stage.show("hello world\r\n")
        stage.estimate.pasted(b"text")
        stage.estimate.keys(b"\r")
        await stage.show("hello again\r\n")
        assert (stage.used, stage.counter.texts, stage.counter.closed) == ([], [], 1)
        stage.has_figures = False
        stage.screen.feed("\x1bc")
        stage.estimate.restart()
        await stage.show("fine weather\r\n")
        assert stage.used == [count("fine weather").tokens]

    on_stage(scene)


def test_another_process_begins_anew() -> None:
    async def scene(stage: Stage) -> None:
        await stage.show("hello world\r\n" * 3)
        stage.screen.feed("\x1bc")
        stage.estimate.restart()
        await stage.show("hello world\r\n")
        assert stage.used == [2, 0, 2]

    on_stage(scene)


def test_another_size_counts_nothing_twice() -> None:
    async def scene(stage: Stage) -> None:
        # Most of them have scrolled off, and another size brings them back, broken elsewhere.
        words = [f"{a * 20}{b * 20}" for a in "abcdefgh" for b in "abcdefgh"]
        await stage.show("".join(f"a line that is long enough {word} to break\r\n" for word in words))
        before = stage.used[-1]
        for size in ((40, 10), (60, 70)):
            stage.screen.resize(*size)
            for _ in range(3):
                await stage.show("")
        assert stage.used[-1] == before

    on_stage(scene)


def test_where_tokens_are_guessed_half_of_the_guess_is_sure() -> None:
    async def scene(stage: Stage) -> None:
        await stage.show("hello world\r\n")
        assert stage.used == [1]

    on_stage(scene, exact=False)


@pytest.mark.parametrize(
    "name", ["aider-summarise-unanswered", "codex-tools-interrupt", "claude-02-tools-compact-clear"]
)
def test_a_recording_of_a_real_agent_counts_less_than_was_written(name: str) -> None:
    played = recording(name)

    async def main() -> None:
        stage = Stage("none", size=(played.columns, played.rows))
        await stage.screen.play(played, stage.estimate.frame, until=10)
        stage.estimate.close()
        stage.screen.close()
        assert stage.used[-1] is not None
        assert 0 < stage.used[-1] <= _tokens(played)

    run(main())


def _tokens(played: Recording) -> int:
    return count(b"".join(output.data for output in played.outputs).decode("utf-8", "replace")).tokens
