# SPDX-License-Identifier: Apache-2.0
"""The network namespace of a node's resolvers: one device to the switch, at most one to the provider's own resolvers.

Hosts of many tenants have the same addresses. The resolvers know tenants by the service address that a query came to,
and the switch by the service address that an answer comes from: what has one as its source always leaves to the switch.
"""

import dataclasses

from penstock_base import namespaces
from penstock_base.commands import run

from . import user_ids
from .agent_orders import SERVICE_IPV4, SERVICE_IPV6
from .node_protocol import RESOLVER_MAC, SWITCH_MAC

PORT = "svc0"
"""The switch's end of the pair, in the node's namespace."""

_LINK = "dns0"
_GATEWAY = {"-4": "169.254.53.1", "-6": "fe80::53:1"}
_SERVICE = {"-4": SERVICE_IPV4, "-6": SERVICE_IPV6}
_TO_SWITCH, _FROM_SWITCH = 53, 54  # Routing tables.


@dataclasses.dataclass(frozen=True)
class Dns:
    """How the resolvers of tenants reach the provider's own resolvers. All None: not at all."""
    device: str | None
    upstream_address: str | None
    upstream_gateway: str | None


def namespace_of(node_namespace: str) -> str:
    """Name of the resolvers' namespace beside that of the node."""
    return f"{node_namespace}-dns"


def make(node_namespace: str, dns: Dns) -> None:
    """Makes the namespace anew. `dns` is that of the profile; its device is in the current namespace and is moved."""
    namespace = namespace_of(node_namespace)
    namespaces.create(namespace)
    namespaces.delete_link(PORT, node_namespace)
    namespaces.add_veth(PORT, node_namespace, _LINK, namespace)
    run("ip", "-n", namespace, "link", "set", "dev", _LINK, "address", RESOLVER_MAC)
    # Sources are hosts of tenants: any address, also one that we have ourselves. Port 53 needs no privilege here.
    # To ask from a service address takes more with IPv6: a local route makes no source of it, as it does with IPv4.
    namespaces.execute(namespace, "sysctl", "-qw", "net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0",
                       f"net.ipv4.conf.{_LINK}.rp_filter=0",
                       "net.ipv4.ip_unprivileged_port_start=53", "net.ipv6.ip_nonlocal_bind=1")
    if dns.device:
        namespaces.move_link(dns.device, None, namespace)
        namespaces.set_up(dns.device, namespace)
        namespaces.disable_checksum_offload(dns.device, namespace)
        run("ip", "-n", namespace, "address", "add", dns.upstream_address, "dev", dns.device)
        if dns.upstream_gateway:
            run("ip", "-n", namespace, "route", "add", "default", "via", dns.upstream_gateway, "dev", dns.device)
    for family in ("-4", "-6"):
        _routes(namespace, family, dns.device)
    run("ip", "netns", "exec", namespace, "nft", "--file", "-", standard_input=_owners())


def remove(node_namespace: str) -> None:
    """Removes namespace and port, if they are there. Take the device of the profile out before."""
    namespaces.delete_link(PORT, node_namespace)
    namespaces.delete(namespace_of(node_namespace))


def is_there(node_namespace: str) -> bool:
    """Whether namespace and port are there."""
    return namespaces.exists(namespace_of(node_namespace)) and namespaces.link_exists(PORT, node_namespace)


def _owners() -> str:
    """Rules of nftables: what leaves from a service address is of a resolver of its tenant.

    The number of a tenant is in its service addresses and in the user of its resolver: they are compared bit by bit, so
    the rules are the same whatever tenants there are. What the kernel itself sends has no user, and passes.
    """
    first, last = user_ids.resolver(0), user_ids.resolver(0xffff)
    lines = ["table inet penstock {"]
    for family, service, place in (("ip", SERVICE_IPV4, 8), ("ip6", SERVICE_IPV6, 64)):
        address = type(service.network_address)
        lines += [f"chain {family}-owners {{", f"meta skuid < {first} drop", f"meta skuid > {last} drop"]
        for bit in range(16):
            there = address(1 << (bit + place))
            for user, source in ((1 << bit, address(0)), (0, there)):
                lines.append(f"meta skuid & {1 << bit} == {user} {family} saddr & {there} == {source} drop")
        lines.append("}")
    lines += ["chain output {", "type filter hook output priority 0;", f"ip saddr {SERVICE_IPV4} goto ip-owners",
              f"ip6 saddr {SERVICE_IPV6} goto ip6-owners", "}", "}"]
    return "\n".join(lines) + "\n"


def _routes(namespace: str, family: str, device: str | None) -> None:
    def ip(*args: object) -> None:
        run("ip", "-n", namespace, family, *args)

    service, gateway = _SERVICE[family], _GATEWAY[family]
    ip("neighbour", "replace", gateway, "lladdr", SWITCH_MAC, "dev", _LINK, "nud", "permanent")
    ip("route", "add", "local", service, "dev", "lo")
    ip("route", "add", "default", "via", gateway, "dev", _LINK, "onlink", "table", _TO_SWITCH)
    # From the switch only service addresses are reached, and those from nowhere else.
    ip("route", "add", "local", service, "dev", "lo", "table", _FROM_SWITCH)
    ip("route", "add", "blackhole", "default", "table", _FROM_SWITCH)
    ip("rule", "add", "pref", 10, "iif", _LINK, "lookup", _FROM_SWITCH)
    if device:
        ip("rule", "add", "pref", 11, "iif", device, "to", service, "blackhole")
    # Before the table of our own addresses, which a host may have too.
    ip("rule", "add", "pref", 12, "from", service, "lookup", _TO_SWITCH)
    ip("rule", "add", "pref", 100, "lookup", "local")
    ip("rule", "delete", "pref", 0)
