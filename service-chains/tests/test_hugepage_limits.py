# SPDX-License-Identifier: Apache-2.0
"""A function that takes huge pages beyond its own. The kernel counts what a limit has refused, so no page is needed."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import pytest

from penstock_base import processes
from penstock_functions import control_group

pytestmark = pytest.mark.hostile

_HOMES = [pathlib.Path(processes.__file__).parents[1], pathlib.Path(control_group.__file__).parents[1]]
_PAGES = 2
_ATTACK = f"""
import json, mmap, os, pathlib, sys, types
from penstock_functions import control_group
from penstock_base import processes

size = next(int(line.split()[1]) << 10 for line in open("/proc/meminfo") if line.startswith("Hugepagesize:"))
entry = types.SimpleNamespace(form=sys.argv[2], core=0, scheduling="low", memory_mb={_PAGES} * size >> 20, rules=None)
group = control_group.plan(sys.argv[1], entry)

def refused():
    directory = pathlib.Path(group["directories"]["hugetlb"])
    said = [path.read_text("ascii") for path in (*directory.glob("hugetlb.*.rsvd.failcnt"),
                                                 *directory.glob("hugetlb.*.events"))]
    return sum(int(text.split()[-1]) for text in said)

def take(pages):
    before = refused()
    try:
        mmap.mmap(-1, pages * size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000).close()
        taken = True
    except OSError:
        taken = False
    return [taken, refused() - before]

control_group.make(group, "low")
try:
    child = os.fork()
    if child == 0:
        processes.join([os.open(path, os.O_WRONLY) for path in control_group.files(group)])
        print(json.dumps([take(pages) for pages in range(1, {_PAGES} + 3)]), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
finally:
    control_group.remove(group)
"""


class HugepageLimitsTest(unittest.TestCase):

    def attempts(self, form):
        """For one page more each time: whether it was taken, and how often the limit refused it."""
        with tempfile.TemporaryDirectory() as place:
            # In a mount namespace of its own, so that no other instance joins this hierarchy. Of version 2 it is there.
            done = subprocess.run(
                ["unshare", "--mount", "sh", "-c", 'mount -t cgroup -o hugetlb none "$0"; exec "$@"', place,
                 "/usr/bin/python3", "-B", "-c", _ATTACK, f"pst-{os.getpid()}-pages", form],
                capture_output=True, text=True, check=False,
                env=dict(os.environ) | {"PYTHONPATH": ":".join(map(str, _HOMES))})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_its_own_pages_and_no_more(self):
        *within, beyond = self.attempts("container")
        self.assertEqual([refused for _, refused in within], [0, 0, 0], "its memory, and one page for rounding")
        self.assertEqual(beyond, [False, 1])

    def test_a_guest_has_none(self):
        self.assertEqual(self.attempts("vm"), 4 * [[False, 1]])


if __name__ == "__main__":
    unittest.main()
