# SPDX-License-Identifier: Apache-2.0
"""What a run of the tests leaves behind, however it ends, and how little it depends on what has started it."""

import contextlib
import json
import os
import pathlib
import pwd
import signal
import subprocess
import sys
import unittest
import uuid

from penstock_base import places, processes
from penstock_node.hugepages import HugePages
from penstock_suite import descendants

_RUN = "import sys; from penstock_suite import sandbox; sys.exit(sandbox.run(sys.argv[1:]))"
_STATE = """
import json, os, signal, time
print(json.dumps({
    "ignored": [number for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
                if signal.getsignal(number) == signal.SIG_IGN],
    "umask": os.umask(0), "home": os.environ.get("HOME"), "time zone": time.tzname[0],
    "locale": {name: value for name, value in os.environ.items() if name.startswith(("LC_", "LANG"))},
    "temporary": os.listdir("/tmp"), "terminal": os.isatty(0)}))
"""
# Everything that a test could leave: processes of their own sessions, namespaces, mounts, files, control groups, pages.
_LEAVES = """
set -e
echo file > /tmp/left
echo file > /var/tmp/left
setsid sleep 98{0} < /dev/null &
ip netns add left-{0}
mount -t tmpfs tmpfs /mnt
/usr/bin/python3 -c '
from penstock_node.hugepages import HugePages
import os
os.mkdir("/var/tmp/node-{0}")
pages, owner, megabytes = HugePages(), "node /var/tmp/node-{0}", 2
while not pages.added_by(owner):  # Pages that are free already, those of a killed node for example, are not borrowed.
    with pages.reserve(owner, megabytes):
        megabytes += 64
'
group=$(ls -d /sys/fs/cgroup/cpu /sys/fs/cgroup | head -n 1)/psf-left-{0}
mkdir "$group"
echo "$group" > {1}
mkdir -p /tmp/run/node/functions/fw
echo '{{"control-group": {{"directories": {{"cpu": "'"$group"'"}}}}}}' > /tmp/run/node/functions/fw/state.json
setsid sleep 97{0} < /dev/null
"""


class SandboxTest(unittest.TestCase):
    def setUp(self):
        self.number = str(uuid.uuid4().int)[:12]
        self.mark = pathlib.Path(f"/run/{self.number}.mark")  # /tmp and /var/tmp are its own.
        self.addCleanup(self.mark.unlink, missing_ok=True)

    def start(self, *command, **options):
        environment = os.environ | {"PYTHONPATH": places.python_path()} | options.pop("environment", {})
        return subprocess.Popen([sys.executable, "-c", _RUN, *command], env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def output(self, *command, code=0, **options):
        process = self.start(*command, **options)
        said, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, errors)
        return said

    def test_the_same_whatever_has_started_it(self):
        usual = json.loads(self.output(sys.executable, "-c", _STATE))
        self.assertEqual(usual, {"ignored": [], "umask": 0o022, "home": pwd.getpwuid(os.geteuid()).pw_dir,
                                 "time zone": "UTC", "locale": {"LANG": "C.UTF-8"}, "temporary": [], "terminal": False})

        def as_cron():
            for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
        odd = json.loads(self.output(
            sys.executable, "-c", _STATE, preexec_fn=as_cron, umask=0o077, start_new_session=True,
            environment={"HOME": "/nowhere", "TZ": "Asia/Tokyo", "LC_ALL": "tr_TR.UTF-8", "LANG": "POSIX",
                         "PYTHONIOENCODING": "ascii"}))
        self.assertEqual(odd, usual)

    def test_exit_codes(self):
        self.output("sh", "-c", "exit 7", code=7)
        self.output("sh", "-c", "kill -9 $$", code=128 + 9)

    def test_it_leaves_nothing_when_it_ends(self):
        self.output("bash", "-c", _LEAVES.format(self.number, self.mark).replace("setsid sleep 97", "echo "))
        self.left_nothing()

    def test_a_group_of_a_function_that_starts_elsewhere_stays(self):
        """It has no process yet: a run that ended took it away, and the function did not start."""
        top = pathlib.Path("/sys/fs/cgroup")
        group = (top / "cpu" if (top / "cpu").is_dir() else top) / f"psf-other-{self.number}"
        group.mkdir()
        self.addCleanup(group.rmdir)
        self.output("true")
        self.assertTrue(group.is_dir())

    def test_it_leaves_nothing_when_a_signal_ends_it(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number):
                process = self.begun(preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
                process.send_signal(number)
                errors = process.communicate(timeout=120)[1]
                self.assertEqual(process.returncode, 128 + number)
                self.assertEqual(errors, f"penstock: ended by {number.name}; nothing is left running\n")
                self.left_nothing()

    def test_the_next_run_removes_what_a_killed_one_has_left(self):
        process = self.begun()
        process.kill()
        process.communicate(timeout=120)
        # The kernel ends the processes, and the namespaces with them.
        processes.wait_until(lambda: not self.running(), "the end of all processes", 60)
        self.assertIn(f"node /var/tmp/node-{self.number}", HugePages().owners())
        self.output("true")
        self.left_nothing()

    def begun(self, **options):
        self.mark.unlink(missing_ok=True)
        process = self.start("bash", "-c", _LEAVES.format(self.number, self.mark), **options)
        self.addCleanup(self.end, process)
        processes.wait_until(lambda: f"97{self.number}" in self.running(), "all that it makes", 120)
        self.assertTrue(self.group().exists())
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            descendants.signal_all(process.pid, signal.SIGKILL)
        process.communicate()

    def running(self):
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = path.read_bytes().split(b"\0")
                if words[0] == b"sleep" and self.number.encode() in words[1]:
                    found.append(words[1].decode())
        return found

    def group(self):
        return pathlib.Path(self.mark.read_text(encoding="ascii").strip())

    def left_nothing(self):
        self.assertEqual(self.running(), [])
        self.assertFalse(self.group().exists())
        self.assertNotIn(f"node /var/tmp/node-{self.number}", HugePages().owners())
        self.assertFalse(pathlib.Path(f"/run/netns/left-{self.number}").exists())
        self.assertFalse(pathlib.Path("/tmp/left").exists())
        self.assertFalse(pathlib.Path("/mnt").is_mount())
        self.assertFalse(pathlib.Path("/var/tmp/left").exists())
        self.assertEqual([*pathlib.Path("/var/tmp").glob("penstock-test-*/*/left")], [])


if __name__ == "__main__":
    unittest.main()
