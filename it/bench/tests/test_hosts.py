# SPDX-License-Identifier: Apache-2.0
"""Hosts that are played: what they say, to whom they listen, when they repeat themselves, and how long it took."""

import collections
import socket
import struct
import unittest

from penstock_bench import host_frames, host_process, hosts

MAC = bytes.fromhex("021000000007")
SERVER = "10.0.0.1"


def reply(request, kind, address="10.0.0.100"):
    """What a server says to a frame of a host; without the tag, as the kernel hands it to us."""
    number = struct.unpack_from("!I", request, 18 + 28 + 4)[0]
    options = bytes([53, 1, kind, 54, 4]) + socket.inet_aton(SERVER) + b"\xff"
    message = struct.pack("!4BIHH4s4s4s4s16s192x4s", 2, 1, 6, 0, number, 0, 0, bytes(4), socket.inet_aton(address),
                          bytes(4), bytes(4), request[6:12].ljust(16, b"\0"), b"\x63\x82\x53\x63") + options
    return MAC + host_frames.GATEWAY_MAC + b"\x08\x00" + host_frames.ipv4(
        SERVER, address, 17, host_frames.datagram(SERVER, address, 67, 68, message))


def said(frame):
    """Kind of the DHCP message in a frame of a host."""
    return frame[18 + 28 + 240 + 2]


class Wire:
    """A cable with something at its other end; time goes on by a quarter of a second with each look at the clock."""

    def __init__(self, answer):
        self._answer, self._sent = answer, []
        self._arrived = collections.deque()
        self._readable, self._other = socket.socketpair()
        self._other.send(b"x")
        self._now = 0.0
        self.sent = []

    def clock(self):
        self._now += 0.25
        return self._now

    def fileno(self):
        return self._readable.fileno()

    def send(self, frame):
        self.sent.append(frame)
        self._arrived.extend(self._answer(frame, len(self.sent)))

    def recv(self, _):
        if not self._arrived:
            raise BlockingIOError
        return self._arrived.popleft()

    def close(self):
        self._readable.close()
        self._other.close()


class LeaseTest(unittest.TestCase):

    def played(self, answer, seconds=200.0, release=False):
        wire = Wire(answer)
        self.addCleanup(wire.close)
        player = hosts.Hosts(connection=wire, clock=wire.clock)
        player.lease(MAC, 7, 0, release)
        player.run(seconds)
        (sample,) = player.samples
        return sample, [said(frame) for frame in wire.sent], wire

    @staticmethod
    def good(frame, _):
        kind = {host_frames.DISCOVER: host_frames.OFFER, host_frames.REQUEST: host_frames.ACK}.get(said(frame))
        return [reply(frame, kind)] if kind else []

    def test_gets_an_address(self):
        sample, kinds, wire = self.played(self.good)
        self.assertEqual(kinds, [host_frames.DISCOVER, host_frames.REQUEST])
        self.assertEqual((sample["failed"], sample["repeats"]), (False, 0))
        self.assertLess(sample["offer"], sample["seconds"])
        discover, request = wire.sent
        for frame in wire.sent:
            self.assertEqual(frame[12:16], b"\x81\x00\x00\x07")
            self.assertEqual(frame[:12], b"\xff" * 6 + MAC)
            self.assertEqual(host_frames.checksum(frame[18:38]), 0)
            pseudo = frame[30:38] + struct.pack("!2H", 17, len(frame) - 38)
            self.assertEqual(host_frames.checksum(pseudo + frame[38:]), 0)
        self.assertNotIn(b"\x32\x04", discover[286:])
        self.assertIn(b"\x32\x04" + socket.inet_aton("10.0.0.100") + b"\x36\x04" + socket.inet_aton(SERVER), request)

    def test_nobody_waits_for_those_who_are_done(self):
        _, _, wire = self.played(self.good)
        self.assertLess(wire.clock(), 10)

    def test_gives_it_back(self):
        _, kinds, wire = self.played(self.good, release=True)
        self.assertEqual(kinds, [host_frames.DISCOVER, host_frames.REQUEST, host_frames.RELEASE])
        self.assertEqual(wire.sent[2][:6], host_frames.GATEWAY_MAC)

    def test_repeats_what_is_not_answered_later_each_time(self):
        times = []

        def late(frame, number):
            times.append(number)
            return self.good(frame, number) if number == 3 or number > 3 else []

        sample, kinds, _ = self.played(late)
        self.assertEqual(kinds, 3 * [host_frames.DISCOVER] + [host_frames.REQUEST])
        self.assertEqual(sample["repeats"], 2)
        self.assertTrue(3 + 7 <= sample["seconds"] <= 5 + 9 + 3, sample)

    def test_nobody_answers(self):
        sample, kinds, _ = self.played(lambda frame, number: [])
        self.assertTrue(sample["failed"])
        self.assertEqual(set(kinds), {host_frames.DISCOVER})
        self.assertEqual(sample["repeats"], len(kinds) - 1)
        self.assertGreaterEqual(sample["seconds"], hosts.PATIENCE_SECONDS)
        self.assertIsNone(sample["offer"])

    def test_begins_anew_when_refused(self):
        def refuses_once(frame, number):
            return [reply(frame, host_frames.NAK)] if number == 2 else self.good(frame, number)

        sample, kinds, _ = self.played(refuses_once)
        self.assertEqual(kinds, 2 * [host_frames.DISCOVER, host_frames.REQUEST])
        self.assertFalse(sample["failed"])

    def test_hears_neither_others_nor_nonsense(self):
        def talkative(frame, number):
            other = frame[:6] + b"\x02\x99\x99\x99\x99\x99" + frame[12:]
            return [b"", b"\0" * 60, frame, reply(other, host_frames.OFFER), reply(frame, host_frames.ACK)[:100],
                    *self.good(frame, number)]

        sample, kinds, _ = self.played(talkative)
        self.assertEqual(kinds, [host_frames.DISCOVER, host_frames.REQUEST])
        self.assertFalse(sample["failed"])


class ResidentTest(unittest.TestCase):

    HOST = "10.0.0.11"

    def test_asks_pings_and_answers_arp(self):
        question = b"\xff" * 6 + host_frames.GATEWAY_MAC + b"\x08\x06" + struct.pack(
            "!HHBBH6s4s6x4s", 1, 0x0800, 6, 4, 1, host_frames.GATEWAY_MAC, socket.inet_aton(SERVER),
            socket.inet_aton(self.HOST))

        def gateway(frame, number):
            if frame[16:18] == b"\x08\x06":
                return [question] if number == 1 else []
            if frame[27] == 1:
                return [MAC + frame[6:12] + b"\x08\x00" + frame[18:38] + b"\0" + frame[39:]]
            header = host_frames.ipv4(SERVER, self.HOST, 17, b"")
            return [MAC + frame[6:12] + b"\x08\x00" + header + struct.pack("!4H", 53, host_frames.QUESTION_PORT, 0, 0)
                    + frame[46:]] if b"known" in frame else []

        wire = Wire(gateway)
        self.addCleanup(wire.close)
        player = hosts.Hosts(connection=wire, clock=wire.clock)
        answer = host_process.play(player, {
            "seconds": 60, "residents": [[MAC.hex(), 7, self.HOST]], "pings": [[0.5, self.HOST]],
            "queries": [[1, self.HOST, "known.example"], [1, self.HOST, "lost.example"]]})
        self.assertEqual(sorted((one["kind"], one["failed"]) for one in answer["samples"]),
                         [("ping", False), ("query", False), ("query", True)])
        self.assertEqual(wire.sent[0][16:18], b"\x08\x06")
        (arp,) = [frame for frame in wire.sent[1:] if frame[16:18] == b"\x08\x06"]
        self.assertEqual(arp[:12], host_frames.GATEWAY_MAC + MAC)
        self.assertEqual(arp[18:26], struct.pack("!HHBBH", 1, 0x0800, 6, 4, 2))
        self.assertEqual(sum(frame.endswith(b"\x05known\x07example\0\0\1\0\1") for frame in wire.sent), 1)
        self.assertGreater(answer["frames"], 6)

    def test_a_new_job_forgets_the_one_before(self):
        wire = Wire(lambda frame, number: [])
        self.addCleanup(wire.close)
        player = hosts.Hosts(connection=wire, clock=wire.clock)
        first = host_process.play(player, {"seconds": 3, "leases": [[0, MAC.hex(), 7, False]]})
        self.assertEqual(first["samples"], [])
        self.assertEqual(host_process.play(player, {"seconds": 100})["samples"], [])
        self.assertFalse(player.busy)


if __name__ == "__main__":
    unittest.main()
