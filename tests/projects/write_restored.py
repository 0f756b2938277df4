"""Write the expected restore texts anew: `python -m tests.projects.write_restored`; then read the difference."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.projects.samples import NAMES, RESTORED, lay_out, restored


def main() -> None:
    """Write a file for each sample."""
    RESTORED.mkdir(exist_ok=True)
    for name in NAMES:
        with tempfile.TemporaryDirectory() as folder:
            sample = lay_out(name, Path(folder) / "project")
            (RESTORED / f"{name}.txt").write_text(restored(sample)[0], encoding="utf-8")


if __name__ == "__main__":
    main()
