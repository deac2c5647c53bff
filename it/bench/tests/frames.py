# SPDX-License-Identifier: Apache-2.0
"""Frames for tests of the generator, and pcap files of them: an oracle that shares nothing with the generator."""

import struct

_PCAP = "<IHHIIII"
_RECORD = "<IIII"


def checksum(data):
    """The Internet checksum; 0 over data that has a right one in it."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def udp(port, size=60, tags=(5,)):
    """A UDP frame of `size` bytes with right checksums and a payload that is never the same."""
    head = bytes.fromhex("025053000001 02000000a1b2")
    head += b"".join(struct.pack("!HH", 0x8100, tag) for tag in tags) + b"\x08\x00"
    length = size - len(head) - 20
    payload = bytes((port + i) & 0xff for i in range(length - 8))
    addresses = bytes([10, 0, 0, 10, 198, 51, 100, 10])
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, port, 0x4000, 64, 17, 0) + addresses
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    datagram = struct.pack("!HHHH", port, 5000, length, 0) + payload
    total = checksum(addresses + struct.pack("!HH", 17, length) + datagram) or 0xffff
    return head + ip + datagram[:6] + struct.pack("!H", total) + datagram[8:]


def checksums_are_right(frame, tags=1):
    """Whether the IPv4 and the UDP checksum fit."""
    ip = frame[14 + 4 * tags:]
    pseudo = ip[12:20] + struct.pack("!HH", 17, len(ip) - 20)
    return checksum(ip[:20]) == 0 and checksum(pseudo + ip[20:]) == 0


ARP = bytes.fromhex("ffffffffffff 02000000a1b2 0806 0001080006040001 02000000a1b2 0a00000a 000000000000 0a000001")


def write_pcap(path, frames):
    """A classic pcap file."""
    records = (struct.pack(_RECORD, 0, 0, len(frame), len(frame)) + frame for frame in frames)
    path.write_bytes(struct.pack(_PCAP, 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1) + b"".join(records))
    return path


def read_pcap(path):
    """The frames of a pcap file with nanoseconds."""
    data = path.read_bytes()
    assert struct.unpack_from(_PCAP, data)[0] == 0xa1b23c4d
    at = struct.calcsize(_PCAP)
    frames = []
    while at < len(data):
        _, _, kept, length = struct.unpack_from(_RECORD, data, at)
        assert kept == length
        at += struct.calcsize(_RECORD)
        frames.append(data[at:at + kept])
        at += kept
    return frames
