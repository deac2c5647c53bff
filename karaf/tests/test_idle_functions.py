# SPDX-License-Identifier: Apache-2.0
"""The plugin with which functions of the gate sleep: a real testpmd between two TAP devices."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import pytest

from penstock_base import places, processes

pytestmark = pytest.mark.node

_PREFIX = f"idle-{os.getpid()}"
_PROGRAM = f"""
import subprocess, sys
from penstock_node.confined import Confinement
from penstock_suite import idle_functions
idle_functions.sleep()
print(*subprocess.check_output([*Confinement(uid=65534).words, "find", "/usr/lib", "-name", "librte_sleep*"],
                               text=True).split(), flush=True)
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
process = subprocess.Popen(
    ["dpdk-testpmd", "--lcores", "0@0,1@0", "--no-pci", "--no-huge", "-m", "128", "--no-telemetry",
     "--file-prefix={_PREFIX}", "--vdev=net_tap0,iface=left", "--vdev=net_tap1,iface=right", "--", "--nb-cores=1",
     "--total-num-mbufs=4096", "--forward-mode=io", "--auto-start"],
    stdin=sys.stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(process.pid, flush=True)
sys.exit(process.wait())
"""
_FRAMES = 3
_TALK = f"""
import socket
left, right = (socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x88b5) for _ in range(2))
left.bind(("left", 0x88b5))
right.bind(("right", 0x88b5))
right.settimeout(60)
for number in range({_FRAMES}):
    left.send(bytes.fromhex("02000000000202000000000188b5") + bytes([number]) * 50)
    print(right.recv(100)[14])
"""
_NANOSLEEP = {"35", "230"}
"""Numbers of nanosleep and clock_nanosleep on x86-64."""


class IdleFunctionsTest(unittest.TestCase):
    def test_testpmd_sleeps_and_forwards(self):
        self.addCleanup(shutil.rmtree, f"/var/run/dpdk/{_PREFIX}", ignore_errors=True)
        layers = self.enterContext(tempfile.TemporaryDirectory())
        pathlib.Path(layers).chmod(0o755)
        environment = os.environ | {"PYTHONPATH": places.python_path(), "TMPDIR": layers}
        with subprocess.Popen(["unshare", "--mount", "--net", sys.executable, "-c", _PROGRAM], env=environment,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
            self.addCleanup(started.kill)
            seen = pathlib.Path(started.stdout.readline().strip())
            self.assertEqual((seen.parents[1].name, seen.name), ("dpdk", "librte_sleep_when_idle.so"))
            testpmd = pathlib.Path("/proc", started.stdout.readline().strip())
            processes.wait_until(lambda: self.sleeps(testpmd), "the thread that forwards, asleep", 120)
            inside = ["nsenter", f"--net={testpmd}/ns/net"]
            for side in ("left", "right"):
                subprocess.run([*inside, "ip", "link", "set", side, "up"], check=True)
            for _ in range(2):
                talk = subprocess.run([*inside, sys.executable, "-c", _TALK], check=True, capture_output=True,
                                      text=True, timeout=300)
                self.assertEqual(talk.stdout.split(), [str(number) for number in range(_FRAMES)])
                processes.wait_until(lambda: self.sleeps(testpmd), "it sleeps again", 120)
            started.stdin.close()  # At the end of its input it leaves.
            self.assertEqual(started.wait(120), 0)

    @staticmethod
    def sleeps(testpmd):
        """Whether a worker of DPDK is in a system call that sleeps, which testpmd never does by itself."""
        try:
            threads = list(testpmd.glob("task/*"))
            return any("worker" in (thread / "comm").read_text(encoding="ascii")
                       and (thread / "syscall").read_text(encoding="ascii").split()[0] in _NANOSLEEP
                       for thread in threads)
        except (FileNotFoundError, ProcessLookupError):
            return False


if __name__ == "__main__":
    unittest.main()
