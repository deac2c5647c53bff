# SPDX-License-Identifier: Apache-2.0
"""Sends malformed packets of a kind by a device: fuzzer.py DEVICE KIND COUNT SEED GATEWAY_IPV4.

Each packet is a valid one with some of its bytes changed, cut off or doubled, headers included, but for the Ethernet
header, which makes it arrive. The same seed gives the same packets. Prints how many were sent.
"""

import random
import socket
import struct
import sys
import time

GATEWAY_MAC = bytes.fromhex("025053000001")
EVERYBODY = b"\xff" * 6
LONGEST = 1480
BURST, PAUSE_SECONDS = 50, 0.01


def checksum(data):
    """The Internet checksum (RFC 1071)."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def ipv4(source, target, protocol, payload, ttl=64):
    """An IPv4 packet with a right checksum."""
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 1, 0, ttl, protocol, 0, source, target)
    return header[:10] + struct.pack("!H", checksum(header)) + header[12:] + payload


def udp(source, target, payload):
    """A UDP datagram; without a checksum, which IPv4 allows."""
    return struct.pack("!HHHH", source, target, 8 + len(payload), 0) + payload


def ipv6(source, target, protocol, payload):
    """An IPv6 packet with the hop limit that neighbour discovery asks for."""
    return struct.pack("!IHBB", 6 << 28, len(payload), protocol, 255) + source + target + payload


def icmpv6(source, target, kind, body):
    """An ICMPv6 message with a right checksum."""
    message = struct.pack("!BBH", kind, 0, 0) + body
    pseudo = source + target + struct.pack("!II", len(message), 58)
    return ipv6(source, target, 58, message[:2] + struct.pack("!H", checksum(pseudo + message)) + message[4:])


class Fuzzer:
    """Makes packets of a kind."""

    def __init__(self, seed, mac, gateway):
        self.random = random.Random(seed)
        self.mac = mac
        self.gateway = gateway
        self.address = gateway[:3] + bytes([gateway[3] ^ 0x40])

    def dhcp(self):
        """A message of a client, with options in any order."""
        header = struct.pack("!BBBBIHH16s6s10s192s", 1, 1, 6, 0, self.random.getrandbits(32), 0, 0, b"\0" * 16,
                             self.mac, b"", b"")
        options = bytes([53, 1, self.random.randint(0, 9)])
        for _ in range(self.random.randint(0, 9)):
            code, length = self.random.randint(0, 255), self.random.randint(0, 40)
            options += bytes([code, length]) + self.random.randbytes(length)
        packet = ipv4(b"\0" * 4, b"\xff" * 4, 17, udp(68, 67, header + b"\x63\x82\x53\x63" + options + b"\xff"))
        return EVERYBODY, 0x0800, packet, 28

    def dns(self):
        """A query, or something that looks like one."""
        labels = b"".join(bytes([len(label)]) + label for label in
                          (self.random.randbytes(self.random.randint(1, 63)) for _ in range(self.random.randint(0, 6))))
        header = struct.pack("!HHHHHH", self.random.getrandbits(16),
                             self.random.choice((0x0100, self.random.getrandbits(16))), 1, 0, 0,
                             self.random.randint(0, 2))
        question = labels + b"\0" + struct.pack("!HH", self.random.choice((1, 12, 28, 255, 65000)), 1)
        packet = ipv4(self.address, self.gateway, 17, udp(self.random.randint(1024, 65535), 53, header + question))
        return GATEWAY_MAC, 0x0800, packet, 28

    def arp(self):
        """A request or an answer of anybody."""
        packet = struct.pack("!HHBBH6s4s6s4s", 1, 0x0800, 6, 4, self.random.choice((1, 2)), self.mac, self.address,
                             self.random.choice((b"\0" * 6, GATEWAY_MAC)), self.gateway)
        return self.random.choice((EVERYBODY, GATEWAY_MAC)), 0x0806, packet, 0

    def nd(self):
        """A neighbour solicitation or advertisement (RFC 4861), with an option."""
        source = bytes.fromhex("fe80000000000000") + self.random.randbytes(8)
        kind = self.random.choice((133, 135, 136, 137))
        option = bytes([self.random.choice((1, 2)), 1]) + self.mac
        body = b"\0" * 4 + (b"" if kind == 133 else bytes.fromhex("fe80000000000000025053fffe000001")) + option
        target = bytes.fromhex("ff020000000000000000000000000002")
        return bytes.fromhex("333300000002"), 0x86dd, icmpv6(source, target, kind, body), 40

    def ra(self):
        """A router advertisement, which no host may send."""
        source = bytes.fromhex("fe80000000000000") + self.random.randbytes(8)
        prefix = bytes([3, 4, 64, 0xc0]) + struct.pack("!III", 3600, 3600, 0) + bytes.fromhex("20010db8") + b"\0" * 12
        body = struct.pack("!BBHII", 64, 0, 1800, 0, 0) + prefix
        target = bytes.fromhex("ff020000000000000000000000000001")
        return bytes.fromhex("333300000001"), 0x86dd, icmpv6(source, target, 134, body), 40

    def mutate(self, packet, keep):
        """Changes a packet, in its headers one time of four, else behind them."""
        data = bytearray(packet)
        first = 0 if self.random.random() < 0.25 else min(keep, len(data) - 1)
        for _ in range(self.random.randint(1, 8)):
            at = self.random.randrange(min(first, len(data) - 1), len(data))
            how = self.random.randrange(4)
            if how == 0:
                data[at] = self.random.getrandbits(8)
            elif how == 1:
                data[at] ^= 1 << self.random.randrange(8)
            elif how == 2:
                del data[max(at, 1):]
            else:
                data[at:at] = self.random.randbytes(self.random.randint(1, 40))
        return bytes(data[:LONGEST])

    def frames(self, kind, count):
        """So many frames of a kind."""
        make = getattr(self, kind)
        for _ in range(count):
            target, ethertype, packet, keep = make()
            yield target + self.mac + struct.pack("!H", ethertype) + self.mutate(packet, keep)


def main(device, kind, count, seed, gateway):
    """Sends them."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind((device, 0))
        mac = sender.getsockname()[4]
        sent = 0
        for frame in Fuzzer(seed, mac, socket.inet_aton(gateway)).frames(kind, count):
            sender.send(frame.ljust(60, b"\0"))
            sent += 1
            if sent % BURST == 0:
                # The counters of the switch have to add up, so nothing may be lost before it.
                time.sleep(PAUSE_SECONDS)
        print(sent)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
