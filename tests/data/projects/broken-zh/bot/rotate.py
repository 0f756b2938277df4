"""轮换：按天轮组，组内按名单顺序，请假的跳过。"""

from datetime import date

START = date(2026, 2, 23)


def on_duty(roster, day):
    """返回当天值日的人；一整组都请假时轮到下一组。"""
    groups = sorted({person.group for person in roster})
    first = (day - START).days % len(groups)
    for name in groups[first:] + groups[:first]:
        present = [p for p in roster if p.group == name and not p.is_away(day)]
        if present:
            return present
    return []
