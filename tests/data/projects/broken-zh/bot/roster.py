"""名单：谁在哪一组，谁请假。"""

import csv
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Person:
    name: str
    group: str
    away_until: date | None = None

    def is_away(self, day):
        return self.away_until is not None and day <= self.away_until


def load_roster(file):
    """从 CSV 读名单；“请假到”为空就是在。"""
    return [
        Person(row["姓名"], row["组"], date.fromisoformat(row["请假到"]) if row["请假到"] else None)
        for row in csv.DictReader(file)
    ]
