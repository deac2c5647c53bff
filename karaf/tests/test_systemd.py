# SPDX-License-Identifier: Apache-2.0
"""A controller under systemd: the unit, and what systemd is told."""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from penstock_controller import probe, systemd

_KARAF = pathlib.Path(__file__).resolve().parent.parent
_EXPOSURE = 2.0
"""The most that `systemd-analyze security` may say of the controller; 10 is no protection at all."""


class _Controller:
    """Answers one after the other, then the last one again and again."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def ask(self):
        """The next answer."""
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def _answer(done, engine="OPERATIONAL", reason=""):
    return probe.Answer(dict.fromkeys(probe.STEPS, done), engine, reason)


def _waiting():
    return probe.Answer(dict.fromkeys(probe.STEPS, False) | {"web": True}, "")


class SystemdTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.socket.close)
        self.socket.bind(str(self.directory / "notify"))
        self.socket.settimeout(300)

    def told(self, *answers, datagrams, shared=False):
        controller = _Controller(*answers)
        watching = threading.Thread(target=systemd.watch, daemon=True,
                                    args=(controller, str(self.directory / "notify"), shared, 0.02))
        watching.start()
        return [self.socket.recv(1000).decode().splitlines() for _ in range(datagrams)]

    def test_ready_once_and_signs_of_life_while_it_answers(self):
        self.assertEqual(self.told(FileNotFoundError(), _answer(False, ""), _answer(True), datagrams=3),
                         [["READY=1", "WATCHDOG=1"], ["WATCHDOG=1"], ["WATCHDOG=1"]])

    def test_a_member_that_waits_for_others_has_more_time(self):
        waits = _waiting()
        self.assertEqual(self.told(_answer(False, ""), waits, waits, _answer(True), datagrams=3, shared=True),
                         [["EXTEND_TIMEOUT_USEC=60000000"], ["EXTEND_TIMEOUT_USEC=60000000"],
                          ["READY=1", "WATCHDOG=1"]])

    def test_one_that_is_alone_has_no_more_time(self):
        self.assertEqual(self.told(_waiting(), _answer(True), datagrams=1), [["READY=1", "WATCHDOG=1"]])

    def test_silence_when_it_no_longer_answers(self):
        self.told(_answer(True), _answer(True), _answer(False, ""), datagrams=2)
        self.socket.settimeout(0.3)
        with self.assertRaises(TimeoutError):
            self.socket.recv(1000)

    def test_an_engine_that_cannot_work_is_told_with_its_reason(self):
        self.assertEqual(self.told(_answer(False, "ERROR", "line 3 of the journal\nmore"), datagrams=1),
                         [["STATUS=line 3 of the journal", "READY=1", "WATCHDOG=1"]])

    def test_unit(self):
        text = self.command("unit", "--user=daemon", "--listen", "169.254.77.1", "--heap", "1g")
        self.assertIn(f"--run-dir {self.directory} run --listen 169.254.77.1 --heap 1g\n", text)
        self.assertIn("User=daemon\n", text)
        path = self.directory / "penstock-controller.service"
        path.write_text(text, encoding="utf-8")
        checked = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        said = subprocess.run(["systemd-analyze", "security", "--offline=true", path], capture_output=True, text=True,
                              check=True).stdout
        self.assertLessEqual(float(said.rpartition(": ")[2].split()[0]), _EXPOSURE, said)

    def test_a_wrong_option_makes_no_unit(self):
        self.assertIn("no-address", self.command("unit", "--listen", "no-address", code=1))

    def command(self, *arguments, code=0):
        done = subprocess.run(
            [sys.executable, "-B", "-m", "penstock_controller", "--run-dir", str(self.directory), *arguments],
            env={**os.environ, "PYTHONPATH": str(_KARAF)}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr


if __name__ == "__main__":
    unittest.main()
