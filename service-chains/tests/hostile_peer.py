# SPDX-License-Identifier: Apache-2.0
"""A function that attacks the switch: it shows it memory with two rings, and takes the memory away.

It speaks the vhost-user protocol as the one that owns the memory (VHOST_USER_* are the numbers of its messages), at the
socket of its argument. By the second argument it
    truncates   waits for SIGUSR1, then makes the file empty
    restores    the same, and gives it its length again when the switch has ended
    hastens     makes the file empty at the moment the rings are in use, at every connection
    returns     waits for SIGUSR1, ends the connection, and hastens at the next
    sends       sends the frames of the further arguments, in hexadecimal digits, their checksums left to the switch
"""

import array
import contextlib
import itertools
import mmap
import os
import signal
import socket
import struct
import sys
import time

_GET_FEATURES, _SET_FEATURES, _SET_OWNER, _SET_MEM_TABLE = 1, 2, 3, 5
_SET_VRING_NUM, _SET_VRING_ADDR, _SET_VRING_BASE, _SET_VRING_KICK, _SET_VRING_CALL = 8, 9, 10, 12, 13
_VERSION = 1
_VIRTIO_F_VERSION_1 = 1 << 32
_VIRTIO_NET_F_CSUM, _VIRTIO_NET_HDR_F_NEEDS_CSUM = 1, 1
_LENGTH = 2 << 20
_BASE = 0x7F0000000000
_ENTRIES = 256


class _Switch:
    """One connection of the switch."""

    def __init__(self, link):
        self._link = link

    def send(self, request, payload=b"", *descriptors):
        header = struct.pack("<III", request, _VERSION, len(payload))
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        # DPDK reads the header with the descriptors, and then the rest.
        self._link.sendmsg([header + payload], ancillary)

    def ask(self, request):
        """The number that the switch answers."""
        self.send(request)
        answer = self._link.recv(12 + 8, socket.MSG_WAITALL)
        return struct.unpack("<III Q", answer)[3]

    def share(self, memory):
        """Shows it the memory, with a ring in each direction, and has it use them."""
        features = self.ask(_GET_FEATURES)
        self.send(_SET_FEATURES, struct.pack("<Q", features & (_VIRTIO_F_VERSION_1 | _VIRTIO_NET_F_CSUM)))
        self.send(_SET_OWNER)
        self.send(_SET_MEM_TABLE, struct.pack("<II4Q", 1, 0, 0, _LENGTH, _BASE, 0), memory)
        for ring in range(2):
            place = _BASE + 0x10000 * ring
            self.send(_SET_VRING_NUM, struct.pack("<II", ring, _ENTRIES))
            self.send(_SET_VRING_BASE, struct.pack("<II", ring, 0))
            self.send(_SET_VRING_ADDR, struct.pack("<II4Q", ring, 0, place, place + 0x4000, place + 0x2000, 0))
            self.send(_SET_VRING_CALL, struct.pack("<Q", ring), _event())
            self.send(_SET_VRING_KICK, struct.pack("<Q", ring), _event())
        self.ask(_GET_FEATURES)

    def wait(self):
        """Waits until it is gone."""
        with contextlib.suppress(OSError):
            while self._link.recv(4096):
                pass


def _transmit(memory, frames):
    """Puts frames into the second ring, of which the switch takes them. Returns when it has taken all."""
    ring, place = 0x10000, 0x100000
    available, used = ring + 0x2000, ring + 0x4000
    with mmap.mmap(memory, _LENGTH) as content:
        for number, frame in enumerate(frames):
            header = struct.pack("<BBHHHHH", _VIRTIO_NET_HDR_F_NEEDS_CSUM, 0, 0, 0, 14, 16, 0)
            content[place:place + len(header) + len(frame)] = header + frame
            content[ring + 16 * number:ring + 16 * (number + 1)] = struct.pack("<QIHH", place, len(header) + len(frame),
                                                                               0, 0)
            content[available + 4 + 2 * number:available + 6 + 2 * number] = struct.pack("<H", number)
            content[available + 2:available + 4] = struct.pack("<H", number + 1)
            while struct.unpack("<H", content[used + 2:used + 4])[0] != number + 1:
                time.sleep(0.01)
            place += 4096


def _event():
    return os.eventfd(0)


def main():
    path, deed, *frames = sys.argv[1:]
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    for number in itertools.count():
        link, _ = listener.accept()
        memory = os.memfd_create("memory")
        os.ftruncate(memory, _LENGTH)
        # Pages are there, as those of a guest are.
        with mmap.mmap(memory, _LENGTH) as content:
            content.write(bytes(_LENGTH))
        switch = _Switch(link)
        with contextlib.suppress(OSError):
            switch.share(memory)
            print("shared", flush=True)
            if deed in ("truncates", "restores") or (deed == "returns" and number == 0):
                signal.sigwait({signal.SIGUSR1})
            if deed == "sends":
                _transmit(memory, map(bytes.fromhex, frames))
                print("sent", flush=True)
                switch.wait()
            elif deed != "returns" or number:
                os.ftruncate(memory, 0)
                switch.wait()
        if deed == "restores":
            os.ftruncate(memory, _LENGTH)
            with mmap.mmap(memory, _LENGTH) as content:
                content.write(bytes(_LENGTH))
            print("restored", flush=True)
        link.close()
        os.close(memory)


if __name__ == "__main__":
    main()
