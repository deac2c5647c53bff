# SPDX-License-Identifier: Apache-2.0
"""Where Penstock is measured: the built controller and a real node, both private, and nothing else.

The node's ports are veths in the main thread of the switch, so no polling thread takes a core.
"""

import contextlib
import json
import pathlib
import shutil
import subprocess
import time
import urllib.request

import penstock_controller
from penstock_launcher.restconf import Restconf
from penstock_node import namespaces, node, processes, profile
from penstock_node.errors import PenstockError
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs

from . import configuration
from .configuration import ACCESS_PORTS, NETWORK, UPLINK

ADDRESS = "169.254.79.1"
"""Where the private node finds the private controller."""
PORTS = penstock_controller.Ports().shifted(3000)
OPERATIONS = "penstock-operations"
READY_SECONDS = 120

_WAIT_MILLISECONDS = 60_000


class Client(Restconf):
    """RESTCONF that can also take away."""

    def delete(self, path):
        """Removes what is stored."""
        self._send("DELETE", f"data/{path}")


class Bed:
    """One controller and one node, private, from nothing; everything is taken away at the end."""

    def __init__(self, directory, distribution, java_options=(), name="psctl"):
        self.directory = pathlib.Path(directory)
        self.name = name
        self.namespace = f"{name}-node"
        self.settings = penstock_controller.Settings(
            # Bare forwarding is measured by flows that the controller would remove.
            listen_address=ADDRESS, ports=PORTS, java_options=tuple(java_options), flow_check_seconds=0,
            nodes="any")
        self.controller = penstock_controller.Controller(distribution, self.directory / "controller")
        self.profile = profile.parse({
            "name": name, "namespace": self.namespace, "run-directory": str(self.directory / "nodes"),
            "pmd-cores": [1], "hugepage-memory-mb": 832, "pmd-maxsleep-us": 1000,
            "access-ports": [{"name": port} for port in ACCESS_PORTS], "uplink-ports": [{"name": UPLINK}],
            "management": {"controller-address": ADDRESS}, "controller": {"ovsdb-port": PORTS.ovsdb}})
        self.ovs = Ovs(self.profile.directory)
        self.nodes = None
        self._undo = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as undo:
            undo.callback(shutil.rmtree, self.directory, ignore_errors=True)
            namespaces.delete(self.namespace)
            namespaces.create(self.namespace)
            undo.callback(namespaces.delete, self.namespace)
            self._lay_cables(undo)
            namespaces.execute(self.namespace, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
            undo.callback(node.down, self.name, self.profile.run_directory)
            node.up(self.profile)
            undo.callback(self.controller.kill)
            begun = time.monotonic()
            self.controller.boot(self.settings, seconds=300, model=OPERATIONS)
            self.boot_seconds = time.monotonic() - begun
            processes.wait_until(self._registered, "the node is registered", READY_SECONDS)
            self.nodes = self.restconf.read(f"{NETWORK}/node={self.name}")["penstock:node"]
            self.restconf.replace(configuration.ACLS, configuration.acls())
            self.put(0)
            processes.wait_until(self.is_applied, "the switch is connected", READY_SECONDS)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_):
        self._undo.close()

    def _lay_cables(self, undo):
        for port in (*ACCESS_PORTS, UPLINK):
            namespaces.delete_link(self.peer(port))
            namespaces.add_veth(port, self.namespace, self.peer(port), None)
            undo.callback(namespaces.delete_link, self.peer(port))
            pathlib.Path(f"/proc/sys/net/ipv6/conf/{self.peer(port)}/disable_ipv6").write_text("1", "ascii")

    def _registered(self):
        return self.restconf.read(f"{NETWORK}/node={self.name}") is not None

    def peer(self, port):
        """Our end of the cable of a port."""
        return f"{self.name}-{port}"

    @property
    def switch_log(self):
        """What ovs-vswitchd writes, until the bed is taken away."""
        return self.profile.directory / "ovs-vswitchd.log"

    @property
    def restconf(self):
        """A client. New for each use: the password is there only after the first start."""
        return Client(self.controller.restconf_url, self.controller.user, self.controller.password, 120)

    def put(self, count):
        """Puts `count` tenants in the place of all there are."""
        self.restconf.replace(NETWORK, configuration.network(self.nodes, self.name, count))

    def is_applied(self):
        """Whether all that was committed is confirmed by the switch; waits for it."""
        answer = self.restconf.call(f"{OPERATIONS}:wait-applied", {"timeout-milliseconds": _WAIT_MILLISECONDS})
        return bool(answer["applied"]) and bool(answer.get("node"))

    def applied(self):
        """Waits until all that was committed is confirmed by the switch."""
        if not self.is_applied():
            raise PenstockError(f"not applied within {_WAIT_MILLISECONDS / 1000:.0f} s")

    def verified(self):
        """Has the whole switch read and compared; returns the number of flows. Raises if anything differs."""
        found = self.restconf.call(f"{OPERATIONS}:verify")["node"][0]
        if not found["connected"] or found["missing"] or found["excess"] or found["wrong"]:
            raise PenstockError(f"the switch is not as planned: {json.dumps(found)[:2000]}")
        return found["planned"]

    def on_switch(self, vlan):
        """Whether the switch itself shows flows for a VLAN."""
        shown = subprocess.run(["ovs-ofctl", "-O", "OpenFlow13", "dump-flows", BRIDGE, f"dl_vlan={vlan}"],
                               env=self.ovs.environment, capture_output=True, text=True, check=True)
        return f"dl_vlan={vlan} " in shown.stdout

    # Cost

    def cpu(self):
        """Processor seconds that controller and switch have used so far."""
        return {"controller": processes.cpu_seconds(self.controller.pid),
                "switch": processes.cpu_seconds(processes.pid_of(self.ovs.switch_process)),
                "database": processes.cpu_seconds(processes.pid_of(self.ovs.database_process))}

    def memory(self):
        """Bytes: the peak of the heap since the last call, what is left after a collection, resident memory."""
        pools = self._jolokia("read/java.lang:type=MemoryPool,name=*/PeakUsage,Type")
        peak = sum(pool["PeakUsage"]["used"] for pool in pools.values() if pool["Type"] == "HEAP")
        # Explicit collections are switched off; a histogram of live objects needs one.
        self._jolokia("exec/com.sun.management:type=DiagnosticCommand/gcClassHistogram/[null]")
        used = self._jolokia("read/java.lang:type=Memory/HeapMemoryUsage/used")
        for pool in pools:
            self._jolokia(f"exec/{pool.replace(' ', '%20')}/resetPeakUsage")
        return {"heap_after_gc": used, "heap_peak": peak, "resident": self.controller.resident_bytes,
                "switch_resident": 1_000_000 * processes.resident_megabytes(
                    processes.pid_of(self.ovs.switch_process))}

    def _jolokia(self, request):
        url = f"http://127.0.0.1:{PORTS.restconf}/jolokia/{request}"
        manager = urllib.request.HTTPPasswordMgrWithPriorAuth()
        manager.add_password(None, url, self.controller.user, self.controller.password, is_authenticated=True)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}),
                                             urllib.request.HTTPBasicAuthHandler(manager))
        with opener.open(url, timeout=60) as answer:
            document = json.load(answer)
        if document.get("status") != 200:
            raise PenstockError(f"{request}: {document.get('error')}")
        return document["value"]
