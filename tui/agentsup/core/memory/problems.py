"""What can be wrong with a file that is to be read as something."""

from __future__ import annotations

from agentsup.core.memory.model import Spot


class Unparsable(Exception):
    """A file is not what it has to be; it is left alone. `reason` says why, in the parser's English."""

    def __init__(self, spot: Spot, reason: str) -> None:
        super().__init__(spot, reason)
        self.spot, self.reason = spot, reason
