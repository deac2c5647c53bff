# SPDX-License-Identifier: Apache-2.0
r"""The world around the sample's node, in network namespaces: a host for each tenant, and the transit network.

        psl-red ... eth0 -- cust-100 \
       psl-blue ... eth0 -- cust-200  > bridge br-customers -- cust -- acc0 > node > up0 -- eth0 ... psl-transit
      psl-green ... eth0 -- cust-300 /

br-customers stands for the switches in the customers' basements, which put the VLAN tags on: not every kernel can do
that. It is a bridge in the node's own Open vSwitch, because a second one would need a namespace and a process more;
the controller leaves bridges alone that are not its own. Cables are made in the node's namespace, where the switch
looks for them.
"""

import pathlib
import shutil
from collections.abc import Iterable, Mapping

from penstock_base import locks, namespaces, places, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_base.steps import say
from penstock_node.ovs import Ovs

from .sample import Sample, Tenant

SERVER = "198.51.100.10"
"""A web server behind the transit router; it answers with the address of its client."""
SERVER_PORT = 80
TRANSIT = "psl-transit"

_BRIDGE = "br-customers"
_TRUNK = "cust"
_DEVICE = "eth0"
_QUIET = ("net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
# The transit router routes between tenants' public addresses, as the world would: isolation must not rest on it.
_ROUTER = ("net.ipv4.ip_forward=1", "net.ipv4.conf.all.send_redirects=0", "net.ipv4.conf.default.send_redirects=0")


def namespace_of(tenant: Tenant) -> str:
    """Namespace of a tenant's host."""
    return f"psl-{tenant.name}"


def lay_cables(sample: Sample, node_namespace: str) -> list[str]:
    """Makes the namespaces, the cables to the node and the addresses.

    Returns the names of the ports in the node's namespace whose cable is new; empty if nothing was missing.
    """
    _remember(sample, node_namespace)
    _namespace(node_namespace, *_QUIET)
    new = []
    if not _is_cable(sample.access_port, node_namespace, _TRUNK, node_namespace):
        _cable(sample.access_port, node_namespace, _TRUNK, node_namespace)
        new += [sample.access_port, _TRUNK]
    for tenant in sample.tenants:
        addresses = [f"{address}/{tenant.prefix_length}" for address in (tenant.address, tenant.own_address)]
        new += _computer(namespace_of(tenant), _QUIET, _port_of(tenant), node_namespace, addresses,
                         {"default": tenant.gateway})
    routes = dict.fromkeys(sample.public_prefixes, sample.backbone_address)
    new += _computer(TRANSIT, _QUIET + _ROUTER, sample.uplink_port, node_namespace,
                     [f"{sample.transit_address}/{_uplink_length(sample)}"], routes)
    namespaces.add_address(SERVER, "lo", TRANSIT)
    return new


def connect_switch(sample: Sample, ovs: Ovs, new_cables: Iterable[str] = ()) -> bool:
    """Makes the customers' switch in a running node. Returns True if anything was missing.

    new_cables: ports that were laid anew. A running switch holds on to the device that has gone, also when another of
    its name comes: such ports are taken out, and put back here or by the controller, whose bridge it may be.
    """
    former = {row["name"]: (row["tag"] if isinstance(row["tag"], int) else None, _numbers(row["trunks"]))
              for row in ovs.rows("Port", "name", "tag", "trunks")}
    for port in new_cables:
        ovs.vsctl("--if-exists", "del-port", port)
    there = _BRIDGE in {row["name"] for row in ovs.rows("Bridge", "name")}
    present = set(ovs.vsctl("list-ports", _BRIDGE).split()) if there else set()
    found = {name: setting for name, setting in former.items() if name in present}
    # Hosts that were added have VLANs of their own on the trunk. They are not ours to take away.
    vlans = {tag for tag, _ in found.values() if tag} | set(former[_TRUNK][1] if _TRUNK in former else [])
    carries_all = former.get(_TRUNK) == (None, [])
    wanted: dict[str, tuple[int | None, list[int]]] = {
        _TRUNK: (None, [] if carries_all else sorted(vlans | {tenant.vlan for tenant in sample.tenants}))}
    wanted |= {_port_of(tenant): (tenant.vlan, []) for tenant in sample.tenants}
    if all(found.get(port) == setting for port, setting in wanted.items()):
        return False
    command = ["--may-exist", "add-br", _BRIDGE, "--", "set", "Bridge", _BRIDGE, "datapath_type=netdev"]
    for port, (tag, trunks) in wanted.items():
        setting = f"tag={tag}" if tag else f"trunks=[{','.join(map(str, trunks))}]"
        command += ["--", "--may-exist", "add-port", _BRIDGE, port, "--", "set", "Port", port, setting]
    ovs.vsctl(*command)
    return True


def start_server() -> bool:
    """Starts the web server in the transit network. Returns True if it did not run there."""
    process, log = _server_files()
    if processes.is_running(process):
        if get(TRANSIT, 2) is not None:
            return False
        processes.stop(process, timeout_seconds=2)  # It has hung, or its namespace is one that lost its name.
    program = places.ROOT / "karaf" / "penstock_launcher" / "web.py"
    processes.start([places.PYTHON, program, "serve", SERVER, str(SERVER_PORT)], process, log, namespace=TRANSIT)
    processes.wait_until(lambda: get(TRANSIT, 1) is not None, "web server", 15, process, log)
    return True


def get(namespace: str, seconds: float) -> str | None:
    """What the web server answers to a client in a namespace; None if it does not within `seconds`."""
    try:
        return namespaces.execute(namespace, places.PYTHON, places.ROOT / "karaf" / "penstock_launcher" / "web.py",
                                  "get", f"http://{SERVER}:{SERVER_PORT}/", seconds).strip()
    except PenstockError:
        return None


def remove() -> bool:
    """Takes away all of it. The node has to be down. Returns True if there was anything."""
    state = locks.read_json(places.lab_directory() / "lab.json", None)
    if state is None:
        return False
    processes.stop(_server_files()[0], timeout_seconds=2)
    for name in state["namespaces"]:
        namespaces.delete(name)
    shutil.rmtree(places.lab_directory(), ignore_errors=True)
    return True


def _remember(sample: Sample, node_namespace: str) -> None:
    """Writes down what `remove` has to remove, before it is made; what an earlier sample had stays on the list."""
    places.lab_directory().mkdir(parents=True, exist_ok=True)
    path = places.lab_directory() / "lab.json"
    before = locks.read_json(path, {"namespaces": []})["namespaces"]
    names = {*before, node_namespace, TRANSIT, *map(namespace_of, sample.tenants)}
    locks.write_json(path, {"namespaces": sorted(names)})


def _server_files() -> tuple[pathlib.Path, pathlib.Path]:
    return places.lab_directory() / "web.process", places.lab_directory() / "web.log"


def _port_of(tenant: Tenant) -> str:
    return f"{_TRUNK}-{tenant.vlan}"


def _uplink_length(sample: Sample) -> str:
    prefix: str = sample.network["penstock:network"]["backbone"]["interface"][0]["prefix"]
    return prefix.rpartition("/")[2]


def _namespace(name: str, *settings: str) -> None:
    if not namespaces.exists(name):
        namespaces.create(name)
        namespaces.execute(name, "sysctl", "--quiet", "--write", *settings)


def _computer(name: str, settings: Iterable[str], port: str, node_namespace: str, addresses: Iterable[str],
              routes: Mapping[str, str]) -> list[str]:
    """A namespace with one device, cabled to `port` in the node's namespace. Returns [port] if the cable is new."""
    _namespace(name, *settings)
    new = not _is_cable(_DEVICE, name, port, node_namespace)
    if new:
        _cable(_DEVICE, name, port, node_namespace)
    present = namespaces.addresses(_DEVICE, name)
    for address in addresses:
        if address.partition("/")[0] not in present:
            run("ip", "-n", name, "address", "add", address, "dev", _DEVICE)
    for destination, router in routes.items():
        run("ip", "-n", name, "route", "replace", destination, "via", router)
    return [port] if new else []


def _is_cable(end: str, namespace: str, other: str, other_namespace: str) -> bool:
    return namespaces.link_exists(end, namespace) and namespaces.link_exists(other, other_namespace)


def _cable(end: str, namespace: str, other: str, other_namespace: str) -> None:
    """A veth pair; what is left of a former one goes first."""
    namespaces.delete_link(end, namespace)
    namespaces.delete_link(other, other_namespace)
    namespaces.add_veth(end, namespace, other, other_namespace)
    say(f"cable {namespace}/{end} to {other_namespace}/{other}")


def _numbers(value: int | list[int]) -> list[int]:
    return [value] if isinstance(value, int) else sorted(value)
