# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document fits the examples, the documents that are refused, and the names that the command line knows.
test_up_deep.py compares it with a running controller; ./penstock lint holds it to the YANG."""

import json
import re
import unittest

from penstock_base.places import ROOT
from penstock_client import edits, schema
from penstock_launcher import examples

from .described import DATA, Description, description

_YANG = ROOT / "odl-apps" / "model" / "src" / "main" / "yang"
# A `must` with its message, in one string or several that are joined.
_MUST = re.compile(r"\bmust\s+(?:\"[^\"]*\"|'[^']*')(?:\s*\+\s*(?:\"[^\"]*\"|'[^']*'))*\s*\{\s*error-message\s+"
                   r"((?:\"[^\"]*\"|'[^']*')(?:\s*\+\s*(?:\"[^\"]*\"|'[^']*'))*)")


def problems(document):
    """Why a whole document is not as described. Names in it may have their module, also where that is the same."""
    return [problem for name, value in document.items()
            for problem in description().request_problems("PUT", DATA + name, {name: edits.stripped(value)})]


def messages_of_rules():
    """The messages of rules among several leaves, in one text."""
    found = [message for path in _YANG.glob("*.yang") for message in _MUST.findall(path.read_text(encoding="utf-8"))]
    return "\n".join(" ".join(re.sub(r"[\"']\s*\+?\s*[\"']?", "", message).split()) for message in found)


class OpenapiTest(unittest.TestCase):
    def test_examples_are_as_described(self):
        whole = [each for each in examples.examples(ROOT) if each.is_whole]
        self.assertGreater(len(whole), 20)
        self.assertEqual([], [f"{each.path}:{each.line}: {problem}" for each in whole
                              for problem in problems(json.loads(each.text))])

    def test_refused_documents_are_not_but_for_rules_among_leaves(self):
        rules = messages_of_rules()
        self.assertGreater(len(rules.splitlines()), 30)
        samples = examples.samples(ROOT)
        found = {True: 0, False: 0}
        for sample in samples:
            is_rule = sample.message.replace("'", "") in rules or sample.message.startswith("Unique")
            found[is_rule] += 1
            with self.subTest(sample.what):
                self.assertEqual(is_rule, problems(json.loads(sample.text)) == [], sample.message)
        self.assertGreater(min(found.values()), 30, found)

    def test_each_container_and_list_has_a_path(self):
        wanted = set()

        def walk(node, path):
            wanted.add(path)
            for name in schema.names(node):
                below = node[name]
                if isinstance(below, dict):
                    walk(below, f"{path}/{name}" + (f"={len(schema.keys(below))}" if schema.is_list(below) else ""))
        for name, tree in schema.trees().items():
            walk(tree, DATA + name)
        found = {re.sub(r"=[^/]*", lambda keys: f"={keys[0].count('{')}", path)
                 for path, item in description().document["paths"].items() if "put" in item}
        self.assertEqual(found, wanted)

    def test_what_is_not_described_is_named(self):
        ours = description()
        path = f"{DATA}penstock:network/pool=west"
        pool = {"name": "west", "prefix": ["203.0.113.0/28"]}
        self.assertEqual([], ours.answer_problems("GET", path, 200, {"penstock:pool": [pool]}))
        for status, body in ((200, {"penstock:pool": [pool | {"colour": "red"}]}), (200, {"penstock:pool": [{}]}),
                             (200, {"penstock:pool": []}), (200, {"pool": [pool]}), (500, {}), (400, {"errors": {}})):
            self.assertNotEqual([], ours.answer_problems("GET", path, status, body), body)
        self.assertNotEqual([], ours.answer_problems("GET", f"{path}/prefix=1", 200, {}))
        self.assertNotEqual([], ours.request_problems("DELETE", path, {}))

    def test_references_lead_somewhere_and_operations_have_names_of_their_own(self):
        document = description().document
        references = set(re.findall(r'"\$ref": "#/components/(\w+)/([^"]+)"', json.dumps(document)))
        self.assertGreater(len(references), 100)
        self.assertEqual(set(), {name for kind, name in references if name not in document["components"][kind]})
        names = [operation["operationId"] for item in document["paths"].values()
                 for method, operation in item.items() if method != "parameters"]
        self.assertEqual(len(names), len(set(names)))

    def test_a_description_may_have_several_keys_in_a_step(self):
        item = {"put": {"requestBody": {"content": {"application/yang-data+json": {"schema": {"type": "object"}}}}}}
        ours = Description({"paths": {"/a/b={x},{b-y}/c={z}": item, "/a/b={x},{b-y}": item}})
        self.assertEqual(["x", "y"], ours.keys("/a", "b"))
        self.assertEqual(["z"], ours.keys("/a/b=1,2", "c"))
        self.assertIsNone(ours.keys("/a", "c"))
        self.assertEqual([], ours.request_problems("PUT", "/a/b=1,2", {}))
        self.assertNotEqual([], ours.request_problems("PUT", "/a/b=1,2", []))


if __name__ == "__main__":
    unittest.main()
