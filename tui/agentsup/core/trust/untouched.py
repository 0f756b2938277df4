"""The files that `agentsup init` lays down, as long as nobody has said anything in them: they count as no files."""

from __future__ import annotations

from dataclasses import replace

from agentsup.core.trust.folding import MISSING
from agentsup.core.trust.model import Accepted

UNTOUCHED = frozenset({
    "f7922b9874cb7a6d1bf81d21cc38f5575495a6356972e47adea6f73e3a81ea9f",
    "683ceecf8738db723ef483bdbefdc5b6b8b498f66f434be05a601b302be6b3d8",
    "388061c424144f589ae0c82ceebc13dfb478a92e906b26337dbfc21ded3516b3",
    "7eeb2b1fc5e2f30578da9f4ade99ef83b18b3a58f5454c28bf6d8e9a4b263729",
    "d83712a9b71c59e19edc5cb5ffdecce6c627fefdc5d4164af1837fd87dadb29a",
    "a174e33dd4bf92890a54b40d106da383497b09874a66c5b78ab0d1816bbae99a",
})  # fmt: skip
"""SHA-256 of the shipped task, contract and conventions, in every language; exact bytes, since a comment can speak."""


def as_said(accepted: Accepted) -> Accepted:
    """Return what was accepted by accepting a file: of an untouched one, that there is none."""
    return replace(accepted, sha=MISSING, text=None) if accepted.sha in UNTOUCHED else accepted
