# SPDX-License-Identifier: Apache-2.0
"""The chain benchmark's networks, figures and report, from made-up samples; no switch is needed."""

import contextlib
import io
import pathlib
import tempfile
import types
import unittest

from penstock_base.errors import PenstockError
from penstock_bench import (
    baseline,
    chain,
    cli,
    configuration,
    forms,
    functions,
    functions_bed,
    functions_report,
    hops,
    planned,
    planned_fast,
    ratios,
    services_bed,
)

BED = types.SimpleNamespace(name="psbench", nodes=[{"name": "psbench"}])


def datagrams(lost=0, gap=0.03, sent=1000):
    return {"sent": sent, "lost": lost, "gap": gap, "pause": 0.01, "used": 60, "seconds": 0.5, "noticed": 0.4}


def frames(lost=0, refused=0, sent=1_000_000, late=200_000):
    return {"sent": sent, "lost": lost, "refused": refused, "late": late, "traffic_seconds": 12.0, "pause": 0.012,
            "seconds": 0.5}


def talk(broken=(), moved=()):
    return {"connections": 200, "broken": {str(port): "silent" for port in broken}, "moved": list(moved),
            "instances": 3, "checks": 400}


def rate(mpps, cycles, busy=1.0):
    return {"mpps": mpps, "cycles_per_packet": cycles, "cycles_per_hop": cycles // 2, "busy": busy,
            "generator_busy": 0.5, "lost": 0.0, "upcalls": 0, "passes": 1}


def form(mpps, name, kind, acceleration=None):
    return {"mpps": mpps, "trials": [{"mpps": mpps, "lost": 0}], "function": name, "form": kind,
            "acceleration": acceleration}


RESULTS = {
    "started": "2026-11-22T18:00:00", "mode": "chain",
    "changes": [dict.fromkeys(planned.CHANGES, datagrams()), dict.fromkeys(planned.CHANGES, datagrams())
                | {"insert": datagrams(3, 0.1)}],
    "changes-fast": [dict.fromkeys(planned_fast.TURNS, frames()) | {"quiet": frames(50)},
                     dict.fromkeys(planned_fast.TURNS, frames()) | {"scale-out": frames(900, 300, 999_700)}],
    "tcp": [dict.fromkeys(planned.EVENTS, talk()) | {"upgrade": talk((21_000,), (21_002, 21_004))}],
    "outage": [{"killed": datagrams(5, 0.2), "hangs": datagrams(9, 0.5)}, {"killed": datagrams(5, 1.3),
               "hangs": datagrams(9, 0.7)}, {"killed": datagrams(5, 0.1), "hangs": datagrams(9, 0.6)}],
    "hops": [{"bare": rate(10, 200), "0": rate(5, 400), "1": rate(2.5, 800), "2": rate(2, 1000), "3": rate(1, 2000)},
             {"bare": rate(8, 250), "0": rate(4, 500), "1": rate(3, 700), "2": rate(2, 1000),
              "3": rate(0.5, 1000, 0.5)}],
    "probes": [{"without": rate(2, 900), "with": rate(1.9, 950)}],
    "forms": [{"vm": form(0.01, "packet-filter-vm", "vm", "tcg"), "container": form(0.3, "walled", "container"),
               "netns": form(0.2, "packet-filter", "netns")}],
}


class RatiosTest(unittest.TestCase):

    def test_all_names(self):
        found = functions_report.compute(RESULTS)
        self.assertEqual(list(found), list(ratios.CHAIN))
        for name, value, met in (("lost_packets_planned_change", 3, False),
                                 ("lost_share_planned_change_fast", 1e-4, False),
                                 ("lost_share_quiet_fast", 25e-6, None), ("outage_ms_instance_kill", 600, True),
                                 ("broken_tcp_connections", 3, False), ("hop_vs_bare_1", 0.3125, None),
                                 ("hop_vs_bare_2", 0.225, None), ("vm_mpps", 0.01, None), ("container_mpps", 0.3, None),
                                 ("netns_mpps", 0.2, None), ("probe_overhead_ratio", 0.95, None)):
            with self.subTest(name):
                self.assertAlmostEqual(found[name]["value"], value)
                self.assertIs(found[name]["met"], met)
        self.assertIn("of 12,000 datagrams", found["lost_packets_planned_change"]["method"])
        self.assertIn("a function put into the chain", found["lost_packets_planned_change"]["method"])
        # The median is that of the worse kind, the worst of both.
        self.assertEqual(found["outage_ms_instance_kill"]["high"], 1300)
        self.assertIn("1 broken, 2 at another", found["broken_tcp_connections"]["method"])
        self.assertIn("tcg", found["vm_mpps"]["method"])

    def test_what_the_machine_loses_is_no_loss_of_a_change(self):
        found = functions_report.compute(RESULTS)
        changed, quiet = found["lost_share_planned_change_fast"], found["lost_share_quiet_fast"]
        self.assertEqual((changed["low"], changed["high"]), (0, 2e-4))
        self.assertEqual((quiet["low"], quiet["high"]), (0, 5e-5))
        self.assertIn("900 lost and 300 refused at the access port, of 12,000,000 frames, in 12 changes; range of 2",
                      changed["method"])
        self.assertIn("of 2,000,000 frames, in 2 turns without a change", quiet["method"])
        calm = functions_report.compute({"changes-fast": RESULTS["changes-fast"][:1]})
        self.assertIs(calm["lost_share_planned_change_fast"]["met"], True)

    def test_cycles_count_where_the_polling_thread_had_time_to_spare(self):
        found = functions_report.compute(RESULTS)["hop_vs_bare_3"]
        self.assertIn("cycles a packet", found["method"])
        self.assertAlmostEqual(found["value"], (200 / 2000 + 250 / 1000) / 2)

    def test_nothing_lost_meets_the_target(self):
        calm = {"changes": RESULTS["changes"][:1], "tcp": [dict.fromkeys(planned.EVENTS, talk())]}
        found = functions_report.compute(calm)
        self.assertEqual({name: one["met"] for name, one in found.items()},
                         {"lost_packets_planned_change": True, "broken_tcp_connections": True})

    def test_what_was_not_measured_is_left_out(self):
        self.assertEqual(functions_report.compute({}), {})
        self.assertEqual(functions_report.compute({"changes": [], "forms": []}), {})
        self.assertEqual(functions_report.detail({}), {})
        for part in functions.PARTS:
            self.assertTrue(functions_report.compute({part: RESULTS[part]}), part)

    def test_detail_has_each_by_itself(self):
        found = functions_report.detail(RESULTS)
        self.assertEqual(list(found), list(functions.PARTS))
        self.assertEqual(found["changes"]["insert"]["lost"], 3)
        self.assertEqual(found["changes"]["reorder"], {"sent": 2000, "lost": 0, "gap_ms": 30.0, "seconds": 0.5,
                                                       "pause_ms": 10.0})
        self.assertEqual(found["changes-fast"]["scale-out"], {
            "sent": 1_999_700, "lost": 900, "refused": 300, "late": 400_000, "share": 6e-4, "pps": 83_333,
            "seconds": 0.5, "pause_ms": 12.0})
        self.assertEqual(found["tcp"]["upgrade"], {"connections": 200, "broken": 1, "moved": 2, "why": ["silent"]})
        self.assertEqual((found["outage"]["killed"]["median_ms"], found["outage"]["killed"]["worst_ms"]), (200, 1300))
        self.assertEqual(found["forms"]["vm"]["accelerator"], "tcg")
        self.assertEqual(found["hops"]["2"]["cycles_per_packet"], 1000)

    def test_report(self):
        text = functions_report.render(RESULTS).markdown()
        for words in ("`probe_overhead_ratio`", "| a function put into the chain | 3 | 2,000 | 100 |",
                      "| no change | 50 | 0 | 2,000,000 | 0.000025 | 83,333 | 400,000 |",
                      "| an instance more | 900 | 300 | 2,000,000 | 0.000600 | 83,333 | 400,000 |",
                      "| one drained and removed | 200 | 0 | 0 | - |", "| hangs (SIGSTOP) | 3 | 600 | 700 |",
                      "| two functions | 2.00 |", "| virtual machine | packet-filter-vm | tcg | 0.0100 |"):
            self.assertIn(words, text)
        functions_report.render({}).html()

    def test_only_what_this_kind_of_run_measures_is_missed(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "baseline.json"
            found = functions_report.compute(RESULTS)
            baseline.update(found | {"retention_one_way": {"value": 1.0}, "lease_p99_ms": {"value": 1.0}}, path)
            del found["netns_mpps"]
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(cli.judge(found, path, "full", "chain"), cli.REGRESSION)
                self.assertEqual(cli.judge(found, path, "partial", "chain"), 0)
            self.assertIn("not measured: netns_mpps\n", said.getvalue())


class TalkTest(unittest.TestCase):
    DUMP = """
tcp,orig=(src=10.0.0.10,dst=198.19.0.10,sport=21000,dport=9007),reply=(src=198.19.0.10,dst=10.0.0.10,sport=9007,\
dport=21000),zone=28673,labels=0x5,protoinfo=(state=ESTABLISHED)
tcp,orig=(src=10.0.0.10,dst=198.19.0.10,sport=21002,dport=9007),reply=(src=198.19.0.10,dst=10.0.0.10,sport=9007,\
dport=21002),zone=28673,labels=0x70000,protoinfo=(state=ESTABLISHED)
tcp,orig=(src=10.0.0.10,dst=198.19.0.10,sport=21000,dport=9007),reply=(src=198.19.0.10,dst=100.64.0.0,sport=9007,\
dport=21000),zone=1,protoinfo=(state=ESTABLISHED)
tcp,orig=(src=10.0.0.10,dst=192.0.2.9,sport=21004,dport=9007),reply=(src=192.0.2.9,dst=10.0.0.10,sport=9007,\
dport=21004),zone=28673,labels=0x5,protoinfo=(state=ESTABLISHED)
udp,orig=(src=10.0.0.10,dst=198.19.0.10,sport=21006,dport=9007),reply=(src=198.19.0.10,dst=10.0.0.10,sport=9007,\
dport=21006),zone=28673,labels=0x5
"""

    def test_instances_by_source_port(self):
        self.assertEqual(planned.labels(self.DUMP, "198.19.0.10"), {21000: 5, 21002: 0x70000})

    def bed(self, *dumps):
        """What the switch tracks, each time that it is asked."""
        given = iter(dumps)
        return types.SimpleNamespace(tracked=lambda: next(given), ports=lambda count: 21_000)

    def test_moved_and_broken_connections_are_counted_once(self):
        answers = iter([{"failed": {}}, {"alive": [21000, 21002], "broken": {}},
                        {"alive": [21000], "broken": {"21002": "?"}}, {"alive": [21000], "broken": {}}, {}])
        asked = []
        host = types.SimpleNamespace(play=lambda job: asked.append(job) or next(answers))
        elsewhere = self.DUMP.replace("labels=0x5", "labels=0x6")
        talk_of_two = planned.Talk(self.bed(self.DUMP, elsewhere, elsewhere), host, 2)
        found = talk_of_two.event(lambda: iter(["open", "check", "check", "close first"]))
        self.assertEqual(found, {"connections": 2, "broken": {"21002": "?"}, "moved": [21000], "instances": 2,
                                 "checks": 4})
        self.assertEqual(asked[0], {"connect": [21000, 21002]})
        self.assertEqual(asked[-1], {"close": [21000]})

    def test_connections_of_one_instance_show_nothing(self):
        answers = iter([{"failed": {}}, {"alive": [21000], "broken": {}}])
        host = types.SimpleNamespace(play=lambda job: next(answers))
        with self.assertRaisesRegex(PenstockError, "had the same instance"):
            planned.Talk(self.bed(self.DUMP), host, 1).event(lambda: iter(["open"]))

    def test_connections_without_an_instance_show_nothing(self):
        answers = iter([{"failed": {}}, {"alive": [21000, 21008], "broken": {}}])
        host = types.SimpleNamespace(play=lambda job: next(answers))
        with self.assertRaisesRegex(PenstockError, "had the same instance"):
            planned.Talk(self.bed(self.DUMP), host, 2).event(lambda: iter(["open"]))

    def test_connections_that_do_not_come_about(self):
        host = types.SimpleNamespace(play=lambda job: {"failed": {"21000": "no answer"}})
        with self.assertRaisesRegex(PenstockError, r"1 of 2 connections did not come about: \['no answer'\]"):
            planned.Talk(self.bed(), host, 2).event(lambda: iter(["open"]))


class NetworkTest(unittest.TestCase):

    def test_the_tenant_is_at_the_port_for_hosts_and_its_server_behind_the_second_uplink(self):
        bed = types.SimpleNamespace(nodes=[], name="n", _with_dns=False, tenant_port="hosts0", applied=lambda: None)
        bed.network = lambda tenants: services_bed.ServicesBed.network(bed, tenants)
        sent = {}
        bed.restconf = types.SimpleNamespace(replace=sent.__setitem__)
        functions_bed.FunctionsBed.configure(bed, [{"name": "spread"}], ["spread"])
        inside = sent[configuration.NETWORK][configuration.NETWORK]
        tenant = inside["tenant"][0]
        self.assertEqual((tenant["attachment"][0]["port"], tenant["chain"]), ("hosts0", functions_bed.CHAIN))
        self.assertNotIn("dhcp", tenant)
        self.assertEqual(inside["chain"], [{"name": functions_bed.CHAIN, "function": ["spread"]}])
        self.assertEqual(inside["backbone"]["interface"][1]["port"], "up1")

    def test_ports_are_not_used_twice(self):
        bed = types.SimpleNamespace(_next_port=59_000)
        taken = [functions_bed.FunctionsBed.ports(bed, count) for count in (400, 100, 1)]
        self.assertEqual(taken, [59_000, 59_800, 10_000])

    def test_functions_are_never_passed_by(self):
        bed = types.SimpleNamespace(name="n", scheduling="normal")
        bed._started = lambda name: functions_bed.FunctionsBed._started(bed, name)
        entry = functions_bed.FunctionsBed.spread(bed, one={}, two={"state": "draining"})
        self.assertEqual(entry["fail-policy"], "closed")
        self.assertEqual(entry["start"]["scheduling"], "normal")
        self.assertEqual(entry["instance"], [{"name": "one"}, {"name": "two", "state": "draining"}])

    def test_chains_of_up_to_three(self):
        inside = chain.network(BED, 2, 3, hops.FUNCTIONS)[configuration.NETWORK]
        self.assertEqual(inside["chain"][0]["function"], ["tap1", "tap2", "tap3"])
        self.assertEqual(list(chain.links_of(pathlib.Path("/x"), hops.FUNCTIONS))[-1], "tap3-out")


class SampleTest(unittest.TestCase):

    def test_a_packet_counts_once_however_many_hops_it_has(self):
        answer = {"seconds": 2.0, "busy": 0.5, "links": {"acc": {"tx": 4_000_000}, "up": {"rx": 3_900_000,
                                                                                         "rx_window": 3_800_000}}}
        pmd = {"cycles_per_packet": 300, "received_mpps": 5.7, "busy": 0.99, "passes": 1.0, "upcalls": 0}
        found = hops.sample(answer, pmd)
        self.assertAlmostEqual(found["mpps"], 1.9)
        self.assertEqual((found["cycles_per_packet"], found["cycles_per_hop"]), (900, 300))
        self.assertAlmostEqual(found["lost"], 0.025)
        answer["links"]["up"]["rx_window"] = 0
        with self.assertRaisesRegex(PenstockError, "not one packet"):
            hops.sample(answer, pmd)


class PartsTest(unittest.TestCase):

    def test_parts_belong_to_a_run(self):
        for arguments, reason in ((["chain", "--parts", "leases"], "bench chain has the parts changes, changes-fast"),
                                  (["services", "--parts", "hops"], "bench services has the parts leases"),
                                  (["edge", "--parts", "hops"], "only bench services, bench chain, bench load")):
            with self.assertRaisesRegex(PenstockError, reason):
                cli.measure(cli.options_parser().parse_args(arguments))

    def test_figures_of_the_forms_are_known(self):
        self.assertLessEqual({f"{name}_mpps" for name in forms.FORMS}, set(ratios.CHAIN))

    def test_a_form_without_a_function_is_left_out_and_named(self):
        said = []
        self.assertEqual(forms.in_catalogue(said.append, {"vm": "packet-filter-vm", "container": "none-such"}),
                         {"vm": "packet-filter-vm"})
        self.assertEqual(said, ["container_mpps is left out: the catalogue has no function none-such"])


if __name__ == "__main__":
    unittest.main()
