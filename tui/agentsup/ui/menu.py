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
    trust = Choice("t", "t", "trust", text("menu.trust"))
    asked = any(concerns_trust(notice) for notice in notices)
    judged = session is not None and session.loop.recital is not None and not wants_judging(session)
    choices = [*([trust] if asked else []), Choice("d", "d", "detach", text("menu.detach"))]
    choices += loop_choices(session, catalogue)
    if notices:
        choices.append(Choice("n", "n", "dismiss", text("menu.dismiss")))
    return [
        *choices,
        Choice("r", "r", "restart", text("menu.restart")),
        Choice("i", "i", "inject", text("menu.inject")),
        Choice("e", "e", "engram", text("editor.menu")),
        Choice("pageup", "PgUp", "scroll", text("menu.scroll")),
        Choice("up", "", "scroll", ""),
        Choice("/", "/", "search", ""),
        Choice("y", "y", "copy", text("menu.copy") if copied else ""),
        Choice("p", "p", "panels", text("menu.panels")),
        *([recital_choice(catalogue)] if judged else []),
        *looking_back_choices(catalogue),
        Choice("s", "s", "stop", text("menu.stop")),
        *([] if asked else [trust]),
        Choice("?", "?", "keys", text("menu.keys")),
        Choice("", leader, "", text("menu.send")),
        Choice("escape", "Esc", "cancel", text("menu.cancel")),
    ]


def exited_choices(catalogue: Catalogue) -> list[Choice]:
    """Return what can be done with an agent that has ended."""
    text = catalogue.text
    return [
        Choice("r", "r", "restart", text("menu.restart")),
        Choice("e", "e", "engram", text("editor.menu")),
        Choice("c", "c", "close", text("menu.close")),
        Choice("enter", "Enter", "close", ""),
        Choice("d", "d", "detach", text("menu.detach")),
    ]


def exited_words(session: Session, catalogue: Catalogue) -> str:
    """Return how the agent ended."""
    agent = session.agent
    if agent.signal is not None:
        return catalogue.text("exited.signal", agent=agent.name, signal=agent.signal)
    if agent.code is not None:
        return catalogue.text("exited.code", agent=agent.name, code=agent.code)
    return catalogue.text("exited.unknown", agent=agent.name)
