# SPDX-License-Identifier: Apache-2.0
"""What the switch says of its work is read as it is meant."""

import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

from penstock_bench import switch

SESSION = ("recirc_id(0),in_port(2),packet_type(ns=0,id=0),eth(src=02:00:00:00:01:ba,dst=02:50:53:00:00:01),"
           "eth_type(0x8100),vlan(vid=444,pcp=0),encap(eth_type(0x0800),ipv4(src=10.0.0.10,dst=198.51.100.10,proto=17,"
           "ttl=64,frag=no),udp(src=11442,dst=5000)), packets:1133, bytes:67980, used:3.439s, "
           "actions:set(ipv4(src=100.64.1.186,ttl=63)),pop_vlan,3")
TRACKED = ("ct_state(+new-est+trk),ct_mark(0/0x2),recirc_id(0x5e88),in_port(5),packet_type(ns=0,id=0),eth_type(0x0800),"
           "ipv4(src=10.0.0.10/255.255.255.248,dst=198.51.100.10/224.0.0.0,frag=no), packets:3807, bytes:228420, "
           "used:0.120s, actions:6")


class MasksTest(unittest.TestCase):

    def test_other_values_are_the_same_mask(self):
        other = (SESSION.replace("in_port(2)", "in_port(17)").replace("vid=444", "vid=9").replace("11442", "10000")
                 .replace("10.0.0.10", "10.0.0.7").replace("01:ba", "00:07").replace("packets:1133", "packets:5"))
        self.assertEqual(switch.masks([SESSION, other]), 1)
        other = (TRACKED.replace("0x5e88", "0x12").replace("+new-est", "-new+est").replace("(0/0x2)", "(0x2/0x2)")
                 .replace("10.0.0.10/", "10.0.0.16/"))
        self.assertEqual(switch.masks([TRACKED, other]), 1)

    def test_other_masks_are_another_mask(self):
        for what in (TRACKED.replace("255.255.255.248", "255.255.255.252"), TRACKED.replace("0/0x2", "0/0x3"),
                     TRACKED.replace("-est", ""), TRACKED.replace(",frag=no", ""), TRACKED.replace("/224.0.0.0", ""),
                     TRACKED.replace("ct_mark(0/0x2),", "")):
            self.assertEqual(switch.masks([TRACKED, what]), 2, what)
        self.assertEqual(switch.masks([SESSION, SESSION.replace("udp(src=11442,", "udp(")]), 2)
        self.assertEqual(switch.masks([SESSION, TRACKED]), 2)


_POLLING = """
import pathlib, sys, threading
def poll():
    pathlib.Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text("pmd-c01/id:9")
    print("ready", flush=True)
    sys.stdin.read()
threading.Thread(target=poll).start()
"""


class NicenessTest(unittest.TestCase):

    def test_of_all_threads(self):
        # In a session of its own, because the kernel's group of a session is changed too.
        with tempfile.TemporaryDirectory() as directory, subprocess.Popen(
                [sys.executable, "-c", _POLLING], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                start_new_session=True) as process:
            self.assertEqual(process.stdout.readline(), b"ready\n")
            ovs = types.SimpleNamespace(directory=pathlib.Path(directory))
            (ovs.directory / "ovs-vswitchd.pid").write_text(f"{process.pid}\n", encoding="ascii")
            before = os.getpriority(os.PRIO_PROCESS, 0)
            self.assertEqual(switch.niceness(ovs), before)
            wanted = min(before + 3, 19)
            switch.set_niceness(ovs, wanted)
            self.assertEqual(switch.niceness(ovs), wanted)
            self.assertEqual({os.getpriority(os.PRIO_PROCESS, int(path.name)) for path in
                              pathlib.Path(f"/proc/{process.pid}/task").iterdir()}, {wanted})
            process.stdin.close()


if __name__ == "__main__":
    unittest.main()
