"""When and how a text reaches the agent: a state machine without I/O.

Inputs are orders, proofs (what is known at this instant), hooks that the agent runs and log records; outputs are
commands for the host. The rule that comes first: carriage return is sent only to an idle agent, on positive proof
from its screen, at that instant. An Enter while an approval is open approves it, so a state report alone never
suffices. Only the agent's own log confirms. A text goes out by one channel, once.
"""

from agentsup.core.injector.endings import broke, ended, moved, started, taken_back, turn_ended, withdraw
from agentsup.core.injector.evidence import Print, arrived, print_of, shows
from agentsup.core.injector.hooks import (
    BEGINS,
    BETWEEN,
    Call,
    compaction_failed,
    handed_out,
    paired,
    ran_ahead,
    turn_began,
    units,
    went_on,
)
from agentsup.core.injector.machine import caught_up, observe
from agentsup.core.injector.proof import hold_reason
from agentsup.core.injector.queue import (
    accept,
    choose,
    enqueue,
    orders,
    recorded,
    refuse,
    resume,
    unsent,
)
from agentsup.core.injector.typing import PASTE_END, PASTE_START, Composer, Typing, one_paste
from agentsup.core.injector.values import (
    CONFIRM_DEADLINE,
    ECHO_PATIENCE,
    HOOK_GRACE,
    HOOK_PATIENCE,
    KEYS_PATIENCE,
    PAIRED_WITHIN,
    PASTE_DEADLINE,
    QUIET,
    RECOVERY_PATIENCE,
    SAME_HOOK,
    SUBMIT_PATIENCE,
    Ahead,
    Announce,
    Choice,
    Command,
    DrawAnew,
    Injector,
    LetKeysGo,
    OpenPaste,
    Order,
    PressReturn,
    Proof,
    Standing,
    Step,
    StopTyping,
    TellStanding,
    WakeAt,
)

__all__ = [
    "BEGINS", "BETWEEN", "CONFIRM_DEADLINE", "ECHO_PATIENCE", "HOOK_GRACE", "HOOK_PATIENCE", "KEYS_PATIENCE",
    "PAIRED_WITHIN", "PASTE_DEADLINE", "PASTE_END", "PASTE_START", "QUIET", "RECOVERY_PATIENCE",
    "SAME_HOOK", "SUBMIT_PATIENCE", "Ahead", "Announce", "Call", "Choice", "Command", "Composer", "DrawAnew",
    "Injector", "LetKeysGo", "OpenPaste", "Order", "PressReturn", "Print", "Proof", "Standing", "Step", "StopTyping",
    "TellStanding", "Typing", "WakeAt", "accept", "arrived", "broke", "caught_up", "choose", "compaction_failed",
    "ended", "enqueue", "handed_out", "hold_reason", "moved", "observe", "one_paste", "orders", "paired", "print_of",
    "ran_ahead", "recorded", "refuse", "resume", "shows", "started", "taken_back", "turn_began",
    "turn_ended", "units", "unsent", "went_on", "withdraw",
]  # fmt: skip
