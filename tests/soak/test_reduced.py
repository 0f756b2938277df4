"""The repetitions at a twentieth of their counts or less, with fixed seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak import (
    approval_races,
    canaries,
    compactions,
    cycles,
    host_kills,
    hostile_files,
    interface_kills,
    interleavings,
    launches,
    logs,
    memory_writes,
    script_swaps,
    step_kills,
    terminal_floods,
    terminal_kills,
)
from tests.soak.tally import Tally

TIMED = ("within 2 s", "attached in < 1 s", logs.OPENED_WITHIN)
"""Held by the full run on a quiet machine; here others run beside it, so speed is not asserted."""


def assert_whole(tally: Tally) -> None:
    held = {what: number for what, number in tally.held.items() if what not in TIMED}
    assert set(held.values()) == {tally.count}, tally.row()


@pytest.mark.real_agent
def test_kills_of_the_interface_of_the_real_codex(tmp_path: Path, codex_program: Path) -> None:
    assert_whole(interface_kills.run(2, 7, tmp_path, codex_program))


@pytest.mark.real_agent
def test_launches_of_the_real_agents_in_one_folder(tmp_path: Path, codex_program: Path, claude_program: Path) -> None:
    assert_whole(launches.run(5, 7, tmp_path, codex_program, claude_program))


@pytest.mark.real_agent
def test_sends_at_the_moment_of_an_approval_of_the_real_codex(tmp_path: Path, codex_program: Path) -> None:
    assert_whole(approval_races.run(8, 7, tmp_path, codex_program))


def test_kills_of_the_interface_of_a_busy_program(tmp_path: Path) -> None:
    assert_whole(terminal_kills.run(4, 7, tmp_path))


def test_kills_of_the_host(tmp_path: Path) -> None:
    assert_whole(host_kills.run(5, 7, tmp_path))


def test_canaries_in_a_fresh_clone(tmp_path: Path) -> None:
    assert canaries.sings(tmp_path / "by hand") == set(canaries.COMMITTED)
    assert_whole(canaries.run(1, tmp_path / "clone"))


def test_start_and_stop(tmp_path: Path) -> None:
    assert_whole(cycles.run(12, tmp_path))


def test_sequences_without_an_end(tmp_path: Path) -> None:
    assert_whole(terminal_floods.run_unterminated(10, tmp_path))


def test_random_bytes(tmp_path: Path) -> None:
    assert_whole(terminal_floods.run_random(2, 7, tmp_path))


def test_markup_in_foreign_text(tmp_path: Path) -> None:
    assert_whole(terminal_floods.run_markup(tmp_path))


def test_a_log_written_byte_by_byte(tmp_path: Path) -> None:
    assert_whole(logs.run_bytewise(5000, 7, tmp_path))


def test_giant_lines_in_a_log(tmp_path: Path) -> None:
    assert_whole(logs.run_long(20, tmp_path))


def test_a_sparse_log(tmp_path: Path) -> None:
    assert_whole(logs.run_sparse(20, tmp_path))


def test_kills_of_a_process_that_writes_memory(tmp_path: Path) -> None:
    assert_whole(memory_writes.run_kills(10, 7, tmp_path))


def test_updates_of_one_file_by_three_processes(tmp_path: Path) -> None:
    assert_whole(memory_writes.run_updates(3, 50, tmp_path))


def test_updates_of_a_file_that_another_program_adds_to(tmp_path: Path) -> None:
    assert_whole(memory_writes.run_foreign(250, tmp_path))


def test_writes_to_full_and_read_only_disks(tmp_path: Path) -> None:
    assert_whole(memory_writes.run_hindered(tmp_path))


def test_files_exchanged_for_links_while_they_are_used(tmp_path: Path) -> None:
    assert_whole(hostile_files.run(700, tmp_path))


def test_swaps_of_a_script_between_check_and_run(tmp_path: Path) -> None:
    assert_whole(script_swaps.run(500, 7, tmp_path))


@pytest.mark.real_agent
def test_compactions_of_the_real_agents(tmp_path: Path, codex_program: Path, claude_program: Path) -> None:
    assert_whole(compactions.run(4, 7, tmp_path, codex_program, claude_program))


def test_kills_between_the_steps_of_an_injection(tmp_path: Path) -> None:
    assert_whole(step_kills.run(1, tmp_path))


def test_interleavings_of_hands_dialogs_and_kills(tmp_path: Path) -> None:
    assert_whole(interleavings.run(6, 7, tmp_path))
