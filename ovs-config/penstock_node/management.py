# SPDX-License-Identifier: Apache-2.0
"""The management network between a controller and its nodes: one veth pair a node, host routes, no bridge.

The controller's side is the network namespace that the caller is in. Its address sits on the loopback device there and
is shared by all nodes, so users are counted: the last one to leave removes it, and only if it was added here.

A table of nftables closes the address to everybody else: to interfaces other than those of the nodes (Linux answers for
every address of the machine at every interface), and to programs of users other than root.
"""

import ipaddress
import pathlib

from penstock_base import locks, namespaces
from penstock_base.commands import run, succeeds
from penstock_base.errors import PenstockError

NODE_LINK = "mgmt0"
CONTROLLER_ADDRESS = "169.254.77.1"
_FIRST_NODE, _LAST_NODE = 10, 250


def controller_link(node: str) -> str:
    """Name of the controller's end of a node's management pair."""
    return f"psm-{node}"


def acquire_address(user: str, address: str = CONTROLLER_ADDRESS) -> None:
    """Makes sure that the controller address is on `lo` of the current namespace, until `release_address`."""
    with locks.held("management"):
        path = _ledger_path(address)
        ledger = locks.read_json(path, {"added": False, "users": []})
        namespaces.set_up("lo")
        if address not in namespaces.addresses("lo"):
            # Whoever is in the ledger went with another namespace, which had the number of this one.
            ledger = {"added": True, "users": []}
            locks.write_json(path, ledger)
            namespaces.add_address(address, "lo")
            if address != CONTROLLER_ADDRESS:
                # A node's database is in this namespace: it has one address for all controllers.
                namespaces.set_local_source(address, CONTROLLER_ADDRESS)
        ledger["users"] = sorted({*ledger["users"], user})
        locks.write_json(path, ledger)
        _close_to_others(address)


def release_address(user: str, address: str = CONTROLLER_ADDRESS, namespace_id: int | None = None) -> None:
    """Undoes `acquire_address`. Harmless if the namespace it was acquired in (`namespace_id`) is not this one."""
    with locks.held("management"):
        path = _ledger_path(address, namespace_id)
        ledger = locks.read_json(path, None)
        if ledger is None:
            return
        ledger["users"] = [other for other in ledger["users"] if other != user]
        if ledger["users"]:
            locks.write_json(path, ledger)
            return
        if namespace_id in (None, namespaces.current_id()):
            if ledger["added"]:
                if address != CONTROLLER_ADDRESS:
                    namespaces.set_local_source(address, address)  # Else the route stays without the address.
                namespaces.remove_address(address, "lo")
            table = _table(address)
            run("nft", "--file", "-", standard_input=f"table ip {table}\ndelete table ip {table}\n")
        path.unlink(missing_ok=True)


def connect(node: str, namespace: str, controller_address: str, node_address: str | None = None) -> str:
    """Makes the veth pair and the two host routes of a node. Returns the node's address. Repeatable."""
    with locks.held("management"):
        link = controller_link(node)
        present = namespaces.addresses(NODE_LINK, namespace)
        complete = bool(present) and namespaces.link_exists(link)
        if not complete:
            namespaces.delete_link(link)
            namespaces.delete_link(NODE_LINK, namespace)
            namespaces.add_veth(link, None, NODE_LINK, namespace)
        address = node_address or (present[0] if complete else _free_address(controller_address))
        namespaces.add_address(address, NODE_LINK, namespace)
        namespaces.set_route(controller_address, NODE_LINK, address, namespace)
        namespaces.set_route(address, link, controller_address)
        for each in {controller_address, *_acquired()}:
            _close_to_others(each)
        return address


def is_connected(node: str, namespace: str) -> bool:
    """Whether the veth pair of a node is there, with the node's address."""
    return namespaces.link_exists(controller_link(node)) and bool(namespaces.addresses(NODE_LINK, namespace))


def keep_closed(address: str) -> bool:
    """Closes the address again if a program that loads rules of its own has removed all tables. Returns True if so.

    Takes no lock, so that a watch never waits for another program.
    """
    if _is_closed(address) or locks.read_json(_ledger_path(address), None) is None:
        return False
    if address not in namespaces.addresses("lo"):
        return False    # The ledger is of another namespace, which had the number of this one.
    _close_to_others(address)
    return True


def disconnect(node: str) -> None:
    """Removes the veth pair (both ends, and the routes with them) if it is there."""
    namespaces.delete_link(controller_link(node))


def _close_to_others(address: str) -> None:
    """Writes the table of the current namespace anew, in one transaction: each node may send from its own address
    alone.

    A connection is refused when it begins, so that its other end may belong to any user.
    """
    # Each node may reach each controller here.
    nodes = ", ".join(f'"{route["dev"]}" . {route["dst"]}' for route in namespaces.routes()
                      if route["dev"].startswith(controller_link("")))
    elements = f"elements = {{ {nodes} }}" if nodes else ""
    table = _table(address)
    run("nft", "--file", "-", standard_input=f"""
        table ip {table}
        delete table ip {table}
        table ip {table} {{
            set nodes {{
                type ifname . ipv4_addr
                {elements}
            }}
            chain input {{
                type filter hook input priority filter; policy accept;
                ip daddr {address} iifname . ip saddr @nodes accept
                ip daddr {address} iifname != "lo" counter drop
            }}
            chain output {{
                type filter hook output priority filter; policy accept;
                ip daddr {address} tcp flags & (syn | ack) == syn meta skuid != 0 counter reject with tcp reset
            }}
        }}
        """)


def _is_closed(address: str) -> bool:
    return succeeds("nft", "list", "table", "ip", _table(address))


def _table(address: str) -> str:
    return "penstock_" + address.replace(".", "_")


def _free_address(controller_address: str) -> str:
    used = namespaces.routed_addresses()
    network = ipaddress.ip_network(f"{controller_address}/24", strict=False)
    for index in range(_FIRST_NODE, _LAST_NODE + 1):
        address = str(network[index])
        if address not in used and address != controller_address:
            return address
    raise PenstockError(f"management.node-address: every address of {network} is in use")


def _acquired() -> set[str]:
    """The addresses that are held in the current namespace."""
    prefix = f"management-{namespaces.current_id()}-"
    held = (path.stem.removeprefix(prefix) for path in locks.lock_directory().glob(f"{prefix}*.json"))
    return set(held) & set(namespaces.addresses("lo"))


def _ledger_path(address: str, namespace_id: int | None = None) -> pathlib.Path:
    return locks.lock_directory() / f"management-{namespace_id or namespaces.current_id()}-{address}.json"
