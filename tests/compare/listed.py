"""The table of differences that are known and explained: `tests/data/compare/differences.json`.

    {"reasons": {REASON: why}, "cases": {CASE: [{"where", "bare", "ours", "reason"}, …]}}

A case is a recording and a point in it, or a page of the test sheet.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from tests.compare.pair import Difference

DATA = Path(__file__).parent.parent / "data" / "compare"


@functools.cache
def table() -> dict[str, Any]:
    """Return the whole table."""
    found = json.loads((DATA / "differences.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def listed(case: str) -> list[Difference]:
    """Return the differences of a case."""
    return [Difference(row["where"], row["bare"], row["ours"]) for row in table()["cases"].get(case, [])]
