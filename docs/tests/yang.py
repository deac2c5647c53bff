# SPDX-License-Identifier: Apache-2.0
"""As much of YANG as is needed to tell whether a path or a JSON document fits a model."""

import dataclasses
import functools
import re

# Strings come first: what looks like a comment inside them is none.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|//[^\n]*|/\*.*?\*/|[{};]|[^\s{};"\']+', re.DOTALL)
_DATA = {"container", "list", "leaf", "leaf-list"}
_THROUGH = {"choice", "case", "input", "output"}


@dataclasses.dataclass
class Node:
    """A data node: `kind` is one of container, list, leaf, leaf-list."""
    kind: str
    name: str
    keys: tuple = ()
    mandatory: bool = False
    values: tuple = ()
    default: str = ""
    ordered: bool = False
    presence: bool = False
    type: str = ""
    units: str = ""
    description: str = ""
    children: dict = dataclasses.field(default_factory=dict)


class Module:
    """Top-level data nodes and the names of the RPCs of one module.

    library: modules by name, from which groupings may be imported. They are looked for when data nodes are asked for,
    so that modules can be read in any order.
    """

    def __init__(self, text, library=None):
        tokens = [token for token in _TOKEN.findall(text) if token != "+" and not token.startswith(("//", "/*"))]
        (statement,), _ = _statements(tokens, 0)
        self.name, self._statements = statement[1], statement[2]
        self._library = {} if library is None else library
        self._groupings = {each[1]: each[2] for each in self._statements if each[0] == "grouping"}
        self._imports = {argument: name for keyword, name, below in self._statements if keyword == "import"
                         for word, argument, _ in below if word == "prefix"}
        self.notifications = [each[1] for each in self._statements if each[0] == "notification"]

    @functools.cached_property
    def nodes(self):
        """Data nodes by name."""
        return self._children(self._statements)

    @functools.cached_property
    def rpcs(self):
        """What RPCs take and give, by their names."""
        return {each[1]: self._children(each[2]) for each in self._statements if each[0] == "rpc"}

    def _children(self, statements):
        found = {}
        for keyword, argument, below in statements:
            if keyword in _DATA:
                found[argument] = self._node(keyword, argument, below)
            elif keyword in _THROUGH:
                found.update(self._children(below))
            elif keyword == "uses":
                found.update(self._grouping(argument))
        return found

    def _grouping(self, argument):
        """What a grouping has; what that one uses in turn is of its own module."""
        prefix, _, name = argument.rpartition(":")
        module = self._library[self._imports[prefix]] if prefix in self._imports else self
        return module._children(module._groupings[name])

    def _node(self, kind, name, below):
        facts = {keyword: argument for keyword, argument, _ in below}
        enums = tuple(argument for keyword, _, inner in below if keyword == "type"
                      for word, argument, _ in inner if word == "enum")
        return Node(kind, name, tuple(facts.get("key", "").split()), facts.get("mandatory") == "true", enums,
                    facts.get("default", ""), facts.get("ordered-by") == "user", "presence" in facts,
                    _type(below), facts.get("units", ""), " ".join(facts.get("description", "").split()),
                    self._children(below))


def _type(below):
    """The type of a leaf for people: what its values are, without the modules of types."""
    for keyword, argument, inner in below:
        if keyword == "type":
            found = {word: value for word, value, _ in inner}
            if argument == "enumeration":
                return " or ".join(value for word, value, _ in inner if word == "enum")
            if argument == "union":
                return " or ".join(_type([each]) for each in inner if each[0] == "type")
            return " ".join(filter(None, (argument.rpartition(":")[2], found.get("range") or found.get("length", ""))))
    return ""


def _statements(tokens, position):
    found = []
    while position < len(tokens) and tokens[position] != "}":
        keyword, argument, position = tokens[position], "", position + 1
        while tokens[position] not in "{;":
            argument += tokens[position].strip("\"'")
            position += 1
        below = []
        if tokens[position] == "{":
            below, position = _statements(tokens, position + 1)
        found.append((keyword, argument, below))
        position += 1
    return found, position


def read(texts):
    """The modules of these texts by name, which may import each other."""
    library = {}
    for text in texts:
        module = Module(text, library)
        library[module.name] = module
    return library


def path_problem(modules, path):
    """Why a RESTCONF data path leads nowhere, or None. `modules` are modules by name."""
    children = None
    for step in path.strip("/").split("/"):
        name, _, keys = step.partition("=")
        module, _, local = name.rpartition(":")
        if module:
            if module not in modules:
                return f"there is no module {module}"
            children = modules[module].nodes if children is None else children
        if children is None:
            return "has no module"
        if local not in children:
            return f"there is no {local}; there is {', '.join(children) or 'nothing below'}"
        node = children[local]
        if keys and len(keys.split(",")) != len(node.keys):
            return f"{local} has the keys {', '.join(node.keys) or 'none'}"
        children = node.children
    return None


def document_problems(modules, document):
    """What of a RESTCONF document does not fit the models: unknown names, missing keys and mandatory leaves."""
    found = []
    for name, value in document.items():
        module, _, local = name.partition(":")
        nodes = [node for node in _all(modules[module].nodes) if node.name == local] if module in modules else []
        if not nodes:
            found.append(f"there is no {name}")
            continue
        # A name may be at several places in the tree, such as "function": the one that fits counts.
        nearest: list[str] = min((_fits(node, value, name) for node in nodes), key=len)
        found += nearest
    return found


def _all(nodes):
    for node in nodes.values():
        yield node
        yield from _all(node.children)


def _fits(node, value, path):
    if node.kind in ("list", "leaf-list"):
        if not isinstance(value, list):
            return [f"{path} is a list"]
        return [problem for entry in value for problem in
                (_container(node, entry, path) if node.kind == "list" else _leaf(node, entry, path))]
    return _container(node, value, path) if node.kind == "container" else _leaf(node, value, path)


def _leaf(node, value, path):
    if isinstance(value, (list, dict)):
        return [f"{path} is a leaf"]
    return [f"{path} is none of {', '.join(node.values)}"] if node.values and value not in node.values else []


def _container(node, value, path):
    if not isinstance(value, dict):
        return [f"{path} has leaves of its own"]
    found = [f"{path}/{key} is not in the model" for key in value if key not in node.children]
    wanted = {*node.keys, *(child.name for child in node.children.values() if child.mandatory)}
    found += [f"{path} has no {name}" for name in sorted(wanted - value.keys())]
    for key, below in value.items():
        if key in node.children:
            found += _fits(node.children[key], below, f"{path}/{key}")
    return found
