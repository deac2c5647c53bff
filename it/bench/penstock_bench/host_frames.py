# SPDX-License-Identifier: Apache-2.0
"""Frames of hosts behind the gateway, and what comes back to them: ARP, DHCP (RFC 2131), DNS queries and pings.

Addresses are texts, MAC addresses are bytes. Frames have a tag, except what the kernel hands us, which is without.
"""

import array
import dataclasses
import socket
import struct
import sys
from typing import Any

from . import traffic

GATEWAY = traffic.GATEWAY
GATEWAY_MAC = bytes.fromhex(traffic.PENSTOCK_MAC.replace(":", ""))
BROADCAST = b"\xff" * 6
DISCOVER, OFFER, REQUEST, ACK, NAK, RELEASE = 1, 2, 3, 5, 6, 7
"""Kinds of DHCP messages."""
QUESTION_PORT = 20000
"""UDP source port of queries."""

_COOKIE = b"\x63\x82\x53\x63"
_LEAST_BOOTP = 300
_ETH_IPV4, _ETH_ARP, _ETH_VLAN = 0x0800, 0x0806, 0x8100
_UDP, _ICMP = 17, 1
_DHCP = struct.Struct("!4BIHH4s4s4s4s16s192x4s")


@dataclasses.dataclass(frozen=True)
class Message:
    """What a DHCP server said."""
    kind: int
    mac: bytes
    address: str
    server: str


@dataclasses.dataclass(frozen=True)
class Arp:
    """A question by ARP."""
    mac: bytes
    sender: str
    asked: str


def dhcp(kind: int, mac: bytes, vlan: int, number: int, address: str | None = None, server: str | None = None) -> bytes:
    """A broadcast DISCOVER, or the REQUEST that takes an offer, with what a host asks for."""
    options = bytes([53, 1, kind, 61, 7, 1]) + mac
    options += b"\x32\x04" + socket.inet_aton(address) if address else b""
    options += b"\x36\x04" + socket.inet_aton(server) if server else b""
    options += bytes([55, 7, 1, 3, 6, 15, 26, 42, 121, 255])
    return tagged(BROADCAST, mac, vlan) + ipv4("0.0.0.0", "255.255.255.255", _UDP, datagram(
        "0.0.0.0", "255.255.255.255", 68, 67, _bootp(number, "0.0.0.0", mac, options)))


def release(mac: bytes, vlan: int, number: int, address: str, server: str) -> bytes:
    """Gives an address back, to the server."""
    options = bytes([53, 1, RELEASE, 61, 7, 1]) + mac + b"\x36\x04" + socket.inet_aton(server) + b"\xff"
    return tagged(GATEWAY_MAC, mac, vlan) + ipv4(address, server, _UDP, datagram(
        address, server, 68, 67, _bootp(number, address, mac, options)))


def query(mac: bytes, vlan: int, address: str, number: int, name: str, server: str = GATEWAY) -> bytes:
    """A query for the IPv4 address of a name."""
    question = struct.pack("!6H", number, 0x0100, 1, 0, 0, 0) + _name(name) + struct.pack("!2H", 1, 1)
    return tagged(GATEWAY_MAC, mac, vlan) + ipv4(address, server, _UDP, datagram(
        address, server, QUESTION_PORT, 53, question))


def ping(mac: bytes, vlan: int, address: str, number: int, target: str = GATEWAY) -> bytes:
    """An echo request."""
    echo = struct.pack("!BBHHH", 8, 0, 0, number, 1) + bytes(32)
    echo = echo[:2] + struct.pack("!H", checksum(echo)) + echo[4:]
    return tagged(GATEWAY_MAC, mac, vlan) + ipv4(address, target, _ICMP, echo)


def arp_request(mac: bytes, vlan: int, address: str, asked: str) -> bytes:
    """Who has that address?"""
    return (tagged(BROADCAST, mac, vlan, _ETH_ARP) + struct.pack(
        "!HHBBH6s4s6x4s", 1, _ETH_IPV4, 6, 4, 1, mac, socket.inet_aton(address), socket.inet_aton(asked))).ljust(
            64, b"\0")


def arp_answer(mac: bytes, vlan: int, arp: Arp) -> bytes:
    """It is us."""
    return (tagged(arp.mac, mac, vlan, _ETH_ARP) + struct.pack(
        "!HHBBH6s4s6s4s", 1, _ETH_IPV4, 6, 4, 2, mac, socket.inet_aton(arp.asked), arp.mac,
        socket.inet_aton(arp.sender))).ljust(64, b"\0")


def parse(frame: bytes) -> tuple[Any, Any]:
    """(key, content) of a frame for a host: ("dhcp", number), ("query", number), ("ping", number), "arp" or None."""
    start = 18 if frame[12:14] == b"\x81\x00" else 14
    kind = frame[start - 2:start]
    if kind == b"\x08\x06" and len(frame) >= start + 28:
        operation, mac, sender, asked = struct.unpack_from("!H6s4s6x4s", frame, start + 6)
        return ("arp", Arp(mac, socket.inet_ntoa(sender), socket.inet_ntoa(asked))) if operation == 1 else (None, None)
    if kind != b"\x08\x00" or len(frame) < start + 28 or frame[start] != 0x45:
        return None, None
    body = start + 20
    if frame[start + 9] == _ICMP:
        return (("ping", struct.unpack_from("!H", frame, body + 4)[0]), None) if frame[body] == 0 else (None, None)
    if frame[start + 9] != _UDP:
        return None, None
    source, destination = struct.unpack_from("!2H", frame, body)
    if (source, destination) == (67, 68):
        return _parse_dhcp(frame[body + 8:])
    if (source, destination) == (53, QUESTION_PORT) and len(frame) >= body + 12:
        return ("query", struct.unpack_from("!H", frame, body + 8)[0]), None
    return None, None


def tagged(destination: bytes, source: bytes, vlan: int, kind: int = _ETH_IPV4) -> bytes:
    """The Ethernet header of a frame with a tag, by default before an IPv4 packet."""
    return destination + source + struct.pack("!3H", _ETH_VLAN, vlan, kind)


def ipv4(source: str, destination: str, protocol: int, payload: bytes, ttl: int = 64) -> bytes:
    """An IPv4 packet."""
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 0, 0x4000, ttl, protocol, 0,
                         socket.inet_aton(source), socket.inet_aton(destination))
    return header[:10] + struct.pack("!H", checksum(header)) + header[12:] + payload


def datagram(source: str, destination: str, source_port: int, destination_port: int, payload: bytes) -> bytes:
    """A UDP datagram with its checksum."""
    header = struct.pack("!4H", source_port, destination_port, 8 + len(payload), 0)
    pseudo = socket.inet_aton(source) + socket.inet_aton(destination) + struct.pack("!2H", _UDP, 8 + len(payload))
    return header[:6] + struct.pack("!H", checksum(pseudo + header + payload) or 0xffff) + payload


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    words = array.array("H", data if len(data) % 2 == 0 else data + b"\0")
    if sys.byteorder == "little":
        words.byteswap()
    total = sum(words)
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def _bootp(number: int, address: str, mac: bytes, options: bytes) -> bytes:
    fixed = _DHCP.pack(1, 1, 6, 0, number, 0, 0, socket.inet_aton(address), bytes(4), bytes(4), bytes(4),
                       mac.ljust(16, b"\0"), _COOKIE)
    return (fixed + options).ljust(_LEAST_BOOTP, b"\0")


def _parse_dhcp(data: bytes) -> tuple[Any, Any]:
    if len(data) < _DHCP.size or data[0] != 2:
        return None, None
    number, address, mac = struct.unpack_from("!4xI8x4s8x6s", data)
    options = {}
    at = _DHCP.size
    while at + 1 < len(data) and data[at] != 255:
        if data[at]:
            options[data[at]] = data[at + 2:at + 2 + data[at + 1]]
            at += 2 + data[at + 1]
        else:
            at += 1
    if len(options.get(53, b"")) != 1 or len(options.get(54, b"")) != 4:
        return None, None
    return ("dhcp", number), Message(options[53][0], mac, socket.inet_ntoa(address), socket.inet_ntoa(options[54]))


def _name(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode("ascii") for label in name.split(".")) + b"\0"
