# SPDX-License-Identifier: Apache-2.0
"""What two polling threads carry: their frames, ports and counters, and the ratios and report of made-up samples."""

import contextlib
import io
import pathlib
import tempfile
import types
import unittest

from penstock_base.errors import PenstockError
from penstock_bench import baseline, cli, cores, cores_bed, cores_report, ratios, traffic

_SHOWN = """
Time: 22:14:06.106
Measurement duration: 2.218 s

pmd thread numa_id 0 core_id 0:

  Iterations:               525447  (4.08 us/it)
  - Used TSC cycles:      31753410  ( 96.7 % of total cycles)
  - idle iterations:        525000  ( 78.8 % of used cycles)
  - busy iterations:           447  ( 21.2 % of used cycles)
  - sleep iterations:            0  (  0.0 % of iterations)
  Rx packets:                 9984  (7 Kpps, 673 cycles/pkt)
  Datapath passes:            9996  (1.00 passes/pkt)
  - Megaflow hits:            9993  (100.0 %, 1.00 subtbl lookups/hit)
  - Upcalls:                     3  (  0.0 %, 0.0 us/upcall)
  - Lost upcalls:                0  (  0.0 %)
  Tx packets:                 9984  (7 Kpps)

pmd thread numa_id 0 core_id 1:

  Rx packets:                    0
  Tx packets:                    0

main thread:

  Rx packets:                   77  (0 Kpps, 100 cycles/pkt)
"""
_QUEUES = """Displaying last 60 seconds pmd usage %
pmd thread numa_id 0 core_id 0:
  isolated : false
  port: sessions          queue-id:  0 (enabled)   pmd usage: 99 %
  overhead:  0 %
pmd thread numa_id 0 core_id 1:
  isolated : false
  port: sessions          queue-id:  1 (enabled)   pmd usage: NOT AVAIL
  port: up0               queue-id:  0 (enabled)   pmd usage:  0 %
  overhead: NOT AVAIL
"""


def sample(mpps, cycles, *of_cores):
    return {"seconds": 5, "packets": int(mpps * 5e6), "mpps": mpps, "cycles_per_packet": cycles, "passes": 1.0,
            "upcalls": 0, "asleep": 0.25, "cores": {core: {"mpps": one} for core, one in of_cores}}


def case(one, two, cycles_one, cycles_two):
    return {"one": [sample(one * rate, cycles_one, ("1", one)) for rate in (1, 2, 4)],
            "two": [sample(two * rate, cycles_two, ("0", two / 2), ("1", two / 2)) for rate in (1, 2, 5)]}


RESULTS = {"started": "2026-11-23T18:00:00", "mode": "cores",
           "cores": {"bare": case(20, 35, 100, 125), "sessions": case(6, 12, 400, 400),
                     "tracked": case(1, 1.25, 2000, 2500), "new": case(0.5, 0.5, 4000, 10_000)},
           "checks": {"flow_packets": 1000, "thread_packets": 1010, "sessions": [50, 49]}}


class FramesTest(unittest.TestCase):
    def test_every_tenant_has_half_of_its_connections_in_each_queue(self):
        parts = cores_bed.split(traffic.access_frames(traffic.Load(10, 100))[0])
        packets = [[traffic.parse(frame) for frame in part] for part in parts]
        for part in packets:
            self.assertEqual({vlan: sum(packet.vlan == vlan for packet in part) for vlan in range(2, 12)},
                             dict.fromkeys(range(2, 12), 5))
        self.assertFalse({one.source_port for one in packets[0]} & {one.source_port for one in packets[1]})

    def test_no_connection_is_lost(self):
        self.assertEqual(cores_bed.split([b"1", b"2", b"3"]), [[b"1", b"2"], [b"3"]])

    def test_devargs(self):
        self.assertEqual(cores_bed.pcap_port(1, ["/a/0.pcap", "/a/1.pcap"], True),
                         "net_pcap1,rx_pcap=/a/0.pcap,rx_pcap=/a/1.pcap,infinite_rx=1")
        self.assertTrue(cores_bed.pcap_port(2, ["/a", "/b"], False).endswith(",infinite_rx=0"))
        self.assertEqual(cores_bed.null_port(0), "net_null0,size=64,no-rx=1")
        with self.assertRaisesRegex(PenstockError, "choose another directory"):
            cores_bed.pcap_port(0, ["/a,b/0.pcap"], True)


class CountersTest(unittest.TestCase):
    def test_threads(self):
        self.assertEqual(cores_bed.threads(_SHOWN), {
            0: {"packets": 9984, "recirculated": 12, "idle": 25021687, "processing": 6731723, "upcalls": 3},
            1: dict.fromkeys(("packets", "recirculated", "idle", "processing", "upcalls"), 0)})

    def test_queues(self):
        self.assertEqual(cores_bed.queues(_QUEUES, "sessions"), (0, 1))
        self.assertEqual(cores_bed.queues(_QUEUES, "up0"), (1,))
        self.assertEqual(cores_bed.queues(_QUEUES, "sess"), ())

    def test_a_sample_is_what_was_counted_meanwhile(self):
        zero = dict.fromkeys(("packets", "recirculated", "idle", "processing", "upcalls"), 0)
        before = {1: zero | {"packets": 1000, "processing": 5000}}
        after = {0: zero | {"packets": 1_000_000, "processing": 300_000_000, "recirculated": 1_000_000},
                 1: zero | {"packets": 3_001_000, "processing": 300_005_000, "idle": 100_000_000}}
        found = cores.compare(before, after, 2)
        self.assertEqual((found["mpps"], found["cycles_per_packet"], found["passes"]), (2, 150, 1.25))
        self.assertEqual(found["cores"]["0"], {"packets": 1_000_000, "mpps": 0.5, "cycles_per_packet": 300, "busy": 1})
        self.assertEqual((found["cores"]["1"]["cycles_per_packet"], found["cores"]["1"]["busy"]), (100, 0.75))
        self.assertEqual(set(cores.compare(after, after | {0: zero | {"packets": 1_000_001}}, 1)["cores"]), {"0"})
        with self.assertRaisesRegex(PenstockError, "no packets"):
            cores.compare(after, after, 1)

    def test_threads_take_turns_and_one_is_left(self):
        self.assertEqual((cores.turns(0), cores.turns(1)), (("one", "two"), ("two", "one")))
        shares = []
        with contextlib.suppress(ValueError), cores.shared(types.SimpleNamespace(share=shares.append), 2):
            raise ValueError
        self.assertEqual(shares, [(0, 1), (1, 1)])

    def test_checks(self):
        cores.judge(RESULTS["checks"])
        for wrong, reason in (({"flow_packets": 989}, "flows have counted 989"),
                              ({"flow_packets": 1031}, "polling threads 1010"),
                              ({"sessions": [50, 0]}, r"has no sessions: \[50, 0\]")):
            with self.assertRaisesRegex(PenstockError, reason):
                cores.judge(RESULTS["checks"] | wrong)


class ReportTest(unittest.TestCase):
    def test_all_ratios(self):
        found = cores_report.compute(RESULTS)
        self.assertEqual(set(found), set(ratios.CORES))
        for name, value, high, met in (("sessions", 2, 2.5, True), ("tracked", 1.25, 1.5625, False),
                                       ("new", 1, 1.25, None), ("bare", 1.75, 2.1875, None)):
            one = found[f"cores_{name}_ratio"]
            self.assertEqual((one["value"], one["low"], one["high"], one["met"]), (value, value, high, met))

    def test_what_was_not_measured_is_left_out(self):
        self.assertEqual((cores_report.compute({}), cores_report.detail({})), ({}, {}))
        half = {"cores": {"bare": {"one": [sample(20, 100)], "two": []}, "new": {"one": [], "two": []}}}
        self.assertEqual(cores_report.compute(half), {})
        self.assertEqual(set(cores_report.detail(half)), {"bare"})
        cores_report.render(half).html()

    def test_the_lock_has_what_sharing_does_not_explain(self):
        # 4000 cycles are 5000 where tracked packets take 1.25 times as many; the other half of 10,000 is waiting.
        self.assertAlmostEqual(cores_report.detail(RESULTS)["new_connections_lock_share"], 0.5)
        quick = RESULTS["cores"] | {"new": case(1, 2, 4000, 4000)}
        self.assertEqual(cores_report.detail({"cores": quick})["new_connections_lock_share"], 0)

    def test_report(self):
        text = cores_report.render(RESULTS).markdown()
        for words in ("`cores_sessions_ratio`", "| tracked | two | 2.50 | 2,500 | 1.00 | 0 | 25% | 0.625 | 0.625 |",
                      "takes 4,000 cycles with one thread and 10,000 with two. 50% of the latter are attributed",
                      "1,000 packets and polling threads 1,010", "by queue: 50, 49."):
            self.assertIn(words, text)

    def test_the_baseline_knows_this_run(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "baseline.json"
            found = cores_report.compute(RESULTS)
            baseline.update(found, path)
            del found["cores_new_ratio"]
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(cli.judge(found, path, "full", "cores"), cli.REGRESSION)
                self.assertEqual(cli.judge(found, path, "partial", "cores"), 0)
            self.assertIn("not measured: cores_new_ratio\n", said.getvalue())


if __name__ == "__main__":
    unittest.main()
