"""Which choices there are: after the leader, and when the agent has ended."""

from __future__ import annotations

from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Notice, Session
from agentsup.ui.looking_back import looking_back_choices
from agentsup.ui.loop_choices import loop_choices, recital_choice, wants_judging
from agentsup.ui.notice_bar import concerns_trust
from agentsup.ui.prompt_bar import Choice


def leader_choices(
    session: Session | None, notices: tuple[Notice, ...], catalogue: Catalogue, leader: str, *, copied: bool = False
) -> list[Choice]:
    """Return the menu, what is needed most first: a narrow window shows as many as fit, all keys work."""
    text = catalogue.text
    trust = [Choice("t", "t", "trust", text("menu.trust"))]
    asked = any(concerns_trust(notice) for notice in notices)
    return [
        *(trust if asked else []),
        *loop_choices(session, catalogue),
        *(_of_the_ended(catalogue) if _has_ended(session) else [Choice("d", "d", "detach", text("menu.detach"))]),
        *([Choice("n", "n", "dismiss", text("menu.dismiss"))] if notices else []),
        *([] if _has_ended(session) else _of_the_running(catalogue)),
        Choice("e", "e", "engram", text("editor.menu")),
        Choice("pageup", "PgUp", "scroll", text("menu.scroll")),
        Choice("up", "", "scroll", ""),
        Choice("/", "/", "search", ""),
        Choice("y", "y", "copy", text("menu.copy") if copied else ""),
        Choice("p", "p", "panels", text("menu.panels")),
        *_what_was_read_back(session, catalogue),
        *looking_back_choices(catalogue),
        *([] if _has_ended(session) else [Choice("s", "s", "stop", text("menu.stop"))]),
        *([] if asked else trust),
        Choice("?", "?", "keys", text("menu.keys")),
        *([] if _has_ended(session) else [Choice("", leader, "", text("menu.send"))]),
        Choice("escape", "Esc", "cancel", text("menu.cancel")),
    ]


def exited_choices(catalogue: Catalogue) -> list[Choice]:
    """Return what can be done with an agent that has ended: the same keys as in the menu."""
    return [
        *_of_the_ended(catalogue),
        Choice("e", "e", "engram", catalogue.text("editor.menu")),
        Choice("enter", "Enter", "close", ""),
    ]


def _of_the_running(catalogue: Catalogue) -> list[Choice]:
    return [
        Choice("r", "r", "restart", catalogue.text("menu.restart")),
        Choice("i", "i", "inject", catalogue.text("menu.inject")),
    ]


def _of_the_ended(catalogue: Catalogue) -> list[Choice]:
    # Nothing goes on that one could come back to, so leaving and closing are one.
    return [
        Choice("r", "r", "restart", catalogue.text("menu.restart")),
        Choice("c", "c", "close", catalogue.text("menu.close")),
        Choice("d", "", "close", ""),
    ]


def _what_was_read_back(session: Session | None, catalogue: Catalogue) -> list[Choice]:
    # What asks to be judged stands further up; the answer to it is typed, which an agent that has ended can't read.
    if session is None or session.loop.recital is None or wants_judging(session) or _has_ended(session):
        return []
    return [recital_choice(catalogue)]


def _has_ended(session: Session | None) -> bool:
    return session is not None and session.phase == "exited"


def exited_words(session: Session, catalogue: Catalogue) -> str:
    """Return how the agent ended."""
    agent = session.agent
    if agent.signal is not None:
        return catalogue.text("exited.signal", agent=agent.name, signal=agent.signal)
    if agent.code is not None:
        return catalogue.text("exited.code", agent=agent.name, code=agent.code)
    return catalogue.text("exited.unknown", agent=agent.name)
