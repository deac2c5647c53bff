# SPDX-License-Identifier: Apache-2.0
"""Control groups of machines that tests start: each has one of its own in every hierarchy of the kernel."""

import contextlib
import os
import pathlib
import signal
import time

_HIERARCHIES = ("/sys/fs/cgroup", *("/sys/fs/cgroup/" + name for name in (
    "blkio", "cpu", "cpuacct", "cpu,cpuacct", "cpuset", "devices", "freezer", "memory", "pids", "systemd", "unified")))
_JOIN = """\
for hierarchy in {hierarchies}; do
    [ ! -e $hierarchy/cgroup.procs ] || {{
        mkdir -p $hierarchy/{group}
        for file in cpus mems; do
            [ ! -e $hierarchy/cpuset.$file ] || cat $hierarchy/cpuset.$file >$hierarchy/{group}/cpuset.$file
        done
        echo $$ >$hierarchy/{group}/cgroup.procs
    }}
done
"""


def join(group):
    """Lines of a shell that make the groups and move it into them."""
    return _JOIN.format(hierarchies=" ".join(_HIERARCHIES), group=group)


def end(group):
    """Ends all that runs in the groups, and removes them."""
    for hierarchy in _HIERARCHIES:
        top = pathlib.Path(hierarchy, group)
        for path in sorted((top, *top.rglob("*/")), reverse=True):
            if path.is_dir():
                until(lambda path=path: _removed(path), f"the end of {path}", 180, lambda: "")


def _removed(group):
    """A group can be removed some time after its last process has ended."""
    for pid in (group / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError):  # It has ended meanwhile.
            os.kill(int(pid), signal.SIGKILL)
    try:
        group.rmdir()
    except OSError:
        return False
    return True


def until(condition, what, seconds, log):
    """Waits for something; returns it. log: asked for what to show if it does not come."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds} s\n{log()[-3000:]}")
        time.sleep(0.1)
    return found
