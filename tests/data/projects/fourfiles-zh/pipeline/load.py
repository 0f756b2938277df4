"""写入客流表；同一天重跑时先删后写，结果不变。"""


def load_day(database, day, rows):
    """rows 是 (线路, 站点, 小时, 人次)。"""
    with database:
        database.execute("DELETE FROM flow WHERE day = ?", (day,))
        database.executemany("INSERT INTO flow VALUES (?, ?, ?, ?, ?)", [(day, *row) for row in rows])
