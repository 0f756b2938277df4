"""去重：同一张卡在同一辆车上短时间内多次刷，只算一次。"""

from datetime import timedelta

WINDOW = timedelta(seconds=90)


def dedupe(swipes):
    """返回去重后的记录，按时间排序；同卡同车 90 秒内只留第一条。"""
    last = {}
    kept = []
    for swipe in sorted(swipes, key=lambda s: (s.swiped, s.card, s.bus)):
        key = (swipe.card, swipe.bus)
        before = last.get(key)
        if before is None or swipe.swiped - before > WINDOW:
            kept.append(swipe)
        last[key] = swipe.swiped
    return kept
