"""Judge how long things are that are always restored."""

from __future__ import annotations

from agentsup.core.checks.finding import Finding
from agentsup.core.memory.lines import lines
from agentsup.core.memory.model import Document, Memory, Spot
from agentsup.core.restore.core_size import MOST, core_sizes
from agentsup.core.restore.cutting import Count

MOST_CONVENTION_LINES = 50


def check_core(memory: Memory, count: Count) -> tuple[Finding, ...]:
    """Return a finding where what a task is resumed from is too long together; its file is the longest one."""
    sizes = core_sizes(memory, count)
    tokens = sum(sized.tokens for sized in sizes)
    if tokens <= MOST:
        return ()
    longest = max(sizes, key=lambda sized: sized.tokens)
    values = (("tokens", str(tokens)), ("most", str(MOST)), ("longest", str(longest.tokens)))
    return (Finding(longest.file, Spot(), "warning", "core.too-long", values),)


def check_conventions(document: Document) -> tuple[Finding, ...]:
    """Return a finding where the conventions have too many lines."""
    if document.text is None:
        return ()
    found = len(lines(document.text))
    if found <= MOST_CONVENTION_LINES:
        return ()
    values = (("lines", str(found)), ("most", str(MOST_CONVENTION_LINES)))
    return (Finding(document.path, Spot(), "warning", "conventions.too-long", values),)
