from datetime import date

from app.fines import compute_fine


def test_two_days_of_grace():
    assert compute_fine(date(2026, 2, 1), date(2026, 2, 3)) == 0
    assert compute_fine(date(2026, 2, 1), date(2026, 2, 4)) == 25


def test_a_fine_has_an_upper_bound():
    assert compute_fine(date(2025, 1, 1), date(2026, 1, 1)) == 1500
