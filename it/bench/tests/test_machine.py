# SPDX-License-Identifier: Apache-2.0
"""A noisy machine is refused, and who makes the noise is named."""

import os
import pathlib
import tempfile
import unittest
import unittest.mock

from penstock_bench import machine

EVEN = {"p10_us": 1000.0, "p50_us": 1010.0, "p90_us": 1050.0, "spread": 1.05}
UNEVEN = {"p10_us": 1000.0, "p50_us": 1500.0, "p90_us": 2000.0, "spread": 2.0}
QUIET = {"0": {"reckoning": EVEN, "copying": EVEN}}
SHAKY = {"0": {"reckoning": EVEN, "copying": EVEN}, "1": {"reckoning": EVEN, "copying": UNEVEN}}
TICKS = 200  # Two seconds of each of two cores.


class Proc:
    """A made-up /proc of two cores."""

    def __init__(self, test):
        made = tempfile.TemporaryDirectory()
        test.addCleanup(made.cleanup)
        self.path = pathlib.Path(made.name)

    def cpu(self, user=0, idle=0, steal=0, softirq=0):
        """The times of all cores together."""
        line = f"{user} 0 0 {idle} 0 0 {softirq} {steal} 0 0"
        (self.path / "stat").write_text(f"cpu  {line}\ncpu0 {line}\ncpu1 {line}\nctxt 1\n", encoding="ascii")
        return self

    def process(self, pid, name, ticks, started=1):
        """A process that has used `ticks` so far, half of them in the kernel."""
        directory = self.path / str(pid)
        directory.mkdir(exist_ok=True)
        used = f"{ticks // 2} {ticks - ticks // 2}"
        (directory / "stat").write_text(f"{pid} ({name}) S 1 1 1 0 -1 0 0 0 0 0 {used} 0 0 20 0 1 0 {started} 0 0\n",
                                        encoding="ascii")
        return self

    def snapshot(self):
        """What machine reads of it."""
        return machine._snapshot(self.path)


class WatchTest(unittest.TestCase):

    def difference(self, change):
        """What is seen after `change` was made to an idle machine with a compiler that has run for long."""
        proc = Proc(self).cpu(user=5000, idle=9000).process(10, "cc1", 5000).process(os.getpid(), "python3", 100)
        before = proc.snapshot()
        change(proc)
        return machine.difference(before, proc.snapshot())

    def test_idle(self):
        seen = self.difference(lambda proc: proc.cpu(user=5000, idle=9000 + 2 * TICKS))
        self.assertEqual(seen, {"others_cores": 0, "users": [], "unaccounted_cores": 0, "steal": 0})

    def test_a_busy_process_is_named_with_its_cores(self):
        seen = self.difference(lambda proc: proc.cpu(user=5000 + TICKS, idle=9000 + TICKS)
                               .process(10, "cc1", 5000 + TICKS))
        self.assertEqual(seen["others_cores"], 1)
        self.assertEqual(seen["users"], [{"process": "cc1", "pid": 10, "cores": 1}])

    def test_we_ourselves_do_not_count(self):
        seen = self.difference(lambda proc: proc.cpu(user=5000 + TICKS, idle=9000 + TICKS)
                               .process(os.getpid(), "python3", 100 + TICKS))
        self.assertEqual((seen["others_cores"], seen["users"]), (0, []))

    def test_a_new_process_counts_whole_and_a_reused_number_is_new(self):
        seen = self.difference(lambda proc: proc.cpu(user=5000 + 60, idle=9000 + 2 * TICKS - 60)
                               .process(11, "sh (odd) name", 20).process(10, "ld", 40, started=2))
        self.assertEqual({user["process"]: user["cores"] for user in seen["users"]}, {"sh (odd) name": 0.1, "ld": 0.2})

    def test_time_of_nobody_counts(self):
        seen = self.difference(lambda proc: proc.cpu(user=5000, softirq=100, idle=9000 + 2 * TICKS - 100))
        self.assertEqual((seen["others_cores"], seen["unaccounted_cores"]), (0.5, 0.5))

    def test_stolen_time_is_nobodys_use(self):
        seen = self.difference(lambda proc: proc.cpu(user=5000, idle=9000 + TICKS, steal=TICKS))
        self.assertEqual((seen["others_cores"], seen["steal"]), (0, 0.5))


class CheckTest(unittest.TestCase):

    def check(self, spin=None, noisy=False, **after):
        """check() of a machine of which `after` is seen a moment later."""
        proc = Proc(self).cpu(idle=1000).process(10, "cc1", 0)

        def sleep(_):
            proc.cpu(**after)
            proc.process(10, "cc1", after.get("user", 0))

        with unittest.mock.patch("time.sleep", sleep):
            return machine.check(noisy, proc=proc.path, spin_spreads=spin or QUIET)

    def test_quiet(self):
        seen = self.check(idle=1000 + 2 * TICKS)
        self.assertEqual((seen["quiet"], seen["overridden"], seen["problems"]), (True, False, []))
        self.assertEqual(seen["limits"]["spin"], machine.SPIN_SPREADS)
        self.assertTrue(self.check(noisy=True, idle=1000 + 2 * TICKS)["quiet"])

    def assert_refused(self, *texts, **arguments):
        with self.assertRaises(machine.MachineTooNoisy) as caught:
            self.check(**arguments)
        for text in (*texts, "--noisy"):
            self.assertIn(text, str(caught.exception))
        self.assertEqual(len(caught.exception.seen["problems"]), 1)
        seen = self.check(noisy=True, **arguments)
        self.assertEqual((seen["quiet"], seen["overridden"]), (False, True))

    def test_busy(self):
        self.assert_refused("others use 0.25 cores", "cc1 (process 10, 0.25)", user=50, idle=1350)

    def test_a_little_use_is_allowed(self):
        self.assertTrue(self.check(user=20, idle=1380)["quiet"])

    def test_nobodys_time_is_named(self):
        self.assert_refused("the kernel and processes that have ended (0.50)", softirq=100, idle=1300)

    def test_stolen(self):
        self.assert_refused("hypervisor takes 5.0%", steal=20, idle=1380)

    def test_uneven(self):
        self.assert_refused("the same copying on core 1 takes from 1000 to 2000 us", "2.00 times as long", spin=SHAKY,
                            idle=1400)

    def test_everything_is_said_at_once(self):
        with self.assertRaises(machine.MachineTooNoisy) as caught:
            self.check(spin=SHAKY, user=100, steal=100, idle=1200)
        self.assertEqual(len(caught.exception.seen["problems"]), 3)


class SpinTest(unittest.TestCase):

    def test_measures_and_leaves_the_affinity_as_it_was(self):
        before = os.sched_getaffinity(0)
        found = machine.spin(min(before), repetitions=10)
        self.assertEqual(os.sched_getaffinity(0), before)
        self.assertEqual(set(found), set(machine.SPIN_SPREADS))
        for one in found.values():
            self.assertTrue(0 < one["p10_us"] <= one["p50_us"] <= one["p90_us"])
            self.assertGreaterEqual(one["spread"], 1)

    def test_repetitions_are_long_enough_to_be_disturbed(self):
        """By a clock of its own: on a busy core each try may seem to take long enough."""
        for microseconds in (1, 10, 5000):
            clock = [0.0]

            def work(seconds=microseconds / 1e6, clock=clock):
                clock[0] += seconds
            with unittest.mock.patch.object(machine.time, "perf_counter", lambda clock=clock: clock[0]):
                found = machine._repeat(work, 10)
            self.assertGreaterEqual(found["p10_us"], 1500 * 0.999)
            self.assertLess(found["p90_us"], max(1500 * 1.3 + microseconds, microseconds * 1.001))


class FactsTest(unittest.TestCase):

    def test_this_machine(self):
        found = machine.facts()
        self.assertEqual(found["cores"], len(os.sched_getaffinity(0)))
        self.assertGreater(found["memory_mb"], 100)
        self.assertIn("Python", found["versions"])
        self.assertNotIn(None, found.values())

    def test_a_machine_that_tells(self):
        proc = Proc(self)
        sys = proc.path / "sys-tree"
        (proc.path / "cpuinfo").write_text("processor: 0\nmodel name\t: Example 3000\ncpu MHz : 2500.5\nflags : fpu "
                                           "hypervisor\n\nprocessor: 1\nmodel name: Other\n", encoding="ascii")
        (proc.path / "meminfo").write_text("MemTotal:  2048000 kB\nHugePages_Total: 7\nHugePages_Free: 3\n"
                                           "Hugepagesize: 2048 kB\n", encoding="ascii")
        for name, text in {"cpu/cpu0/cache/index0/level": "1", "cpu/cpu0/cache/index0/type": "Data",
                           "cpu/cpu0/cache/index0/size": "48K", "cpu/cpu0/cpufreq/scaling_governor": "performance\n"
                           }.items():
            path = sys / "devices/system" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="ascii")
        found = machine.facts(proc=proc.path, sys=sys)
        self.assertEqual((found["cpu"], found["cpu_mhz"], found["virtual"]), ("Example 3000", 2500.5, True))
        self.assertEqual((found["caches"], found["governor"]), (["L1 data 48K"], "performance"))
        self.assertEqual((found["memory_mb"], found["huge_pages"]), (2000, {"total": 7, "free": 3, "size_kb": 2048}))

    def test_a_machine_that_tells_nothing(self):
        found = machine.facts(proc="/nonexistent", sys="/nonexistent")
        self.assertEqual(found["virtual"], False)
        self.assertNotIn("cpu", found)


if __name__ == "__main__":
    unittest.main()
