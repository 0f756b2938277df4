"""What a supervised Codex is told for one launch: the person's own developer_instructions, and ours behind them.

Codex takes one text of that key, the last -c. So ours carries theirs along, wherever they have set it; where
that can't be told for sure theirs stands, and ours is left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

from agentsup.agents import codex_config
from agentsup.agents.adapter import ARGUMENT_MOST, Place, joined

KEY = "developer_instructions"


@dataclass(frozen=True)
class Addition:
    """What comes on the command line, or why it does not, as a catalogue key."""

    words: tuple[str, ...] = ()
    problem: str = ""


class NotKnown(Exception):
    """Nobody can say which instructions of the person's this Codex will take; `key` says why in the catalogue."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def addition(place: Place, options: Sequence[str]) -> Addition:
    """Return what to add to a command line with these options."""
    if not place.instructions:
        return Addition()
    try:
        own = persons(place, options)
    except NotKnown as unknown:
        return Addition(problem=unknown.key)
    setting = f"{KEY}={toml_string(joined(own, place.instructions))}"
    if len(os.fsencode(setting)) > ARGUMENT_MOST:
        return Addition(problem="instructions.too-long")
    return Addition(("-c", setting))


def persons(place: Place, options: Sequence[str]) -> str:
    """Return the person's own instructions as Codex would take them; raises NotKnown."""
    if on_command_line := codex_config.given(options, KEY):
        return _text(on_command_line[-1])
    for layer in codex_config.layers(options, place.environment, place.project):
        if layer.table is None:
            raise NotKnown("instructions.unreadable")
        if KEY in layer.table:
            if layer.is_undecided:
                raise NotKnown("instructions.undecided")
            return _text(layer.table[KEY])
    return ""


def toml_string(text: str) -> str:
    """Return a text as TOML; JSON's strings are TOML's but for one control character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise NotKnown("instructions.unreadable")
    return value
