# SPDX-License-Identifier: Apache-2.0
"""The services benchmark's frames, networks, ratios and report, from made-up samples."""

import contextlib
import io
import json
import pathlib
import struct
import tempfile
import types
import unittest

from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_bench import (
    baseline,
    cli,
    configuration,
    floods,
    host_frames,
    names,
    neighbour,
    ratios,
    resolvers,
    services,
    services_bed,
    services_report,
    traffic,
)
from penstock_node import node_protocol, profile


def leases(rate, p99):
    return {"leases": 1000, "failed": 0, "seconds": 1000 / rate, "rate": rate, "p50": p99 / 2, "p99": p99, "most": p99,
            "offer_p50": p99 / 4, "repeats": 1, "frames": 4000, "hosts_busy": 0.125, "hosts_rate": 8000}


def dns(rate, p99):
    return {"rate": rate, "lost": 0, "calm_rate": rate // 2, "calm_lost": 0, "answers": 100, "p50": p99 / 2, "p99": p99,
            "codes": ["NOERROR"]}


def times(seconds, failed=0):
    return {"count": len(seconds), "failed": failed, "repeats": 0, "seconds": seconds}


def turn(share, lease, hostile=0.0):
    return {"seconds": 8, "offered": 1000, "sent": 1000, "refused": 0, "late": 0, "received": 1000 * share,
            "share": share, "received_pps": 100 * share, "hostile_pps": hostile, "generator_busy": 0.5,
            "hosts_busy": 0.25, "pmd": {"busy": 0.75, "cycles_per_packet": 500, "upcalls": 12},
            "lease": times([lease] * 9), "query": times([]), "ping": times([0.001] * 9)}


RESULTS = {
    "started": "2026-11-22T18:00:00", "mode": "services",
    "leases": {"tenants": 1000, "samples": {"default": [leases(500, 0.5), leases(400, 0.6), leases(300, 0.7)],
                                            "off": [leases(800, 0.25)]}},
    "dns": {"tenants": 4, "samples": {"own": [dns(9000, 0.002), dns(8000, 0.003)], "cached": [dns(10000, 0.004)]}},
    "neighbour": {"capacity_pps": 4e6, "offered_pps": 1_000_000, "flows": 100, "switch_nice": -20, "samples": {
        "quiet": [turn(1.0, 0.010), turn(0.8, 0.010)], "dhcp": [turn(1.0, 0.015, 1e6), turn(0.8, 0.015, 1e6)],
        "arp": [turn(0.9, 0.010, 1e6), turn(0.8, 0.010, 1e6)], "ttl": [], "mixed": [turn(0.99, 0.025, 1e6)],
        "connections": [turn(0.95, 0.010, 1e6), turn(0.8, 0.010, 1e6)],
        "sources": [turn(0.5, 0.010, 1e6), turn(0.4, 0.010, 1e6)], "destinations": [],
        "subnet": [turn(0.99, 0.020, 1e6)]}},
    "resolvers": {
        "tenants": 1000, "flows_before": 200, "answered": 2.5, "applied": 6.5, "ok": 57.0,
        "idle": [{"seconds": 10.05, "agent": 0.25, "resolvers": 1.5},
                 {"seconds": 10.05, "agent": 0.0, "resolvers": 0.5}],
        "pss": 4_200_000_000, "resident": {"agent": 35e6, "switch": 450e6, "database": 60e6, "controller": 1250e6},
        "flows": 30_200, "added": [0.5, 0.25, 0.75], "names": {"tenants": 4, **dns(7000, 0.002)}},
}


class RatiosTest(unittest.TestCase):
    def test_all_names(self):
        found = services_report.compute(RESULTS)
        self.assertEqual(set(found), set(ratios.SERVICES))
        for name, value, met in (("leases_per_second", 400, None), ("lease_p99_ms", 600, None),
                                 ("dns_queries_per_second", 8500, None), ("dns_p99_ms", 4, None),
                                 ("neighbour_throughput_ratio", 0.5, False),
                                 ("neighbour_lease_p99_ratio", 2.5, False), ("resolvers_1000_seconds", 57, None),
                                 ("resolver_megabytes", 4.2, None), ("resolver_added_seconds", 0.5, None)):
            with self.subTest(name):
                self.assertAlmostEqual(found[name]["value"], value)
                self.assertIs(found[name]["met"], met)
        self.assertIn("ever other source MAC addresses, the worst of 6", found["neighbour_throughput_ratio"]["method"])
        self.assertIn("all of these", found["neighbour_lease_p99_ratio"]["method"])

    def test_the_worst_flood_is_named(self):
        worst = {"neighbour_throughput_ratio": "sources", "neighbour_lease_p99_ratio": "mixed"}
        found = services_report.compute(RESULTS)
        self.assertEqual({name: entry["worst"] for name, entry in found.items() if "worst" in entry}, worst)
        self.assertEqual(services_report.detail(RESULTS)["worst_floods"], worst)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            cli.tell({"ratios": found, "measured": {"commit": "0", "changed": False, "plans": "0"}}, (None, "r"), None)
        self.assertRegex(said.getvalue(), "neighbour_throughput_ratio +0.500  NOT MET  flood: sources\n")

    def test_each_flood_can_be_the_worst(self):
        for kind in floods.KINDS:
            samples = {one: [turn(0.5 if one == kind else 1.0, 0.02 if one == kind else 0.01)]
                       for one in neighbour.TURNS}
            self.assertEqual(set(services_report.worst_floods(samples).values()), {kind})
            found = services_report.compute({"neighbour": RESULTS["neighbour"] | {"samples": samples}})
            self.assertEqual(found["neighbour_throughput_ratio"]["value"], 0.5)

    def test_what_was_not_measured_is_left_out(self):
        self.assertEqual(services_report.compute({}), {})
        self.assertEqual(services_report.detail({}), {})
        for part, expected in (("leases", {"leases_per_second", "lease_p99_ms"}),
                               ("dns", {"dns_queries_per_second", "dns_p99_ms"}),
                               ("resolvers", {"resolvers_1000_seconds", "resolver_megabytes",
                                              "resolver_added_seconds"})):
            self.assertEqual(set(services_report.compute({part: RESULTS[part]})), expected)
        quiet = {"neighbour": RESULTS["neighbour"] | {"samples": {"quiet": [turn(1, 1)], "dhcp": []}}}
        self.assertEqual(services_report.compute(quiet), {})

    def test_detail_has_every_kind(self):
        found = services_report.detail(RESULTS)
        self.assertEqual(found["leases"]["off"]["rate"], 800)
        self.assertAlmostEqual(found["conflict_probes"]["p99"], 0.35)
        self.assertEqual(set(found["neighbour"]), {"quiet", "dhcp", "arp", "mixed", "connections",
                                                   "sources", "subnet"})
        self.assertAlmostEqual(found["neighbour"]["dhcp"]["lease_p99_ratio"], 1.5)
        self.assertAlmostEqual(found["neighbour"]["dhcp"]["throughput_ratio"], 1.0)
        self.assertNotIn("throughput_ratio", found["neighbour"]["quiet"])
        self.assertEqual(found["neighbour"]["arp"]["pmd_busy"], 0.75)
        self.assertNotIn("query", found["neighbour"]["arp"])

    def test_report(self):
        text = services_report.render(RESULTS).markdown()
        for words in ("`neighbour_lease_p99_ratio`",
                      "Conflict probes are 175 ms of the median and 350 ms", "| default | 400 |",
                      "| own zone | 8,500 |",
                      "| DISCOVERs of ever other hosts | 1.00 |",
                      "| 2.50 | 6.50 | 57.0 | 0.500 | 0.250 – 0.750 | 30.0 |",
                      "| all resolvers | 4,200 |", "| resolver of a tenant | 4.20 |", "| controller | 1,250 |",
                      "| 10.1 | 0.250 | 1.50 |", "| 4 | 7,000 | 0 | 3,500 | 1.00 | 2.00 |"):
            self.assertIn(words, text)
        self.assertIn("nice -20, as in the product.", text)
        self.assertEqual(services_report.detail(RESULTS)["switch_nice"], -20)
        other = {"neighbour": RESULTS["neighbour"] | {"switch_nice": -10}}
        self.assertIn("nice -10, in the product it has -20.", services_report.render(other).markdown())
        services_report.render({}).html()


class JudgeTest(unittest.TestCase):
    def test_only_what_this_kind_of_run_measures_is_missed(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "baseline.json"
            found = services_report.compute(RESULTS)
            baseline.update(found | {"retention_one_way": {"value": 1.0}}, path)
            self.assertEqual(baseline.load(path)["lease_p99_ms"]["better"], "lower")
            del found["dns_p99_ms"]
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(cli.judge(found, path, "full", "services"), cli.REGRESSION)
                self.assertEqual(cli.judge(found, path, "partial", "services"), 0)
            self.assertIn("not measured: dns_p99_ms\n", said.getvalue())

    def test_parts(self):
        for arguments, reason in ((["nat", "--parts", "leases"], "only bench services, bench chain"),
                                  (["nat", "--quick"], "no quick run"),
                                  (["chain", "--switch-nice", "-20"], "only bench services takes")):
            with self.assertRaisesRegex(PenstockError, reason):
                cli.measure(self._parsed(arguments))
        self.assertEqual(self._parsed(["services", "--parts", "dns,leases"]).parts, ("dns", "leases"))
        self.assertEqual(self._parsed(["services", "--switch-nice", "-20"]).switch_nice, -20)
        self.assertIsNone(self._parsed(["services"]).switch_nice)
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            self._parsed(["services", "--parts", "dhcp"])
        self.assertIn("is not some of leases, dns, neighbour, resolvers", said.getvalue())

    @staticmethod
    def _parsed(arguments):
        return cli.options_parser().parse_args(arguments)


class SampleTest(unittest.TestCase):
    def test_leases_of_a_round(self):
        def lease(began, seconds, failed=False):
            return {"kind": "lease", "began": began, "seconds": seconds, "failed": failed, "repeats": int(failed),
                    "offer": None if failed else seconds / 2}

        answer = {"samples": [lease(10.0, 1.0), lease(10.5, 1.5), lease(10.1, 20.0, True), {"kind": "ping"}],
                  "frames": 14, "cpu_seconds": 0.5, "seconds": 30}
        sample = services.lease_sample(answer)
        self.assertEqual((sample["leases"], sample["failed"], sample["repeats"]), (2, 1, 1))
        self.assertEqual((sample["seconds"], sample["rate"]), (2, 1))
        self.assertEqual((sample["hosts_rate"], sample["hosts_busy"]), (4, 0.25))
        self.assertEqual((sample["p50"], sample["p99"], sample["offer_p50"]), (1.5, 20, 0.625))
        with self.assertRaisesRegex(PenstockError, "not one of 1 hosts"):
            services.lease_sample({"samples": [lease(1, 20, True)]})

    def test_zone_of_a_tenant(self):
        allocations = {"penstock-allocation:allocations": {"tenant": [{"name": "t00001", "vrf": 9}]}}
        self.assertEqual(neighbour.zone_of(allocations, 1), 9)
        with self.assertRaisesRegex(PenstockError, "t00000"):
            neighbour.zone_of(allocations, 0)


class ResolversTest(unittest.TestCase):
    def test_parts_that_need_resolvers(self):
        for parts, wanted in ((services.PARTS, True), (("leases", "dns"), True), (("resolvers",), True),
                              (("leases", "neighbour"), False)):
            self.assertIs(services.has_resolvers(parts), wanted)

    def test_those_that_are_ok_are_counted_in_a_database(self):
        rows = [("map", [(node_protocol.DNS_STATE, state), (node_protocol.DNS, "{}")])
                for state in ("ok", "starting", "ok", "ok: not")]
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "conf.db"
            run("ovsdb-tool", "create", path, "/usr/share/openvswitch/vswitch.ovsschema")
            # Rows stay only if others lead to them.
            run("ovsdb-tool", "transact", path, json.dumps(["Open_vSwitch", *(
                {"op": "insert", "table": "CT_Zone", "uuid-name": f"zone{number}", "row": {"external_ids": row}}
                for number, row in enumerate([*rows, ("map", [])])),
                {"op": "insert", "table": "Datapath", "uuid-name": "datapath", "row": {"ct_zones": (
                    "map", [(number, ("named-uuid", f"zone{number}")) for number in range(1 + len(rows))])}},
                {"op": "insert", "table": "Open_vSwitch", "row": {"datapaths": (
                    "map", [("netdev", ("named-uuid", "datapath"))])}}]))
            answer = run("ovsdb-tool", "query", path, resolvers.query())
        self.assertEqual(resolvers.counted(answer), 2)
        self.assertNotIn("starting", answer)

    def test_a_refused_query_is_no_number(self):
        with self.assertRaisesRegex(PenstockError, "refused to tell.*no such table"):
            resolvers.counted('[{"error": "no such table"}]')

    def test_memory_of_a_process(self):
        text = ("55d0c0000000-7ffd00000000 ---p 00000000 00:00 0    [rollup]\nRss:               12000 kB\n"
                "Pss:                4100 kB\nPss_Dirty:          3000 kB\nSwapPss:               8 kB\n")
        self.assertEqual(resolvers.pss_bytes(text), 4100 * 1024)
        self.assertGreater(resolvers.pss_bytes(pathlib.Path("/proc/self/smaps_rollup").read_text("ascii")), 1_000_000)
        with self.assertRaisesRegex(PenstockError, "no line Pss"):
            resolvers.pss_bytes("Rss: 1 kB\n")

    def test_tenants_that_ask_are_spread(self):
        self.assertEqual(resolvers.spread_evenly(1000, 4), [0, 333, 666, 999])
        self.assertEqual(resolvers.spread_evenly(1000, 1), [0])
        self.assertEqual(resolvers.spread_evenly(2, 4), [0, 1])

    def test_summary(self):
        found = services_report.detail(RESULTS)["resolvers"]
        self.assertEqual((found["tenants"], found["ok"], found["flows_each"]), (1000, 57, 30))
        self.assertEqual((found["megabytes"], found["megabytes_each"]), (4200, 4.2))
        self.assertEqual(found["resident_megabytes"]["agent"], 35)
        self.assertEqual(found["added"], {"median": 0.5, "low": 0.25, "high": 0.75, "count": 3})

    def test_a_run_that_was_interrupted_has_what_was_measured(self):
        begun = {"resolvers": {name: RESULTS["resolvers"][name] for name in
                               ("tenants", "flows_before", "answered", "applied", "ok")}}
        self.assertEqual(set(services_report.compute(begun)), {"resolvers_1000_seconds"})
        text = services_report.render(begun).markdown()
        self.assertIn("| 2.50 | 6.50 | 57.0 | - | - | - |", text)
        self.assertNotIn("Memory", text)
        self.assertNotIn("Resolvers", services_report.render({}).markdown())

    def test_another_number_of_tenants_has_no_ratios(self):
        fewer = {"resolvers": RESULTS["resolvers"] | {"tenants": 10}}
        self.assertEqual(services_report.compute(fewer), {})


class NetworkTest(unittest.TestCase):
    def test_neighbour_and_hostile_tenant_share_no_port(self):
        hostile, beside = services_bed.pair("n", True)
        ports = [{one["port"] for one in tenant["attachment"]} for tenant in (hostile, beside)]
        self.assertEqual(ports, [{"acc0"}, {"acc1", "hosts0"}])
        for tenant in (hostile, beside):
            self.assertEqual(tenant["dhcp"]["conflict-probe"], 0)
            self.assertNotIn("queries-per-second", tenant["dns"])
        # The product's own limits are what is measured.
        self.assertNotIn("quota", hostile | beside)
        self.assertNotIn("dns", services_bed.pair("n", False)[0])

    def test_probes_are_the_default_unless_switched_off(self):
        self.assertNotIn("conflict-probe", services_bed.tenant(5, "n", ("hosts0",))["dhcp"])
        self.assertEqual(services_bed.tenant(5, "n", ("hosts0",), probe=0)["dhcp"]["conflict-probe"], 0)
        self.assertEqual(services_bed.tenant(5, "n", ("hosts0",))["attachment"][0]["vlan"], 7)

    def test_the_node_is_as_the_product_sets_it_up(self):
        with tempfile.TemporaryDirectory() as directory:
            bed = services_bed.ServicesBed(directory, directory)
            product = profile.parse({"name": "n", "pmd-cores": [1], "hugepage-memory-mb": 1024})
            self.assertEqual(bed.profile.pmd_maxsleep_us, product.pmd_maxsleep_us)

    def test_one_uplink_for_each(self):
        bed = types.SimpleNamespace(nodes=[], name="n", _with_dns=True)
        content = services_bed.ServicesBed.network(bed, [])[configuration.NETWORK]
        self.assertEqual([one["port"] for one in content["backbone"]["interface"]], ["up0", "up1"])
        self.assertEqual(content["resolver"], {"upstream": [services_bed.UPSTREAM]})


class FloodsTest(unittest.TestCase):
    def test_frames_of_every_kind(self):
        with tempfile.TemporaryDirectory() as directory:
            found = {}
            for kind in floods.KINDS:
                path = pathlib.Path(directory) / floods.file_name(kind)
                floods.write(kind, 500, path)
                found[kind] = traffic.read_pcap(path)
        vlan = struct.pack("!2H", 0x8100, traffic.place(services_bed.HOSTILE)[1])
        for kind, frames in found.items():
            with self.subTest(kind):
                self.assertEqual({frame[12:16] for frame in frames}, {vlan})
                self.assertEqual(len(set(frames)), len(frames))
        self.assertEqual(len({frame[6:12] for frame in found["dhcp"]}), len(found["dhcp"]))
        self.assertEqual({frame[26] for frame in found["ttl"]}, {1})
        self.assertEqual({host_frames.checksum(frame[18:38]) for frame in found["ttl"]}, {0})
        self.assertEqual({frame[16:18] for frame in found["arp"]}, {b"\x08\x06"})
        self.assertEqual({traffic.parse(frame).destination_port for frame in found["dns"]}, {53})
        self.assertTrue(all(traffic.parse(frame).checksums_valid for frame in found["dns"]))
        self.assertEqual({traffic.parse(frame).destination for frame in found["connections"]},
                         {services_bed.FAR_SERVER})
        self.assertEqual(len({frame[6:12] for frame in found["sources"]}), 500)
        self.assertEqual(len({frame[:6] for frame in found["destinations"]}), 500)
        self.assertFalse(any(mac & 1 for frame in found["sources"] + found["destinations"]
                             for mac in (frame[0], frame[6])))
        inside = {traffic.parse(frame).destination for frame in found["subnet"]}
        self.assertEqual(len(inside), 500)
        self.assertTrue(all(address.startswith("10.0.") for address in inside))
        self.assertTrue(all(traffic.parse(frame).checksums_valid for frame in found["subnet"]))
        self.assertEqual(set(found["mixed"]),
                         {frame for kind in ("dhcp", "arp", "dns", "ttl") for frame in found[kind]})


class NamesTest(unittest.TestCase):
    SAID = """> NOERROR host1.t0.example A 0.000250
> T host2.t0.example A 5.000000
> NXDOMAIN host3.t0.example A 0.000750

Statistics:

  Queries sent:         3
  Queries completed:    2 (66.67%)
  Queries lost:         1 (33.33%)

  Response codes:       NOERROR 1 (50.00%), NXDOMAIN 1 (50.00%)
  Average packet size:  request 35, response 51
  Run time (s):         2.0
  Queries per second:   1234.500000
"""

    def test_what_dnsperf_says(self):
        self.assertEqual(names.parse(self.SAID), {"rate": 1234.5, "lost": 1, "codes": ["NOERROR", "NXDOMAIN"],
                                                  "seconds": [0.00025, 0.00075]})
        with self.assertRaisesRegex(PenstockError, "gave no figures: no route"):
            names.parse("no route")

    def test_the_provider_s_resolver(self):
        mac = bytes(6)
        query = host_frames.query(mac, 2, "10.0.0.10", 77, "name1.others.example")[46:]
        answer = names.answer(query)
        self.assertEqual(struct.unpack_from("!6H", answer), (77, 0x8580, 1, 1, 0, 0))
        self.assertEqual(answer[-4:], bytes([192, 88, 99, 10]))
        other = query[:-4] + struct.pack("!2H", 28, 1)
        self.assertEqual(struct.unpack_from("!6H", names.answer(other))[3], 0)

    def test_output_of_one_does_not_stop_the_others(self):
        """The first ends only when the last has printed more than a pipe takes."""
        with tempfile.TemporaryDirectory() as directory:
            done = pathlib.Path(directory) / "done"
            said = names.run_together({
                "waiting": ["sh", "-c", f"while [ ! -e {done} ]; do sleep 0.05; done; echo first"],
                "talking": ["sh", "-c", f"head -c 1000000 /dev/zero | tr '\\0' x; touch {done}"]}, directory, 10)
        self.assertEqual(said, ["first\n", "x" * 1_000_000])

    def test_one_that_does_not_end_is_named_and_ended(self):
        with tempfile.TemporaryDirectory() as directory, \
                self.assertRaisesRegex(PenstockError, "^slow does not end$"):
            names.run_together({"quick": ["true"], "slow": ["sleep", "1000"]}, directory, 0.2)


if __name__ == "__main__":
    unittest.main()
