"""A text that has arrived, and that the agent has forgotten because its turn was taken back."""

from __future__ import annotations

from dataclasses import replace

from agentsup.core import injector as inj
from tests.core.injector.given import ORDER, TEXT, order, told

BARE = replace(ORDER, text="")
"""Of what is over, nobody has the words."""
PRINT = inj.print_of(ORDER.id, TEXT)


def test_it_has_failed_and_a_newer_restore_replaces_it() -> None:
    injector, commands = inj.taken_back(inj.Injector(known=frozenset({ORDER.occasion})), BARE, PRINT, 100.0)
    assert told(commands) == [("abc123", "failed", "injection.taken-back")]
    again = replace(order("def456", "compaction:one:1"), occasion=ORDER.occasion.again("abc123"))
    injector, commands = inj.enqueue(injector, again, 101.0)
    assert told(commands) == [("abc123", "dropped", "injection.replaced"), ("def456", "queued", "")]
    assert [each.id for each in inj.orders(injector)] == ["def456"]


def test_it_is_confirmed_once_more_where_a_person_sends_it_again() -> None:
    injector, _ = inj.taken_back(inj.Injector(), BARE, PRINT, 100.0)
    assert inj.choose(injector, "abc123", "retry", 101.0) == (injector, ())  # it may stand in the composer
    _, commands = inj.recorded(injector, TEXT, 102.0)
    assert told(commands) == [("abc123", "confirmed", "")]


def test_what_nobody_needs_any_more_is_dropped() -> None:
    injector, commands = inj.taken_back(inj.Injector(), BARE, PRINT, 100.0, is_over=True)
    assert told(commands) == [("abc123", "dropped", "injection.taken-back")]
    assert inj.orders(injector) == ()
