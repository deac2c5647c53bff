# SPDX-License-Identifier: Apache-2.0
"""What the agent answers when the controller asks whether its orders are carried out."""

import json
import unittest

from penstock_node import agent_progress, agent_sessions
from penstock_node.agent_progress import Progress


class ProgressTest(unittest.TestCase):

    def setUp(self):
        self.progress = Progress()

    def told(self, waiting=(), failed=()):
        self.progress.tell(dict(waiting), dict(failed))
        return json.loads(self.progress.report)

    def test_each_question_has_an_answer_of_its_own(self):
        self.assertFalse(self.progress.want(None, None))
        self.assertFalse(self.progress.is_asked())
        self.assertTrue(self.progress.want("a 1", None))
        self.assertIsNone(self.progress.report, "nothing is said of it yet")
        self.assertEqual(self.told(), {"order": "a 1", "waiting": {}, "failed": {}, "more": 0})
        self.assertFalse(self.progress.is_asked())
        self.assertFalse(self.progress.want("a 1", None))
        self.assertTrue(self.progress.want("a 2", self.progress.report))
        self.assertIsNone(self.progress.report)

    def test_it_goes_on_answering_until_nothing_is_left(self):
        self.progress.want("a 1", None)
        self.assertEqual(self.told({7: "the resolver starts"})["waiting"], {"7": "the resolver starts"})
        self.assertTrue(self.progress.is_asked())
        self.assertEqual(self.told(failed={7: "it ended"})["failed"], {"7": "it ended"})
        self.assertFalse(self.progress.is_asked(), "what fails is not waited for")

    def test_what_an_agent_before_has_answered_stays(self):
        self.progress.want("a 1", None)
        self.told()
        another = Progress()
        self.assertFalse(another.want("a 1", self.progress.report))
        self.assertEqual(another.report, self.progress.report)
        self.assertTrue(another.want("a 2", self.progress.report))
        self.progress.want("a 2", None)
        self.told({7: "the resolver starts"})
        another = Progress()
        self.assertTrue(another.want("a 2", self.progress.report), "it had not come to an end")
        for damaged in ("{", "[]", "7", '{"order": "a 1"}', None):
            self.assertTrue(Progress().want("a 2", damaged))

    def test_an_answer_is_short_whatever_is_left(self):
        self.progress.want("a 1", None)
        answer = self.told(dict.fromkeys(range(1000), "x" * 1000), dict.fromkeys(range(2000, 2020), "y"))
        self.assertEqual((len(answer["waiting"]), len(answer["failed"])), (agent_progress.MOST_NAMED,) * 2)
        self.assertEqual(answer["more"], 1020 - 2 * agent_progress.MOST_NAMED)
        self.assertLess(len(self.progress.report), 5000)


class NothingRuns:
    """A switch that has not been started."""

    def __init__(self, directory):
        self.switch_process = directory


class PendingLimitsTest(unittest.TestCase):

    def test_limits_that_were_not_read_back_are_pending(self):
        sessions = agent_sessions.Sessions(NothingRuns("/nowhere"), print, lambda: 100.0)
        self.assertEqual(sessions.pending(), set())
        sessions.want({7: "100"}, (7, 8))
        sessions.run()
        self.assertEqual(sessions.pending(), {7, 8})


if __name__ == "__main__":
    unittest.main()
