# SPDX-License-Identifier: Apache-2.0
"""A controller as a service of systemd: it tells when it is ready, and gives signs of life as long as it answers."""

from __future__ import annotations

import collections.abc
import contextlib
import ctypes
import os
import pathlib
import signal
import socket
import sys
import time

from .controller import Controller
from .settings import Settings

_INTERVAL_SECONDS = 10.0
_MORE_SECONDS = 60
"""For a start that waits for other members of the cluster, which it does without a limit."""
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "penstock-controller"

_UNIT = """\
# Made by `penstock-controller unit`.
[Unit]
Description=Penstock controller
After=network.target
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=all
User={user}
WorkingDirectory={run_dir}
ExecStart={command}
SuccessExitStatus=143
TimeoutStartSec=300
TimeoutStopSec=60
Restart=always
RestartSec=1
WatchdogSec=90
TasksMax=2048
MemoryMax=6G
OOMScoreAdjust=-300
LimitCORE=0
UMask=0077
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ReadWritePaths={run_dir}
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RemoveIPC=yes
LockPersonality=yes
KeyringMode=private
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallFilter=setpriority sched_setaffinity
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
"""


def unit(run_dir: pathlib.Path, user: str, arguments: collections.abc.Sequence[str],
         program: pathlib.Path = _PROGRAM) -> str:
    """The text of a unit. arguments: those of the command line before `run`, and after it. program: where it is."""
    return _UNIT.format(run_dir=run_dir.absolute(), user=user, command=" ".join((str(program), *arguments)))


def run(controller: Controller, settings: Settings) -> None:
    """Becomes the controller. A child of it speaks with systemd, and ends with it."""
    path = os.environ.pop("NOTIFY_SOCKET", "")
    parent = os.getpid()
    if path and os.fork() == 0:
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() == parent:
            watch(controller, path, bool(settings.members))
        sys.exit(1)
    controller.become(settings)


def watch(controller: Controller, path: str, shared: bool, interval: float = _INTERVAL_SECONDS) -> None:
    """Asks the controller again and again, and tells systemd; does not return.

    path:   of systemd's socket
    shared: whether it is a member of a cluster, which waits for others when it starts
    """
    ready = False
    while True:
        try:
            answer = controller.ask()
        except (OSError, ValueError):  # It is being prepared.
            time.sleep(interval / 10)
            continue
        words = [f"STATUS={answer.reason.splitlines()[0]}"] if answer.reason else []
        if not ready and (all(answer.done.values()) or answer.failed):
            ready = True
            words.append("READY=1")
        if not ready and shared and answer.done["web"]:
            words.append(f"EXTEND_TIMEOUT_USEC={_MORE_SECONDS * 1_000_000}")
        if answer.done["restconf"] or answer.failed:
            words.append("WATCHDOG=1")
        if words:
            _tell(path, "\n".join(words))
        time.sleep(interval if ready else interval / 10)


def _tell(path: str, text: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as link, contextlib.suppress(OSError):
        link.sendto(text.encode(), "\0" + path[1:] if path.startswith("@") else path)
