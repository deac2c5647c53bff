# SPDX-License-Identifier: Apache-2.0
"""The tiers of the test suite: how a class runs again, results of deep tiers, what --changed and --burn run."""

import contextlib
import io
import pathlib
import subprocess
import tempfile
import typing
import unittest
from unittest import mock

from penstock_base import places
from penstock_base.errors import PenstockError
from penstock_controller import build
from penstock_suite import burn, changed, deep, gate, tiers
from penstock_suite.lanes import Lane, Lanes, Outcome
from penstock_suite.reports import Case


class TiersTest(unittest.TestCase):
    def test_names_are_no_prefixes_of_each_other(self):
        names = [f"{tier.name}-" for tier in (*tiers.GATE, *tiers.DEEP)]
        self.assertEqual([(a, b) for a in names for b in names if a != b and b.startswith(a)], [])
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual([need for tier in tiers.GATE for need in tier.needs if f"{need}-" not in names], [])

    def test_what_depends_on_no_machine_never_runs_again(self):
        self.assertEqual({tier.name for tier in tiers.GATE if tier.again}, {"nodes", "packets", "system", "up"})

    def test_the_class_of_a_report_is_found(self):
        said = {}

        class OneLane:
            name = "again-nodes"

            def run(self, command, log, cwd, environment):
                said.update(command=command, cwd=cwd)
                return tiers._NO_TEST_SELECTED
        case = Case("GeneratorTest.test_a", 1.0, "failed", "", "it.bench.tests.test_generator.GeneratorTest",
                    "nodes-it-bench")
        nodes = next(tier for tier in tiers.GATE if tier.name == "nodes")
        assert nodes.again
        with tempfile.TemporaryDirectory() as folder:
            nodes.again(case)(typing.cast(Lane, OneLane()), pathlib.Path(folder))
        self.assertEqual((said["command"][-1], said["cwd"]),
                         ("tests/test_generator.py::GeneratorTest", places.ROOT / "it/bench"))

    def test_a_suite_without_a_report_fails(self):
        class OneLane:
            name = "python"

            def run(self, *_):
                return 0

            def say(self, _):
                pass
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(
                PenstockError, "without a report") as error:
            tiers.pytest("node", suites=("docs",))(typing.cast(Lane, OneLane()), pathlib.Path(folder))
        self.assertNotIsInstance(error.exception, tiers.TestsFailed)

    def test_a_tier_without_a_passed_test_fails(self):
        tier = tiers.Tier("x", "", lambda lane, path: None, network=True)
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(PenstockError, "no test ran"):
            gate._job(tier, pathlib.Path(folder))(Lanes(1).lane("x"))

    def test_outcome_of_a_tier_is_counted_by_its_reports_alone(self):
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()):
            (pathlib.Path(name) / "x-a.xml").write_text("<testsuite/>", encoding="ascii")
            self.assertFalse(gate.report([Outcome("x", 1.0, None)], pathlib.Path(name), 1.0))


class DeepTest(unittest.TestCase):
    def test_inputs_of_a_tier_are_the_product_and_its_own_tests(self):
        listed = []

        def run(*words, **_):
            return subprocess.CompletedProcess(words, 0, "\0".join(listed))
        with tempfile.TemporaryDirectory() as name, mock.patch.object(deep, "ROOT", pathlib.Path(name)), \
                mock.patch("subprocess.run", run):
            def hashes(**files):
                for path, text in files.items():
                    (pathlib.Path(name) / path).parent.mkdir(parents=True, exist_ok=True)
                    (pathlib.Path(name) / path).write_text(text, encoding="utf-8")
                listed[:] = sorted(files)
                return {tier.name: deep.inputs(tier) for tier in tiers.DEEP if tier.name in {"crash", "fuzz"}}
            tier = "crash"  # With its name in the tag this file would be one of its inputs.
            base = {"Engine.java": "1", "CrashIT.java": f'@Tag("{tier}")', "README.md": "1"}
            first = hashes(**base)
            self.assertEqual(hashes(**base | {"README.md": "2"}), first)
            changed_test = hashes(**base | {"CrashIT.java": f'@Tag("{tier}") 2'})
            self.assertNotEqual(changed_test["crash"], first["crash"])
            self.assertEqual(changed_test["fuzz"], first["fuzz"])
            product = hashes(**base | {"Engine.java": "2"})
            self.assertFalse(set(product.values()) & set(first.values()))
            benchmark = {"it/bench/load.py": "1", "it/bench/tests/test_load.py": f"pytest.mark.{tier}"}
            with_benchmark = hashes(**base, **benchmark)
            self.assertEqual(with_benchmark["fuzz"], first["fuzz"])
            changed_benchmark = hashes(**base, **benchmark | {"it/bench/load.py": "2"})
            self.assertEqual(changed_benchmark["fuzz"], first["fuzz"])
            self.assertNotEqual(changed_benchmark["crash"], with_benchmark["crash"])

    def test_drawn_seeds_are_found(self):
        with tempfile.TemporaryDirectory() as name, mock.patch.object(places, "TEST_REPORTS", pathlib.Path(name)):
            (pathlib.Path(name) / "a.xml").write_text(
                "figure: crash matrix, crash matrix: seed 7509889752803, 200 kills\n"
                "figure: bad requests, seed: -5\nseed 7509889752803, round 3", encoding="ascii")
            self.assertEqual(deep._seeds(), [-5, 7509889752803])

    def test_all_is_built_before_the_first_tier(self):
        done = []
        with mock.patch.object(tiers, "build_all", lambda *words: done.append(words)), \
                mock.patch.object(deep, "_run", lambda tier: done.append(tier.name) or tier.name != "loss"):
            self.assertFalse(deep.run(["loss", "crash"]))
        self.assertEqual(done, [(None,), "crash", "loss"])

    def test_status_names_each_tier(self):
        self.assertEqual([line.split()[0] for line in deep.status().splitlines()], list(tiers.DEEP_TIERS))


class ChoiceTest(unittest.TestCase):
    """What --changed and --burn run."""

    def test_modules_and_suites_that_depend_on_a_file(self):
        self.assertEqual(changed.java_modules(["odl-apps/dhcp/src/main/java/A.java", "it/src/test/java/A.java",
                                               "karaf/penstock_suite/gate.py", "README.md"]), {"odl-apps/dhcp", "it"})
        self.assertEqual(changed.java_modules(["odl-apps/dhcp/pom.xml", "odl-apps/parent/pom.xml"]), {"all"})
        # Its tests have modules that the tests of functions and of the launcher share.
        self.assertEqual(changed.python_suites(["ovs-config/penstock_exporter/cli.py"]),
                         ("ovs-config", "service-chains", "karaf", "docs"))
        self.assertEqual(changed.python_suites(["ovs-config/penstock_base/files.py"]), places.PYTHON_SUITES)
        self.assertEqual(changed.python_suites(["it/bench/tests/test_chain.py"]), ("docs", "it/bench"))
        self.assertEqual(changed.choose([]), [])

        def chosen(name):
            return [tier.name for tier in changed.choose([name])]
        self.assertEqual(chosen("docs/limits.md"), ["python", "lint"])
        self.assertEqual(chosen("pom.xml"), ["build", "units", "traces", "lint"])
        self.assertEqual(chosen("odl-apps/dhcp/src/main/java/A.java"), ["build", "units", "lint"])
        self.assertEqual(changed.dependents({"odl-apps/dhcp"}) & {"odl-apps/packet-services", "odl-apps/northbound",
                                                                 "odl-apps/pipeline", "it"},
                         {"odl-apps/packet-services", "odl-apps/northbound"})

    def test_a_change_of_integration_tests_runs_traces_alone(self):
        ran = []
        with mock.patch.object(build, "maven", lambda log, *words, **_: ran.append(words)), \
                tempfile.TemporaryDirectory() as folder:
            tiers.units_of({"it", "odl-apps/page"})(Lanes(1).lane("units"), pathlib.Path(folder))
        self.assertEqual([[word for word in words if word.startswith(("failsafe:", "exec:"))] for words in ran],
                         [["failsafe:integration-test", "failsafe:verify"], ["exec:exec@test-page"],
                          ["failsafe:integration-test@traces", "failsafe:verify@traces"]])

    def test_the_tier_of_a_class_is_found(self):
        for name, tier in {"DriftIT": "units", "AclTraceIT": "traces", "AclPacketsIT": "packets", "DhcpIT": "system",
                           "NodeTest": "nodes", "test_arrows": "nodes"}.items():
            self.assertEqual(burn.find(name)[0].name, tier)
        with self.assertRaisesRegex(PenstockError, "no test class NothingIT"):
            burn.find("NothingIT")


if __name__ == "__main__":
    unittest.main()
