"""`agentsup doctor [AGENT|SESSION] [--symptoms] [--json]`: everything that can stop agentsup from working.

With a known agent's name, or a session's id or prefix, of agents and sessions only these are looked at. Nothing
is started, made or mended. The JSON object: findings[{check, level, key, what, todo, values}]. `check` is a
group (agents, sessions, folders, project, memory, trust, terminal, system), a dot and a name; `level` ok, warning,
problem or unknown; `key` what was found, for programs; `what` and `todo` say it in English, `todo` empty where
nothing is to be done; `values` are those that the sentences name. Exit 0: no problem; 1: problems were found; 2:
usage.

With --symptoms nothing is looked at: it prints a table of what goes wrong with an agent's memory, where to look, and
what helps. Its JSON object: symptoms[{name, symptom, look, remedy}], in English.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from agentsup.cli.doctor import plan, symptoms
from agentsup.cli.doctor import sessions as sessions_check
from agentsup.cli.doctor.examination import DEADLINE, examine, within
from agentsup.cli.doctor.finding import Finding, Level
from agentsup.cli.doctor.report import Report
from agentsup.cli.printing import print_json, printing
from agentsup.cli.sessions import Found
from agentsup.core.catalogue import Catalogue
from agentsup.core.problems import Problem
from agentsup.locale import load
from agentsup.store.settings_files import read_settings


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", nargs="?", metavar="AGENT|SESSION", default="")
    parser.add_argument("--symptoms", action="store_true")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Examine and print; returns the exit code."""
    if arguments.symptoms:
        return _print_symptoms(arguments)
    here = plan.here()
    running, failed = _running()
    agent, sessions = plan.chosen(arguments.name, running)
    levels: list[Level] = []
    findings = _counted(failed, examine(plan.checks(os.environ, here, agent, sessions)), levels)
    with printing(exact=arguments.json):
        if arguments.json:
            print_json({"findings": [_as_json(finding) for finding in findings]})
        else:
            _print(findings, levels, load(_language(arguments.language, here)))
    return 1 if "problem" in levels else 0


def _print_symptoms(arguments: argparse.Namespace) -> int:
    with printing(exact=arguments.json):
        if arguments.json:
            print_json(symptoms.as_json(load("en")))
        else:
            symptoms.print_table(load(_language(arguments.language, plan.here())))
    return 0


def _running() -> tuple[list[Found], list[Finding]]:
    """Return the running sessions; where they can't be listed, the finding that says so."""
    try:
        return within(DEADLINE, lambda: sessions_check.running(os.environ)), []
    except TimeoutError:
        return [], [Finding("sessions.all", "unknown", "doctor.too-slow", {"seconds": f"{DEADLINE:g}"})]
    except OSError as error:
        return [], [Finding("sessions.all", "unknown", "doctor.failed", {"reason": str(error)})]


def _counted(first: Iterable[Finding], rest: Iterable[Finding], levels: list[Level]) -> Iterator[Finding]:
    for findings in (first, rest):
        for finding in findings:
            levels.append(finding.level)
            yield finding


def _print(findings: Iterable[Finding], levels: list[Level], catalogue: Catalogue) -> None:
    report = Report(catalogue, sys.stdout, os.environ)
    for finding in findings:
        report.show(finding)
    report.end(levels)


def _as_json(finding: Finding) -> dict[str, object]:
    english = load("en")
    return {
        "check": finding.check, "level": finding.level, "key": finding.key, "what": finding.what(english),
        "todo": finding.todo(english), "values": dict(finding.values),
    }  # fmt: skip


def _language(given: str | None, here: Path) -> str:
    """Return the language to speak: settings that can't be read are a finding and must not silence the others."""
    try:
        return given or read_settings(os.environ, here).text("interface.language")
    except Problem:
        return "auto"
