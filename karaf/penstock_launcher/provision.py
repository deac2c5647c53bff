# SPDX-License-Identifier: Apache-2.0
"""Puts the sample network into the controller, or finds it there and sends nothing."""

import typing
from collections.abc import Iterable, Mapping

from penstock_base.restconf import Restconf

from .sample import Sample

_NETWORK = "penstock:network"
_ACLS = "ietf-access-control-list:acls"
_KEYS: tuple[tuple[str, ...], ...] = (("name",), ("node", "port"), ("prefix", "next-hop"), ("prefix",))


def bind_node(restconf: Restconf, node: str, address: str) -> bool:
    """Configures the address from which the node connects, without which it is not believed. Returns whether it was
    another one, or none."""
    path = f"{_NETWORK}/node={node}"
    entries = (restconf.read(path) or {}).get("penstock:node", [])
    if any(entry.get("address") == address for entry in entries):
        return False
    entry = {"name": node, "address": address}
    if entries:
        restconf.merge(_NETWORK, {_NETWORK: {"node": [entry]}})
    else:
        restconf.replace(path, {"penstock:node": [entry]})
    return True


def node_is_registered(restconf: Restconf, node: str, ports: Iterable[str]) -> bool:
    """Whether the controller has stored the node with these ports, as it does when the node has announced itself."""
    stored = restconf.read(f"{_NETWORK}/node={node}")
    entries = (stored or {}).get("penstock:node", [])
    return any({port["name"] for port in entry.get("port", [])} >= set(ports) for entry in entries)


def provision(restconf: Restconf, sample: Sample) -> list[str]:
    """Stores what of the sample is missing or different; what operators have added stays. Returns what was sent."""
    sent = []
    stored = (restconf.read(_ACLS) or {}).get(_ACLS, {})
    by_name = {acl["name"]: acl for acl in stored.get("acl", [])}
    for acl in sample.acls[_ACLS]["acl"]:
        # The order of entries counts, so a list is replaced as a whole. Lists come first: the network names them.
        if differences(acl, by_name.get(acl["name"], {})):
            restconf.replace(f"{_ACLS}/acl={acl['name']}", {"ietf-access-control-list:acl": [acl]})
            sent.append(f"ACL {acl['name']}")
    stored = (restconf.read(_NETWORK) or {}).get(_NETWORK, {})
    wanted = sample.network[_NETWORK]
    if differences(wanted, stored):
        restconf.merge(_NETWORK, sample.network)
        sent.append(f"network with {len(wanted['tenant'])} tenants")
    return sent


def differences(wanted: typing.Any, stored: typing.Any, path: str = "") -> list[str]:
    """Paths of all that is in `wanted` but not, or not equally, in `stored`. Lists with keys may hold more."""
    if isinstance(wanted, dict):
        if not isinstance(stored, dict):
            return [path]
        # The module name may be there or not (RFC 7951, section 4).
        plain = {key.rpartition(":")[2]: value for key, value in stored.items()}
        return [found for key, value in wanted.items()
                for found in differences(value, plain.get(key.rpartition(":")[2]), f"{path}/{key}")]
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        key = next((key for key in _KEYS if all(leaf in wanted[0] for leaf in key)), ())
        entries = stored if isinstance(stored, list) else []
        by_key = {_key(entry, key): entry for entry in entries}
        return [found for entry in wanted
                for found in differences(entry, by_key.get(_key(entry, key)), f"{path}={','.join(_key(entry, key))}")]
    if isinstance(wanted, list):
        same = isinstance(stored, list) and list(map(_plain, wanted)) == list(map(_plain, stored))
    else:
        same = stored is not None and _plain(wanted) == _plain(stored)
    return [] if same else [path]


def _key(entry: Mapping[str, object], leaves: Iterable[str]) -> tuple[str, ...]:
    return tuple(str(entry.get(leaf)) for leaf in leaves)


def _plain(value: object) -> str:
    """A leaf for comparison: large numbers come as text, identities with or without their module."""
    text = str(value)
    return text.removeprefix("ietf-access-control-list:")
