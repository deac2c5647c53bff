# SPDX-License-Identifier: Apache-2.0
"""The real generator on a real switch: what goes in comes out, unharmed and counted. Needs root, DPDK and a compiler.

No speed and no time is asserted: this is for any machine.
"""

import os
import pathlib
import shutil
import signal
import struct
import tempfile
import threading
import unittest

import pytest

from penstock_base import processes
from penstock_base.errors import PenstockError
from penstock_bench import generator, switch

from .frames import ARP, checksums_are_right, read_pcap, udp, write_pcap
from .private_switch import FUNCTION, PORTS, PrivateSwitch

# Runs last for a time, in which the generator and the switch need their cores.
pytestmark = [pytest.mark.node, pytest.mark.deep, pytest.mark.supervision]


class GeneratorTest(unittest.TestCase):
    """All share one switch and one generator: starting them is what takes the time."""

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="psg-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        cls.program = generator.build(cls.directory / "build")
        cls.switch = PrivateSwitch(cls.directory)
        cls.addClassCleanup(cls.switch.stop)
        cls.switch.start()
        cls.generator = generator.Generator(cls.program, cls.switch.links, f"psg-{os.getpid()}", cls.directory)
        cls.addClassCleanup(cls.generator.stop)
        cls.generator.start()
        cls.generator.wait()

    def load(self, link, frames):
        path = write_pcap(self.directory / f"{link}.pcap", frames)
        self.assertEqual(self.generator.load(link, path),
                         {"frames": len(frames), "bytes": sum(len(frame) for frame in frames)})

    def capture(self, link, count):
        path = self.directory / f"{link}-captured.pcap"
        path.unlink(missing_ok=True)
        self.generator.capture(link, path, count)
        return path

    def test_frames_arrive_unharmed(self):
        frames = [udp(1000), udp(1001, 1514), udp(1002, 64), udp(1003, 65), udp(1004, 60, ()), ARP]
        self.load("acc", frames)
        captured = self.capture("up", 100)
        result = self.generator.run(0.2, ["acc"], rate=5000, burst=120)
        acc, up = result["links"]["acc"], result["links"]["up"]
        self.assertEqual((acc["tx"], up["rx"]), (120, 120))
        self.assertEqual(acc["tx_bytes"], 20 * sum(len(frame) for frame in frames))
        self.assertEqual(up["rx_bytes"], acc["tx_bytes"])
        self.assertLessEqual(up["rx_window"], up["rx"])
        self.assertEqual((acc["rx"], up["tx"]), (0, 0))
        self.assertEqual((acc["captured"], up["captured"]), (0, 100))
        arrived = read_pcap(captured)
        self.assertEqual(len(arrived), 100)
        self.assertEqual(set(arrived), set(frames))
        self.assertNotIn("latency_ns", result)
        self.assertTrue(0 < result["busy"] <= 1)

    def test_polling_thread_gives_way_for_a_time(self):
        def sleeps():
            return self.switch.ovs.get("Open_vSwitch", ".", "other_config")["pmd-maxsleep"]

        pid = processes.pid_of(self.switch.ovs.switch_process)
        polling = [int(path.name) for path in pathlib.Path(f"/proc/{pid}/task").iterdir()
                   if (path / "comm").read_text("ascii").startswith("pmd-")]
        self.assertEqual(len(polling), 1)
        with switch.giving_way(self.switch.ovs, 70, 500):
            self.assertEqual(sleeps(), "70")
            self.load("acc", [udp(1000)])
            self.assertEqual(self.generator.run(0.2, ["acc"], rate=1000, burst=50)["links"]["up"]["rx"], 50)
        self.assertEqual(sleeps(), "500")
        self.assertEqual(os.sched_getscheduler(polling[0]), os.SCHED_OTHER)

    def test_as_fast_as_it_goes_both_ways(self):
        self.load("acc", [udp(port) for port in range(1000, 1100)])
        self.load("up", [udp(port) for port in range(2000, 2100)])
        links = self.generator.run(0.2, ["acc", "up"])["links"]
        for name, other in (("acc", "up"), ("up", "acc")):
            self.assertGreater(links[name]["tx"], 1000)
            self.assertGreater(links[other]["rx"], 0)
            self.assertEqual(links[name]["late"], 0)

    def test_one_link_has_a_rate_of_its_own(self):
        self.load("acc", [udp(1000)])
        self.load("up", [udp(2000)])
        links = self.generator.run(0.5, ["acc", "up"], rates={"acc": 2000})["links"]
        self.assertAlmostEqual(links["acc"]["tx"] + links["acc"]["late"], 1000, delta=1)
        self.assertLessEqual(links["acc"]["refused"], links["acc"]["late"])
        self.assertGreater(links["up"]["tx"], 5000)
        self.assertEqual(links["up"]["late"], 0)
        for rates, rate in (({"acc": 2000}, 1000), ({"acc": 0}, None), ({"acc": "much"}, None)):
            with self.assertRaises(PenstockError):
                self.generator.run(0.1, ["acc", "up"], rate=rate, rates=rates)

    def test_frames_due_while_the_core_was_away_are_counted_also_at_the_end(self):
        self.load("acc", [udp(1000)])
        own = self.generator.pid
        stop = threading.Timer(0.3, os.kill, (own, signal.SIGSTOP))
        go_on = threading.Timer(1, os.kill, (own, signal.SIGCONT))
        for timer in (stop, go_on):
            timer.start()
            self.addCleanup(timer.join)
        acc = self.generator.run(0.5, ["acc"], rate=2000)["links"]["acc"]
        self.assertAlmostEqual(acc["tx"] + acc["late"], 1000, delta=1)
        self.assertGreater(acc["late"], 0)

    def test_burst_is_exact_and_shared(self):
        self.load("acc", [udp(port) for port in range(1000, 1007)])
        self.load("up", [udp(2000)])
        links = self.generator.run(0.2, ["acc"], burst=500)["links"]
        self.assertEqual((links["acc"]["tx"], links["up"]["rx"]), (500, 500))
        links = self.generator.run(0.2, ["acc", "up"], burst=41)["links"]
        self.assertEqual([(links[name]["tx"], links[name]["rx"]) for name in PORTS], [(21, 20), (20, 21)])

    def test_stamps_keep_checksums_and_tell_latency(self):
        frames = [udp(1000 + size, size, tags) for size in (60, 61, 62, 63, 200, 1513, 1514) for tags in ((7,), (8,))]
        self.load("acc", frames)
        captured = self.capture("up", 280)
        result = self.generator.run(0.2, ["acc"], rate=5000, stamp=True)
        seen = result["latency_ns"]["up"]
        self.assertEqual(seen["count"], result["links"]["up"]["rx"])
        self.assertEqual(result["links"]["up"]["rx"], result["links"]["acc"]["tx"])
        order = [seen[name] for name in ("min", "p50", "p90", "p99", "p999", "max")]
        self.assertEqual(order, sorted(order))
        self.assertGreater(seen["min"], 0)
        self.assertTrue(seen["min"] <= seen["mean"] <= seen["max"])
        self.assertEqual(result["latency_ns"]["acc"], {"count": 0})
        # The switch keeps the order of a flow only.
        templates = {frame[:-12]: frame[-12:] for frame in frames}
        arrived = read_pcap(captured)
        self.assertEqual({frame[:-12] for frame in arrived}, set(templates))
        for frame in arrived:
            self.assertNotEqual(frame[-12:], templates[frame[:-12]])
            self.assertTrue(checksums_are_right(frame), frame.hex())

    def order(self, *indexes):
        path = self.directory / "order"
        path.write_bytes(struct.pack(f"={len(indexes)}I", *indexes))
        return self.generator.order("acc", path)

    def test_frames_go_out_in_the_order_asked_for(self):
        # One flow, whose order the switch keeps.
        frames = [udp(1000, size)[:-4] + struct.pack("!I", size) for size in (60, 100, 200, 300)]
        self.load("acc", frames)
        order = [2, 0, 2, 2, 3, 0, 2]
        self.assertEqual(self.order(*order), {"order": 7})
        captured = self.capture("up", 100)
        acc = self.generator.run(0.2, ["acc"], rate=5000, burst=24)["links"]["acc"]
        wanted = [frames[order[place % 7]] for place in range(24)]
        self.assertEqual(read_pcap(captured), wanted)
        self.assertEqual(acc["tx_bytes"], sum(map(len, wanted)))
        for wrong, words in ((b"123", "32-bit"), (struct.pack("=2I", 0, 4), "not that of a frame"), (b"", "empty")):
            (self.directory / "order").write_bytes(wrong)
            with self.assertRaisesRegex(PenstockError, words):
                self.generator.order("acc", self.directory / "order")
        self.assertEqual(self.generator.order("acc"), {"order": 4})
        self.order(3)
        self.load("acc", frames)
        captured = self.capture("up", 100)
        self.generator.run(0.2, ["acc"], rate=5000, burst=4)
        self.assertEqual(read_pcap(captured), frames, "new frames have no order")

    def test_stamps_fit_frames_that_have_an_order(self):
        frames = [udp(1000 + size, size) for size in (60, 61, 200)]
        self.load("acc", frames)
        self.order(2, 2, 0, 1, 0)
        captured = self.capture("up", 100)
        self.generator.run(0.2, ["acc"], rate=5000, burst=50, stamp=True)
        arrived = read_pcap(captured)
        self.assertEqual(len(arrived), 50)
        for frame in arrived:
            self.assertTrue(checksums_are_right(frame), frame.hex())

    def test_connections_live_for_some_packets(self):
        frames = [udp(port) for port in range(1000, 1010)]
        self.load("acc", frames)
        self.generator.live("acc", 5)
        seen = {}
        for _ in range(2):  # The second run begins no connection of the first again.
            captured = self.capture("up", 1000)
            self.generator.run(0.2, ["acc"], rate=5000, burst=500)
            for frame in read_pcap(captured):
                self.assertTrue(checksums_are_right(frame), frame.hex())
                self.assertEqual(frame[:38], frames[frame[-1] - frames[0][-1]][:38])
                ports = struct.unpack_from("!2H", frame, 38)
                seen[ports] = seen.get(ports, 0) + 1
        # The first ones end one by one: two of ten frames with each cycle, so the last run cuts eight new ones off.
        first = [seen.pop((port, 5000)) for port in range(1000, 1010)]
        self.assertEqual(first, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
        self.assertEqual(sum(first) + sum(seen.values()), 1000)
        self.assertEqual({count for count in seen.values() if count != 5}, {1, 2, 3, 4})
        self.assertEqual(sorted(seen), [(10000 + number, 20000) for number in range(len(seen))])
        self.load("acc", [udp(1000), ARP])
        with self.assertRaisesRegex(PenstockError, "live: the link has frames"):
            self.generator.live("acc", 5)

    def test_a_connection_of_one_packet(self):
        self.load("acc", [udp(1000), udp(1001)])
        self.generator.live("acc", 1)
        captured = self.capture("up", 100)
        self.generator.run(0.2, ["acc"], rate=5000, burst=100)
        ports = {frame[38:42] for frame in read_pcap(captured)}
        self.assertEqual(len(ports), 100)
        self.generator.live("acc")
        captured = self.capture("up", 100)
        self.generator.run(0.2, ["acc"], rate=5000, burst=100)
        self.assertEqual(len({frame[38:42] for frame in read_pcap(captured)}), 2)

    def test_answer_goes_back_with_everything_swapped(self):
        self.generator.answer("up")
        self.addCleanup(self.generator.answer, "up", False)
        frames = [udp(1000), udp(1001, 200, ()), ARP]
        self.load("acc", frames)
        captured = self.capture("acc", 20)
        result = self.generator.run(0.2, ["acc"], burst=30)
        acc, up = result["links"]["acc"], result["links"]["up"]
        self.assertEqual((acc["tx"], up["rx"], up["tx"]), (30, 30, 0))
        self.assertEqual((up["answered"], up["unanswered"], acc["rx"]), (20, 10, 20))
        answers = sorted(set(read_pcap(captured)), key=len)
        self.assertEqual(len(answers), 2)
        for frame, sent, tags in zip(answers, frames, (1, 0), strict=False):
            ip = 14 + 4 * tags
            self.assertEqual(frame[:12], sent[6:12] + sent[:6])
            self.assertEqual(frame[12:ip + 12], sent[12:ip + 12])
            self.assertEqual(frame[ip + 12:ip + 20], sent[ip + 16:ip + 20] + sent[ip + 12:ip + 16])
            self.assertEqual(frame[ip + 20:ip + 24], sent[ip + 22:ip + 24] + sent[ip + 20:ip + 22])
            self.assertEqual(frame[ip + 24:], sent[ip + 24:])
            self.assertTrue(checksums_are_right(frame, tags))

    def test_answer_brings_the_stamp_home(self):
        self.generator.answer("up")
        self.addCleanup(self.generator.answer, "up", False)
        self.load("acc", [udp(1000)])
        seen = self.generator.run(0.2, ["acc"], rate=1000, stamp=True)["latency_ns"]
        self.assertGreater(seen["acc"]["count"], 0)
        self.assertGreater(seen["acc"]["mean"], seen["up"]["mean"])

    def lead_through_function(self, *between):
        """The switch leads all through the two ports of a function; the generator forwards between the two links."""
        self.addCleanup(self.switch.connect_ports)
        self.switch.connect_ports((("acc", "in"), ("out", "up")))
        if between:
            self.addCleanup(self.generator.forward, *between, on=False)
            self.generator.forward(*between)

    def test_forwarded_frames_pass_unchanged_and_count_where_they_end(self):
        self.lead_through_function("in", "out")
        frames = [udp(1000), udp(1001, 1514), udp(1002, 60, ()), ARP]
        back = [udp(2000), udp(2001, 300)]
        self.load("acc", frames)
        self.load("up", back)
        captured = {link: self.capture(link, 100) for link in ("in", "up", "acc")}
        links = self.generator.run(0.2, ["acc", "up"], rate=5000, burst=160)["links"]
        self.assertEqual([links[name]["tx"] for name in links], [80, 80, 0, 0])
        self.assertEqual([links[name]["rx"] for name in links], [80, 80, 0, 0])
        self.assertEqual([links[name]["forwarded"] for name in links], [0, 0, 80, 80])
        self.assertEqual([links[name]["unforwarded"] for name in links], [0, 0, 0, 0])
        arrived = {link: read_pcap(path) for link, path in captured.items()}
        self.assertEqual({link: set(found) for link, found in arrived.items()},
                         {"in": set(frames), "up": set(frames), "acc": set(back)})
        self.assertEqual([len(found) for found in arrived.values()], [80, 80, 80])

    def test_latency_of_forwarded_frames_is_read_where_they_end(self):
        self.lead_through_function("out", "in")
        self.load("acc", [udp(1000), udp(1001, 200)])
        result = self.generator.run(0.2, ["acc"], rate=2000, stamp=True)
        self.assertEqual(result["latency_ns"]["up"]["count"], result["links"]["acc"]["tx"])
        self.assertEqual([result["latency_ns"][link] for link in FUNCTION], 2 * [{"count": 0}])

    def test_what_is_not_forwarded_is_received_and_goes_no_further(self):
        self.lead_through_function()
        self.load("acc", [udp(1000)])
        links = self.generator.run(0.2, ["acc"], burst=50)["links"]
        self.assertEqual((links["in"]["rx"], links["in"]["forwarded"], links["up"]["rx"]), (50, 0, 0))

    def test_forwarding_as_fast_as_it_goes_keeps_the_order_and_doubles_nothing(self):
        self.lead_through_function("in", "out")
        # One flow, whose order the switch keeps.
        self.load("acc", [udp(1000)[:-4] + struct.pack("!I", number) for number in range(50000)])
        captured = self.capture("up", 50000)
        links = self.generator.run(0.5, ["acc"], burst=50000)["links"]
        arrived = [struct.unpack("!I", frame[-4:])[0] for frame in read_pcap(captured)]
        self.assertGreater(len(arrived), 1000)
        self.assertEqual(arrived, sorted(set(arrived)))
        self.assertEqual((links["up"]["rx"], links["in"]["unforwarded"]), (len(arrived), 0))
        self.assertLessEqual(links["up"]["rx"], links["in"]["forwarded"])

    def test_a_pair_is_parted_from_either_side_and_by_a_new_one(self):
        self.lead_through_function("in", "out")
        self.load("acc", [udp(1000)])
        self.load("in", [udp(1000)])
        for other, on in (("in", False), ("up", True)):
            self.generator.forward("in", "out")
            with self.assertRaisesRegex(PenstockError, "does not send on its own"):
                self.generator.run(0.1, ["in"])
            self.generator.forward("out", other, on)
            self.addCleanup(self.generator.forward, "up", "out", on=False)
            links = self.generator.run(0.1, ["acc"], burst=10)["links"]
            self.assertEqual((links["in"]["rx"], links["in"]["forwarded"]), (10, 0))

    def test_refusals_say_why(self):
        empty = self.directory / "empty.pcap"
        empty.write_bytes(b"")
        cut = write_pcap(self.directory / "cut.pcap", [udp(1000)])
        cut.write_bytes(cut.read_bytes()[:-1])
        for call, words in (
                (lambda: self.generator.load("acc", self.directory / "none.pcap"), "No such file"),
                (lambda: self.generator.load("acc", empty), "the file is empty"),
                (lambda: self.generator.load("acc", cut), "cut off"),
                (lambda: self.generator.load("acc", write_pcap(self.directory / "void.pcap", [])), "no frame"),
                (lambda: self.generator.load("acc", "two words.pcap"), "without spaces"),
                (lambda: self.generator.load("lost", cut), "use: load"),
                (lambda: self.generator.order("lost", cut), "use: order"),
                (lambda: self.generator.live("acc", 0.5), "use: live"),
                (lambda: self.generator.run(0.1, ["lost"]), "no such link"),
                (lambda: self.generator.run(0.1, ["acc", "acc"]), "twice"),
                (lambda: self.generator.run(0, ["acc"]), "use: run"),
                (lambda: self.generator.run(0.1, ["acc"], rate=-1), "use: run"),
                (lambda: self.generator.command("run 0.1 acc sideways"), "use: run"),
                (lambda: self.generator.forward("in", "in"), "use: forward"),
                (lambda: self.generator.forward("in", "lost"), "use: forward"),
                (lambda: self.generator.command("forward in"), "use: forward"),
                (lambda: self.generator.capture("up", self.directory / "x.pcap", 0), "use: capture"),
                (lambda: self.generator.capture("up", self.directory / "nowhere" / "x.pcap", 1), "No such file"),
                (lambda: self.generator.command('jump "high\\'), "no such command")):
            self.load("acc", [udp(1000)])
            with self.assertRaisesRegex(PenstockError, words):
                call()
        self.load("acc", [udp(1000), ARP])
        with self.assertRaisesRegex(PenstockError, "stamp: "):
            self.generator.run(0.1, ["acc"], stamp=True)
        self.assertEqual(self.generator.run(0.1, ["acc"], burst=2)["links"]["up"]["rx"], 2, "it goes on after all that")

    def test_switch_may_go_and_come_back(self):
        self.load("acc", [udp(1000)])
        self.switch.stop_switch()
        processes.wait_until(lambda: not self.generator.command("wait 0")["up"], "the end of all links", 20)
        with self.assertRaisesRegex(PenstockError, "no switch connected to link acc .*, up "):
            self.generator.wait(0.1)
        with self.assertRaisesRegex(PenstockError, "no peer is connected"):
            self.generator.run(0.1, ["acc"])
        self.switch.ovs.stop()
        self.switch.ovs.start_database()
        self.switch.start_switch()
        self.switch.connect_ports()
        self.generator.wait()
        self.assertEqual(self.generator.run(0.2, ["acc"], burst=100)["links"]["up"]["rx"], 100)


if __name__ == "__main__":
    unittest.main()
