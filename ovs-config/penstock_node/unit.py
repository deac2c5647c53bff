# SPDX-License-Identifier: Apache-2.0
"""The unit of systemd for a node. It starts the node's supervision tree and starts its root again (docs/adr/0051). A
stop leaves all processes of the node as they are, so that packages can be replaced under traffic (docs/adr/0069)."""

import pathlib

from . import switch_root
from .profile import Profile

_PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "ovs-config"

_UNIT = """\
# Made by `ovs-config unit`. A stop takes nothing down: `ovs-config down NODE` does.
# The directives that make a mount namespace (ProtectSystem= and others) are absent: the network namespaces of the node,
# which `ip netns` mounts, would be hidden from all other programs.
[Unit]
Description=Penstock node {name}
After=network.target penstock-controller.service
StartLimitIntervalSec=0

[Service]
Type=forking
Environment=PENSTOCK_RUN_DIR={run_directory}
# It fetches no Open vSwitch: packages are not unpacked with the rights of a service.
ExecStart={program} up --no-fetch --name {name} {profile}
# The root of the tree ends alone. The supervisors stay, and the watch, which starts another root.
ExecStop=-s6-svscanctl -b {run_directory}/{name}/supervised
PIDFile={run_directory}/{name}/supervisor.process
TimeoutStartSec=180
# The root ends by itself, and well, when the node was taken down.
Restart=on-failure
RestartSec=1
# Without an Open vSwitch no start succeeds until it is fetched.
RestartPreventExitStatus={absent}
# The watch of the node gives the signs of life. Without it the root of the tree is started again, and adopts what runs.
WatchdogSec=30
NotifyAccess=all
KillMode=process
TasksMax=8192
MemoryMax=90%
OOMPolicy=continue
OOMScoreAdjust=-500
LimitCORE=0
LimitMEMLOCK=infinity
UMask=0022
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=~@clock @cpu-emulation @module @obsolete @reboot @swap
SystemCallErrorNumber=EPERM
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK AF_PACKET
CapabilityBoundingSet=CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_IPC_LOCK CAP_KILL
CapabilityBoundingSet=CAP_MKNOD CAP_NET_ADMIN CAP_NET_BIND_SERVICE CAP_NET_RAW CAP_SETGID
CapabilityBoundingSet=CAP_SETPCAP CAP_SETUID CAP_SYS_ADMIN CAP_SYS_CHROOT CAP_SYS_NICE
CapabilityBoundingSet=CAP_SYS_PTRACE CAP_SYS_RAWIO CAP_SYS_RESOURCE

[Install]
WantedBy=multi-user.target
"""


def template(program: pathlib.Path, profiles: pathlib.Path, run_directory: pathlib.Path) -> str:
    """The text of a unit for all nodes, each by its name (%i), which its profile in the directory `profiles` has."""
    return _UNIT.format(name="%i", run_directory=run_directory, program=program, profile=profiles / "%i.yaml",
                        absent=switch_root.ABSENT_CODE)


def of(loaded: Profile, path: pathlib.Path | str) -> str:
    """The text of the unit. loaded: the profile, path: its file."""
    return _UNIT.format(name=loaded.name, run_directory=loaded.run_directory.absolute(), program=_PROGRAM,
                        profile=pathlib.Path(path).absolute(), absent=switch_root.ABSENT_CODE)
