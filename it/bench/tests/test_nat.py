# SPDX-License-Identifier: Apache-2.0
"""The NAT benchmark's ratios and report, from made-up samples."""

import contextlib
import types
import unittest

from penstock_base.errors import PenstockError
from penstock_bench import configuration, nat, nat_report, traffic


def sample(mpps, cycles=100, busy=1.0):
    return {"mpps": mpps, "cycles_per_packet": cycles, "busy": busy, "gbps_l1": mpps, "sessions": 1000}


RESULTS = {
    "started": "2026-11-21T18:00:00",
    "held": {"sessions": 4_000_000, "resident_mb_before": 100, "resident_mb_after": 2900, "seconds": 9},
    "setup": {"handwritten": [sample(1.0), sample(0.8)], "pat": [sample(0.9), sample(0.76)], "deterministic": []},
    "throughput": [{"frame": size, "sessions": 4_000_000, "contenders": {
        "bare": [sample(10), sample(8)], "handwritten": [sample(2), sample(2)], "pat": [sample(1.5), sample(1.6)],
        "deterministic": [], "independent": [sample(5)], "one-to-one": [sample(6), sample(5.6)]}}
        for size in nat.FRAMES],
    "latency": [{"frame": "84", "contender": "pat", "pps": 5e5, "count": 9, "p50": 2000, "p99": 4000, "p999": 9000}],
}


class RatiosTest(unittest.TestCase):
    def test_all_names(self):
        found = nat_report.compute(RESULTS)
        self.assertEqual(set(found), {
            "one_to_one_vs_bare_64B", "setup_rate_vs_handwritten", "setup_rate_per_second", "sessions_held",
            "bytes_per_session",
            *(f"throughput_vs_bare_{size}" for size in ("84", "260", "imix", "imix_eantc", "1520"))})
        for name, value, met in (("one_to_one_vs_bare_64B", 0.65, True), ("setup_rate_vs_handwritten", 0.925, True),
                                 ("setup_rate_per_second", 830_000, None), ("sessions_held", 4_000_000, True),
                                 ("bytes_per_session", 700, True), ("throughput_vs_bare_imix", 0.175, None)):
            with self.subTest(name):
                self.assertAlmostEqual(found[name]["value"], value)
                self.assertIs(found[name]["met"], met)

    def test_what_was_not_measured_is_left_out(self):
        self.assertEqual(nat_report.compute({}), {})
        self.assertEqual(nat_report.compute({"held": RESULTS["held"]}).keys(), {"sessions_held", "bytes_per_session"})

    def test_report(self):
        text = nat_report.render(RESULTS).markdown()
        for words in ("`bytes_per_session`", "| Penstock, one-to-one | 5.80 |", "830,000",
                      "| 84 bytes | Penstock, PAT |"):
            self.assertIn(words, text)
        nat_report.render({}).html()

    def test_published_figures_stand_beside_the_same_mix(self):
        content = RESULTS | {"throughput": [entry | {"contenders": entry["contenders"] | {"pat": [sample(place)]}}
                                            for place, entry in enumerate(RESULTS["throughput"], 1)]}
        table = nat_report.render(content).markdown().partition("## Beside a published carrier NAT")[2]
        table = table.partition("\n## ")[0]
        place = 1 + nat.FRAMES.index("imix-eantc")
        self.assertIn(f"| EANTC's IMIX, Gbit/s at layer 1 | 2.53 | {place}.00 |", table)
        self.assertNotIn("| IMIX", table)
        self.assertIn("| new sessions a second | 83,000 | 830,000 |", table)
        self.assertIn("| memory of a session, bytes | 1,750 | 700 |", table)
        self.assertNotIn("published", nat_report.render({}).markdown())


class NetworkTest(unittest.TestCase):
    def test_one_tenant_for_each_way(self):
        bed = types.SimpleNamespace(nodes=[], name="n")
        tenants = nat.network(bed)[configuration.NETWORK]["tenant"]
        self.assertEqual({one["subnet"][0]["mtu"] for one in tenants}, {nat.MTU})
        self.assertEqual([sorted(one["nat"]) for one in tenants],
                         [["public-address"], ["deterministic"], ["one-to-one"], ["deterministic"]])

    def test_ports_take_the_longest_frames(self):
        for size in nat.FRAMES:
            load = traffic.Load(1, 54, size)
            longest = max(map(len, traffic.access_frames(load)[0]))
            # Bytes in memory of the longest frame that a port with this MTU sends: Open vSwitch counts the MTU, the
            # header, and an FCS that is not in memory, but leaves its room to a tag.
            self.assertLessEqual(longest, nat.MTU + 14 + 4, size)
        self.assertEqual(nat.MTU, 1514)

    def test_frames_that_do_not_arrive_end_the_run(self):
        for received, fails in ((300, False), (301, False), (299, True)):
            links = {"acc": {"tx": 300}, "up": {"rx": received}}
            source = types.SimpleNamespace(run=lambda *_, found=links, **__: {"links": found})
            with self.subTest(received), contextlib.ExitStack() as stack:
                if fails:
                    stack.enter_context(self.assertRaisesRegex(PenstockError, "imix-eantc: only 299 of 300 arrived"))
                nat.check(source, "imix-eantc")

    def test_frames_of_a_tenant_with_few_source_ports(self):
        load = traffic.Load(1, 9, source_ports=4)
        ports = [(packet.source_port, packet.destination_port)
                 for packet in map(traffic.parse, traffic.access_frames(load)[0])]
        self.assertEqual(len(set(ports)), 9)
        self.assertEqual({source for source, _ in ports}, set(range(10000, 10004)))


if __name__ == "__main__":
    unittest.main()
