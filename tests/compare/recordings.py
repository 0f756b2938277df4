"""Recordings of the real agents, and the points at which they are looked at."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import NamedTuple

from agentsup.core.screen import RGB_FLAG
from tests.compare.listed import DATA

_GROUND = re.compile("\x1b]11;#([0-9a-fA-F]{6})")


class Recording(NamedTuple):
    """One recording: its size, and after how many of its outputs it is looked at."""

    name: str
    path: Path
    columns: int
    rows: int
    points: tuple[int, ...]
    ground: int
    """The background it sets for the whole terminal (OSC 11), -1 for none."""


def recordings() -> list[Recording]:
    """Return all, those of one size together."""
    found = [_recording(path) for path in DATA.glob("*.cast.gz")]
    return sorted(found, key=lambda recording: (recording.rows, recording.name))


def _recording(path: Path) -> Recording:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        head = json.loads(next(lines))
        outputs = [json.loads(line)[2] for line in lines]
    count = len(outputs)
    # Looked at where a new sequence begins: an output may end in the middle of one.
    quarters = (
        next((at for at in range(count * quarter // 4, count) if outputs[at].startswith("\x1b")), count)
        for quarter in (1, 2, 3)
    )
    name = path.name.removesuffix(".cast.gz")
    found = _GROUND.search("".join(outputs))
    ground = RGB_FLAG | int(found[1], 16) if found else -1
    return Recording(name, path, head["width"], head["height"], (*dict.fromkeys((*quarters, count)),), ground)
