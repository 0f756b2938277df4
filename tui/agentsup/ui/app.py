"""Run the interface, and leave the terminal and the person with something they can use, whatever happens."""

from __future__ import annotations

import sys
import traceback

from agentsup.core.layout import Layout
from agentsup.locale import load
from agentsup.ui import themes
from agentsup.ui.end import InterfaceEnd
from agentsup.ui.interface import Interface
from agentsup.ui.leader import DEFAULT as DEFAULT_LEADER
from agentsup.ui.leader import Leader

__all__ = ["InterfaceEnd", "run_interface"]


def run_interface(
    socket_path: str,
    *,
    layout: Layout = "auto",
    language: str = "auto",
    leader: str = DEFAULT_LEADER,
    f_keys: str = "auto",
    theme: str = themes.AUTO,
    debug: bool = False,
) -> InterfaceEnd:
    """Show the session behind a socket until the person leaves or it ends; raises BadLeader, BadTheme.

    A failure of the interface is reported on stderr, one line what and one what to do, and ends it as
    "failed": the agent is not touched by it.
    """
    catalogue = load(language)
    app = Interface(
        socket_path, layout=layout, catalogue=catalogue, leader=Leader(leader), function_keys=f_keys, theme=theme
    )
    error: BaseException | None = None
    end: object = None
    try:
        end = app.run()
    except Exception as raised:  # noqa: BLE001 - the border: whatever failed in there, the agent goes on
        error = raised
    error = error or app.failure
    if error is not None:
        if debug:
            traceback.print_exception(error, file=sys.stderr)
        words = f"{type(error).__name__}: {error}".splitlines()[0]
        sys.stderr.write(f"{catalogue.text('interface.crashed.what', error=words)}\n")
        todo = "interface.crashed.todo_ended" if app.has_agent_ended else "interface.crashed.todo"
        sys.stderr.write(f"{catalogue.text(todo)}\n")
        return InterfaceEnd("failed", agent_ended=app.has_agent_ended)
    return end if isinstance(end, InterfaceEnd) else InterfaceEnd("lost")
