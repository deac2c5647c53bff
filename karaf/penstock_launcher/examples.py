# SPDX-License-Identifier: Apache-2.0
"""Configurations in documents and files, each as a whole document of the model, for yanglint."""

import collections.abc
import dataclasses
import json
import pathlib
import re
import urllib.parse

FILES = ("docs/examples/*.json", "service-chains/examples/*/network.json", "service-chains/examples/*/acls.json")
DOCUMENTS = ("README.md", "docs/*.md", "*/README.md")
REFUSED = pathlib.Path("odl-apps", "model", "src", "test", "samples", "refused.json")
"""Documents that yanglint and the controller refuse. RefusedSamplesTest of the engine reads the same list."""

_PARENTS = {"penstock:tenant": "penstock:network", "ietf-access-control-list:acl": "ietf-access-control-list:acls"}
"""Of a file that is a part of a document: its first key, and the container that it is in."""

_BLOCK = re.compile(r"^```(?P<marks>[^\n]*)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
_PUT = re.compile(r"json\b.*\bput=(\S+)")
_SENT = re.compile(r"\b(?P<method>PUT|PATCH|POST)\b(?:(?!\b(?:PUT|PATCH|POST)\b).)*?[ /]data/(?P<path>[^\s\"]+)\"?"
                   r"[^'@]*?-d '(?P<body>.*?)'", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Example:
    """A configuration. `line` is that in which `text` begins; one that is not whole may lack what it needs."""
    path: pathlib.Path
    line: int
    text: str
    is_whole: bool


@dataclasses.dataclass(frozen=True)
class Sample:
    """A document that is refused: `message` is what the model says of it."""
    line: int
    what: str
    text: str
    message: str


def examples(root: pathlib.Path) -> collections.abc.Iterator[Example]:
    """The configurations of files and documents below the top of the tree."""
    for path in sorted(path for pattern in FILES for path in root.glob(pattern)):
        text = path.read_text(encoding="utf-8")
        first = re.match(r'\s*\{\s*"([^"]+)"', text)
        parent = _PARENTS.get(first[1]) if first else None
        yield Example(path, 1, f'{{"{parent}": {text}}}' if parent else text, True)
    for path in sorted({path for pattern in DOCUMENTS for path in root.glob(pattern)}):
        yield from of_document(path, path.read_text(encoding="utf-8"))


def of_document(path: pathlib.Path, document: str) -> collections.abc.Iterator[Example]:
    """The configurations in the blocks of a document: those that are stored, and the bodies of requests."""
    for block in _BLOCK.finditer(document):
        put = _PUT.match(block["marks"])
        found = [("PUT", put[1], block["text"], block.start("text"))] if put else []
        if block["marks"].startswith("sh"):
            found += [(sent["method"], sent["path"], sent["body"], block.start("text") + sent.start("body"))
                      for sent in _SENT.finditer(block["text"])]
        for method, place, body, start in found:
            text, is_entry = _inside(place, body, method == "POST")
            yield Example(path, document.count("\n", 0, start) + 1, text, method != "PATCH" and not is_entry)


def _inside(place: str, body: str, is_child: bool) -> tuple[str, bool]:
    """A body within what its path leads through, in the lines in which it is; and whether that is an entry."""
    steps = [step.partition("=") for step in place.strip("/").split("/")]
    outer = steps if is_child else steps[:-1]
    first, last = body.find("{"), body.rfind("}")
    members = body[:first] + body[first + 1:last] + body[last + 1:]
    for name, _, key in reversed(outer):
        # All lists through which a path leads have the key name.
        members = f'"{name}": [{{"name": "{urllib.parse.unquote(key)}", {members}}}]' if key \
            else f'"{name}": {{{members}}}'
    return f"{{{members}}}", any(key for _, _, key in outer)


def samples(root: pathlib.Path) -> list[Sample]:
    """The documents that are refused; none in a tree without such a list."""
    path = root / REFUSED
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    found = []
    for entry in json.loads(text):
        start = text.index(json.dumps(entry["what"]))
        found.append(Sample(text.count("\n", 0, start) + 1, entry["what"], json.dumps(entry["document"]),
                            entry["model"]))
    return found
