# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a document, as functions that return a list of faults, each with its place."""

import collections
import functools
import json
import pathlib
import re
import subprocess
import urllib.parse

from . import yang
from .documents import ROOT

_MARKS = {"sh": {"test", "always", "deep", "manual", "machine"}, "text": {"answer"}, "json": {"put"},
          "yaml": {"profile"}, "python": set(), "": set()}
_TOOLS = {"penstock": "penstock", "ovs-config": "ovs-config/ovs-config", "functions": "service-chains/functions",
          "nat64": "service-chains/nat64", "run-docs": "docs/run-docs"}
_CONTROLLER = re.compile(r"-m penstock_controller((?: +[^\s|;&<>()#`]+)+)")
# A tool and what follows it, up to the end of the command.
_CALL = re.compile(r"(?<![\w/.-])(?:\./|[\w-]+/)?(penstock|ovs-config|functions|nat64|run-docs)"
                   r"((?: +[^\s|;&<>()#`]+)+)")
_OPTION = re.compile(r"(?<![\w-])(--?[a-zA-Z][\w-]*)")
_CONSOLE = re.compile(r"(?<![\w/])penstock:([a-z0-9-]+)(?![\w-]*[/=])((?: +-{0,2}[\w-]+)*)")
_PATH = re.compile(r"(?<![\w-])((?:penstock|penstock-allocation|ietf-access-control-list):[a-z0-9-]+"
                   r"(?:[/=][^\s\"'`?)|,;]*(?:,[^\s\"'`?)|;]+)?)?)")
_RPC = re.compile(r"penstock-operations:([a-z-]+)")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_TEST = re.compile(r"^(\w+(?:IT|Test))(?:\.(\w+))?$")
_HOSTILE = re.compile(r'^(?:@Tag\("hostile"\)|pytestmark = .*\bhostile\b)', re.MULTILINE)
_INLINE_JSON = re.compile(r"-d\s+'\s*(\{.*?\})\s*'", re.DOTALL)
_OF_ACLS = ("acl", "ipv4-acl-type", "accept", "drop")
# RFC 8519 is not in this tree; its outer shape, for paths.
_ACLS = """module ietf-access-control-list { container acls { list acl { key name; leaf name; container aces {
  list ace { key name; leaf name; container matches; container actions; } } } } }"""


@functools.cache
def modules(root=ROOT):
    """The YANG modules by name."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(root.glob("odl-apps/model/src/main/yang/*.yang"))]
    return yang.read([*texts, _ACLS])


def marks(document):
    """Every sh block is marked; names are unique; every answer belongs to a test above it."""
    found, names = [], set()
    for block in document.blocks:
        unknown = set(block.marks) - _MARKS.get(block.language, set())
        if block.language not in _MARKS:
            found.append(f"{block.where}: language {block.language}: use {', '.join(filter(None, _MARKS))}")
        elif unknown:
            found.append(f"{block.where}: unknown mark {', '.join(sorted(unknown))}")
        elif block.language == "sh":
            if ("test" in block.marks) == ("manual" in block.marks):
                found.append(f"{block.where}: mark it with test=NAME, or with manual if no test can run it")
            if "deep" in block.marks and "test" not in block.marks:
                found.append(f"{block.where}: deep is for blocks that a test runs")
            name = block.marks.get("test")
            if name is not None and (name in names or not re.match(r"^[a-z][a-z0-9-]*$", name)):
                found.append(f"{block.where}: test name '{name}' is in use or not of letters and dashes")
            names.add(name)
        elif block.marks.get("answer") not in {None, *names}:
            found.append(f"{block.where}: answer to {block.marks['answer']}, which is no test above it")
    return found


def syntax(document):
    """bash can read every block."""
    found = []
    for block in document.blocks:
        if block.language == "sh":
            said = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True, check=False)
            if said.returncode or said.stderr:
                found.append(f"{block.where}: {said.stderr.strip()}")
    return found


@functools.cache
def help_of(root, program, *arguments):
    """What a program says to --help, None if it has no such command. Asked once, for several checks."""
    return _said([str(root / program), *arguments, "--help"], root)


@functools.cache
def _controller_help(root, *arguments):
    command = ["/usr/bin/python3", "-B", "-m", "penstock_controller", *arguments, "--help"]
    return _said(command, root / "karaf")


def _said(command, directory):
    said = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return said.stdout if said.returncode == 0 else None


def calls(document, root=ROOT):
    """Subcommands and options of our tools exist, in blocks and in code inside sentences."""
    found = []
    for where, text in _code(document):
        for tool, rest in _CALL.findall(text.replace("\\\n", " ")):
            words = [word.strip("[]") for word in rest.split()]
            below = [] if words[0].startswith("-") or tool == "run-docs" else [words[0]]
            said = help_of(root, _TOOLS[tool], *below) if not below or re.match(r"^[a-z-]+$", below[0]) else None
            if said is None:
                found.append(f"{where}: {tool} has no command {words[0]}")
                continue
            known = set(_OPTION.findall(said))
            found += [f"{where}: {tool} {' '.join(below)} has no option {word}" for word in words
                      if word.startswith("-") and word.partition("=")[0] not in known]
            found += _choice(where, tool, words, said)
        for rest in _CONTROLLER.findall(text.replace("\\\n", " ")):
            found += _controller(where, rest.split(), root)
    return found


def _controller(where, words, root):
    """The controller's own command line has options before the command too."""
    options = set(_OPTION.findall(_controller_help(root) or ""))
    command = next((word for word, before in zip(words, ["", *words], strict=False) if not word.startswith("-")
                    and not before.startswith("--")), None)
    said = command and _controller_help(root, "--run-dir", "unused", command)
    if not said:
        return [f"{where}: penstock_controller has no command {command}"]
    options |= set(_OPTION.findall(said))
    return [f"{where}: penstock_controller {command} has no option {word}" for word in words
            if word.startswith("-") and word not in options]


def _choice(where, tool, words, said):
    """A first argument that has to be one of a few."""
    choices = re.search(r"\[?\{([\w,-]+)\}\]?\n", said.split("\n\n")[0] + "\n")
    if not choices or len(words) < 2 or words[1].startswith("-") or tool == "run-docs":
        return []
    return [] if words[1] in choices[1].split(",") else [f"{where}: {tool} {words[0]} takes no {words[1]}"]


@functools.cache
def _commands(root):
    """The console's commands with their options, read from the sources of the commands."""
    sources = {path.stem: path.read_text(encoding="utf-8")
               for path in root.glob("odl-apps/cli/src/main/java/**/*.java")}

    def options(text):
        parent = re.search(r"class \w+ extends (\w+)", text)
        return set(re.findall(r'@Option\(name = "([^"]+)"', text)) | (
            options(sources[parent[1]]) if parent and parent[1] in sources else set())
    found = {}
    for text in sources.values():
        name = re.search(r'@Command\(scope = "penstock", name = "([^"]+)"', text)
        if name:
            found[name[1]] = options(text)
    return found


def console(document, root=ROOT):
    """Console commands and their options exist, and all of them are named in operations.md."""
    known, tops, found = _commands(root), set(modules(root)["penstock"].nodes), []
    inner = {node.name for node in yang._all(modules(root)["penstock"].nodes)}
    for where, text in _code(document):
        for name, rest in _CONSOLE.findall(text):
            if name in tops or (name in inner and name not in known):
                continue
            if name not in known:
                found.append(f"{where}: there is no console command penstock:{name}")
                continue
            found += [f"{where}: penstock:{name} has no option {word}" for word in rest.split()
                      if word.startswith("-") and word not in known[name]]
    if document.path == pathlib.Path("docs/operations.md"):
        found += [f"{document.path}: says nothing of penstock:{name}" for name in sorted(known)
                  if f"penstock:{name}" not in document.plain]
    return found


def paths(document, root=ROOT):
    """RESTCONF paths and RPCs exist."""
    found, inner = [], {node.name for node in yang._all(modules(root)["penstock"].nodes)}
    operations = modules(root)["penstock-operations"]
    for where, text in _code(document):
        for path in _PATH.findall(text):
            name = path.partition(":")[2]
            if name in _commands(root) or ("/" not in path and (name in inner or name in _OF_ACLS)):
                continue  # A console command, or a name in a JSON document: that is checked elsewhere.
            problem = yang.path_problem(modules(root), path)
            if problem:
                found.append(f"{where}: {path}: {problem}")
        found += [f"{where}: there is no RPC or notification {name}" for name in _RPC.findall(text)
                  if name not in {*operations.rpcs, *operations.notifications, "input", "output"}]
    return found


def json_blocks(document, root=ROOT):
    """JSON can be parsed and fits the models: blocks, documents in commands, and the example files."""
    texts = [(block.where, block.text, block.marks) for block in document.blocks if block.language == "json"]
    texts += [(block.where, text, {}) for block in document.blocks if block.language == "sh"
              for text in _INLINE_JSON.findall(block.text)]
    found = []
    for where, text, marked in texts:
        found += [f"{where}: {problem}" for problem in json_problems(text, root)]
        problem = yang.path_problem(modules(root), urllib.parse.unquote(marked["put"])
                                    .replace("/0,", ",")) if "put" in marked else None
        found += [f"{where}: {marked['put']}: {problem}"] if problem else []
    return found


def json_problems(text, root=ROOT):
    """What is wrong with one JSON document."""
    try:
        content = json.loads(text)
    except ValueError as error:
        return [f"no JSON: {error}"]
    if not isinstance(content, dict):
        return ["no object"]
    ours = {key: value for key, value in content.items() if key.startswith(("penstock:", "penstock-allocation:"))}
    return yang.document_problems(modules(root), ours)


def links(document, root=ROOT):
    """Links lead to files and headings that exist; so do paths and tests named in code."""
    found = []
    for target in _LINK.findall(document.plain):
        if re.match(r"^[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (root / document.path).parent / name if name else root / document.path
        if not path.exists():
            found.append(f"{document.path}: link to {target}: no such file")
        elif anchor and anchor not in anchors(path.read_text(encoding="utf-8")):
            found.append(f"{document.path}: link to {target}: no such heading")
    tops = {path.name for path in root.iterdir()}
    for span in document.spans:
        first = span.partition("/")[0]
        if "/" in span and " " not in span and first in tops and "target" not in span and not list(
                root.glob(span.rstrip("/"))):
            found.append(f"{document.path}: {span}: no such file")
        test = _TEST.match(span)
        if test and not _has_test(root, test[1], test[2]):
            found.append(f"{document.path}: {span}: no such test")
    return found


def anchors(text):
    """The anchors of a document's headings, as the usual viewers make them."""
    headings = re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _has_test(root, name, method):
    return any(not method or f" {method}(" in path.read_text(encoding="utf-8")
               for path in _tests(root).get(name, ()))


@functools.cache
def _tests(root):
    """The tests in Java, by the names of their classes. Not below `target`, which has most of all files."""
    found = collections.defaultdict(list)
    for pattern in ("odl-apps/*/src/test", "it/src/test", "karaf/src/test"):
        for folder in root.glob(pattern):
            for path in folder.rglob("*.java"):
                found[path.stem].append(path)
    return found


def leaves(chosen, root=ROOT):
    """Every node of the configuration is named, as code, in a sentence or table of some document."""
    named = {word for document in chosen for span in document.spans for word in re.findall(r"[\w-]+", span)}
    known = {node.name for node in yang._all(modules(root)["penstock"].nodes)}
    return [f"no document names {name} of the model" for name in sorted(known - named)]


def drops(operations, golden):
    """Every flow that drops is in the table of drop counters.

    golden: texts of golden files, in which a comment names each flow.
    """
    table = operations.plain.partition("## Drop counters")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
            if line.startswith("|")]
    # A drop that the text mentions instead of a row.
    prose = set(re.findall(r'"([^"\n]+)"', table))
    names = {(name, _pattern(text)) for row in rows for name in re.findall(r"`(\w+)`", row[0])
             for text in row[1].split(", ") for text in (text, row[1])}
    found = []
    for text in golden:
        for label, name in re.findall(r"^# (.+)\n(?:\+ )?table=(\w+),.* actions=drop$", text, re.MULTILINE):
            if label not in prose and not any(name == row and pattern.match(label) for row, pattern in names):
                found.append(f"{operations.path}: no drop counter \"{label}\" of {name}")
    return sorted(set(found))


def _pattern(text):
    return re.compile(r".+".join(re.escape(part) for part in re.split(r"\*[^*]+\*", text)))


def decisions(index, names):
    """Every decision is in the index of the decisions."""
    return [f"{index.path}: {name} is not in the table" for name in names if f"({name})" not in index.plain]


def attacks(testing, tests):
    """The table of attacks has all tests that are tagged so, and no others.

    tests: texts of test files by name, of Java without a suffix
    """
    table = testing.plain.partition("## Attacks")[2].partition("\n## ")[0]
    listed = {name for row in table.splitlines() if row.startswith("|")
              for name in re.findall(r"`([^`]+)`", row.rpartition("| ")[2])}
    tagged = {name for name, text in tests.items() if _HOSTILE.search(text)}
    return [*(f"{testing.path}: {name} is listed, and has no tag" for name in sorted(listed - tagged)),
            *(f"{testing.path}: {name} has the tag, and is not listed" for name in sorted(tagged - listed))]


def _code(document):
    """Pieces of code with their places: blocks that are commands, and code inside sentences."""
    yield from ((block.where, block.text) for block in document.blocks if block.language in ("sh", ""))
    yield from ((str(document.path), span) for span in document.spans)
