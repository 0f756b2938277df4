"""The task's state in whatever file form it is kept."""

from __future__ import annotations

from dataclasses import replace

from agentsup.core.memory.model import Language, StateForm
from agentsup.core.memory.state import TaskState
from agentsup.core.memory.state_json import read_json_state, write_json_state
from agentsup.core.memory.state_markdown import read_markdown, write_markdown


def read_state(form: StateForm, text: str, fallback: Language = "en") -> TaskState:
    """Return a file's state; raises Unparsable for JSON that is none. `fallback` is the language of unnamed ones."""
    if form == "markdown":
        return read_markdown(text, fallback)
    return replace(read_json_state(form, text), language=fallback)


def write_state(state: TaskState) -> str:
    """Return a state's text in its form; what its file has beside it is kept."""
    return write_markdown(state) if state.form == "markdown" else write_json_state(state)
