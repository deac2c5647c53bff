# SPDX-License-Identifier: Apache-2.0
"""A function that the switch is connected to, and that never answers it: as one that has not started its devices."""

import subprocess

from penstock_base import processes

_PROGRAM = """
import socket, sys, time
listening = [socket.socket(socket.AF_UNIX) for _ in sys.argv[1:]]
for each, path in zip(listening, sys.argv[1:]):
    each.bind(path)
    each.listen()
print("ready", flush=True)
connected = [each.accept() for each in listening]
time.sleep(600)
"""


def replace(case, directory, name):
    """Puts such a process in the place of the running function of that name. Returns its pid.

    directory: of the node
    """
    process = directory / "functions" / name / "testpmd.process"
    processes.stop(process)
    sockets = [directory / "vhost" / f"{name}-{side}.sock" for side in ("in", "out")]
    for path in sockets:
        path.unlink()
    silent = subprocess.Popen(["/usr/bin/python3", "-c", _PROGRAM, *sockets], stdout=subprocess.PIPE)
    case.addCleanup(silent.wait)
    case.addCleanup(silent.kill)
    case.addCleanup(silent.stdout.close)
    silent.stdout.readline()
    processes.record(silent.pid, process)
    return silent.pid
