# SPDX-License-Identifier: Apache-2.0
"""The commands that ask a running controller: why, hosts, leases, drops, limits, interfaces."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from . import lists, remote, why

Add = Callable[..., argparse.ArgumentParser]

NAMES = ("why", "hosts", "leases", "drops", "limits", "interfaces")
_FAULT = 4


def add(command: Add) -> None:
    """Adds them. command: makes a command of its name, function and text."""
    reason = command("why", _why, "name the reason why packets of a tenant do not pass, and what to do")
    reason.add_argument("tenant", metavar="TENANT", help="name of the tenant")
    reason.add_argument("host", nargs="?", metavar="HOST", help="host that sends: an address, a MAC address, the host "
                        "name of a lease, or an attachment; - or nothing for all hosts")
    reason.add_argument("destination", nargs="?", metavar="DESTINATION",
                        help="IP address, as the host sees it; default any")
    reason.add_argument("port", nargs="?", type=_port, metavar="PORT",
                        help="destination port, 1 to 65535; without one a ping is meant")
    reason.add_argument("--inbound", action="store_true", help="the connection comes from outside: HOST is the address "
                        "of an external host, DESTINATION a public address, PORT the public port")
    reason.add_argument("--protocol", choices=why.PROTOCOLS, help="default tcp with a port, else icmp")
    hosts = command("hosts", _list(lists.HOSTS, "tenant"), "list the hosts of a tenant that the switches have learned")
    hosts.add_argument("tenant", metavar="TENANT")
    leases = command("leases", _list(lists.LEASES, "tenant"), "list the leases of DHCP servers")
    leases.add_argument("tenant", metavar="TENANT", nargs="?", help="default all")
    drops = command("drops", _drops, "list the flows that drop packets, with the reasons and counters")
    drops.add_argument("tenant", metavar="TENANT", nargs="?", help="default all, and what nodes drop for all tenants")
    drops.add_argument("--node", metavar="NODE", help="default all")
    drops.add_argument("--nonzero", action="store_true", help="only those that have dropped packets, most first")
    limits = command("limits", _list(lists.LIMITS, "tenant", "node"), "list the limits of tenants, and what they have "
                     "dropped")
    limits.add_argument("tenant", metavar="TENANT", nargs="?", help="default all")
    limits.add_argument("--node", metavar="NODE", help="default all")
    interfaces = command("interfaces", _list(lists.INTERFACES, "node", "port"),
                         "list the ports of the switch of a node, with links and counters")
    interfaces.add_argument("node", metavar="NODE")
    interfaces.add_argument("port", metavar="PORT", nargs="?", help="default all")
    for each in (reason, hosts, leases, drops, limits, interfaces):
        remote.watched(each)


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is not in 1..65535")
    return int(text)


def _list(listing: lists.Listing, *given: str) -> Callable[[argparse.Namespace], int]:
    def run(options: argparse.Namespace) -> int:
        client = remote.client(options)
        remote.shown(options, lambda: listing.ask(client, **{name: getattr(options, name) for name in given}),
                     lambda rows: remote.fitted(listing.render(rows)))
        return 0
    return run


def _drops(options: argparse.Namespace) -> int:
    client = remote.client(options)

    def ask() -> list[lists.Row]:
        rows = lists.DROPS.ask(client, tenant=options.tenant, node=options.node, drops_only=True)
        return sorted((row for row in rows if row["packets"]), key=lambda row: -int(row["packets"])) \
            if options.nonzero else rows
    remote.shown(options, ask, lambda rows: remote.fitted(lists.DROPS.render(rows)))
    return 0


def _why(options: argparse.Namespace) -> int:
    client = remote.client(options)
    report = remote.shown(options, lambda: why.ask(client, options.tenant, options.host, options.destination,
                                                   options.port, options.protocol, options.inbound),
                          lambda answer: why.render(answer, remote.width()))
    return _FAULT if why.is_fault(report) else 0
