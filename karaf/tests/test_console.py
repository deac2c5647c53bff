# SPDX-License-Identifier: Apache-2.0
"""Lines for the console: how they are quoted, and how their output and errors are told apart; its environment. What
Karaf does with them is in test_up_deep.py and ConsoleIT."""

import pathlib
import re
import unittest
import unittest.mock

from penstock_controller import Settings
from penstock_controller.console import Script
from penstock_controller.layout import Layout
from penstock_controller.programs import Programs


class ScriptTest(unittest.TestCase):
    def mark(self, script: Script) -> str:
        found = re.search(r"penstock-[0-9a-f]{32}", script.text)
        assert found
        return found[0]

    def test_each_line_is_a_text_of_its_own(self) -> None:
        script = Script('version\n\n  echo "$a`b\\c" \' {\r\n')
        mark = self.mark(script)
        self.assertEqual([
            f'try {{ eval "version" }} {{ echo "{mark} 1 $exception {mark}" }}',
            f'try {{ eval "echo \\"\\$a\\`b\\\\c\\" \' {{" }} {{ echo "{mark} 3 $exception {mark}" }}'],
            script.text.splitlines())

    def test_errors_are_told_apart(self) -> None:
        script = Script("first\nsecond\nthird")
        mark = self.mark(script)
        printed = script.printed(
            f"one\n{mark} 2 java.lang.IllegalArgumentException: tenant: there is\nno tenant {mark}\nthree\n"
            f"{mark} 3 \x1b[31mCommand not found\x1b[0m: x {mark}\n")
        self.assertEqual("one\nthree\n", printed.text)
        self.assertEqual(["line 2, second: tenant: there is\nno tenant", "line 3, third: Command not found: x"],
                         printed.errors)

    def test_a_line_cannot_pretend_an_error(self) -> None:
        first, other = Script("echo"), Script("echo")
        output = f"{self.mark(other)} 1 x: y {self.mark(other)}\n"
        self.assertEqual((output, []), (first.printed(output).text, first.printed(output).errors))

    def test_nothing(self) -> None:
        self.assertEqual("", Script(" \n\n").text)


class EnvironmentTest(unittest.TestCase):
    def terminal(self, **environment: str) -> str:
        nowhere = pathlib.Path("/nonexistent")
        with unittest.mock.patch.dict("os.environ", environment, clear=True):
            return Programs(Layout(nowhere, nowhere), None).environment(Settings("169.254.77.1"), client=True)["TERM"]

    def test_no_terminal_is_dumb(self) -> None:
        for name in ("", "dumb", "dumb-color"):
            with self.subTest(name):
                self.assertEqual("ansi", self.terminal(TERM=name))
        self.assertEqual("ansi", self.terminal())

    def test_other_types_stay(self) -> None:
        self.assertEqual("screen-256color", self.terminal(TERM="screen-256color"))
