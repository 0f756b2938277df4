"""The system's clock, set back while the tests run."""

from __future__ import annotations

import time

import pytest

_system = time.time


def set_back(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let it be so much earlier from now on."""
    monkeypatch.setattr(time, "time", lambda: _system() - seconds)
