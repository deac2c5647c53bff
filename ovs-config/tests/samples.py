# SPDX-License-Identifier: Apache-2.0
"""The definition of the protocol between controller and node, its samples, and the checks of what a test has written.

The tests of the controller compare what it writes and reads with the same samples.
"""

import json
import pathlib

import jsonschema

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "odl-apps/model/src/main/protocol"
PREFIX = "penstock-"
ID = "3f0c6d1e-8f8e-4d6a-9d52-0a4f5b6c7d8e"
"""Of sample orders."""
DEFINITION = json.loads((FOLDER / "node-protocol.schema.json").read_text(encoding="utf-8"))
KEYS = {key: facts | {"table": name} for name, table in DEFINITION["tables"].items()
        for key, facts in table["keys"].items()}
SAMPLES = {f"{path.stem}/{variant}": content for path in sorted((FOLDER / "samples").glob("*.json"))
           for variant, content in json.loads(path.read_text(encoding="utf-8")).items()}


def of(*writers):
    """Names of the samples that these programs write."""
    return {name for name in SAMPLES if set(KEYS[_key(name)]["written-by"]) & set(writers)}


def read_by(*readers):
    """Names of the samples that these programs read."""
    return {name for name in SAMPLES if set(KEYS[_key(name)]["read-by"]) & set(readers)}


def text(name):
    """A sample as the database has it."""
    content, form = SAMPLES[name], KEYS[_key(name)]["form"]
    if form == "text":
        return content
    return (f"{ID} " if form == "id-json" else "") + json.dumps(content, separators=(",", ":"))


def validate(name, content):
    """Raises jsonschema.ValidationError unless a value, read from JSON, keeps to the definition of that name."""
    schema = {"$ref": f"#/$defs/{name}", "$defs": DEFINITION["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(content)


def check(case, name, value):
    """Has a test fail unless a value is that of a sample and keeps to the definition."""
    form = KEYS[_key(name)]["form"]
    if form == "id-json":
        case.assertEqual(value[:len(ID) + 1], f"{ID} ")
        value = value[len(ID) + 1:]
    content = value if form == "text" else json.loads(value)
    validate(name.partition("/")[0], content)
    case.assertEqual(content, SAMPLES[name], name)


def _key(name):
    return PREFIX + name.partition("/")[0]
