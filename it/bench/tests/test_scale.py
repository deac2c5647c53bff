# SPDX-License-Identifier: Apache-2.0
"""What is asked of the controller for many nodes and tenants, and the ratios and report of made-up samples."""

import contextlib
import io
import ipaddress
import itertools
import pathlib
import tempfile
import unittest

from penstock_bench import baseline, cli, configuration, host_frames, ratios, scale, scale_bed, scale_report, traffic

PLAN = scale.full()


def applied(*milliseconds):
    return [{"answered": one / 4000, "applied": one / 1000} for one in milliseconds]


def lease_round(seconds, cpu, failed=0):
    return {"seconds": seconds, "failed": failed, "took": sum(seconds), "cpu": {"controller": cpu, "nodes": 0.25}}


def of_nodes(nodes, times):
    return {"nodes": nodes, "synced": 2.5, "provisioned": 4.5, "flows": 1800 * nodes,
            "samples": {"add": applied(*[one * times for one in (20, 40)]),
                        "change": applied(*[one * times for one in (60, 80)]),
                        "delete": applied(*[one * times for one in (10, 100)])},
            "seconds": 10, "cpu": {"controller": 0.6 * times, "nodes": 0.5},
            "idle": {"seconds": 20, "cpu": {"controller": 0.5 * times, "nodes": 0.25}},
            "cost": {"threads": 100 + 2 * nodes, "heap_after_gc": 2e8, "heap_peak": 4e8, "resident": 9e8},
            "leases": lease_round([0.01] * 4, 0.08 * times) | {"to_others": 7}}


def of_tenants(tenants, times):
    return {"tenants": tenants, "flows": 40 * tenants,
            "alone": [lease_round([0.01 * times] * 10, 0.1 * times * step) for step in (1, 2, 4)],
            "together": [lease_round([0.05] * 9 + [10], 0.02, failed=1)]}


RESULTS = {"started": "2026-11-26T10:00:00", "mode": "scale",
           "nodes": {"tenants_each": 50, "sizes": [of_nodes(2, 1), of_nodes(200, 2)],
                     "restart": {"answered": 15, "synced": 40.5, "verified": 52}},
           "leases": [of_tenants(10, 1), of_tenants(100, 1.25), of_tenants(1000, 1.25)]}


class NetworkTest(unittest.TestCase):
    def test_each_node_has_an_address_of_its_own(self):
        names = [f"s{number:03}" for number in range(PLAN.sizes[-1])]
        addresses = [ipaddress.ip_address(scale_bed.address(number)) for number in range(len(names))]
        self.assertEqual(len(set(addresses)), len(names))
        interfaces = scale_bed.backbone(names)[configuration.NETWORK]["backbone"]["interface"]
        inside = {ipaddress.ip_address(one["address"]) for one in interfaces}
        self.assertEqual([one["node"] for one in interfaces], names)
        self.assertEqual(len(inside), len(names))
        self.assertTrue(all(address in ipaddress.ip_network(interfaces[0]["prefix"]) for address in inside))

    def test_the_pool_has_an_address_for_each_tenant(self):
        pool = ipaddress.ip_network(scale_bed.backbone([])[configuration.NETWORK]["pool"][0]["prefix"][0])
        self.assertGreater(pool.num_addresses, PLAN.sizes[-1] * PLAN.tenants_each + 2)

    def test_tenants_of_a_node(self):
        tenants = scale_bed.tenants_of("s001", PLAN.tenants_each) + list(scale_bed.spare("s001"))
        tenants.append(scale_bed.dhcp_tenant("leases", "s001", scale_bed.LEASE_VLAN))
        places = [one["attachment"][0] for one in tenants]
        self.assertEqual({place["node"] for place in places}, {"s001"})
        self.assertEqual(len({place["vlan"] for place in places}), PLAN.tenants_each + 3)
        self.assertEqual(len({one["name"] for one in tenants}), PLAN.tenants_each + 2)
        self.assertEqual({str(one["nat"]) for one in tenants}, {"{'pool': 'public'}"})

    def test_a_change_is_one_of_the_vlan_alone(self):
        first, second = scale_bed.spare("s001")
        self.assertNotEqual(first["attachment"][0].pop("vlan"), second["attachment"][0].pop("vlan"))
        self.assertEqual(first, second)

    def test_servers_have_what_hosts_ask_for(self):
        tenants = scale_bed.dhcp_tenants("s000", 1, PLAN.lease_tenants[-1])
        (subnet,) = tenants[0]["dhcp"]["subnet"]
        (pool,) = subnet["pool"]
        first, last = (ipaddress.ip_address(pool[end]) for end in ("first", "last"))
        hosts = PLAN.warm_leases + 2 * PLAN.lease_rounds * PLAN.leases
        vlans = {one["attachment"][0]["vlan"] for one in tenants}
        wishes = list(itertools.islice(scale._wishes(sorted(vlans)), hosts))
        self.assertTrue(all(first <= ipaddress.ip_address(wish.address) <= last for wish in wishes))
        self.assertEqual(len({wish.address for wish in wishes}), hosts)
        self.assertTrue(all(wish.vlan in vlans for wish in wishes))
        self.assertGreater(len({wish.vlan for wish in wishes}), hosts // 3)
        others = scale_bed.dhcp_tenants("s000", 2, 9)
        self.assertFalse({one["name"] for one in tenants} & {one["name"] for one in others})

    def test_hosts_and_their_frames(self):
        wishes = list(itertools.islice(scale._wishes([7]), 300))
        self.assertEqual(len({wish.mac for wish in wishes}), 300)
        frame = wishes[258].frame()
        self.assertEqual((frame[:6], frame[6:12]), (b"\xff" * 6, bytes.fromhex("025c00000102")))
        self.assertEqual(frame, host_frames.dhcp(3, wishes[258].mac, 7, 258, "10.0.2.2", traffic.GATEWAY))


class ReportTest(unittest.TestCase):
    def test_all_ratios(self):
        found = scale_report.compute(RESULTS)
        self.assertEqual(set(found), set(ratios.SCALE))
        for name, value, met in (("scale_change_p95_200_vs_2", 2, False), ("scale_change_cpu_200_vs_2", 2, None),
                                 ("scale_threads_200_vs_2", 500 / 104, None),
                                 ("scale_lease_cpu_1000_vs_10", 1.25, True)):
            self.assertAlmostEqual(found[name]["value"], value)
            self.assertIs(found[name]["met"], met)

    def test_other_sizes_are_no_ratio(self):
        other = {"nodes": {"tenants_each": 5, "sizes": [of_nodes(2, 1), of_nodes(3, 1)]},
                 "leases": [of_tenants(10, 1), of_tenants(20, 1)]}
        self.assertEqual(scale_report.compute(other), {})
        self.assertEqual(set(scale_report.detail(other)), {"nodes", "leases", "growth"})

    def test_what_was_not_measured_is_left_out(self):
        self.assertEqual((scale_report.compute({}), scale_report.detail({})), ({}, {}))
        half = {"nodes": {"tenants_each": 50, "sizes": [of_nodes(2, 1)]}}
        self.assertEqual((scale_report.compute(half), set(scale_report.detail(half))), ({}, {"nodes"}))
        self.assertEqual(set(scale_report.compute({"leases": RESULTS["leases"]})), {"scale_lease_cpu_1000_vs_10"})
        for results in ({}, half, {"leases": []}):
            scale_report.render(results).html()

    def test_detail(self):
        found = scale_report.detail(RESULTS)
        few, many = found["nodes"]["2"], found["nodes"]["200"]
        self.assertEqual({kind: times["p95_ms"] for kind, times in few["changes"].items()},
                         {"add": 40, "change": 80, "delete": 100, "all": 100, "answered": 25})
        self.assertAlmostEqual(few["change_cpu_ms"], 100)
        self.assertAlmostEqual(many["idle_cores"]["controller"], 0.05)
        self.assertEqual((many["leases"]["to_others"], many["threads"], many["resident_megabytes"]), (7, 500, 900))
        self.assertEqual(found["leases"]["10"]["together"]["failed"], 1)
        self.assertAlmostEqual(found["leases"]["10"]["alone"]["rate"], 100)
        self.assertEqual(found["growth"]["changes"]["delete"], {"p50_ms": 2, "p95_ms": 2})
        self.assertAlmostEqual(found["growth"]["leases"]["alone"]["p95_ms"], 1.25)
        self.assertAlmostEqual(found["growth"]["leases_of_a_node"]["cpu_ms"], 2)

    def test_report(self):
        text = scale_report.render(RESULTS).markdown()
        for words in ("`scale_change_p95_200_vs_2`", "| 200 | deleted | 20.0 | 200 |", "| 2 | answered | 10.0 | 25.0 |",
                      "| 200 | 200 | 0.0500 | 0.0500 | 500 | 900 | 200 | 400 |", "| 2 | 2.50 | 4.50 | 3,600 |",
                      "| 200 | 4 | 10.0 | 10.0 | 40.0 | 0 | 7 |", "in sync after 40.5 s",
                      "| 1000 | one after the other | 30 | 12.5 | 12.5 | 29.2 | 0 | 80.0 |",
                      "| 10 | several at once | 10 | 50.0 | 10,000 | 2.00 | 1 | 0.957 |"):
            self.assertIn(words, text)

    def test_the_baseline_knows_this_run(self):
        self.assertLessEqual(set(ratios.SCALE), set(baseline.load()))
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "baseline.json"
            found = scale_report.compute(RESULTS)
            baseline.update(found, path)
            del found["scale_threads_200_vs_2"]
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(cli.judge(found, path, "full", "scale"), cli.REGRESSION)
                self.assertEqual(cli.judge(found, path, "partial", "scale"), 0)
            self.assertIn("not measured: scale_threads_200_vs_2\n", said.getvalue())


if __name__ == "__main__":
    unittest.main()
