# SPDX-License-Identifier: Apache-2.0
"""What a hostile tenant sends, each kind as frames for the generator.

dhcp         DISCOVERs, each of another host
arp          requests for hosts that are not there
dns          queries for names that nobody has asked for before
ttl          datagrams to the world with a TTL of 1
mixed        all of these, one after the other
connections  every packet begins one, until the frames begin again
sources      packets to the gateway, each from another MAC address
destinations packets within the subnet, each to another MAC address
subnet       packets by way of the gateway to each address of the tenant's own subnet
"""

import pathlib
import random

from . import host_frames as frames, services_bed, traffic

CONNECTIONS = "connections"
KINDS = ("dhcp", "arp", "dns", "ttl", "mixed", CONNECTIONS, "sources", "destinations", "subnet")
_DIFFERENT = 20_000
"""Frames of each of the first kinds before they repeat."""
_MAC_ADDRESSES = 500_000
"""More than the datapath caches flows, which are 200,000 (flow-limit, ovs-vswitchd.conf.db(5)): each stays new."""
_SUBNET_ADDRESSES = range(256, 65_000)
"""Numbers of the last 16 bits of addresses in the subnet, which is 10.0.0.0/16."""


def write(kind: str, connections: int, path: pathlib.Path) -> None:
    """Writes the frames of a kind to a pcap file. `connections` is how many different ones there are at most."""
    path = pathlib.Path(path)
    if kind == CONNECTIONS:
        traffic.write_access(_load(connections), path.parent, path.stem[:-1])
        return
    if kind in _ADDRESSES:
        traffic.write_pcap(path, _ADDRESSES[kind](connections))
        return
    traffic.write_pcap(path, _mixed() if kind == "mixed" else _MAKERS[kind]())


def file_name(kind: str) -> str:
    """Name of the file of a kind. Those of connections have the port's number at the end, which is 0."""
    return f"flood-{kind}-0.pcap"


def _load(connections: int) -> traffic.Load:
    return traffic.Load(1, connections, first=services_bed.HOSTILE, server=services_bed.FAR_SERVER)


def _mixed() -> list[bytes]:
    return [frame for several in zip(*(make() for make in _MAKERS.values()), strict=False) for frame in several]


def _dhcp() -> list[bytes]:
    chance = random.Random(1)
    return [frames.dhcp(frames.DISCOVER, b"\x02\x66" + chance.randbytes(4), _VLAN, chance.getrandbits(32))
            for _ in range(_DIFFERENT)]


def _arp() -> list[bytes]:
    return [frames.arp_request(_MAC, _VLAN, traffic.HOST, f"10.0.{number >> 8}.{number & 255}")
            for number in range(256, 256 + _DIFFERENT)]


def _dns() -> list[bytes]:
    return [frames.query(_MAC, _VLAN, traffic.HOST, number & 0xffff, f"x{number}.hostile.example")
            for number in range(_DIFFERENT)]


def _ttl() -> list[bytes]:
    # Room for what a router has to quote, as traceroute sends it.
    return [_short_lived(10_000 + number) for number in range(_DIFFERENT)]


def _short_lived(port: int) -> bytes:
    datagram = frames.datagram(traffic.HOST, services_bed.FAR_SERVER, port, 33434, bytes(32))
    return frames.tagged(frames.GATEWAY_MAC, _MAC, _VLAN) + frames.ipv4(
        traffic.HOST, services_bed.FAR_SERVER, 17, datagram, ttl=1)


def _sources(most: int) -> list[bytes]:
    packet = _to(services_bed.FAR_SERVER)
    return [frames.tagged(frames.GATEWAY_MAC, mac, _VLAN) + packet for mac in _macs(most)]


def _destinations(most: int) -> list[bytes]:
    packet = _to("10.0.0.20")
    return [frames.tagged(mac, _MAC, _VLAN) + packet for mac in _macs(most)]


def _subnet(most: int) -> list[bytes]:
    header = frames.tagged(frames.GATEWAY_MAC, _MAC, _VLAN)
    return [header + _to(f"10.0.{number >> 8}.{number & 255}") for number in _SUBNET_ADDRESSES[:most]]


def _macs(most: int) -> list[bytes]:
    return [b"\x02\x68" + number.to_bytes(4, "big") for number in range(min(most, _MAC_ADDRESSES))]


def _to(address: str) -> bytes:
    """One and the same datagram of the tenant's host, so that what differs is the address alone."""
    return frames.ipv4(traffic.HOST, address, 17, frames.datagram(traffic.HOST, address, 9, 9, bytes(32)))


_MAC = bytes.fromhex(traffic.host_mac(services_bed.HOSTILE).replace(":", ""))
_VLAN = traffic.place(services_bed.HOSTILE)[1]
_MAKERS = {"dhcp": _dhcp, "arp": _arp, "dns": _dns, "ttl": _ttl}
_ADDRESSES = {"sources": _sources, "destinations": _destinations, "subnet": _subnet}
