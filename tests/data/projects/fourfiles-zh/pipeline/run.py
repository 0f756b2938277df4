"""把一天的明细洗成客流表。"""

import argparse
import sqlite3
import sys
from collections import Counter
from pathlib import Path

from pipeline.dedupe import dedupe
from pipeline.load import load_day
from pipeline.records import read_swipes
from pipeline.stations import nearest


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--day", required=True)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--output", required=True)
    options = parser.parse_args(arguments)
    swipes = []
    for path in sorted(options.input.glob(f"{options.day}*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            for swipe, bad in read_swipes(file):
                if bad:
                    print(f"{path}：{bad}", file=sys.stderr)
                else:
                    swipes.append(swipe)
    database = sqlite3.connect(options.output)
    database.executescript(Path("sql/flow.sql").read_text(encoding="utf-8"))
    stations = database.execute("SELECT name, lon, lat FROM stations").fetchall()
    flow = Counter((s.line, nearest(s, stations), s.swiped.hour) for s in dedupe(swipes))
    load_day(database, options.day, [(*key, count) for key, count in sorted(flow.items())])


if __name__ == "__main__":
    main()
