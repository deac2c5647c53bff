# SPDX-License-Identifier: Apache-2.0
"""Many DHCP clients on one device, each with a MAC address of its own, that boot, reboot and release in a loop.

Usage: many-clients.py DEVICE CLIENTS SEED. Prints "ready", then one line for each thing a client does, at once:

    ack TIME MAC ADDRESS SECONDS    it has the address from now on
    end TIME MAC ADDRESS            it does not use the address any more

Ends at SIGTERM; whoever has an address then keeps it. Frames are read and written raw, so nobody answers ARP for the
clients.
"""

import random
import select
import signal
import socket
import struct
import sys
import time

COOKIE = b"\x63\x82\x53\x63"
BROADCAST = b"\xff" * 6
ANSWER_SECONDS = 2.0
DISCOVER, OFFER, REQUEST, DECLINE, ACK, NAK, RELEASE = range(1, 8)


def checksum(data):
    """The Internet checksum (RFC 1071)."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


class Client:
    """One client; at the time `due` it does what comes next."""

    def __init__(self, number, chance, now):
        self.mac = bytes((2, 0, 0, 0xdc, number >> 8, number & 0xff))
        self.chance = chance
        self.transaction = 0
        self.asked = DISCOVER
        self.offered = self.address = self.server = None
        self.due = now + chance.random()

    def frame(self, kind, options=b"", own=bytes(4)):
        """A message, to everybody."""
        message = struct.pack("!4BIHH", 1, 1, 6, 0, self.transaction, 0, 0) + own + bytes(12) + self.mac + bytes(202)
        message += COOKIE + bytes((53, 1, kind)) + options + b"\xff"
        message += bytes(len(message) % 2)
        udp = struct.pack("!4H", 68, 67, 8 + len(message), 0)
        header = struct.pack("!2BHHHBBH", 0x45, 0, 28 + len(message), 0, 0, 64, 17, 0) + own + b"\xff" * 4
        header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
        return BROADCAST + self.mac + b"\x08\x00" + header + udp + message

    def act(self, now):
        """What comes next, or once more what nobody answered. Frames to send, and a line for the test or nothing."""
        self.due = now + ANSWER_SECONDS
        # Whatever still comes of what was asked before is not heard.
        self.transaction, self.asked = self.chance.getrandbits(32), None
        if self.address and self.chance.random() < 0.4:
            address, self.address = self.address, None
            self.due = now + self.chance.random()
            options = bytes((54, 4)) + self.server
            return self.frame(RELEASE, options, address), f"end {now:.6f} {self.mac.hex(':')} {dotted(address)}"
        if self.address:
            # INIT-REBOOT: the address may be used until somebody says no.
            self.asked = REQUEST
            return self.frame(REQUEST, bytes((50, 4)) + self.address), None
        self.asked = DISCOVER
        return self.frame(DISCOVER), None

    def hear(self, kind, yours, server, seconds, now):
        """Takes an answer; likewise."""
        if kind == OFFER and self.asked == DISCOVER:
            self.asked, self.offered = REQUEST, yours
            self.due = now + ANSWER_SECONDS
            return self.frame(REQUEST, bytes((50, 4)) + yours + bytes((54, 4)) + server), None
        if kind == NAK and self.asked == REQUEST:
            address, self.address = self.address, None
            self.due = now + self.chance.random()
            return None, address and f"end {now:.6f} {self.mac.hex(':')} {dotted(address)}"
        if kind == ACK and self.asked == REQUEST:
            self.asked, self.address, self.server = None, yours, server
            self.due = now + 2 * self.chance.random()
            return None, f"ack {now:.6f} {self.mac.hex(':')} {dotted(yours)} {seconds}"
        return None, None


def dotted(address):
    """An address for people."""
    return socket.inet_ntoa(address)


def parse(frame):
    """Transaction, MAC address, kind, address, server and seconds of an answer; nothing if it is none."""
    if len(frame) < 282 or frame[12:14] != b"\x08\x00" or frame[23] != 17 or frame[36:38] != b"\x00\x44":
        return None
    message = frame[42:]
    if message[0] != 2 or message[236:240] != COOKIE:
        return None
    options, at = {}, 240
    while at < len(message) and message[at] != 255:
        if message[at] == 0:
            at += 1
            continue
        options[message[at]] = message[at + 2:at + 2 + message[at + 1]]
        at += 2 + message[at + 1]
    return (struct.unpack("!I", message[4:8])[0], message[28:34], options[53][0], message[16:20], options.get(54),
            int.from_bytes(options.get(51, b""), "big"))


def main(device, count, seed):
    """Runs until SIGTERM."""
    chance = random.Random(seed)
    clients = [Client(number, chance, time.time()) for number in range(count)]
    by_mac = {client.mac: client for client in clients}
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
    link.bind((device, 0))
    going = [True]
    signal.signal(signal.SIGTERM, lambda *_: going.clear())
    print("ready", flush=True)

    def out(frame, line):
        if line:
            print(line, flush=True)
        if frame:
            link.send(frame)

    while going:
        now = time.time()
        first = min(clients, key=lambda client: client.due)
        if first.due <= now:
            out(*first.act(now))
            continue
        if not select.select([link], [], [], min(first.due - now, 0.2))[0]:
            continue
        answer = parse(link.recv(2048))
        client = answer and by_mac.get(answer[1])
        if client and client.transaction == answer[0]:
            out(*client.hear(*answer[2:], time.time()))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
