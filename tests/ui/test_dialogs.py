"""What the questions before something is ended say."""

from __future__ import annotations

import pytest

from agentsup.core.memory.model import Document, Memory
from agentsup.core.session import Agent, Session
from agentsup.locale import load
from agentsup.ui.dialogs import restart_question

STATE = Document("STATE.md", "## Next\n- Write test_lex() in lex.py\n")
ENGRAM = Document(".agent/engram.md", "[Task] Ship the parser\n[Pending] Write the lexer test\n")


@pytest.mark.parametrize(
    ("memory", "task", "following"),
    [
        (Memory(engram=ENGRAM, state=STATE), "Ship the parser", "Write test_lex() in lex.py"),
        (Memory(engram=ENGRAM), "Ship the parser", "Write the lexer test"),
        (Memory(engram=ENGRAM, state=Document("STATE.md", "## Next\n")), "Ship the parser", "Write the lexer test"),
        (Memory(state=STATE), "nothing on disk", "Write test_lex() in lex.py"),
        (Memory(), "nothing on disk", "nothing on disk"),
    ],
)
def test_a_cold_restart_tells_task_and_next_step_wherever_they_stand(memory: Memory, task: str, following: str) -> None:
    question = restart_question(Session("s", "/p", Agent("codex"), memory=memory), load("en"))
    assert question._body.plain.splitlines()[-2:] == [f"Task  {task}", f"Next  {following}"]
