# SPDX-License-Identifier: Apache-2.0
"""An Open vSwitch with the userspace datapath and without DPDK, and packets for its ports by its control socket."""

import pathlib
import socket
import struct
import subprocess
import time

from penstock_base import processes
from penstock_base.commands import run
from penstock_node import agent_switch, switch_program, switch_root
from penstock_node.node_protocol import DATAPATH, TENANT
from penstock_node.ovs import Ovs

PORTS = ("p1", "p2")
_AT_ONCE = 50
_OFCTL = ("ovs-ofctl", "-O", "OpenFlow13")


class DummySwitch:
    """In a directory, with the files by which `Ovs` finds it. Ended by `close`."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.ovs = Ovs(self.directory)
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                       **{f"OVS_{name}DIR": str(directory) for name in ("RUN", "LOG", "DB")}}
        database = f"unix:{directory}/db.sock"
        self._environment = environment
        self._database = database
        self._root = switch_root.ensure().directory
        run("ovsdb-tool", "create", f"{directory}/conf.db", switch_program.schema(self._root))
        self._started = []
        self._start("ovsdb-server", f"{directory}/conf.db", f"--remote=p{database}")
        processes.wait_until((self.directory / "db.sock").exists, "the database", 60)
        self.start()
        self._vsctl = ("ovs-vsctl", f"--db={database}", "--timeout=60")
        run(*self._vsctl, "add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev", "fail_mode=secure",
            *(word for number, port in enumerate(PORTS, 1) for word in (
                "--", "add-port", "br0", port, "--", "set", "interface", port, "type=dummy",
                f"ofport_request={number}")))

    def _start(self, *command):
        self._started.append(subprocess.Popen(command, env=self._environment, stdout=subprocess.DEVNULL,
                                              stderr=subprocess.DEVNULL))
        return self._started[-1].pid

    def start(self):
        """Starts the switch."""
        pid = self._start(*switch_program.words_without_dpdk(self._root), self._database, "--enable-dummy",
                          "--disable-system")
        processes.wait_until((self.directory / f"ovs-vswitchd.{pid}.ctl").exists, "the switch", 60)
        processes.record(pid, self.ovs.switch_process)

    def kill(self):
        """Ends the switch at once."""
        process = self._started.pop()
        process.kill()
        process.wait()

    def name(self, zone, tenant):
        """Writes the name of a tenant as the controller does, of the first one."""
        run(*self._vsctl, "--", "--id=@zone", "create", "CT_Zone", f"external_ids:{TENANT}={tenant}", "--",
            "--id=@datapath", "create", "Datapath", "datapath_version=0", f"ct_zones:{zone}=@zone", "--",
            "set", "Open_vSwitch", ".", f"datapaths:{DATAPATH}=@datapath")

    def flow(self, text):
        """Adds a flow."""
        run(*_OFCTL, "add-flow", f"unix:{self.directory}/br0.mgmt", text)

    def ask(self, command, *words):
        """The answer of the switch to a command."""
        return agent_switch.ask(self.ovs, command, *words)

    def receive(self, port, packets):
        """Has a port receive Ethernet frames; a few at a time, as its queue is short."""
        frames = [packet.hex() for packet in packets]
        for first in range(0, len(frames), _AT_ONCE):
            self.ask("netdev-dummy/receive", port, *frames[first:first + _AT_ONCE])
            time.sleep(0.005)

    def close(self):
        """Ends its processes."""
        for process in reversed(self._started):
            process.kill()
            process.wait()


def packet(source, destination, protocol, payload):
    """An Ethernet frame with an IPv4 packet."""
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0,
                         socket.inet_aton(source), socket.inet_aton(destination))
    header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
    return bytes.fromhex("0202020202020101010101010800") + header + payload


def checksum(content):
    """Of the internet protocols (RFC 1071)."""
    total = sum(struct.unpack(f"!{len(content) // 2}H", content))
    total = (total & 0xffff) + (total >> 16)
    return ~((total & 0xffff) + (total >> 16)) & 0xffff
