// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

/** Beginnings of programs in Python that make or read packets as no ordinary socket does. */
final class Icmp {
    /** Makes IPv4 packets, their checksums wrong on request, and sends them. */
    static final String PACKETS = """
        import socket, struct, sys, time
        def checksum(data):
            data += b"\\0" * (len(data) % 2)
            value = sum(struct.unpack(f"!{len(data) // 2}H", data))
            while value >> 16:
                value = (value & 0xffff) + (value >> 16)
            return ~value & 0xffff
        def ip(source, target, protocol, payload, options=b"", wrong=0, ttl=64, ident=7, offset=0):
            words = 5 + len(options) // 4
            head = struct.pack("!BBHHHBBH4s4s", 0x40 | words, 0, 4 * words + len(payload), ident, offset, ttl, protocol,
                               0, socket.inet_aton(source), socket.inet_aton(target)) + options
            return head[:10] + struct.pack("!H", checksum(head) ^ wrong) + head[12:] + payload
        def ports(source, target, rest=b"\\0\\x0c\\0\\0"):
            return struct.pack("!2H", source, target) + rest
        def icmp(kind, code, rest, payload, wrong=0):
            body = struct.pack("!2BH4s", kind, code, 0, rest) + payload
            return body[:2] + struct.pack("!H", checksum(body) ^ wrong) + body[4:]
        raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        def send(packet):
            raw.sendto(packet, (socket.inet_ntoa(packet[16:20]), 0))
        """;
    /**
     * Prints each ICMP message that comes: source, destination, type, code, and for errors source, port, destination
     * and port of the packet it is about.
     */
    static final String HEAR = """
        import socket, struct
        link = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        def ends(packet):
            at = 4 * (packet[0] & 15)
            one, other = struct.unpack("!2H", packet[at:at + 4])
            return socket.inet_ntoa(packet[12:16]), one, socket.inet_ntoa(packet[16:20]), other
        print("ready", flush=True)
        while True:
            packet = link.recv(65535)
            message = packet[4 * (packet[0] & 15):]
            about = ends(message[8:]) if message[0] in (3, 4, 5, 11, 12) else ()
            print(socket.inet_ntoa(packet[12:16]), socket.inet_ntoa(packet[16:20]), *message[:2], *about, flush=True)
        """;

    private Icmp() {
        // Only text.
    }
}
