"""Which agents are known, and how much of each."""

from __future__ import annotations

import pytest

from agentsup.agents.generic import Generic
from agentsup.agents.registry import KNOWN, SCREEN_ONLY, adapter_for, has_log, is_known, names, names_with_log
from agentsup.agents.screen_patterns import built_in
from agentsup.core.screen import Screen
from agentsup.locale import LANGUAGES, messages


@pytest.mark.parametrize("name", SCREEN_ONLY)
def test_an_agent_known_by_its_screen_has_panels_and_figures_and_is_never_typed_into(name: str) -> None:
    adapter = adapter_for(name)
    assert (adapter.name, is_known(adapter), has_log(adapter)) == (name, True, False)
    assert adapter.composer(Screen()).kind == "unknown"
    assert built_in(name) is not None


@pytest.mark.parametrize("name", names())
def test_a_program_that_merely_has_the_name_is_none(name: str) -> None:
    adapter = adapter_for(name, supervised=False)
    assert type(adapter) is Generic
    assert not is_known(adapter)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_to_do_where_an_agent_is_not_installed_is_said_of_all(language: str) -> None:
    said = messages(language)
    assert {
        f"agent.{name}-missing.{part}" for name in ("codex", "claude", *SCREEN_ONLY) for part in ("what", "todo")
    } <= said.keys()


def test_those_with_a_log_are_those_with_an_adapter_of_their_own() -> None:
    assert all(has_log(known()) for known in KNOWN)
    assert set(names()) == {*names_with_log(), *SCREEN_ONLY}
