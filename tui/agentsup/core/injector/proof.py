"""Whether something may be typed at this instant."""

from __future__ import annotations

from agentsup.core.injector.values import ECHO_PATIENCE, QUIET, Order, Proof
from agentsup.core.occasion import PERSONAL

WAITS_FOR_A_PERSON = ("injection.gate", "injection.breaker")
"""Reasons that only a person ends: what they do not concern goes before."""


def hold_reason(proof: Proof, order: Order | None = None) -> str:
    """Return why nothing may be typed now, as a catalogue key; empty where it may."""
    if not proof.alive:
        return "injection.agent-gone"
    if order is not None and order.gated:
        return "injection.gate"
    if proof.breaker and (order is None or order.kind != PERSONAL):
        return "injection.breaker"
    if proof.blocked:
        return "injection.approval"
    if not proof.idle:
        return "injection.working"
    if proof.busy or proof.now - proof.last_key < QUIET:
        return "injection.keys"
    if proof.composer.kind == "text":
        return "injection.draft"
    if proof.composer.kind == "unknown":
        return "injection.unseen"
    if not (proof.echoed or _has_no_effect(proof)):
        return "injection.keys"
    if not (proof.settled and proof.caught_up):
        return "injection.conversation"
    if not proof.composed and (order is None or order.anew):
        return "injection.composing"
    # Lines are cut where the tty is canonical; what is not pasted is typed without brackets.
    if not proof.raw or (not proof.bracketed_paste and (order is None or order.typed.pastes)):
        return "injection.mode"
    return ""


def _has_no_effect(proof: Proof) -> bool:
    """Say whether the last key was one that an agent has nothing to draw for; what it has not read it may yet draw."""
    return proof.read and proof.now - proof.last_key >= ECHO_PATIENCE
