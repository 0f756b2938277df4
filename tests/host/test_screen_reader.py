"""What is read off the screen, and when: changes only, after a pause, and never half a frame."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agentsup.core.events import ActivitySeen, Event, NoticeRaised, TokensReported
from agentsup.host.screen_reader import INTERVAL, OWN_FILE, ScreenReader
from tests.host.played import PlayedScreen, recording
from tests.host.virtual_time import run

QWEN = "\x1b[2J\x1b[H{status}\r\n{rule}\r\n>   Type\r\n{rule}\r\n  ? for shortcuts   {share}% context used"


class Stage:
    """A reader on a screen, and what it has told."""

    def __init__(self, name: str, config: Path, *, figures: bool = True, size: tuple[int, int] = (80, 24)) -> None:
        self.screen = PlayedScreen(*size)
        self.told: list[Event] = []
        environment = {"XDG_CONFIG_HOME": str(config)}
        self.reader = ScreenReader(name, self.screen, self.told.append, figures=figures, environment=environment)

    def show(self, text: str) -> None:
        self.screen.feed(text)
        self.reader.frame()

    def qwen(self, share: float, *, compacting: bool = False) -> None:
        status = "  ⠋ Compressing chat history" if compacting else ""
        self.show(QWEN.format(status=status, rule="─" * 20, share=share))

    @property
    def said(self) -> list[object]:
        return [_said(event) for event in self.told]


def _said(event: Event) -> object:
    match event:
        case ActivitySeen():
            return event.compacting
        case TokensReported():
            assert event.source == "estimate"
            assert not event.at_least
            return event.used if event.used is not None else event.share
        case _:
            return event


def on_stage(
    tmp_path: Path, scene: Callable[[Stage], Awaitable[None]], name: str = "qwen", *, figures: bool = True
) -> None:
    async def main() -> None:
        stage = Stage(name, tmp_path, figures=figures)
        await scene(stage)
        stage.reader.close()
        stage.screen.close()

    run(main())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("opencode-answered", [3000, 9000, 31_100, *[True, False] * 12, True, 5100, False, True, False]),
        ("codex-auto-compact", [True, False, True, False]),
        ("codex-manual-compact", [True, False]),
        ("claude-03-auto-compact", [True, False, True, False]),
        ("aider-summarise-unanswered", [2115, 3600, 5000, 6500, 6277]),
        ("qwen-answered", [0.376, 0.751, 0.69, 0.095, True, 0.034, False]),
        # Its model server compacted within 80 ms, and half drawn frames in between show no footer.
        ("gemini-answered", [0.0, 0.01, 0.0, 0.01, 0.0]),
    ],
)
def test_a_recording_in_its_own_time(name: str, said: list[object], tmp_path: Path) -> None:
    played = recording(name)
    agent = name.partition("-")[0]

    async def main() -> None:
        stage = Stage(agent, tmp_path, figures=agent not in ("codex", "claude"), size=(played.columns, played.rows))
        await stage.screen.play(played, stage.reader.frame)
        stage.screen.close()
        assert stage.said == said

    run(main())


def test_many_frames_are_one_reading_and_the_last_one_is_read(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        for share in range(50):
            stage.qwen(share)
            await asyncio.sleep(INTERVAL / 10)
        await asyncio.sleep(INTERVAL)
        assert len(stage.said) <= 6
        assert stage.said[-1] == 0.49
        before = len(stage.said)
        stage.qwen(49)
        await asyncio.sleep(60)
        assert len(stage.said) == before

    on_stage(tmp_path, scene)


def test_half_a_frame_ends_no_compaction_and_its_end_is_told_without_another_frame(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        stage.qwen(10, compacting=True)
        await asyncio.sleep(INTERVAL * 1.5)
        stage.qwen(10)
        await asyncio.sleep(INTERVAL * 1.01)
        stage.qwen(10, compacting=True)
        await asyncio.sleep(INTERVAL * 3)
        assert stage.said == [True, 0.1]
        stage.qwen(10)
        await asyncio.sleep(INTERVAL * 3)
        assert stage.said == [True, 0.1, False]

    on_stage(tmp_path, scene)


def test_an_agent_with_a_log_tells_its_figures_itself(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        stage.qwen(10, compacting=True)
        await asyncio.sleep(1)
        assert stage.said == [True]
        assert not stage.reader.has_figures

    on_stage(tmp_path, scene, figures=False)


def test_another_process_may_say_the_same_again(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        stage.qwen(10)
        await asyncio.sleep(1)
        stage.reader.restart()
        assert not stage.reader.has_figures
        stage.qwen(10)
        await asyncio.sleep(1)
        assert stage.said == [0.1, 0.1]

    on_stage(tmp_path, scene)


def test_a_program_without_patterns_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(stage: Stage) -> None:
        stage.qwen(10)
        await asyncio.sleep(1)
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "call_later", lambda *_: pytest.fail("a timer for nothing"))
        stage.qwen(20)
        assert stage.said == []

    on_stage(tmp_path, scene, "sh")


def own_file(folder: Path, text: str) -> Path:
    path = folder / "agentsup" / OWN_FILE
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path


def test_the_persons_own_table_takes_the_place_of_ours(tmp_path: Path) -> None:
    own_file(tmp_path, "[qwen]\nusage = [{ regex = 'tokens: (?P<used>[0-9]+)', rows = 1 }]\n")

    async def scene(stage: Stage) -> None:
        stage.qwen(10)
        await asyncio.sleep(1)
        stage.show("\x1b[2J\x1b[Htokens: 77")
        await asyncio.sleep(1)
        assert stage.said == [77]

    on_stage(tmp_path, scene)


def test_the_persons_table_may_be_of_a_program_nobody_knows(tmp_path: Path) -> None:
    own_file(tmp_path, "[mine]\nusage = [{ regex = 'tokens: (?P<used>[0-9]+)', rows = 1 }]\n")

    async def scene(stage: Stage) -> None:
        stage.show("tokens: 77")
        await asyncio.sleep(1)
        assert stage.said == [77]

    on_stage(tmp_path, scene, "mine")


def test_a_broken_file_is_one_notice_and_ours_are_used(tmp_path: Path) -> None:
    path = own_file(tmp_path, "[qwen]\nusage = 3\n")

    async def scene(stage: Stage) -> None:
        for share in (10, 20):
            stage.qwen(share)
            await asyncio.sleep(1)
        notice, *said = stage.told
        assert isinstance(notice, NoticeRaised)
        assert notice.key == "patterns.broken"
        assert dict(notice.values) == {"place": str(path), "reason": "[qwen] usage: no list"}
        assert [_said(event) for event in said] == [0.1, 0.2]

    on_stage(tmp_path, scene)
