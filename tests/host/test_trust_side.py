"""What a session says of its record: what was approved elsewhere, and what nobody has approved."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agentsup.core import events as ev
from agentsup.host.folder_watch import FolderWatch
from agentsup.host.trust_side import TrustSide
from agentsup.protocol import messages as m
from agentsup.store.trust_key import trust_folder
from agentsup.store.trust_record import NewEntry, add, project_key, read_record

RULE = NewEntry("rule", "0" * 64, "0" * 64, "allow", "interface", '{"title": "x"}')
DENY = NewEntry("rule", "0" * 64, "0" * 64, "deny", "interface")


class Sided:
    """A project, the trust side of its session, and what that said."""

    def __init__(self, base: Path) -> None:
        self.root, self.environment = base / "work", {"XDG_DATA_HOME": str(base)}
        self.root.mkdir()
        self.said: list[tuple[str, dict[str, str]]] = []
        self.watch = FolderWatch()
        spec = {
            "memory_root": str(self.root), "unit_seconds": 5, "trust_folder": str(trust_folder(self.environment)),
            "trust_heads": {}, "project": project_key(self.root),
        }  # fmt: skip
        self.prepared = 0
        self.side = TrustSide(
            spec, self.watch, happened=self._happened, prepare=self._prepare, remember=lambda heads: None
        )  # fmt: skip

    def add(self, entry: NewEntry, *, by_interface: bool, root: Path | None = None, told: bool = True) -> None:
        def announce(macs: tuple[str, ...]) -> bool:
            self.side.announced(m.TrustAnnounced(project_key(self.root), macs), by_interface)
            return True

        add(root or self.root, [entry], announce=announce if told else None, environment=self.environment)

    async def until_known(self) -> None:
        async with asyncio.timeout(20):
            while self.side.witnessed() != (read_record(self.root, self.environment).head,):
                await asyncio.sleep(0.01)

    async def until_said(self) -> tuple[str, dict[str, str]]:
        async with asyncio.timeout(20):
            while not self.said:
                await asyncio.sleep(0.01)
        return self.said.pop()

    def _happened(self, event: ev.Event) -> None:
        assert isinstance(event, ev.NoticeRaised)
        self.said.append((event.key, dict(event.values)))

    def _prepare(self) -> None:
        self.prepared += 1


@pytest.fixture
async def sided(tmp_path: Path) -> AsyncIterator[Sided]:
    made = Sided(tmp_path)
    yield made
    made.side.close()
    made.watch.close()


async def test_what_a_window_of_the_session_approved_is_no_news(sided: Sided) -> None:
    sided.add(RULE, by_interface=True)
    await sided.until_known()
    assert sided.prepared > 0
    assert sided.said == []


async def test_what_was_approved_elsewhere_is_told_whatever_it_says_of_itself(sided: Sided) -> None:
    sided.add(DENY, by_interface=False)
    await sided.until_known()
    assert sided.said == [], "what only takes away is no news"
    sided.add(RULE, by_interface=False)
    assert await sided.until_said() == ("trust.approved", {"by": "interface"})


async def test_what_nobody_announced_is_told_with_the_project_it_is_about(sided: Sided, tmp_path: Path) -> None:
    sided.add(RULE, by_interface=False, told=False)
    assert await sided.until_said() == ("trust.unannounced", {"record": os.fspath(sided.root)})
    other = tmp_path / "other"
    other.mkdir()
    sided.add(RULE, by_interface=False, told=False, root=other)
    assert await sided.until_said() == ("trust.unannounced", {"record": project_key(other)[:8]})
