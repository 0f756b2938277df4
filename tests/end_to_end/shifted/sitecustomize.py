"""Shifts the system's clock, as Python sees it: by as many seconds as the file says that AGENTSUP_SHIFT names.

Python imports this by itself where its folder is on PYTHONPATH.
"""

from __future__ import annotations

import os
import time


def _shift(path: str) -> None:
    real = time.time

    def shifted() -> float:
        with open(path, encoding="ascii") as file:
            return real() + float(file.read() or 0)

    time.time = shifted


if "AGENTSUP_SHIFT" in os.environ:
    _shift(os.environ["AGENTSUP_SHIFT"])
