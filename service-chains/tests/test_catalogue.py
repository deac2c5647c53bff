# SPDX-License-Identifier: Apache-2.0
"""The catalogue is right, and a wrong description gets an error that names the field."""

import json
import pathlib
import tempfile
import unittest

from penstock_base.errors import PenstockError, ProfileError
from penstock_functions import catalogue, instance

GOOD = {"name": "f", "description": "d", "form": "container", "shared": True, "fail-policy": "open",
        "start": {"memory-mb": 64}}


class CatalogueTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def load(self, changes, name="f"):
        content = {key: value for key, value in (GOOD | changes).items() if value is not ...}
        path = self.directory / f"{name}.yaml"
        path.write_text(json.dumps(content), encoding="utf-8")
        return catalogue.load(path)

    def test_shipped_functions(self):
        entries = catalogue.load_all()
        self.assertEqual(sorted(entries), ["forwarder", "monitor", "packet-divert-ct", "packet-filter",
                                           "packet-filter-ct", "packet-filter-vm", "router-vm"])
        for entry in entries.values():
            with self.subTest(entry.name):
                self.assertEqual(catalogue.machine_problems(entry), [])
        self.assertEqual((entries["forwarder"].form, entries["forwarder"].fail_policy), ("container", "open"))
        self.assertEqual((entries["packet-filter"].form, entries["packet-filter"].fail_policy), ("netns", "closed"))
        guest = entries["packet-filter-vm"]
        self.assertEqual((guest.form, guest.fail_policy, guest.core), ("vm", "closed", None))
        filters = [entry for name, entry in entries.items() if name.startswith("packet-filter")]
        self.assertEqual({entry.form for entry in filters}, {"container", "netns", "vm"})
        self.assertEqual(len({entry.rules for entry in filters}), 1, "one set of rules")
        self.assertEqual({entry.name for entry in entries.values() if entry.mode == "routed"}, {"router-vm"})
        self.assertFalse(entries["router-vm"].shared)
        self.assertEqual({entry.name for entry in entries.values() if entry.outputs == 2}, {"packet-divert-ct"})

    def test_defaults(self):
        entry = self.load({})
        self.assertEqual((entry.core, entry.scheduling, entry.rules, entry.mode), (0, "idle", None, "transparent"))
        self.assertEqual((entry.outputs, entry.as_json()["outputs"]), (1, 1))

    def test_router(self):
        changes = {"form": "vm", "mode": "routed", "shared": False, "start": {"memory-mb": 128}}
        entry = self.load(changes)
        self.assertEqual((entry.rules, entry.as_json()["mode"]), (None, "routed"))
        (self.directory / "f.nft").touch()
        entry = self.load(changes | {"start": {"memory-mb": 128, "rules": "f.nft"}})
        self.assertEqual(entry.rules, self.directory / "f.nft")

    def test_wrong_fields(self):
        for name, content in (("good.nft", ""), ("good.rules.yaml", "rules: []"),
                              ("bad.rules.yaml", "rules: [{from: inside, protocol: tcp, action: drop}]"),
                              ("two.rules.yaml", "rules: [{from: inside, protocol: tcp, action: divert}]")):
            (self.directory / name).write_text(content, encoding="ascii")
        for changes, start in (
                ({"name": ...}, "name: is missing"), ({"form": "jail"}, "form: "), ({"shared": "yes"}, "shared: "),
                ({"fail-policy": "ajar"}, "fail-policy: "), ({"fail-policy": ...}, "fail-policy: is missing"),
                ({"start": {}}, "start.memory-mb: is missing"), ({"start": {"memory-mb": 1}}, "start.memory-mb: "),
                ({"start": {"memory-mb": 64, "core": -1}}, "start.core: "),
                ({"start": {"memory-mb": 64, "scheduling": "fast"}}, "start.scheduling: "),
                ({"start": {"memory-mb": 64, "queues": 0}}, "start.queues: "),
                ({"start": {"memory-mb": 64, "queues": 17}}, "start.queues: "),
                ({"start": {"memory-mb": 64, "queues": 3}}, "start.memory-mb: is 64; 3 queues need at least 96"),
                ({"start": {"memory-mb": 512, "queues": 9}}, "start.queues: is 9; form container has 8 at most"),
                ({"start": {"memory-mb": 64, "cores": 1}}, "start.cores: unknown field; did you mean core?"),
                ({"mode": "bridged"}, "mode: "),
                ({"mode": "routed"}, "mode: is routed, which form container cannot be"),
                ({"mode": "routed", "form": "vm"}, "shared: is true; frames to a routed function have no tag"),
                ({"outputs": 3}, "outputs: 3 is not valid"), ({"outputs": True}, "outputs: true is not valid"),
                ({"outputs": 2}, "outputs: is 2, which takes form container with a rule set"),
                ({"outputs": 2, "form": "netns", "start": {"memory-mb": 64, "rules": "good.rules.yaml"}},
                 "outputs: is 2, which takes form container"),
                ({"outputs": 2, "form": "vm", "start": {"memory-mb": 128, "rules": "good.rules.yaml"}},
                 "outputs: is 2, which takes form container"),
                ({"outputs": 2, "mode": "routed", "start": {"memory-mb": 64, "rules": "good.rules.yaml"}},
                 "outputs: is 2, which takes form container with a rule set and mode transparent"),
                ({"start": {"memory-mb": 64, "rules": "two.rules.yaml"}},
                 "start.rules: two.rules.yaml: rules[0].action: is divert, and the function has one output"),
                ({"form": "netns", "start": {"memory-mb": 64, "rules": "two.rules.yaml"}},
                 "start.rules: two.rules.yaml: rules[0].action: is divert, and the function has one output"),
                ({"colour": 1}, "colour: unknown field"),
                ({"name": "g"}, "name: is g; a function is named as its file"),
                ({"form": "netns"}, "start.rules: is missing"), ({"form": "vm"}, "start.rules: is missing"),
                ({"form": "vm"}, "start.memory-mb: is 64; form vm needs at least 128"),
                ({"start": {"memory-mb": 64, "rules": "good.nft"}},
                 "start.rules: form container filters by a rule set"),
                ({"start": {"memory-mb": 32, "rules": "good.rules.yaml"}},
                 "start.memory-mb: is 32; form container with rules needs at least 64"),
                ({"start": {"memory-mb": 64, "rules": "bad.rules.yaml"}},
                 "start.rules: bad.rules.yaml: rules[0].counter: is missing"),
                ({"form": "netns", "start": {"memory-mb": 64, "rules": "x.nft"}}, "start.rules: there is no file"),
                ({"form": "netns", "start": {"memory-mb": 64, "rules": "../x"}}, "start.rules: ")):
            with self.subTest(changes), self.assertRaises(ProfileError) as caught:
                self.load(changes)
            self.assertTrue(any(problem.startswith(start) for problem in caught.exception.problems),
                            caught.exception.problems)

    def test_machine(self):
        (self.directory / "f.nft").write_text("table inet x { chain", encoding="ascii")
        entry = self.load({"form": "netns", "start": {"memory-mb": 64, "core": 4000, "rules": "f.nft"}})
        core, rules = catalogue.machine_problems(entry)
        self.assertRegex(core, "^start.core: this machine has no core 4000")
        self.assertRegex(rules, "^start.rules: nft ")

    def test_unknown_function(self):
        with self.assertRaisesRegex(PenstockError, "no function nat; it has forwarder, monitor, packet-"):
            catalogue.find("nat")

    def test_instance_name(self):
        for name in ("Upper", "-x", "fourteen-chars", ""):
            with self.subTest(name), self.assertRaisesRegex(PenstockError, "an instance name is"):
                instance.start(name, "n", "forwarder")

    def test_unknown_node(self):
        with self.assertRaisesRegex(PenstockError, "node nowhere is not up"):
            instance.start("fw", "nowhere", "forwarder", run_directory=self.directory)


if __name__ == "__main__":
    unittest.main()
