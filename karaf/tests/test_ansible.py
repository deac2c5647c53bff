# SPDX-License-Identifier: Apache-2.0
"""The collection without a controller: what Ansible says of it. test_up_deep.py runs playbook.yaml at a controller."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import yaml

from penstock_base import places

from . import playbook
from .restconf_server import refused, served

_COLLECTION = places.ROOT / "karaf" / "ansible" / "collections" / "ansible_collections" / "penstock" / "edge"
_NAMES = [f"penstock.edge.{path.stem}" for path in sorted((_COLLECTION / "plugins" / "modules").glob("*.py"))]


class CollectionTest(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.environment = playbook.environment(self.home)

    def run_ansible(self, *words, **variables):
        return subprocess.run(words, env=self.environment | variables, capture_output=True, text=True, check=False,
                              cwd=self.home)

    def test_options_are_explained_as_they_are(self):
        done = self.run_ansible("ansible-doc", "--json", *_NAMES)
        self.assertEqual(0, done.returncode, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(sorted(found), _NAMES)
        said = self.run_ansible(places.PYTHON, "-c", "import json; from ansible_collections.penstock.edge.plugins."
                                "module_utils import entries; print(json.dumps(entries.OPTIONS))",
                                PYTHONPATH=f"{places.python_path()}:{_COLLECTION.parents[2]}")
        options = json.loads(said.stdout)
        for name, module in found.items():
            documented = module["doc"]["options"]
            with self.subTest(name):
                self.assertEqual(set(documented), set(options))
                for option, facts in options.items():
                    for fact in ("type", "required", "default", "choices", "elements"):
                        self.assertEqual(facts.get(fact) or None, documented[option].get(fact) or None, (option, fact))
                self.assertEqual(name, next(word for task in yaml.safe_load(module["examples"]) for word in task
                                            if word != "name"))

    def test_it_is_built_with_all_modules(self):
        done = self.run_ansible("ansible-galaxy", "collection", "build", "--output-path", str(self.home),
                                str(_COLLECTION))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        listed = subprocess.run(["tar", "-tzf", *self.home.glob("penstock-edge-*.tar.gz")], capture_output=True,
                                text=True, check=True).stdout.split()
        self.assertEqual({f"plugins/modules/{name.rpartition('.')[2]}.py" for name in _NAMES},
                         {name for name in listed if name.startswith("plugins/modules/") and name.endswith(".py")})

    def run_module(self, options, **variables):
        """Runs the module for pools as Ansible does, with these options. Returns its answer."""
        arguments = self.home / "arguments"
        arguments.write_text(json.dumps({"ANSIBLE_MODULE_ARGS": options}), encoding="utf-8")
        done = self.run_ansible(places.PYTHON, "-m", "ansible_collections.penstock.edge.plugins.modules.penstock_pool",
                                str(arguments), PYTHONPATH=f"{places.python_path()}:{_COLLECTION.parents[2]}",
                                **variables)
        return json.loads(done.stdout)

    def test_a_lost_answer_is_a_failure_that_says_so(self):
        server = served(self, (200, {"penstock:pool": [{"name": "west", "prefix": ["198.18.0.0/30"]}]}), (None, b""))
        answer = self.run_module({"name": "west", "state": "absent", "controller": [server.url], "user": "erika",
                                  "password": "secret"})
        self.assertTrue(answer["failed"])
        self.assertIn("it is not known whether the change was made", answer["msg"])
        self.assertEqual(2, len(server.requests))
        self.assertNotIn("secret", json.dumps(answer))

    def test_an_entry_that_another_client_deletes_first_is_absent(self):
        server = served(self, (200, {"penstock:pool": [{"name": "west", "prefix": ["198.18.0.0/30"]}]}),
                        (409, refused("gone", tag="data-missing")))
        answer = self.run_module({"name": "west", "state": "absent", "controller": [server.url], "user": "erika",
                                  "password": "secret"})
        self.assertEqual((False, None), (answer["changed"], answer["entry"]))

    def test_without_the_client_the_package_is_named(self):
        arguments = json.dumps({"ANSIBLE_MODULE_ARGS": {"name": "west"}})
        done = self.run_ansible(places.PYTHON, "-m", "ansible_collections.penstock.edge.plugins.modules.penstock_pool",
                                arguments, PYTHONPATH=str(_COLLECTION.parents[2]))
        self.assertIn("penstock-client", json.loads(done.stdout)["msg"])

    def test_options_that_do_not_fit_each_other(self):
        secret = {"password": "secret", "controller": ["http://[::1]"], "user": "erika"}
        for options, told in (({"password": "secret"}, "required by 'password': user"),
                              (secret | {"password_file": "/x"}, "mutually exclusive: password|password_file"),
                              (secret | {"config": {"name": "east"}}, "config is the pool east, and not west"),
                              ({}, "no controller is named")):
            with self.subTest(options):
                self.assertIn(told, self.run_module({"name": "west"} | options)["msg"])


if __name__ == "__main__":
    unittest.main()
