"""What a person's hands do while a text of ours is typed: nothing is lost but where the mouse went."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from agentsup.core.screen import Modes
from agentsup.host.human_input import HumanInput
from agentsup.protocol import messages as m


class Taken:
    """A writer that keeps what it is given."""

    def __init__(self, held_by: str | None) -> None:
        self.held_by = held_by
        self.backlog = 0
        self.data = b""

    def write(self, source: str, data: bytes) -> None:
        self.data += data


def test_where_the_mouse_moves_while_we_type_is_nobodys_and_its_buttons_are_kept() -> None:
    for held, kept in ((None, 2), ("paste", 2), ("injection", 1)):
        writer: Any = Taken(held)
        screen: Any = SimpleNamespace(modes=Modes(mouse=1003, mouse_sgr=True))
        human = HumanInput(screen, writer, lambda: None)
        human.mouse(m.Mouse("move", 3, 4, 5))
        human.mouse(m.Mouse("press", 0, 4, 5))
        assert writer.data.count(b"\x1b[<") == kept, held
        assert writer.data.endswith(b"M")
