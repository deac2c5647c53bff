# SPDX-License-Identifier: Apache-2.0
"""Sends malformed packets of a kind by a device: fuzzer.py DEVICE KIND COUNT RATE SEED GATEWAY_IPV4 PREFIX_IPV6.

Each packet has a message in it some of whose bytes are changed, cut off or doubled. Around most of them lengths and
checksums are right, so that the message comes to the program that parses it; of one in sixteen any byte behind the
Ethernet header may be wrong. The same seed gives the same packets. Not more than RATE a second are sent, also after a
pause of the machine, because the switch limits what it takes to the controller. Prints how many were sent.
"""

import random
import socket
import struct
import sys
import time

GATEWAY_MAC = bytes.fromhex("025053000001")
EVERYBODY = b"\xff" * 6
LINK_LOCAL = bytes.fromhex("fe80000000000000")
GATEWAY = bytes.fromhex("fe80000000000000005053fffe000001")
ALL_NODES = bytes.fromhex("ff020000000000000000000000000001")
ALL_ROUTERS = bytes.fromhex("ff020000000000000000000000000002")
DHCP_SERVERS = bytes.fromhex("ff020000000000000000000000010002")
ELSEWHERE = bytes.fromhex("20010db8aaaa00000000000000000010")
LONGEST = 1400
BURST = 10
WHOLE_ONE_IN = 16


def checksum(data):
    """The Internet checksum (RFC 1071)."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def ipv4(source, target, protocol, payload, ttl=64, options=b""):
    """An IPv4 packet with a right checksum."""
    header = struct.pack("!BBHHHBBH4s4s", 0x45 + len(options) // 4, 0, 20 + len(options) + len(payload), 1, 0, ttl,
                         protocol, 0, source, target) + options
    return header[:10] + struct.pack("!H", checksum(header)) + header[12:] + payload


def udp(source, target, payload):
    """A UDP datagram; without a checksum, which IPv4 allows."""
    return struct.pack("!HHHH", source, target, 8 + len(payload), 0) + payload


def ipv6(source, target, protocol, payload, hops=255):
    """An IPv6 packet with the hop limit that neighbour discovery asks for."""
    return struct.pack("!IHBB", 6 << 28, len(payload), protocol, hops) + source + target + payload


def icmpv6(source, target, kind, body):
    """An ICMPv6 message with a right checksum."""
    message = struct.pack("!BBH", kind, 0, 0) + body
    pseudo = source + target + struct.pack("!II", len(message), 58)
    return ipv6(source, target, 58, message[:2] + struct.pack("!H", checksum(pseudo + message)) + message[4:])


def udp6(source, target, ports, payload):
    """A UDP datagram with a right checksum, in IPv6."""
    datagram = struct.pack("!HHHH", *ports, 8 + len(payload), 0) + payload
    right = checksum(source + target + struct.pack("!II", len(datagram), 17) + datagram) or 0xffff
    return ipv6(source, target, 17, datagram[:6] + struct.pack("!H", right) + payload)


class Fuzzer:
    """Makes packets of a kind."""

    def __init__(self, seed, mac, gateway, prefix):
        self.random = random.Random(seed)
        self.mac = mac
        self.gateway = gateway
        # An address that no host has, so that no kernel takes part.
        self.address = gateway[:3] + bytes([gateway[3] ^ 0x40])
        self.inside = prefix[:8] + bytes(7) + b"\x65"

    def announcement(self):
        """An ARP request, by which the switch learns where answers go to."""
        return EVERYBODY + self.mac + struct.pack("!HHHBBH6s4s6s4s", 0x0806, 1, 0x0800, 6, 4, 1, self.mac, self.address,
                                                  b"", self.gateway)

    def dhcp(self):
        """A message of a client, with options in any order."""
        header = struct.pack("!BBBBIHH16s6s10s192s", 1, 1, 6, 0, self.random.getrandbits(32), 0, 0, b"\0" * 16,
                             self.mac, b"", b"")
        options = bytes([53, 1, self.random.randint(0, 9)])
        for _ in range(self.random.randint(0, 9)):
            code, length = self.random.randint(0, 255), self.random.randint(0, 40)
            options += bytes([code, length]) + self.random.randbytes(length)
        message = header + b"\x63\x82\x53\x63" + self.mutate(options + b"\xff")
        # The limit of broadcasts is the lower one, so most speak to the gateway.
        if self.random.random() < 0.25:
            return EVERYBODY, 0x0800, ipv4(b"\0" * 4, b"\xff" * 4, 17, udp(68, 67, message))
        return GATEWAY_MAC, 0x0800, ipv4(self.address, self.gateway, 17, udp(68, 67, self.mutate(message)))

    def dns(self):
        """A query, or something that looks like one."""
        labels = b"".join(bytes([len(label)]) + label for label in
                          (self.random.randbytes(self.random.randint(1, 63)) for _ in range(self.random.randint(0, 6))))
        flags = self.random.choice((0x0100, self.random.getrandbits(16)))
        header = struct.pack("!HHHHHH", self.random.getrandbits(16), flags, 1, 0, 0, self.random.randint(0, 2))
        question = labels + b"\0" + struct.pack("!HH", self.random.choice((1, 12, 28, 255, 65000)), 1)
        return GATEWAY_MAC, 0x0800, ipv4(self.address, self.gateway, 17,
                                         udp(self.random.randint(1024, 65535), 53, self.mutate(header + question)))

    def arp(self):
        """A request or an answer."""
        packet = struct.pack("!HHBBH6s4s6s4s", 1, 0x0800, 6, 4, self.random.choice((1, 2)), self.mac, self.address,
                             self.random.choice((b"\0" * 6, GATEWAY_MAC)), self.gateway)
        whole = self.random.random() < 0.5
        return self.random.choice((EVERYBODY, GATEWAY_MAC)), 0x0806, self.mutate(packet) if whole else packet

    def nd(self):
        """A neighbour solicitation or advertisement (RFC 4861), with an option."""
        source = self.random.choice((LINK_LOCAL + self.random.randbytes(8), self.inside))
        kind = self.random.choice((135, 136))
        option = bytes([self.random.choice((1, 2)), 1]) + self.mac
        target = self.random.choice((GATEWAY, self.inside, self.inside[:8] + self.random.randbytes(8)))
        body = self.mutate(self.random.choice((b"\0" * 4, self.random.randbytes(4))) + target + option)
        return bytes.fromhex("333300000002"), 0x86dd, icmpv6(source, ALL_ROUTERS, kind, body)

    def ra(self):
        """A router advertisement or a redirect, which no host may send."""
        source = LINK_LOCAL + self.random.randbytes(8)
        prefix = bytes([3, 4, 64, 0xc0]) + struct.pack("!III", 3600, 3600, 0) + bytes.fromhex("20010db8") + b"\0" * 12
        body = struct.pack("!BBHII", 64, 0, 1800, 0, 0) + prefix
        return bytes.fromhex("333300000001"), 0x86dd, icmpv6(source, ALL_NODES, self.random.choice((134, 137)),
                                                             self.mutate(body))

    def rs(self):
        """A router solicitation."""
        body = b"\0" * 4 + b"".join(bytes([self.random.choice((1, 2, 14)), 1]) + self.mac
                                    for _ in range(self.random.randint(0, 3)))
        source = self.random.choice((LINK_LOCAL + self.random.randbytes(8), bytes(16)))
        return bytes.fromhex("333300000002"), 0x86dd, icmpv6(source, ALL_ROUTERS, 133, self.mutate(body))

    def dhcpv6(self):
        """A request to a DHCPv6 server (RFC 8415)."""
        message = bytes([self.random.choice((11, 11, 1, 3, 12))]) + self.random.randbytes(3)
        for _ in range(self.random.randint(0, 5)):
            value = self.random.randbytes(self.random.randint(0, 30))
            message += struct.pack("!HH", self.random.choice((1, 2, 3, 6, 8, 25, 32)), len(value)) + value
        return bytes.fromhex("333300010002"), 0x86dd, udp6(LINK_LOCAL + self.random.randbytes(8), DHCP_SERVERS,
                                                           (546, 547), self.mutate(message))

    def error(self):
        """A packet whose hop limit is used up, so that its sender is told, with any header and options."""
        payload = self.mutate(self.random.randbytes(self.random.randint(8, 400)))
        protocol = self.random.choice((1, 6, 17, 58, 59, 0, 43, 60, self.random.randint(0, 255)))
        if self.random.random() < 0.5:
            return GATEWAY_MAC, 0x86dd, ipv6(self.inside, ELSEWHERE, protocol, payload, 1)
        options = self.random.randbytes(4 * self.random.randint(0, 10))
        return GATEWAY_MAC, 0x0800, ipv4(self.address, bytes([198, 18, 0, 10]), protocol, payload, 1, options)

    def mutate(self, message):
        """Changes a message."""
        data = bytearray(message)
        for _ in range(self.random.randint(0, 6)):
            if not data:
                break
            at = self.random.randrange(len(data))
            how = self.random.randrange(8)
            if how == 0:
                del data[at:]
            elif how == 1:
                data[at:at] = self.random.randbytes(self.random.randint(1, 40))
            elif how < 5:
                data[at] = self.random.choice((0, 1, 0x7f, 0x80, 0xff))
            else:
                data[at] ^= 1 << self.random.randrange(8)
        return bytes(data[:LONGEST])

    def frames(self, kind, count):
        """So many frames of a kind."""
        make = getattr(self, kind)
        for _ in range(count):
            target, ethertype, packet = make()
            if self.random.randrange(WHOLE_ONE_IN) == 0:
                packet = self.mutate(packet)
            yield target + self.mac + struct.pack("!H", ethertype) + packet


def main(device, kind, count, rate, seed, gateway, prefix):
    """Sends them."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind((device, 0))
        mac = sender.getsockname()[4]
        fuzzer = Fuzzer(seed, mac, socket.inet_aton(gateway), socket.inet_pton(socket.AF_INET6, prefix))
        sender.send(fuzzer.announcement().ljust(60, b"\0"))
        sent = 1
        due = time.monotonic()
        for frame in fuzzer.frames(kind, count):
            sender.send(frame.ljust(60, b"\0"))
            sent += 1
            if sent % BURST == 0:
                due = max(due + BURST / rate, time.monotonic() - 0.1)
                time.sleep(max(0.0, due - time.monotonic()))
        print(sent)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]), sys.argv[6], sys.argv[7])
