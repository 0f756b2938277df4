"""The read-back after a restore: what it should have said, what it did say, and how the two compare."""

from agentsup.core.recital.comparing import MISSING_NEXT, MISSING_TASK, TABOO, Judged, compare
from agentsup.core.recital.expected import Expected, expected

__all__ = ["MISSING_NEXT", "MISSING_TASK", "TABOO", "Expected", "Judged", "compare", "expected"]
