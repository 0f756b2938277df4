import unittest
from datetime import datetime, timedelta

from pipeline.dedupe import dedupe
from pipeline.records import Swipe

START = datetime(2026, 2, 28, 7, 30)


def swipe(seconds, bus="B1"):
    return Swipe("c1", bus, "12路", START + timedelta(seconds=seconds), 0.0, 0.0)


class 去重(unittest.TestCase):
    def test_90_秒内只留第一条(self):
        self.assertEqual(dedupe([swipe(0), swipe(40)]), [swipe(0)])

    def test_换车不算重复(self):
        self.assertEqual(len(dedupe([swipe(0), swipe(10, bus="B2")])), 2)


if __name__ == "__main__":
    unittest.main()
