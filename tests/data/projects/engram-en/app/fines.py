"""Fines, in whole cents."""

CENTS_A_DAY = 25
MOST_CENTS = 1500
GRACE_DAYS = 2


def compute_fine(due, returned):
    """Return the fine for a copy that was due on one day and came back on another."""
    late = (returned - due).days - GRACE_DAYS
    if late <= 0:
        return 0
    return min(late * CENTS_A_DAY, MOST_CENTS)
