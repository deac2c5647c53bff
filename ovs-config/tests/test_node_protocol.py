# SPDX-License-Identifier: Apache-2.0
"""The definition of the protocol between controller and node is whole, and constants, samples and texts are its."""

import re
import unittest

import jsonschema

import samples
from penstock_node import agent_orders, agent_progress, agent_traces, node_protocol

ROOT = samples.FOLDER.parents[4]
SCHEMAS = samples.DEFINITION["$defs"]
_HOMES = {"odl-apps/southbound-ovsdb/src/main/java/io/penstock/southbound/ovsdb/NodeKeys.java",
          "ovs-config/penstock_node/node_protocol.py"}


def parts(schema):
    """A schema and all that are in it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("oneOf", ()),
             *(schema[name] for name in ("items", "additionalProperties") if isinstance(schema.get(name), dict))]
    for each in inner:
        yield from parts(each)


def resolved(schema):
    """The schema that another one may refer to."""
    return SCHEMAS[schema["$ref"].removeprefix("#/$defs/")] if "$ref" in schema else schema


def shown(path, schema, content):
    """The members that an object has, and those in it, as paths."""
    schema = resolved(schema)
    for each in schema.get("oneOf", ()):
        if jsonschema.Draft202012Validator(each | {"$defs": SCHEMAS}).is_valid(content):
            yield from shown(path, each, content)
    if isinstance(content, dict):
        for name, value in content.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            if isinstance(inner, dict):
                here = f"{path}/{name if name in schema.get('properties', {}) else '*'}"
                yield here
                yield from shown(here, inner, value)
    elif isinstance(content, list):
        for value in content:
            yield from shown(path, schema["items"], value)


def possible(path, schema):
    """The members that an object may have, and those in it, as paths."""
    schema = resolved(schema)
    for each in schema.get("oneOf", ()):
        yield from possible(path, each)
    members = dict(schema.get("properties", {}))
    if isinstance(schema.get("additionalProperties"), dict):
        members["*"] = schema["additionalProperties"]
    for name, inner in members.items():
        yield f"{path}/{name}"
        yield from possible(f"{path}/{name}", inner)
    if "items" in schema:
        yield from possible(path, schema["items"])


class DefinitionTest(unittest.TestCase):

    def test_it_is_a_schema_with_words_and_no_other_members(self):
        jsonschema.Draft202012Validator.check_schema(samples.DEFINITION)
        for name, schema in SCHEMAS.items():
            self.assertIn("description", schema, name)
            for part in parts(schema):
                if "properties" in part:
                    self.assertIs(part["additionalProperties"], False, name)
                    for member, inner in part["properties"].items():
                        self.assertTrue("description" in inner or "$ref" in inner, f"{name}/{member}")

    def test_each_key_has_a_definition_and_a_usual_sample(self):
        names = {key.removeprefix(samples.PREFIX) for key in samples.KEYS}
        used = {part["$ref"].removeprefix("#/$defs/") for schema in SCHEMAS.values() for part in parts(schema)
                if "$ref" in part}
        self.assertEqual(names | used, set(SCHEMAS))
        self.assertEqual({name.removesuffix("/usual") for name in samples.SAMPLES if name.endswith("/usual")}, names)
        self.assertEqual({name.partition("/")[0] for name in samples.SAMPLES}, names)

    def test_samples_keep_to_it_and_show_every_member(self):
        seen = {}
        for name, content in samples.SAMPLES.items():
            kind = name.partition("/")[0]
            with self.subTest(name):
                samples.validate(kind, content)
            seen.setdefault(kind, set()).update(shown("", SCHEMAS[kind], content))
        for kind, members in seen.items():
            self.assertEqual(members, set(possible("", SCHEMAS[kind])), kind)

    def test_choices_and_limits_are_those_of_the_agents(self):
        dns, trace = SCHEMAS["dns"]["properties"], SCHEMAS["trace"]["properties"]
        self.assertEqual(tuple(dns["records"]["items"]["properties"]["type"]["enum"]), agent_orders.TYPES)
        self.assertEqual(set(dns), agent_orders._KEYS)
        self.assertEqual(set(SCHEMAS["connection-state"]["enum"]), set(agent_traces._STATES))
        self.assertEqual(set(trace["packet"]["properties"]["protocol"]["enum"]),
                         {number for _, number in agent_traces._PROTOCOLS})
        self.assertEqual(trace["functions"]["maxProperties"], agent_traces._MOST_FUNCTIONS)
        self.assertEqual(SCHEMAS["trace-report"]["oneOf"][0]["properties"]["legs"]["maxItems"], agent_traces.MOST_LEGS)
        self.assertEqual(SCHEMAS["reasons"]["maxProperties"], agent_progress.MOST_NAMED)
        port = SCHEMAS["ports"]["items"]["properties"]
        self.assertEqual(port["role"]["enum"], [node_protocol.ROLE_ACCESS, node_protocol.ROLE_UPLINK,
                                                node_protocol.ROLE_SERVICE])
        self.assertEqual(port["type"]["enum"], [node_protocol.TYPE_SYSTEM, node_protocol.TYPE_DPDK])


class ConstantsTest(unittest.TestCase):

    def test_the_constants_are_those_of_the_definition(self):
        wanted = {key.removeprefix(samples.PREFIX): key for key in samples.KEYS}
        wanted["version"] = samples.DEFINITION["version"]
        for group in ("names", "network"):
            wanted |= {name: word["value"] for name, word in samples.DEFINITION[group].items()}
        self.assertEqual({name: value for name, value in vars(node_protocol).items() if name.isupper()},
                         {name.replace("-", "_").upper(): value for name, value in wanted.items()})

    def test_no_other_file_has_a_key_as_text(self):
        keys = re.compile(rf"(?<![\w/-])(?:{'|'.join(samples.KEYS)})(?![\w@-])")  # With @ it is a unit of systemd.
        found, files = set(), 0
        for folder in ("odl-apps", "it", "ovs-config", "service-chains", "karaf"):
            for path in (ROOT / folder).rglob("*"):
                if path.suffix in {".java", ".py"} and "target" not in path.parts:
                    files += 1
                    if keys.search(path.read_text(encoding="utf-8")):
                        found.add(str(path.relative_to(ROOT)))
        self.assertGreater(files, 500, "it looks at the tree")
        self.assertEqual(found, _HOMES, "use NodeKeys or node_protocol")


if __name__ == "__main__":
    unittest.main()
