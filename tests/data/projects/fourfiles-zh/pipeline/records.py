"""刷卡记录：读入时就校验，后面不再怀疑。"""

import csv
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Swipe:
    card: str
    bus: str
    line: str
    swiped: datetime
    lon: float
    lat: float


class BadRow(ValueError):
    """这一行不能用；消息里有行号和原因。"""


def parse_row(number, row):
    """把 CSV 的一行变成 Swipe；不能用时抛 BadRow。"""
    try:
        card, bus, line, swiped, lon, lat = row
        return Swipe(card, bus, line, datetime.fromisoformat(swiped), float(lon), float(lat))
    except ValueError as error:
        raise BadRow(f"第 {number} 行：{error}") from error


def read_swipes(file):
    """逐行给出 (Swipe, None) 或 (None, BadRow)。"""
    for number, row in enumerate(csv.reader(file), 1):
        try:
            yield parse_row(number, row), None
        except BadRow as error:
            yield None, error
