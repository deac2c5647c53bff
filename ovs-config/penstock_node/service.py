# SPDX-License-Identifier: Apache-2.0
"""Becomes the process of a supervised service: `python3 -m penstock_node.service FILE`, run by its supervisor."""

import contextlib
import fcntl
import os
import pathlib
import sys
import time

from penstock_base import processes

from . import supervision

_POLL_SECONDS = 0.2


def main() -> None:
    """Waits for a former process of the service to end, then becomes the next one, unless it is to stay down."""
    # By this descriptor the folder is found also after it was renamed, which is how a service is removed.
    folder = os.open(".", os.O_PATH | os.O_DIRECTORY)
    service = supervision.read(sys.argv[1])
    # Held until this process has become the program, or has ended: of two that find no former process only one goes on.
    turn = os.open(supervision.TURN, os.O_RDWR | os.O_CREAT, 0o640)
    # The former process outlives a supervisor that was killed; a second one beside it would do harm.
    while not _takes(turn) or processes.is_running(service.process):
        if supervision.supervisor(pathlib.Path()) != os.getppid():
            return  # The next supervisor has one that waits.
        time.sleep(_POLL_SECONDS)
    failed = supervision.make_ready(service)
    uptime = int(time.clock_gettime(time.CLOCK_BOOTTIME))
    with contextlib.suppress(OSError):  # A full disk. Without it the next start comes a second later.
        pathlib.Path(supervision.BEGUN).write_text(f"{uptime}\n", encoding="ascii")
    output = os.open(service.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o640)
    nothing = os.open("/dev/null", os.O_RDONLY)
    for number, file in enumerate((nothing, output, output)):
        os.dup2(file, number)
    os.chdir("/")
    if failed:
        sys.exit(f"{service.name} does not start: {failed}")
    supervision.make_links(service, os.getpid())
    command = [str(word) for word in service.command]
    if service.namespace:
        # ip becomes the program, so the process id stays the same.
        command = ["ip", "netns", "exec", service.namespace, *command]
    processes.record(os.getpid(), service.process)
    if _exists("down", folder) or not _exists(sys.argv[1], folder):
        return  # It was removed. The remover waits for our turn to end, then ends the process that was recorded.
    if service.nice is not None:
        processes.take_place(service.nice)
    try:
        os.execvpe(command[0], command, dict(os.environ) | service.environment)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder)
    except FileNotFoundError:
        return False
    return True


def _takes(turn: int) -> bool:
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


if __name__ == "__main__":
    main()
