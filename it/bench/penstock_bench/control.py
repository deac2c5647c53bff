# SPDX-License-Identifier: Apache-2.0
"""Control-plane measurements: the built controller and a real node, both private, and nothing else.

Times are seconds on the caller's clock, from the moment a RESTCONF call is sent. "answered" is when RESTCONF has
answered, "applied" when the RPC wait-applied has said that every switch has confirmed it, "verified" when the RPC
verify has read the whole switch and found what is planned. The node's ports are veths in the main thread of the
switch, so no polling thread takes a core. Results are plain dicts of raw samples.
"""

import contextlib
import json
import math
import pathlib
import shutil
import socket
import statistics
import struct
import subprocess
import threading
import time
import urllib.request

import penstock_controller
from penstock_launcher.restconf import Restconf, RestconfError
from penstock_node import namespaces, node, processes, profile
from penstock_node.errors import PenstockError
from penstock_node.ovs import Ovs

ADDRESS = "169.254.79.1"
"""Where the private node finds the private controller."""
PORTS = penstock_controller.Ports().shifted(3000)
BRIDGE = "br-penstock"
VLANS_PER_PORT = 4000
ACCESS_PORTS = ("acc0", "acc1")
UPLINK = "up0"
NETWORK = "penstock:network"
OPERATIONS = "penstock-operations"
POOL = "100.64.0.0/16"
GATEWAY_MAC = bytes.fromhex("025053000001")
TRANSIT_MAC = bytes.fromhex("02005e005301")
BACKBONE_MAC_PREFIX = bytes.fromhex("02505301")

_BULK_ROUNDS = 5
_READY_SECONDS = 120
_WAIT_MILLISECONDS = 60_000
_SPARE_VLAN = 4010
_SPARE_ADDRESSES = 250
_ETH_VLAN, _ETH_IPV4, _ETH_ARP = 0x8100, 0x0800, 0x0806


# What is configured


def tenant(index, node_name, vlan=None, address=None):
    """Tenant number `index`: one VLAN, 10.0.0.0/24, a public address of its own."""
    port, number = divmod(index, VLANS_PER_PORT)
    return {
        "name": f"t{index:05}",
        "attachment": [{"name": "lan", "node": node_name, "port": ACCESS_PORTS[port],
                        "vlan": 2 + number if vlan is None else vlan}],
        "subnet": [{"name": "lan", "prefix": "10.0.0.0/24", "gateway": "10.0.0.1"}],
        "nat": {"public-address": address or f"100.64.{index >> 8}.{index & 255}"}}


def changed(index, node_name):
    """The same tenant on another VLAN and with another public address: the dearest change there is."""
    return tenant(index, node_name, _SPARE_VLAN + index % 50, f"100.64.{_SPARE_ADDRESSES}.{index % 256}")


def network(nodes, node_name, count):
    """The whole configuration with `count` tenants; `nodes` as the controller registered them."""
    return {NETWORK: {
        "node": nodes,
        "backbone": {
            "interface": [{"node": node_name, "port": UPLINK, "prefix": "192.0.2.0/24", "address": "192.0.2.2",
                           "egress-acl": "backbone"}],
            "route": [{"prefix": "0.0.0.0/0", "next-hop": "192.0.2.1"}]},
        "pool": [{"name": "public", "prefix": [POOL]}],
        "tenant": [tenant(index, node_name) for index in range(count)]}}


def acls():
    """The list of the backbone: nine prefixes that nobody may reach, and the rest."""
    entries = [{"name": f"no-{index}", "matches": {"ipv4": {"destination-ipv4-network": f"10.{index}.0.0/16"}},
                "actions": {"forwarding": "ietf-access-control-list:drop"}} for index in range(200, 209)]
    entries.append({"name": "rest", "actions": {"forwarding": "ietf-access-control-list:accept"}})
    return {"ietf-access-control-list:acls": {"acl": [{"name": "backbone", "aces": {"ace": entries}}]}}


# Where it runs


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
            listen_address=ADDRESS, ports=PORTS, java_options=tuple(java_options))
        self.controller = penstock_controller.Controller(distribution, self.directory / "controller")
        self.profile = profile.parse({
            "name": name, "namespace": self.namespace, "run-directory": str(self.directory / "nodes"),
            "pmd-cores": [1], "hugepage-memory-mb": 128, "pmd-maxsleep-us": 1000,
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
            _until(lambda: self._registered(), "the node is registered", _READY_SECONDS)
            self.nodes = self.restconf.read(f"{NETWORK}/node={self.name}")["penstock:node"]
            self.restconf.replace("ietf-access-control-list:acls", acls())
            self.put(0)
            _until(self.is_applied, "the switch is connected", _READY_SECONDS)
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
        self.restconf.replace(NETWORK, network(self.nodes, self.name, count))

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


# What is measured


def bulk(bed, count):
    """All tenants in one request, into an empty configuration."""
    bed.put(0)
    bed.applied()
    before = bed.cpu()
    begun = time.monotonic()
    bed.put(count)
    answered = time.monotonic() - begun
    bed.applied()
    applied = time.monotonic() - begun
    flows = bed.verified()
    verified = time.monotonic() - begun
    return {"tenants": count, "flows": flows, "answered": answered, "applied": applied, "verified": verified,
            "cpu": _spent(before, bed.cpu())}


def one_by_one(bed, count):
    """One request for each tenant, the next when the one before is answered; into an empty configuration."""
    bed.put(0)
    bed.applied()
    before = bed.cpu()
    begun = time.monotonic()
    for index in range(count):
        _put_tenant(bed, tenant(index, bed.name))
    answered = time.monotonic() - begun
    bed.applied()
    applied = time.monotonic() - begun
    bed.verified()
    return {"tenants": count, "answered": answered, "applied": applied, "verified": time.monotonic() - begun,
            "cpu": _spent(before, bed.cpu())}


def changes(bed, count, rounds):
    """Adds, changes and deletes one tenant beside the `count` that are there, again and again."""
    samples = {"add": [], "change": [], "delete": []}
    before = bed.cpu()
    begun = time.monotonic()
    for number in range(rounds):
        index = count + number % 50
        first, second = tenant(index, bed.name), changed(index, bed.name)
        samples["add"].append(_change(bed, lambda: _put_tenant(bed, first)))
        _expect(bed, first, True)
        samples["change"].append(_change(bed, lambda: _put_tenant(bed, second)))
        _expect(bed, second, True)
        samples["delete"].append(_change(bed, lambda: bed.restconf.delete(f"{NETWORK}/tenant={first['name']}")))
        _expect(bed, second, False)
    spent = _spent(before, bed.cpu())
    return {"tenants": count, "samples": samples, "seconds": time.monotonic() - begun, "cpu": spent}


def _put_tenant(bed, entry):
    bed.restconf.replace(f"{NETWORK}/tenant={entry['name']}", {"penstock:tenant": [entry]})


def _change(bed, call):
    begun = time.monotonic()
    call()
    answered = time.monotonic() - begun
    bed.applied()
    return {"answered": answered, "applied": time.monotonic() - begun}


def _expect(bed, entry, there):
    """What the controller says is worth nothing if the switch does not agree at that moment."""
    vlan = entry["attachment"][0]["vlan"]
    if bed.on_switch(vlan) != there:
        raise PenstockError(f"applied, but VLAN {vlan} is {'not ' if there else 'still '}on the switch")


def resync(bed, rounds):
    """Reads the switch again and mends what differs, which is nothing."""
    samples = []
    for _ in range(rounds):
        begun = time.monotonic()
        done = bed.restconf.call(f"{OPERATIONS}:resync")["node"][0]
        samples.append(time.monotonic() - begun)
        if done["added"] or done["removed"]:
            raise PenstockError(f"resync found something to do: {done}")
    return samples


def verify(bed, rounds):
    """Reads the switch and compares."""
    return [_timed(bed.verified) for _ in range(rounds)]


def restart(bed, how):
    """Ends the controller, "kill" at once or "stop" in good order, and starts it again; traffic goes on meanwhile."""
    with Stream(bed) as stream:
        stream.await_traffic(30)
        flows = bed.verified()
        stream.forget()
        end = bed.controller.kill if how == "kill" else bed.controller.stop
        stopped = _timed(end)
        begun = time.monotonic()
        bed.controller.start(bed.settings)
        _until(_opens, "OpenFlow listens", _READY_SECONDS, 0.005)
        opened = time.monotonic()
        _until(lambda: _quietly(bed.is_applied), "everything is applied", _READY_SECONDS, 0.05)
        applied = time.monotonic() - opened
        if bed.verified() != flows:
            raise PenstockError("after the restart other flows are planned than before")
        verified = time.monotonic() - opened
        stream.await_traffic(5)
        return {"how": how, "flows": flows, "stop": stopped, "start_to_port": opened - begun,
                "port_to_applied": applied, "port_to_verified": verified, **stream.result()}


def run(directory, distribution, sizes=(10, 100, 1000, 5000), one_by_one_sizes=(10, 100, 1000), rounds=30,
        restart_size=1000, restarts=1, java_options=(), say=print):
    """All measurements on a bed of its own. The first ones, which warm Java up, are not in the result."""
    result = {"bulk": [], "changes": [], "one_by_one": [], "resync": [], "restarts": [], "memory": []}
    with Bed(directory, distribution, java_options) as bed:
        result["boot"] = bed.boot_seconds
        warm_up(bed, say)
        for count in sizes:
            bed.memory()
            result["bulk"] += [_told(say, bulk(bed, count)) for _ in range(_BULK_ROUNDS)]
            result["changes"].append(_told(say, changes(bed, count, rounds)))
            result["resync"].append({"tenants": count, "resync": resync(bed, 5), "verify": verify(bed, 5)})
            result["memory"].append(_told(say, {"tenants": count, **bed.memory()}))
        for count in one_by_one_sizes:
            result["one_by_one"].append(_told(say, one_by_one(bed, count)))
        bed.put(restart_size)
        bed.applied()
        for how in ("kill", "stop") * restarts:
            result["restarts"].append({"tenants": restart_size, **_told(say, restart(bed, how))})
    return result


def warm_up(bed, say=print):
    """A thousand tenants and some changes that nobody counts."""
    _told(say, bulk(bed, 1000))
    _told(say, changes(bed, 1000, 20))


def percentile(values, share):
    """The value that `share` of all values do not exceed, as one of them (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def summary(result):
    """The raw samples of `changes` as figures: milliseconds by tenants and kind."""
    return [{"tenants": entry["tenants"], "kind": kind, "samples": len(samples),
             "p50": 1000 * statistics.median(sample["applied"] for sample in samples),
             "p95": 1000 * percentile([sample["applied"] for sample in samples], 0.95)}
            for entry in result["changes"] for kind, samples in entry["samples"].items()]


# Traffic that must not stop


class Stream:
    """UDP of the first tenant, 200 frames a second, from its VLAN to the transit router, which we are too."""

    _SECONDS = 0.005
    _MAGIC = b"penstock-control"

    def __init__(self, bed):
        self._out = _packet_socket(bed.peer(ACCESS_PORTS[0]))
        self._in = _packet_socket(bed.peer(UPLINK))
        self._lock = threading.Lock()
        self._sent = []
        self._came = {}
        self._ending = threading.Event()
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._send, self._receive)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._ending.set()
        for thread in self._threads:
            thread.join()
        self._out.close()
        self._in.close()

    def forget(self):
        """Begins to count."""
        with self._lock:
            self._sent.clear()
            self._came.clear()

    def await_traffic(self, seconds):
        """Waits until frames sent from now on arrive."""
        with self._lock:
            last = self._sent[-1] if self._sent else -1
        _until(lambda: any(number > last for number in self._numbers()), "frames arrive", seconds, 0.02)
        time.sleep(0.1)

    def _numbers(self):
        with self._lock:
            return list(self._came)

    def result(self):
        """Frames sent and lost (those of the last 50 ms may be on their way), and the longest time without one."""
        with self._lock:
            sent = self._sent[:-10]
            times = sorted(self._came.values())
            return {"sent": len(sent), "lost": sum(number not in self._came for number in sent),
                    "longest_gap": max((later - earlier for earlier, later in zip(times, times[1:])), default=None)}

    def _send(self):
        number, due = 0, time.monotonic()
        while not self._ending.is_set():
            self._out.send(tenant_frame(0, self._MAGIC + struct.pack("!Q", number)))
            with self._lock:
                self._sent.append(number)
            number += 1
            due += self._SECONDS
            time.sleep(max(0.0, due - time.monotonic()))

    def _receive(self):
        self._in.settimeout(0.2)
        while not self._ending.is_set():
            try:
                frame = self._in.recv(2048)
            except TimeoutError:
                continue
            answer = arp_answer(frame)
            at = frame.find(self._MAGIC)
            if answer:
                self._in.send(answer)
            elif at >= 0:
                with self._lock:
                    self._came[struct.unpack_from("!Q", frame, at + len(self._MAGIC))[0]] = time.monotonic()


def tenant_frame(index, payload):
    """A UDP frame of a tenant's host to the world, with its VLAN tag."""
    udp = struct.pack("!HHHH", 10000, 5000, 8 + len(payload), 0) + payload
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes([10, 0, 0, 10]),
                         bytes([198, 51, 100, 10]))
    total = sum(struct.unpack("!10H", header))
    total = (total & 0xffff) + (total >> 16)
    header = header[:10] + struct.pack("!H", ~(total + (total >> 16)) & 0xffff) + header[12:]
    source = bytes.fromhex("02000000") + struct.pack("!H", index)
    return GATEWAY_MAC + source + struct.pack("!HHH", _ETH_VLAN, 2 + index, _ETH_IPV4) + header + udp


def arp_answer(frame):
    """The transit router's answer to an ARP request for its address, or None for any other frame."""
    if len(frame) < 42 or struct.unpack_from("!H", frame, 12)[0] != _ETH_ARP:
        return None
    operation, sender_mac, sender, target = struct.unpack("!H6s4s6x4s", frame[20:42])
    if operation != 1 or target != bytes([192, 0, 2, 1]):
        return None
    return (sender_mac + TRANSIT_MAC + struct.pack("!HHHBBH", _ETH_ARP, 1, _ETH_IPV4, 6, 4, 2)
            + TRANSIT_MAC + target + sender_mac + sender).ljust(60, b"\0")


def _packet_socket(device):
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    made.bind((device, 0))
    return made


# Small things


def _until(ready, what, seconds, pause=0.2):
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise PenstockError(f"{what}: not within {seconds:.0f} s")
        time.sleep(pause)


def _quietly(ask):
    """False while the controller does not answer, or not yet as it should."""
    try:
        return ask()
    except (RestconfError, KeyError):
        return False


def _opens():
    try:
        with socket.create_connection((ADDRESS, PORTS.openflow), timeout=1):
            return True
    except OSError:
        return False


def _timed(call):
    begun = time.monotonic()
    call()
    return time.monotonic() - begun


def _spent(before, after):
    return {key: after[key] - before[key] for key in after}


def _told(say, entry):
    shown = {key: value for key, value in entry.items() if key != "samples"}
    if "samples" in entry:
        shown |= {kind: f"{1000 * statistics.median(sample['applied'] for sample in samples):.0f} ms"
                  for kind, samples in entry["samples"].items()}
    say(json.dumps(shown, default=str))
    return entry
