"""Run the interface alone: `python -m tests.ui.run SOCKET [LANGUAGE] [LEADER] [fail] [fail-input] [debug]`."""

from __future__ import annotations

import sys

from agentsup.ui.app import run_interface
from agentsup.ui.input_bytes import InputBytes
from agentsup.ui.prompt_bar import PromptBar


def fail(*_: object) -> None:
    """Fail as a bug would."""
    raise RuntimeError("made to fail")


if __name__ == "__main__":
    language = sys.argv[2] if len(sys.argv) > 2 else "en"
    leader = sys.argv[3] if len(sys.argv) > 3 else "ctrl+\\"
    if "fail" in sys.argv[4:]:
        PromptBar.offer = fail  # type: ignore[method-assign, assignment]
    if "fail-input" in sys.argv[4:]:
        InputBytes.feed = fail  # type: ignore[method-assign, assignment]
    end = run_interface(sys.argv[1], language=language, leader=leader, debug="debug" in sys.argv[4:])
    print(end, file=sys.stderr)
