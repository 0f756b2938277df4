"""Projects on disk for the tests of what is read from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files by their paths relative to a root."""
    for place, content in files.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
