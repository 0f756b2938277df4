"""A project with an engram, its host and the interface on it, for tests of the editor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Static

from agentsup.protocol.messages import EngramSaved
from agentsup.ui import engram_conflict, engram_judge
from agentsup.ui.engram_area import EngramArea
from agentsup.ui.engram_desk import ENGRAM
from agentsup.ui.engram_editor import EngramEditor
from agentsup.ui.interface import Interface
from tests.ui.engram_scenes import VAGUE, project
from tests.ui.fake_host import FakeHost
from tests.ui.looking import interface, pressing, until


@dataclass
class Desktop:
    """A project, its host, and the interface on it."""

    host: FakeHost
    app: Interface
    pilot: Pilot[object]

    @property
    def file(self) -> Path:
        """The engram."""
        return Path(self.host.session.project) / ENGRAM

    @property
    def root(self) -> Path:
        """The project."""
        return Path(self.host.session.project)

    @property
    def editor(self) -> EngramEditor:
        """The editor, which is shown."""
        assert isinstance(self.app.screen, EngramEditor)
        return self.app.screen

    @property
    def area(self) -> EngramArea:
        """Its text."""
        return self.editor.query_one(EngramArea)

    @property
    def told(self) -> list[EngramSaved]:
        """What the host was told."""
        return [message for message in self.host.received if isinstance(message, EngramSaved)]

    def words(self, part: str) -> str:
        """Return what a part of the screen says."""
        shown = self.app.screen.query_one(f"#{part}", Static)
        return str(shown.content) if shown.display else ""

    async def until(self, happened: Callable[[], object]) -> None:
        """Wait."""
        await until(self.pilot, happened)

    async def open(self) -> EngramArea:
        """Open the editor by the menu, and wait for its text and what is wrong with it."""
        await pressing("leader e", self.host)(self.pilot)
        await self.until(lambda: isinstance(self.app.screen, EngramEditor) and self.words("editor-found"))
        return self.area

    async def press(self, *keys: str) -> None:
        """Press keys."""
        await self.pilot.press(*keys)

    async def write(self, text: str) -> None:
        """Replace everything by a paste."""
        await self.press("f7")
        self.app.post_message(events.Paste(text))
        await self.until(lambda: self.area.text == text)


@pytest.fixture(autouse=True)
def folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Give every test a data folder of its own, and make all keys count at once."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(engram_conflict, "SETTLE", 0.0)
    monkeypatch.setattr(engram_judge, "PAUSE", 0.02)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[FakeHost]:
    """Return the host of a project whose agent has written a vague engram."""
    with FakeHost(tmp_path / "s", project(tmp_path, VAGUE)) as fake:
        yield fake


def running(test: Callable[[Desktop], object]) -> Callable[[FakeHost], object]:
    """Let a test work with the interface on its host."""

    async def run(host: FakeHost) -> None:
        app = interface(host)
        async with app.run_test(size=(80, 24)) as pilot:
            await test(Desktop(host, app, pilot))  # type: ignore[misc]

    run.__name__ = test.__name__
    return run
