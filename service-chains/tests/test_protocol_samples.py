# SPDX-License-Identifier: Apache-2.0
"""The samples of the protocol that are of functions: the agent reads orders, and what it writes are the reports."""

import dataclasses
import json
import pathlib
import shutil
import tempfile
import unittest

import samples
from penstock_base import processes
from penstock_functions import agent_database, agent_facts, agent_instances, agent_orders, catalogue, instance
from penstock_node import node_protocol
from penstock_node.ovs import Ovs
from samples import SAMPLES, text

NAME = "fw1"


class SamplesTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.catalogue = self.directory / "catalogue"

    def test_each_is_here(self):
        self.assertEqual(
            {name.partition("/")[0] for name in samples.of("functions agent") | samples.read_by("functions agent")},
            {"function", "function-state", "functions-found", "functions-protocol", "node-functions"})

    def test_orders_are_read(self):
        for name, order in (("function/usual", agent_orders.Order("forwarder", None, None)),
                            ("function/full", agent_orders.Order("packet-filter", 0, "low"))):
            self.assertEqual(agent_orders.parse(NAME, text(name), catalogue.DIRECTORY), order)
        members = samples.DEFINITION["$defs"]["function"]["properties"]
        self.assertEqual((tuple(members), tuple(members["scheduling"]["enum"])),
                         (agent_orders._FIELDS, agent_orders._SCHEDULING))

    def test_facts(self):
        for name in ("node-functions/usual", "node-functions/full"):
            shutil.rmtree(self.catalogue, ignore_errors=True)
            shutil.copytree(catalogue.DIRECTORY, self.catalogue)
            for path in catalogue.paths(self.catalogue):
                if path.stem not in SAMPLES[name]["functions"]:
                    path.unlink()
            facts = json.loads(agent_facts.Facts(self.catalogue, self.fail).text())
            samples.validate("node-functions", facts)  # With the cores of this machine.
            samples.check(self, name, json.dumps(facts | {"cores": SAMPLES[name]["cores"]}))

    def test_facts_of_the_whole_catalogue(self):
        samples.validate("node-functions", json.loads(agent_facts.Facts(catalogue.DIRECTORY, self.fail).text()))

    def test_states(self):
        made = agent_instances.Instances(self.directory, "edge1", self.catalogue, lambda _: None)
        made.want({NAME: '{"function": "none"}'})
        made.run()
        samples.check(self, "function-state/refused", made.states()[NAME])

        made = agent_instances.Instances(self.directory, "edge1", catalogue.DIRECTORY, lambda _: None)
        made.want({NAME: text("function/usual")})
        made.run()  # Without a node it fails, but not before it is begun.
        samples.check(self, "function-state/starting", made.states()[NAME])
        made.finish()
        samples.validate("function-state", made.states()[NAME])

        supervised = made._of(NAME)
        for name, attached in (("function-state/waiting", False), ("function-state/usual", True)):
            supervised._run_by_hand(dataclasses.replace(instance.NOTHING, function="forwarder", attached=attached))
            samples.check(self, name, made.states()[NAME])
        supervised._fail("its process ended", steady=True)
        samples.check(self, "function-state/failed", made.states()[NAME])

    def test_reports_stand_where_the_definition_has_them(self):
        ovs = Ovs(self.directory)
        self.addCleanup(ovs.stop)
        ovs.start_database()
        port = f"{NAME}-{node_protocol.SIDE_INSIDE}"
        order = f"external_ids:{node_protocol.FUNCTION}={json.dumps(text('function/full'))}"
        ovs.vsctl("--no-wait", "add-br", node_protocol.BRIDGE, "--", "add-port", node_protocol.BRIDGE, port, "--",
                  "set", "Interface", port, order)
        database = agent_database.Database(ovs.socket)
        processes.wait_until(lambda: database.run() is not None and database.orders(), "the order", 20)
        self.assertEqual(database.orders(), {NAME: text("function/full")})
        for name in ("functions-found/usual", "functions-found/several"):
            processes.wait_until(lambda: database.run() is not None and database.report(
                {NAME: text("function-state/usual")}, reversed(text(name).split(",")),  # noqa: B023  (called at once)
                text("node-functions/usual")), "the reports", 20)
            written = {"Bridge": ovs.get("Bridge", node_protocol.BRIDGE, "external_ids"),
                       "Interface": ovs.get("Interface", port, "external_ids")}
            samples.check(self, name, written["Bridge"][node_protocol.FUNCTIONS_FOUND])
            samples.check(self, "functions-protocol/usual", written["Bridge"][node_protocol.FUNCTIONS_PROTOCOL])
            self.assertEqual({key: table for table, ids in written.items() for key in ids}, {
                key: facts["table"] for key, facts in samples.KEYS.items()
                if "functions agent" in facts["written-by"] + facts["read-by"]})


if __name__ == "__main__":
    unittest.main()
