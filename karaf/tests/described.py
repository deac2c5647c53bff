# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document, and whether requests and answers are as it says.

As a program it asks a running controller, in karaf: python3 -m tests.described http://127.0.0.1:8181 PASSWORD-FILE
"""

import base64
import functools
import json
import pathlib
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

import jsonschema

from penstock_base import places

FILE = places.ROOT / "docs" / "openapi.json"
DATA = "/rests/data/"
_TYPES = ("application/yang-data+json", "application/yang-patch+json")
_SECONDS = 300
_NAME = f"described-{id(object())}"


class Description:
    """A document that was read."""

    def __init__(self, document):
        self.document = document
        self._resolver = jsonschema.RefResolver("", document)
        self._paths = [(re.compile(re.sub(r"\\\{[^}]*\\\}", "[^/,]+", re.escape(path))), item)
                       for path, item in document["paths"].items()]

    def operation(self, method, path):
        """That of a method and path, which has no query; None if there is none."""
        found = (item for pattern, item in self._paths if pattern.fullmatch(path))
        return next(found, {}).get(method.lower())

    def keys(self, path, name):
        """The names of the keys of a list, by the path of the node above; None if it has no path of its own."""
        begin = re.sub(r"=[^/]*", "=", f"{path}/{name}=")
        for template in self.document["paths"]:
            place, _, last = template.rpartition("=")
            if re.sub(r"=[^/]*", "=", f"{place}=") == begin and "/" not in last:
                return [key.strip("{}").removeprefix(f"{name}-") for key in last.split(",")]
        return None

    def request_problems(self, method, path, body):
        """Why the body of a request is not as described."""
        operation = self.operation(method, path)
        if operation is None:
            return [f"{method} {path} is not described"]
        if "requestBody" not in operation:
            return [] if body is None else [f"{method} {path} has no body"]
        return self._problems(f"{method} {path}", operation["requestBody"], body)

    def answer_problems(self, method, path, status, body):
        """Why an answer is not as described."""
        answer = (self.operation(method, path) or {}).get("responses", {}).get(str(status))
        if answer is None:
            return [f"{method} {path}: {status} is not described"]
        answer = self._resolver.resolve(answer["$ref"])[1] if "$ref" in answer else answer
        if "content" not in answer:
            return [] if body is None else [f"{method} {path}: {status} has no body"]
        return self._problems(f"{method} {path}: {status}", answer, body)

    def _problems(self, of, part, body):
        schema = next(part["content"][each]["schema"] for each in _TYPES if each in part["content"])
        return [f"{of}: {problem}" for problem in self.schema_problems(schema, body)]

    def schema_problems(self, schema, body):
        """Why a value does not fit a schema of the document."""
        validator = jsonschema.Draft202012Validator(schema, resolver=self._resolver)
        return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
                for error in validator.iter_errors(body)]


@functools.cache
def description():
    """Ours."""
    return Description(json.loads(FILE.read_text(encoding="utf-8")))


class Controller:
    """A running one. Each answer is compared with the description."""

    def __init__(self, url, password):
        self._url = url
        self._account = "Basic " + base64.b64encode(f"admin:{password}".encode()).decode()
        self.asked, self.problems = set(), []

    def listen(self):
        """Begins to listen for events. Returns what waits for the first one, and compares it with the description."""
        schema = description().document["paths"]["/penstock/events"]["get"]["responses"]["200"]["content"][
            "text/event-stream"]["x-event-schema"]
        stream = urllib.request.urlopen(urllib.request.Request(
            f"{self._url}/penstock/events", headers={"Authorization": self._account}), timeout=_SECONDS)

        def first():
            with stream:
                line = next((each for each in stream if each.startswith(b"data: ")), b"data: null")
            event = json.loads(line.removeprefix(b"data: "))
            self.problems += [f"event: {problem}" for problem in description().schema_problems(schema, event)]
            return event
        return first

    def ask(self, method, path, body=None, is_valid=True):
        """Sends a request; is_valid: whether its body is as described. Returns status and body of the answer."""
        ours = description()
        if (ours.request_problems(method, path, body) == []) != is_valid:
            self.problems.append(f"{method} {path}: the body is {'not ' if is_valid else ''}as described: {body}")
        request = urllib.request.Request(
            self._url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": self._account, "Accept": _TYPES[0],
                     "Content-Type": _TYPES[path == DATA.rstrip("/")]})
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        found = json.loads(text) if text.strip() else None
        self.asked.add(f"{method} {re.sub(r'=[^/]*', '', path)}")
        self.problems += ours.answer_problems(method, path, status, found)
        return status, found

    def expect(self, wanted, method, path, body=None, is_valid=True):
        """The same, where the status is known."""
        status, found = self.ask(method, path, body, is_valid)
        if status != wanted:
            self.problems.append(f"{method} {path}: {status} and not {wanted}: {found}")

    def read_below(self, path, value):
        """Reads each container in a value, and the first entry of each list."""
        for name, below in value.items():
            if isinstance(below, dict):
                self.read(f"{path}/{name}")
            elif isinstance(below, list) and below and isinstance(below[0], dict):
                keys = description().keys(path, name)
                if keys:
                    texts = [urllib.parse.quote(str(below[0][key]), safe="") for key in keys]
                    self.read(f"{path}/{name}={','.join(texts)}")

    def read(self, path):
        """Reads a node, and what is in it."""
        status, found = self.ask("GET", path)
        if status == 200:
            value = next(iter(found.values()))
            self.read_below(path, value[0] if isinstance(value, list) else value)

    def change(self):
        """Makes, changes and deletes a tenant; and asks for what the description does not permit."""
        path = f"{DATA}penstock:network/tenant={_NAME}"

        def tenant(**members):
            return {"penstock:tenant": [{"name": _NAME} | members]}
        office = {"name": "office", "node": "edge1", "port": "acc0", "vlan": 3999}
        lan = {"name": "lan", "prefix": "10.0.0.0/24", "gateway": "10.0.0.1"}
        self.expect(201, "PUT", path, tenant(attachment=[office], subnet=[lan]))
        self.expect(204, "PUT", path, tenant(attachment=[office], subnet=[lan], quota={"sessions": "unlimited"}))
        self.expect(200, "PATCH", path, tenant(attachment=[{"name": "office", "vlan": 3998}]))
        self.expect(201, "POST", path, {"penstock:route": [{"prefix": "10.9.0.0/16", "next-hop": "10.0.0.2"}]})
        self.expect(409, "POST", path, {"penstock:route": [{"prefix": "10.9.0.0/16", "next-hop": "10.0.0.2"}]})
        for wrong in (tenant(attachment=[office | {"vlan": 4095}]), tenant(attachment=[{"name": "office"}]),
                      tenant(colour="mint"), tenant(subnet=[lan | {"prefix": "10.0.0.0"}]),
                      tenant(nat={"pool": "public", "public-address": "203.0.113.5"}),
                      tenant(quota={"sessions": "endless"}), tenant(egress_acl=7)):
            self.expect(400, "PUT", path, wrong, is_valid=False)
        # Rules among several leaves are the controller's.
        self.expect(400, "PUT", path, tenant(nat={}))
        self.patch([("merge", {"penstock:tenant": [{"name": _NAME, "quota": {"sessions": 100}}]}),
                    ("merge", {"penstock:tenant": [{"name": _NAME, "quota": {"sessions": 0}}]})], 400)
        self.patch([("merge", {"penstock:tenant": [{"name": _NAME, "quota": {"sessions": 100}}]})], 200)
        self.read(path)
        self.expect(204, "DELETE", path)
        self.expect(409, "GET", path)

    def patch(self, edits, status):
        """Sends edits of the tenant as one YANG Patch."""
        target = f"/penstock:network/tenant={_NAME}"
        wire = [{"edit-id": str(number), "operation": operation, "target": target, "value": value}
                for number, (operation, value) in enumerate(edits)]
        self.expect(status, "PATCH", DATA.rstrip("/"), {
            "ietf-yang-patch:yang-patch": {"patch-id": "described", "edit": wire}})

    def call(self):
        """Calls the RPCs that read."""
        inputs = {"why": {"tenant": "red"}, "learned-hosts": {"tenant": "red"}, "port-statistics": {"node": "edge1"},
                  "nat-preview": {"pool": "public"}}
        for path, item in description().document["paths"].items():
            place, _, name = path.partition(":")
            if place == "/rests/operations/penstock-operations" and name not in {"resync", "capture", "lease-release"}:
                body = {"penstock-operations:input": inputs.get(name, {})} if "requestBody" in item["post"] else None
                self.ask("POST", path, body)


def main(url, password_file):
    """Asks, and prints what is not as described."""
    controller = Controller(url, pathlib.Path(password_file).read_text(encoding="ascii").strip())
    for root in ("penstock:network", "penstock-state:state", "ietf-access-control-list:acls"):
        controller.read(DATA + root)
    event = controller.listen()
    controller.change()
    controller.call()
    print("event:", *event()["ietf-restconf:notification"])
    print(*controller.problems, sep="\n")
    print(f"operations: {len(controller.asked)}")
    return 1 if controller.problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
