"""Put the parts of a demo agent together, for a terminal or for a test without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentsup import __version__
from agentsup.core.catalogue import Catalogue
from agentsup.demo.agenda import Agenda
from agentsup.demo.agent import Agent
from agentsup.demo.composer import Composer
from agentsup.demo.hooks import Hooks, Start
from agentsup.demo.log import ConversationLog, home
from agentsup.demo.mind import Mind, ScriptedMind
from agentsup.demo.painter import AlternatePainter, InlinePainter, Painter
from agentsup.demo.reports import Reports
from agentsup.demo.script import Behaviour, Script
from agentsup.demo.stage import Meter, Stage
from agentsup.demo.styles import Segment
from agentsup.demo.tour import WINDOW, Surroundings, TourMind


@dataclass(frozen=True)
class Setup:
    """What a demo agent is started with; without a script it has the tour."""

    catalogue: Catalogue
    cwd: str
    environment: Mapping[str, str]
    script: Script | None = None
    behaviour: Behaviour = Behaviour()
    speed: float = 1.0
    resumed: str = ""
    """The id of a conversation to go on with."""
    hook: Start | None = None
    """Starts the hook; without one there are none."""


def assemble(setup: Setup, agenda: Agenda, emit: Callable[[str], None]) -> Agent:
    """Return an agent whose log is open; raises OSError, or UnknownConversation."""
    behaviour, script, catalogue = setup.behaviour, setup.script, setup.catalogue
    stage = Stage(
        catalogue, behaviour, agenda, ConversationLog(home(setup.environment), agenda, setup.cwd),
        Reports(emit, agenda, behaviour.report_delay / 1000),
        Composer(catalogue.text("demo.pasted"), behaviour.pasted_from),
        Meter(script.window if script else WINDOW), setup.cwd, setup.speed,
        Hooks(setup.hook, "resume" if setup.resumed else "startup"),
    )  # fmt: skip
    if not behaviour.alternate_screen:
        stage.transcript.add("banner", _banner(setup))
    stage.notice("greeting-script" if script else "greeting")
    if setup.resumed:
        _resume(stage, setup.resumed)
    else:
        stage.log.begin()
    stage.log.delay = behaviour.log_delay / 1000
    mind: Mind = ScriptedMind(script, catalogue) if script else TourMind(catalogue, _surroundings(setup))
    return Agent(stage, mind)


def painter(setup: Setup) -> Painter:
    """Return what draws this agent."""
    colours = not setup.environment.get("NO_COLOR")
    if setup.behaviour.alternate_screen:
        return AlternatePainter((Segment(_banner(setup), "bold"),), colours=colours)
    return InlinePainter(colours=colours)


def _banner(setup: Setup) -> str:
    return setup.catalogue.text("demo.banner", version=__version__)


def _surroundings(setup: Setup) -> Surroundings:
    return Surroundings(supervised=bool(setup.environment.get("AGENTSUP_SESSION")))


def _resume(stage: Stage, id: str) -> None:
    for record in stage.log.resume(id):
        match record:
            case {"type": "user" | "assistant" as kind, "text": str(text)}:
                stage.transcript.add("user" if kind == "user" else "assistant", text)
                stage.spoken = True
            case {"type": "usage", "used": int(used), "window": int(window), "total": int(total)}:
                stage.meter = Meter(window, used, total)
            case _:
                pass
    stage.notice("resumed", id=id)
