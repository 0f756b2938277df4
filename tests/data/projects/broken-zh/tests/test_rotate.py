import unittest
from datetime import date, timedelta

from bot.roster import Person
from bot.rotate import START, on_duty


class 轮换(unittest.TestCase):
    def test_请假的跳过(self):
        roster = [Person("甲", "一组"), Person("乙", "一组", date(2026, 3, 9))]
        self.assertEqual([p.name for p in on_duty(roster, START)], ["甲"])

    def test_第二天轮到第二组(self):
        roster = [Person("甲", "一组"), Person("丙", "二组")]
        self.assertEqual(on_duty(roster, START + timedelta(days=1))[0].group, "二组")
