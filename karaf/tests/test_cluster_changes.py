# SPDX-License-Identifier: Apache-2.0
"""One controller becomes three, one of them is replaced, and one is left: what was accepted is there all the time.

One cluster serves all of it, because each start of three controllers takes most of a minute.
"""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import pytest

from penstock_base import places
from penstock_base.errors import PenstockError
from penstock_base.restconf import Restconf
from penstock_launcher import control

pytestmark = [pytest.mark.node, pytest.mark.deep, pytest.mark.cluster]

_ACL = "ietf-access-control-list:acls/acl="
_SECONDS = 300
_CHANGE = "import sys; from penstock_launcher import control; control.ensure('test', int(sys.argv[1]) or None)"
"""What ./penstock up does with controllers; 0: as many as there are."""


_KILL_ALL = """
from penstock_launcher import control
for each in control.running().values():
    each.kill()
for number in (1, 2):
    control.controller(number).stop()
"""
"""Supervision starts all of them again, and the two are stopped in that."""
_BEGIN = """
import sys
from penstock_launcher import control
controller = control.controller(int(sys.argv[1]))
controller.start(controller.settings)
"""


class Machine:
    """A network namespace, and directories of its own."""

    def __init__(self, directory):
        self.environment = os.environ | {"PYTHONPATH": places.python_path(), "PYTHONUNBUFFERED": "1"} | {
            f"PENSTOCK_{name}_DIR": str(directory / name.lower()) for name in ("RUN", "STATE", "LOG")}
        self.name = f"pscc{os.getpid()}"
        subprocess.run(["ip", "netns", "add", self.name], check=True)
        subprocess.run(["ip", "-n", self.name, "link", "set", "lo", "up"], check=True)

    def start(self, *words):
        """A program in the namespace; what it says is read from its standard error."""
        return subprocess.Popen(["ip", "netns", "exec", self.name, *map(str, words)], env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, *words):
        """(exit code, text) of a program."""
        process = self.start(*words)
        text, _ = process.communicate(timeout=_SECONDS)
        return process.returncode, text

    def change(self, count=0, killed_after=None):
        """Makes it so many controllers; is killed when a text was said."""
        process = self.start(places.PYTHON, "-c", _CHANGE, count)
        said = []
        for line in process.stdout:
            said.append(line)
            print(line, end="", file=sys.stderr)
            if killed_after and killed_after in line:
                process.kill()
        code = process.wait(timeout=_SECONDS)
        expected = -signal.SIGKILL if killed_after else 0
        if code != expected:
            raise AssertionError(f"{count} controllers: exit code {code}\n{''.join(said)}")

    def cluster(self, number, *words):
        """A command of penstock-controller for one of the controllers."""
        with _places(self.environment):
            run_dir = control.controller(number).run_dir
        return self.run(places.ROOT / "karaf" / "penstock-controller", "--run-dir", run_dir, "cluster", *words)

    def close(self):
        """Ends all controllers."""
        self.run(places.PYTHON, "-c", "from penstock_launcher import control; control.stop()")
        subprocess.run(["ip", "netns", "del", self.name], check=True)


@contextlib.contextmanager
def _places(environment):
    with unittest.mock.patch.dict(os.environ, environment):
        yield


class Writer:
    """A program in the namespace that stores ever new values by any controller, and prints those that are accepted."""

    PROGRAM = """
import sys, time
from tests.test_cluster_changes import write
value = 0
while True:
    value += 1
    if write(value):
        print(value, flush=True)
    time.sleep(0.1)
"""

    def __init__(self, machine):
        self.accepted = 0
        self._process = machine.start("env", "-C", places.ROOT / "karaf", places.PYTHON, "-c", self.PROGRAM)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        for line in self._process.stdout:
            if not line.strip().isdecimal():
                raise AssertionError(line)
            self.accepted = int(line)

    def goes_on(self, seconds=60):
        """Waits until one more is accepted."""
        before, deadline = self.accepted, time.monotonic() + seconds
        while self.accepted == before:
            if time.monotonic() > deadline:
                raise AssertionError("no change is accepted any more")
            time.sleep(0.1)

    def close(self):
        """Ends it, and returns the last value that was accepted."""
        self._process.kill()
        self._process.wait()
        self._thread.join()
        return self.accepted


def write(value):
    """Stores a value by the first controller that accepts it; whether one does."""
    for client in _clients():
        with contextlib.suppress(PenstockError, OSError):
            client.replace(_ACL + "value", {"ietf-access-control-list:acl": [{"name": "value", "aces": {"ace": [
                {"name": f"v{value}", "actions": {"forwarding": "ietf-access-control-list:accept"}}]}}]})
            return True
    return False


def _clients():
    password = (places.controller_directory() / "password").read_text(encoding="ascii").strip()
    return [Restconf(f"http://127.0.0.{number}:8181/rests", "admin", password, 5) for number in (1, 2, 3)]


class ChangesTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="ps-changes-", dir="/var/tmp")
        self.addCleanup(directory.cleanup)
        root = pathlib.Path(directory.name)
        root.chmod(0o755)
        self.machine = Machine(root)
        self.addCleanup(self.machine.close)
        self.state = root / "state"

    def stored(self, number):
        """The value that one controller has."""
        code, text = self.machine.run("curl", "-s", "-u", f"admin:{(self.state / 'controller/password').read_text()}"
                                      .strip(), f"http://127.0.0.{number}:8181/rests/data/{_ACL}value?content=config")
        self.assertEqual(code, 0, text)
        return int(json.loads(text)["ietf-access-control-list:acl"][0]["aces"]["ace"][0]["name"][1:])

    def status(self, number):
        """What `cluster status` tells."""
        _, text = self.machine.cluster(number, "status", "--json")
        return json.loads(text)

    def wait_missing(self, number, expected, seconds=10):
        """Waits until a controller misses some members: one that has ended is silent for some seconds first."""
        deadline = time.monotonic() + seconds
        while (found := self.status(number)["missing"]) != expected:
            if time.monotonic() > deadline:
                self.assertEqual(found, expected)
            time.sleep(0.2)

    def test_what_was_accepted_stays_while_members_change(self):
        machine = self.machine
        machine.change(1)
        writer = Writer(machine)
        self.addCleanup(writer.close)
        writer.goes_on()

        with self.subTest("one becomes three"):
            machine.change(3, killed_after="controller 2 is booting")
            machine.change(3)
            writer.goes_on()
            found = self.status(1)
            self.assertTrue(found["may-stop-one"], found)
            self.assertTrue(found["same-models"])
            self.assertEqual(sorted(each["role"] for each in found["members"]), ["master", "standby", "standby"])

        with self.subTest("all are killed, and two of them are enough, in any order"):
            accepted = writer.accepted
            self.program(_KILL_ALL)
            self.wait_missing(3, ["member-1 is away", "member-2 is away", "member-3 is waiting"], 60)
            self.program(_BEGIN, 2)
            writer.goes_on(120)
            self.wait_missing(3, ["member-1 is away"])
            self.assertGreaterEqual(self.stored(3), accepted)
            self.program(_BEGIN, 1)
            self.wait_missing(1, [], 120)

        with self.subTest("a member is replaced by an empty one"):
            self.stop(2)
            self.remove(2)
            machine.change()
            self.assertTrue(self.status(2)["may-stop-one"])
            self.stop(3)
            writer.goes_on()
            accepted = writer.accepted
            self.assertGreaterEqual(self.stored(2), accepted)

        with self.subTest("three become one"):
            code, text = machine.cluster(1, "forget")
            self.assertEqual((code, "it runs" in text), (1, True), text)
            self.wait_missing(2, ["member-3 is away"])
            machine.change(1, killed_after="controller 2 is retired")
            self.assertFalse((self.state / "controller-2").exists())
            machine.change()
            writer.goes_on()
            self.assertFalse((self.state / "controller-3").exists())
            self.assertTrue(list((self.state / "controller" / "retired").glob("member-*/audit-log")))
            accepted = writer.close()  # First: it goes on until then.
            self.assertGreaterEqual(self.stored(1), accepted)

    def stop(self, number):
        """Ends a controller for good."""
        self.program("import sys; from penstock_launcher import control; control.controller(int(sys.argv[1])).stop()",
                     number)

    def program(self, text, *words):
        """Runs a program of Python on the machine."""
        code, said = self.machine.run(places.PYTHON, "-c", text, *words)
        self.assertEqual(code, 0, said)

    def remove(self, number):
        """Loses its disk."""
        subprocess.run(["rm", "-r", self.state / f"controller-{number}"], check=True)


if __name__ == "__main__":
    unittest.main()
