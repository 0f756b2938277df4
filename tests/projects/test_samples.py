"""Four memory systems in two languages, and two whose files are broken: restored and judged as they should be."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

from agentsup.core.checks import references
from agentsup.core.checks.all import check_memory
from agentsup.core.checks.finding import Finding
from agentsup.core.memory.model import Work
from agentsup.locale import load, wording
from agentsup.restoring.prepare import tokens
from agentsup.store.git import repository
from tests.projects.samples import NAMES, RESTORED, Record, Sample, lay_out, remembered, restored


@dataclass(frozen=True)
class Prepared:
    """A sample with what is made of it."""

    sample: Sample
    findings: tuple[Finding, ...]


@pytest.fixture(scope="module", params=NAMES)
def prepared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Return a sample, laid out, examined and composed."""
    sample = lay_out(request.param, tmp_path_factory.mktemp("sample") / "project")
    work = Work(succeeded=tuple(sample.told.get("succeeded", ())))
    memory = remembered(sample)
    facts = repository(
        sample.root, references.hashes(memory), references.paths(memory), references.symbols(memory)
    )  # fmt: skip
    findings = check_memory(memory, wording(), facts, work, count=tokens)
    return Prepared(sample, findings)


def test_every_finding_is_as_the_specification_says(prepared: Prepared) -> None:
    found: list[Record] = sorted(
        (each.file, each.spot.line, each.spot.column, each.severity, each.code) for each in prepared.findings
    )
    missing = Counter(prepared.sample.expected) - Counter(found)
    more = Counter(found) - Counter(prepared.sample.expected)
    assert (sorted(missing), sorted(more)) == ([], [])


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_every_finding_has_its_words(prepared: Prepared, language: str) -> None:
    catalogue = load(language)
    for finding in prepared.findings:
        for part in ("message", "fix"):
            words = catalogue.text(f"check.{finding.code}.{part}", **dict(finding.values))
            assert words
            assert "{" not in words.replace("{{", "")
            assert not words.startswith("check.")
            assert "\n" not in words


def test_the_restore_text_is_as_expected(prepared: Prepared) -> None:
    text, size = restored(prepared.sample)
    assert text == (RESTORED / f"{prepared.sample.name}.txt").read_text(encoding="utf-8")
    assert size <= 2_000


def test_nothing_of_the_project_is_changed(prepared: Prepared) -> None:
    again = lay_out(prepared.sample.name, prepared.sample.root.parent / "again")
    for path in sorted(again.root.rglob("*")):
        if path.is_file() and ".git" not in path.relative_to(again.root).parts:
            assert (prepared.sample.root / path.relative_to(again.root)).read_bytes() == path.read_bytes()
