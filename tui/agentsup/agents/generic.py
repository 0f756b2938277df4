"""Any program: no log, no reports, no composer. It is shown, never typed into."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from agentsup.agents.adapter import Adapter


class Generic(Adapter):
    """A program we know nothing about."""

    def __init__(self, name: str) -> None:
        self.name = os.path.basename(name)
        self._program = name

    def find(self, environment: Mapping[str, str]) -> str | None:
        """Return the program's path as a shell would find it."""
        return shutil.which(self._program, path=environment.get("PATH"))


class ScreenOnly(Generic):
    """An agent we know by its screen: it has panels and figures, and is never typed into."""
