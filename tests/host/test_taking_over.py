"""Taking over from a host that has crashed: what it has taken with it is said."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from agentsup.core import events as ev
from agentsup.core.injector import PASTE_END
from agentsup.host.agent_life import AgentLife
from agentsup.host.ring import Ring


async def test_a_paste_is_closed_and_lost_keys_are_told_once(tmp_path: Path) -> None:
    told: list[ev.Event] = []
    written: list[bytes] = []
    ring = Ring(tmp_path / "ring")
    ring.set_paste(True)
    ring.set_kept(12)
    adapter: Any = SimpleNamespace()
    keeper: Any = SimpleNamespace()
    screen: Any = SimpleNamespace(redraw=lambda: None)
    supervisor: Any = SimpleNamespace(happened=told.append, injections=SimpleNamespace(key=lambda: None))
    writer: Any = SimpleNamespace(write=lambda _source, data: written.append(data))
    conversations: Any = SimpleNamespace()
    place: Any = SimpleNamespace()
    life = AgentLife(
        {}, adapter, place, keeper, screen=screen, ring=ring, writer=writer, supervisor=supervisor,
        conversations=conversations, on_ended=lambda: None, on_over=lambda: None,
    )  # fmt: skip
    for _ in range(2):
        life._take_over(None)
    assert written == [PASTE_END]
    assert [(event.key, event.values) for event in told if isinstance(event, ev.NoticeRaised)] == [
        ("keys.lost", (("count", "12"),))
    ]
    assert (ring.paste_open, ring.kept) == (False, 0)
    ring.close()
