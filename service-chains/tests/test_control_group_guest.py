# SPDX-License-Identifier: Apache-2.0
"""Runs test_control_group.py in a guest: on Debian's kernel, with control groups of version 2."""

import pathlib
import re
import tempfile
import unittest

import pytest

import penstock_base
import penstock_node
from penstock_base.commands import run
from penstock_functions import catalogue, guest_image
from penstock_functions.forms import qemu

# Starts switches with DPDK, or guests.
pytestmark = [pytest.mark.node, pytest.mark.deep, pytest.mark.guest]

_HOME = pathlib.Path(__file__).resolve().parent.parent
_PYTHON = pathlib.Path("/usr/bin/python3.11")
_LIBRARY = pathlib.Path("/usr/lib/python3.11")
_NOT_NEEDED = {"__pycache__", "asyncio", "config-3.11-x86_64-linux-gnu", "dist-packages", "ensurepip", "idlelib",
               "lib-dynload", "lib2to3", "pydoc_data", "test", "xml"}
_COMMANDS = ("mount", "sleep", "true", "umount")
_MEMORY_MB = 512
_INIT = """#!/bin/busybox sh
export PATH=/bin:/sbin:/usr/bin
/bin/busybox mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
mkdir /tmp
cd /source/service-chains
export PYTHONPATH=/source/service-chains:/source/ovs-config
python3.11 -B -m unittest tests.test_control_group
echo "penstock: ended with $?, $(cat /sys/fs/cgroup/cgroup.subtree_control)"
poweroff -f
"""


class GuestTest(unittest.TestCase):

    def test_version_2(self):
        image = guest_image.build(catalogue.find("router-vm").rules)
        with tempfile.TemporaryDirectory() as directory:
            # The kernel unpacks archives that follow each other, into one tree.
            initramfs = pathlib.Path(directory, "initramfs")
            initramfs.write_bytes(image.initramfs.read_bytes() + guest_image.archive(
                self.files(), links={f"bin/{name}": "/bin/busybox" for name in _COMMANDS}))
            said = run(qemu.PROGRAM, *qemu._machine(qemu._acceleration(image), _MEMORY_MB), "-serial", "stdio",
                       *qemu._boot(guest_image.Image(image.kernel, initramfs), ""), timeout_seconds=850)
        self.assertRegex(said, "penstock: ended with 0, cpuset cpu memory hugetlb pids", said)
        self.assertGreaterEqual(int(re.search(r"Ran (\d+) tests", said)[1]), 10, said)
        self.assertRegex(said, "(?m)^OK\r?$", said)

    def files(self):
        """Python, and what is tested, as files of the archive."""
        libraries = [pathlib.Path(path) for path in re.findall(r"(/\S+) \(0x", run("ldd", _PYTHON))]
        modules = [path for path in _LIBRARY.rglob("*.py") if not _NOT_NEEDED & set(path.parts)]
        files = {str(path).lstrip("/"): (0o755, path.read_bytes()) for path in (_PYTHON, *libraries, *modules)}
        node, base = (pathlib.Path(package.__file__).parent for package in (penstock_node, penstock_base))
        for home, paths in ((_HOME, (*_HOME.glob("penstock_functions/*.py"), *_HOME.glob("tests/*.py"))),
                            (node.parent, (*node.glob("*.py"), *base.glob("*.py")))):
            files |= {f"source/{home.name}/{path.relative_to(home)}": (0o644, path.read_bytes()) for path in paths}
        # Python looks for that folder, and says so when it is missing.
        return files | {"init": (0o755, _INIT.encode("ascii")), f"{_LIBRARY}/lib-dynload/none"[1:]: (0o644, b"")}


if __name__ == "__main__":
    unittest.main()
