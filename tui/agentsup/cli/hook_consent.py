"""Whether hooks of ours are installed for a launch: asked once for each agent, in plain words, before anything starts.

The setting injection.channel answers instead: `hook` is a yes, `stdin` a no. What a person has answered is remembered
(`store.remembered`), and so is what a program takes for a review of our hooks, as long as the program stays the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from agentsup.agents import hook_client
from agentsup.agents.adapter import Adapter, Place
from agentsup.agents.codex_hooks import NOT_REVIEWED
from agentsup.agents.registry import is_known
from agentsup.cli.person import confirmed
from agentsup.core.catalogue import Catalogue
from agentsup.core.problems import Problem
from agentsup.core.settings import Settings
from agentsup.store import remembered
from agentsup.store.atomic import Conflict

ASKED = ("codex", "claude")
"""Agents for which `auto` asks."""

REFUSED, UNANSWERED = "refused", "unanswered"
"""In place of a review, where the program gives none: not asked anew at each launch, for seconds; and where it did not
answer, which is no refusal: the next launch asks again."""

_EITHER = "none"
"""What was once remembered for both."""

NO_ANSWER = "hooks.no-answer"

ANSWERS, REVIEWS = "hooks", "hook-reviews"
"""Tables of what is remembered."""


def words(agent: str) -> tuple[str, ...]:
    """Return the command that a hook of ours is, without the event: the quickest start that Python has."""
    return (sys.executable, "-I", "-S", str(Path(hook_client.__file__).absolute()), agent)


def placed(adapter: Adapter, place: Place, settings: Settings, catalogue: Catalogue) -> tuple[Place, list[str]]:
    """Return the place, with hooks where they are wanted and can be, and the keys of what the person should know."""
    channel = settings.text("injection.channel")
    if channel == "stdin" or not is_known(adapter) or (channel == "auto" and adapter.name not in ASKED):
        return place, []
    agent, environment = adapter.name, place.environment
    wanted = replace(place, hook=words(agent), hook_trust="")
    problem = adapter.without_hooks(wanted)
    if problem == NOT_REVIEWED:
        problem = ""  # everything else allows for hooks
    if problem == "hooks.no-agent":
        return place, []
    # Nobody is asked about what this launch can't have anyway.
    if channel == "auto" and not _agreed(agent, environment, None if problem else catalogue):
        return place, []
    if not problem:
        review = _review(adapter, wanted)
        wanted = replace(wanted, hook_trust=review)
        problem = adapter.without_hooks(wanted)
        if problem == NOT_REVIEWED and review == UNANSWERED:
            problem = NO_ANSWER
    if not problem:
        try:
            adapter.install_hooks(wanted)
        except (OSError, UnicodeEncodeError):  # a path that is no UTF-8 can't stand in a file of the agent's
            problem = "hooks.not-installed"
    if problem:
        return place, [problem]
    return wanted, []


def _agreed(agent: str, environment: Mapping[str, str], catalogue: Catalogue | None) -> bool:
    """Say whether the person has agreed; without a catalogue they are not asked."""
    answer = remembered.recall(environment, ANSWERS, agent)
    if answer not in ("yes", "no") and catalogue is not None:
        explanation = "\n".join(catalogue.text(f"hooks.consent.{part}") for part in ("intro", agent, "end"))
        try:
            answer = "yes" if confirmed(f"{explanation}\n{catalogue.text('hooks.consent.ask')}") else "no"
        except OSError:
            return False  # no terminal to ask in: the next launch asks
        # Where it can't be kept the next launch asks again.
        with contextlib.suppress(OSError, Conflict, Problem):
            remembered.remember(environment, ANSWERS, agent, answer)
    return answer == "yes"


def last_review(adapter: Adapter, program: str, environment: Mapping[str, str]) -> str:
    """Return why this program, asked last, has not reviewed our hooks, as a catalogue key; empty where it has."""
    place = Place(program, environment=environment, hook=words(adapter.name))
    known = remembered.recall(environment, REVIEWS, _key(adapter, place))
    return {REFUSED: NOT_REVIEWED, UNANSWERED: NO_ANSWER}.get(known, "")


def _review(adapter: Adapter, place: Place) -> str:
    """Return what the program takes for a review of our hooks, or why there is none.

    It is asked once for each program and definition, until it has answered.
    """
    key = _key(adapter, place)
    if not key:
        return ""
    before = remembered.recall(place.environment, REVIEWS, key)
    if before not in ("", UNANSWERED, _EITHER):
        return before
    try:
        known = adapter.review_hooks(place) or REFUSED
    except OSError:
        known = UNANSWERED
    if known != before:
        with contextlib.suppress(OSError, Conflict, Problem):
            remembered.remember(place.environment, REVIEWS, key, known)
    return known


def _key(adapter: Adapter, place: Place) -> str:
    """Return what a review is remembered by; empty where the program reviews nothing."""
    to_review = adapter.hooks_to_review(place)
    return _digest(place.program, adapter.version(place.program), to_review) if to_review else ""


def _digest(program: str, version: str, to_review: str) -> str:
    """Return what stands for a program as it is now, and for what it is to review."""
    real = os.path.realpath(program)
    try:
        status = os.stat(real)
        state = [status.st_size, status.st_mtime_ns]
    except OSError:
        state = []
    return hashlib.sha256(json.dumps([real, state, version, to_review]).encode()).hexdigest()[:32]
