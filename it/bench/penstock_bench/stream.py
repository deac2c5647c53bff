# SPDX-License-Identifier: Apache-2.0
"""Traffic that must not stop: one tenant's datagrams through a bed, counted at both ends."""

import itertools
import socket
import struct
import threading
import time
import typing

from penstock_base import processes

from . import traffic
from .bed import Bed
from .configuration import ACCESS_PORTS, UPLINK
from .results import Results

_GATEWAY_MAC = bytes.fromhex(traffic.PENSTOCK_MAC.replace(":", ""))
_TRANSIT_MAC = bytes.fromhex(traffic.TRANSIT_MAC.replace(":", ""))
_ETH_VLAN, _ETH_IPV4, _ETH_ARP = 0x8100, 0x0800, 0x0806


class Stream:
    """UDP of the first tenant, 200 frames a second, from its VLAN to the transit router, which we are too."""

    _SECONDS = 0.005
    _MAGIC = b"penstock-control"

    def __init__(self, bed: Bed) -> None:
        self._out = _packet_socket(bed.peer(ACCESS_PORTS[0]))
        self._in = _packet_socket(bed.peer(UPLINK))
        self._lock = threading.Lock()
        self._sent: list[float] = []
        self._came: dict[int, float] = {}
        self._ending = threading.Event()
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._send, self._receive)]

    def __enter__(self) -> typing.Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join()
        self._out.close()
        self._in.close()

    def forget(self) -> None:
        """Begins to count."""
        with self._lock:
            self._sent.clear()
            self._came.clear()

    def await_traffic(self, seconds: float) -> None:
        """Waits until frames sent from now on arrive."""
        with self._lock:
            last = self._sent[-1] if self._sent else -1
        processes.wait_until(lambda: any(number > last for number in self._numbers()), "frames arrive", seconds)
        time.sleep(0.1)

    def _numbers(self) -> list[int]:
        with self._lock:
            return list(self._came)

    def result(self) -> Results:
        """Frames sent and lost (those of the last 50 ms may be on their way), and the longest time without one."""
        with self._lock:
            sent = self._sent[:-10]
            times = sorted(self._came.values())
            return {"sent": len(sent), "lost": sum(number not in self._came for number in sent),
                    "longest_gap": max((later - earlier for earlier, later in itertools.pairwise(times)), default=None)}

    def _send(self) -> None:
        number, due = 0, time.monotonic()
        while not self._ending.is_set():
            self._out.send(tenant_frame(0, self._MAGIC + struct.pack("!Q", number)))
            with self._lock:
                self._sent.append(number)
            number += 1
            due += self._SECONDS
            time.sleep(max(0.0, due - time.monotonic()))

    def _receive(self) -> None:
        self._in.settimeout(0.2)
        while not self._ending.is_set():
            try:
                frame = self._in.recv(2048)
            except TimeoutError:
                continue
            answer = arp_answer(frame)
            at = frame.find(self._MAGIC)
            if answer:
                self._in.send(answer)
            elif at >= 0:
                with self._lock:
                    self._came[struct.unpack_from("!Q", frame, at + len(self._MAGIC))[0]] = time.monotonic()


def tenant_frame(index: int, payload: bytes) -> bytes:
    """A UDP frame of a tenant's host to the world, with its VLAN tag."""
    udp = struct.pack("!HHHH", 10000, 5000, 8 + len(payload), 0) + payload
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes([10, 0, 0, 10]),
                         bytes([198, 51, 100, 10]))
    total = sum(struct.unpack("!10H", header))
    total = (total & 0xffff) + (total >> 16)
    header = header[:10] + struct.pack("!H", ~(total + (total >> 16)) & 0xffff) + header[12:]
    source = bytes.fromhex("02000000") + struct.pack("!H", index)
    return _GATEWAY_MAC + source + struct.pack("!HHH", _ETH_VLAN, 2 + index, _ETH_IPV4) + header + udp


def arp_answer(frame: bytes) -> bytes | None:
    """The transit router's answer to an ARP request for its address, or None for any other frame."""
    if len(frame) < 42 or struct.unpack_from("!H", frame, 12)[0] != _ETH_ARP:
        return None
    operation: int
    sender_mac: bytes
    sender: bytes
    target: bytes
    operation, sender_mac, sender, target = struct.unpack("!H6s4s6x4s", frame[20:42])
    if operation != 1 or target != bytes([192, 0, 2, 1]):
        return None
    return (sender_mac + _TRANSIT_MAC + struct.pack("!HHHBBH", _ETH_ARP, 1, _ETH_IPV4, 6, 4, 2)
            + _TRANSIT_MAC + target + sender_mac + sender).ljust(60, b"\0")


def _packet_socket(device: str) -> socket.socket:
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    made.bind((device, 0))
    return made
