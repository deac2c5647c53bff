# SPDX-License-Identifier: Apache-2.0
"""The logical network that OVN is given: a backbone, and tenants with source NAT.

A tenant is a logical switch, a logical router, SNAT to the tenant's public address, and a default route through the
backbone, one logical switch that all routers share. There are two kinds of routers, which can be there at the same
time, so that packets of both are measured in turns. A tenant's number says which it has: see ROUTERS.

distributed  Its port to the backbone is a distributed gateway port, bound to a group of one chassis. A packet takes two
             passes and one conntrack action.
gateway      The router as a whole is on the chassis (options:chassis). It is how most set OVN up for this. Each packet
             goes through the router's DNAT zone too, even if there is no DNAT rule: three passes and two conntrack
             actions, three while a connection is new, which UDP is until an answer comes. Half the packet rate;
             provisioning takes about as long.

All else is the same for both. What was chosen, and what it was chosen over:

* The backbone's ACL is one rule on the backbone's logical switch, for what leaves by the uplink. It only drops, so
  conntrack is not asked. As a policy of each router it forwards as fast, but adds a flow per prefix and tenant.
* Nothing is asked by ARP, nothing announced: static MAC bindings (or addresses of the logical port) for the transit
  gateway and the hosts, always_learn_from_arp_request=false, no broadcast to routers. dynamic_neigh_routers keeps each
  router from having a flow for every other one: without it flows grow by the square.
* use_common_zone: source NAT of a distributed port takes one conntrack action, as in OVN 23.03, where it is the
  default. Without it OVN 26.03 has two (build_lrouter_out_snat_flow, northd/northd.c).
* Tenants come in one transaction, sent to the database as JSON. It raises nb_cfg and then waits for hv_cfg, as
  `ovn-nbctl --wait=hv` does, without that program's copy of the database.

Conntrack zones are the switch's, not the bridge's: OVN's count from 1, as Penstock's do. Those that translate are set
to FIRST_ZONE and up, so neither sees a connection of the other. The DNAT zone of a gateway router cannot be set: it may
be the zone of a Penstock tenant. So tenants with a gateway router talk to a server of their own, and load() makes a
load that does. OVN flushes a zone when it takes it, so provision before anything is measured.
"""

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from penstock_base.errors import PenstockError

from . import ovn_database, traffic
from .ovn_database import insert, made, map_of, named, set_of, update
from .results import Results

ROUTERS = {"distributed": 0, "gateway": 2000}
"""Kinds of routers, with the number of the first tenant that has such a one."""
FIRST_ZONE = 32768
INTERNAL_PREFIXES = tuple(f"10.{number}.0.0/16" for number in range(200, 209))
"""Where the backbone's ACL lets nobody go; the same as in Penstock's."""
CHASSIS = "bench"
COMMIT_SECONDS = 900
"""How long a change may take."""

_GATEWAY_SERVER = "198.51.100.11"
# Tenants have VLANs up to 4001 and public addresses below this.
_SPARES = 50
_SPARE_VLAN = 4010
_SPARE_PUBLIC = "100.64.250.{}"
_INSIDE = "10.0.0.0/24"
_TRANSIT_GATEWAY = "192.0.2.1"
_POLL_SECONDS = 0.05
_LEAST_PATIENCE_SECONDS = 0.2
_MOST_PATIENCE_SECONDS = 5


def router_mac(tenant: int) -> str:
    """MAC of a tenant's router, on its access side as well as on the backbone."""
    return f"02:4f:56:4e:{tenant >> 8:02x}:{tenant & 255:02x}"


def router_kind(tenant: int) -> str:
    """Which of ROUTERS a tenant has, by its number."""
    return max((first, kind) for kind, first in ROUTERS.items() if first <= tenant)[1]


def load(base: traffic.Load, router: str = "distributed") -> traffic.Load:
    """A load like another one, which begins with tenant 0, but sent by as many tenants that have a kind of router."""
    first = _first(router)
    return dataclasses.replace(
        base, first=first, gateway_macs=[router_mac(first + tenant) for tenant in range(base.tenants)],
        server=_GATEWAY_SERVER if router == "gateway" else base.server)


def spare_place(tenant: int) -> tuple[int, str]:
    """VLAN and public address that a tenant gets by change_tenant()."""
    number = tenant % _SPARES
    return _SPARE_VLAN + number, _SPARE_PUBLIC.format(number)


def _first(router: str) -> int:
    if router not in ROUTERS:
        raise PenstockError(f"router: {router!r} is not valid; wanted: {', '.join(ROUTERS)}")
    return ROUTERS[router]


class Network:
    """The network of one OVN. Use begin(), then settle() when OVN has been started, then the tenants' methods.

    nested:  whether tenants' ports are nested in the access ports; their VLANs come by provider bridges otherwise
    access:  the access ports
    uplink:  the port to the transit gateway

    The methods that change something return the seconds until the switch had every flow of the change.
    """

    def __init__(self, nested: bool, access: Sequence[str], uplink: str) -> None:
        self._nested, self._access, self._uplink = nested, access, uplink
        self._database: Any = None  # All three are there once it is started.
        self._flows: Any = None
        self._insist: Any = None
        # Of each tenant, the identifier of its router's port in the backbone; of the backbone, that of itself.
        self._tenants: dict[int, list[str]] = {}
        # Those that are not where their number says.
        self._changed: set[int] = set()
        self._backbone: Any = None
        self._gateways: Any = None
        self._sequence = 0

    def begin(self, database: ovn_database.Database, flows: Callable[[], int],
              insist: Callable[[], object]) -> None:
        """Puts a network without tenants into a database, which was empty.

        database:  a Database of OVN_Northbound that is connected
        flows:     counts the flows of the integration bridge
        insist:    raises if OVN does not run any more
        """
        self._database, self._flows, self._insist = database, flows, insist
        self._tenants, self._changed, self._sequence = {}, set(), 0
        self._insert_backbone()

    def settle(self) -> None:
        """Waits until the switch has every flow."""
        self._commit([])

    def provision(self, tenants: int, router: str = "distributed") -> float:
        """Adds those of the first `tenants` tenants with a kind of router that are missing, in one transaction.

        Tenants with the other kind stay. Number of the first tenant: ROUTERS[router].
        """
        return self._add(self._missing(tenants, router))

    def provision_one_by_one(self, tenants: int, router: str = "distributed") -> list[float]:
        """The same with one transaction for each tenant, which ends before the next begins. Returns a list."""
        return [self._add([tenant]) for tenant in self._missing(tenants, router)]

    def add_tenant(self, tenant: int) -> float:
        """Adds one tenant by its number, which says what router it has."""
        return self._add([tenant])

    def change_tenant(self, tenant: int) -> float:
        """Gives one tenant, by its number, another VLAN and another public address: see spare_place().

        If it has these already it gets its own ones back. So every call is a change.
        """
        if tenant not in self._tenants:
            raise PenstockError(f"tenant: {tenant} is not valid; there is none with that number")
        if tenant in self._changed:
            (_, vlan), public = traffic.place(tenant), traffic.public_address(tenant)
        else:
            vlan, public = spare_place(tenant)
            if any(spare_place(other) == (vlan, public) for other in self._changed):
                raise PenstockError(f"tenant: {tenant} is not valid; VLAN {vlan} is another changed tenant's")
        seconds, _ = self._commit([
            update("Logical_Switch_Port", "name", f"t{tenant}-lan", tag=vlan),
            update("Logical_Router_Port", "name", f"t{tenant}-out", networks=f"{public}/32"),
            update("NAT", "external_ip", self._public(tenant), external_ip=public)])
        self._changed ^= {tenant}
        return seconds

    def delete_tenant(self, tenant: int) -> float:
        """Deletes one tenant by its number."""
        return self._delete([tenant])

    def clear(self) -> float:
        """Deletes all tenants, whatever router they have, in one transaction."""
        return self._delete(list(self._tenants))

    def _missing(self, tenants: int, router: str) -> list[int]:
        first = _first(router)
        numbers = range(first, first + tenants)
        if tenants and router_kind(numbers[-1]) != router:
            raise PenstockError(f"tenants: {tenants} are more than there are numbers for with router {router!r}")
        return [tenant for tenant in numbers if tenant not in self._tenants]

    def _public(self, tenant: int) -> str:
        return spare_place(tenant)[1] if tenant in self._changed else traffic.public_address(tenant)

    def _add(self, tenants: Sequence[int]) -> float:
        operations = [operation for tenant in tenants for operation in self._insertions(tenant)]
        operations.append(self._mutate_backbone("insert", [named(f"uplink{tenant}") for tenant in tenants]))
        seconds, rows = self._commit(operations)
        self._tenants |= {tenant: rows[f"uplink{tenant}"] for tenant in tenants}
        return seconds

    def _delete(self, tenants: Sequence[int]) -> float:
        operations = [self._mutate_backbone("delete", [self._tenants[tenant] for tenant in tenants])]
        for tenant in tenants:
            # What else there is of a tenant goes with its router and switch.
            for table, column, name in (("Logical_Switch", "name", f"t{tenant}"),
                                        ("Logical_Router", "name", f"t{tenant}"),
                                        ("Static_MAC_Binding", "logical_port", f"t{tenant}-in"),
                                        ("Static_MAC_Binding", "logical_port", f"t{tenant}-out")):
                operations.append({"op": "delete", "table": table, "where": [[column, "==", name]]})
        seconds, _ = self._commit(operations)
        for tenant in tenants:
            del self._tenants[tenant]
        self._changed -= set(tenants)
        return seconds

    def _commit(self, operations: Sequence[Results]) -> tuple[float, dict[str, list[str]]]:
        """Returns the seconds until the switch has all of it, and the identifiers of the new rows by their names."""
        self._sequence += 1
        started = time.monotonic()
        results = self._database.transact(
            *operations, {"op": "update", "table": "NB_Global", "where": [], "row": {"nb_cfg": self._sequence}})
        self._database.transact(
            {"op": "wait", "table": "NB_Global", "where": [], "columns": ["hv_cfg"], "until": "==",
             "rows": [{"hv_cfg": self._sequence}], "timeout": 1000 * COMMIT_SECONDS}, meanwhile=self._insist)
        return self._settled(started) - started, made(operations, results)

    def _settled(self, started: float) -> float:
        """When the flows of the switch changed for the last time, now or earlier.

        OVN does not wait for the patch ports of localnet ports, and may be early when it binds a port to the chassis.
        """
        changed = time.monotonic()
        patience = min(max(_LEAST_PATIENCE_SECONDS, (changed - started) / 2), _MOST_PATIENCE_SECONDS)
        seen = self._flows()
        while time.monotonic() - changed < patience:
            time.sleep(_POLL_SECONDS)
            now = self._flows()
            if now != seen:
                changed, seen = time.monotonic(), now
        return changed

    def _insert_backbone(self) -> None:
        internal = ", ".join(INTERNAL_PREFIXES)
        uplink = {} if self._nested else {"type": "localnet", "options": map_of({"network_name": "up"})}
        operations = [
            insert("NB_Global", "options", options=map_of({"northd_probe_interval": "0", "use_common_zone": "true"})),
            insert("HA_Chassis", "chassis", chassis_name=CHASSIS, priority=1),
            insert("HA_Chassis_Group", "gateways", name="gateways", ha_chassis=named("chassis")),
            insert("ACL", "acl", direction="to-lport", priority=1000, action="drop",
                   match=f'outport == "{self._uplink}" && ip4.dst == {{{internal}}}'),
            insert("Logical_Switch_Port", "uplink", name=self._uplink, addresses="unknown", **uplink),
            insert("Logical_Switch", "backbone", name="backbone", ports=named("uplink"), acls=named("acl"),
                   other_config=map_of({"broadcast-arps-to-all-routers": "false"}))]
        if self._nested:
            trunks = [f"trunk{number}" for number, _ in enumerate(self._access)]
            operations += [insert("Logical_Switch_Port", trunk, name=port, addresses="unknown")
                           for trunk, port in zip(trunks, self._access, strict=True)]
            operations.append(insert("Logical_Switch", "trunks", name="trunks", ports=set_of(map(named, trunks))))
        rows = made(operations, self._database.transact(*operations))
        self._backbone, self._gateways = rows["backbone"], rows["gateways"]

    def _insertions(self, tenant: int) -> Iterator[Results]:
        name, mac, host_mac = f"t{tenant}", router_mac(tenant), traffic.host_mac(tenant)
        inside, outside = f"{name}-in", f"{name}-out"
        public = traffic.public_address(tenant)
        port, vlan = traffic.place(tenant)
        options = {"dynamic_neigh_routers": "true", "always_learn_from_arp_request": "false",
                   "snat-ct-zone": str(FIRST_ZONE + tenant)}
        bound: dict[str, Any] = {}
        if router_kind(tenant) == "gateway":
            options["chassis"] = CHASSIS
        else:
            bound["ha_chassis_group"] = self._gateways

        def router_port(row: str, port_name: str, peer: Any) -> Results:
            return insert("Logical_Switch_Port", f"{row}{tenant}", name=port_name, type="router", addresses="router",
                          options=map_of({"router-port": peer}))

        def neighbour(row: str, router: Any, address: str, neighbour_mac: str) -> Results:
            return insert("Static_MAC_Binding", f"{row}{tenant}", logical_port=router, ip=address, mac=neighbour_mac,
                          override_dynamic_mac=True)

        if self._nested:
            yield insert("Logical_Switch_Port", f"lan{tenant}", name=f"{name}-lan", parent_name=self._access[port],
                         tag=vlan, addresses=f"{host_mac} {traffic.HOST}")
        else:
            yield insert("Logical_Switch_Port", f"lan{tenant}", name=f"{name}-lan", type="localnet", tag=vlan,
                         addresses="unknown", options=map_of({"network_name": f"acc{port}"}))
            yield neighbour("host", inside, traffic.HOST, host_mac)
        yield router_port("gateway", f"{name}-gateway", inside)
        yield insert("Logical_Switch", f"switch{tenant}", name=name,
                     ports=set_of([named(f"lan{tenant}"), named(f"gateway{tenant}")]))
        yield insert("Logical_Router_Port", f"in{tenant}", name=inside, mac=mac, networks=f"{traffic.GATEWAY}/24")
        yield insert("Logical_Router_Port", f"out{tenant}", name=outside, mac=mac, networks=f"{public}/32", **bound)
        yield insert("NAT", f"nat{tenant}", type="snat", external_ip=public, logical_ip=_INSIDE)
        yield insert("Logical_Router_Static_Route", f"route{tenant}", ip_prefix="0.0.0.0/0",
                     nexthop=_TRANSIT_GATEWAY, output_port=outside)
        yield insert("Logical_Router", f"router{tenant}", name=name,
                     ports=set_of([named(f"in{tenant}"), named(f"out{tenant}")]), nat=named(f"nat{tenant}"),
                     static_routes=named(f"route{tenant}"), options=map_of(options))
        yield router_port("uplink", f"{name}-uplink", outside)
        yield neighbour("transit", outside, _TRANSIT_GATEWAY, traffic.TRANSIT_MAC)

    def _mutate_backbone(self, how: str, ports: Iterable[object]) -> Results:
        return {"op": "mutate", "table": "Logical_Switch", "where": [["_uuid", "==", self._backbone]],
                "mutations": [["ports", how, set_of(ports)]]}
