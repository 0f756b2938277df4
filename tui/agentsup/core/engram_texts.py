"""What an agent is told of its engram: that it is asked for, what is wrong with it, that a person has corrected it."""

from __future__ import annotations

from collections.abc import Sequence

from agentsup.core.catalogue import Catalogue
from agentsup.core.checks.finding import Finding
from agentsup.core.engram_intake import MOST_ATTEMPTS
from agentsup.core.memory.engram import MOST_ITEMS, MOST_WORDS
from agentsup.core.text import on_one_line, sanitise

FINDINGS_MOST = 12
"""Findings that are told: an agent mends what is gravest first."""

_LINE_MOST = 300


def asking(catalogue: Catalogue, id: str, *, percent: int, files: int) -> str:
    """Return the text that asks for an engram: the context is this full, and so many files were edited since."""
    text = catalogue.text
    return _text(
        text("intake.ask.header", id=id, percent=percent),
        text("intake.ask.why", files=files),
        text("intake.write", items=MOST_ITEMS, words=MOST_WORDS),
        text("intake.wait"),
    )


def sending_back(catalogue: Catalogue, id: str, attempt: int, findings: Sequence[Finding]) -> str:
    """Return the text that says what is wrong with the engram of the agent's last message."""
    text = catalogue.text
    more = len(findings) - FINDINGS_MOST
    return _text(
        text("intake.back.header", id=id, attempt=attempt, most=MOST_ATTEMPTS),
        "\n".join(_line(finding, catalogue) for finding in findings[:FINDINGS_MOST]),
        text("intake.back.more", count=more) if more > 0 else "",
        text("intake.write", items=MOST_ITEMS, words=MOST_WORDS),
        text("intake.wait"),
    )


def correcting(catalogue: Catalogue, id: str, engram: str) -> str:
    """Return the text that tells an agent which engram holds now."""
    rule = "-" * 16
    return _text(
        catalogue.text("intake.corrected.header", id=id),
        f"{rule}\n{engram.strip()}\n{rule}",
        catalogue.text("intake.corrected.use"),
        catalogue.text("intake.wait"),
    )


def _text(*parts: str) -> str:
    return sanitise("\n\n".join(part for part in parts if part))


def _line(finding: Finding, catalogue: Catalogue) -> str:
    values = dict(finding.values)
    said = [_sentence(catalogue.text(key, **values)) for part in ("message", "fix")
            if catalogue.has(key := f"check.{finding.code}.{part}")]  # fmt: skip
    place = catalogue.text("intake.back.line", line=finding.spot.line)
    return on_one_line(f"- {place} {' '.join(said)}")[:_LINE_MOST]


def _sentence(text: str) -> str:
    """Return words that end: those that quote an item end as the item does."""
    text = text.rstrip()
    return text if text.endswith((".", "!", "?", '"', "。", "！", "？", "”")) else f"{text}."
