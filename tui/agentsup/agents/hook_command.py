"""The command line that the agents run for a hook of ours."""

from __future__ import annotations

import shlex
from collections.abc import Sequence


def hook_command(hook: Sequence[str], event: str) -> str:
    """Return the command for an event; it succeeds whatever happens, for the shell that the agents run it by.

    Python leaves with 2 where its script is gone (an upgrade, a package removed while a session runs), and code 2
    is how a hook blocks a prompt: the person could say nothing any more.
    """
    return f"{shlex.join([*hook, event])} || true"
