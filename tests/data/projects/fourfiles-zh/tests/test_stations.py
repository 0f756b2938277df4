import unittest

from pipeline.stations import metres


class 距离(unittest.TestCase):
    def test_纬度差千分之一度约一百一十一米(self):
        self.assertAlmostEqual(metres(120.1, 30.2, 120.1, 30.201), 111.32, places=1)


if __name__ == "__main__":
    unittest.main()
