# SPDX-License-Identifier: Apache-2.0
"""The tests that are there follow the rules of gate and deep suite, which docs/testing.md explains."""

import ast
import collections
import pathlib
import re
import unittest

from penstock_base import places
from penstock_suite import tiers

_WITHOUT_TAG = {"feature"}
"""A deep tier that is a profile of Maven."""
TAGS = set(tiers.DEEP_TIERS) - _WITHOUT_TAG

_COMMENTS = re.compile(r'/\*.*?\*/|//[^\n]*|("(?:[^"\\\n]|\\.)*")', re.DOTALL)
_ANNOTATIONS = re.compile(r'(?:@(?!interface)[\w.]+(?:\((?:[^()"]|"(?:[^"\\]|\\.)*"|\((?:[^()"]|"[^"]*")*\))*\))?\s+)+')
_TAG = re.compile(r'@Tag\("([^"]*)"\)')

_DRAWN_JAVA = re.compile(
    r"new (?:Random|SplittableRandom|SecureRandom)\(\s*\)|ThreadLocalRandom|Math\.random|randomUUID|SecureRandom"
    r"|RandomGenerator\.(?:getDefault|of)|Collections\.shuffle\([^,()]*\)"
    r"|[rR]andom\([^;]*System\.(?:nanoTime|currentTimeMillis)|[sS]eed[^;]*System\.(?:nanoTime|currentTimeMillis)")
_DRAWN_PYTHON = {"os": {"urandom"}, "uuid": {"uuid1", "uuid4"}, "secrets": set()}
"""Functions of modules, all if none is named. Those of `random` itself draw from a seed of the process."""

ALLOWED = {
    "it/src/test/java/io/penstock/it/Script.java": "a name for a file, of no meaning to the test",
    "it/src/test/java/io/penstock/it/system/RequestFuzzIT.java": "the seed of its deep test; the other has a fixed one",
    "odl-apps/testkit/src/main/java/io/penstock/testkit/Host.java": "a name for a file, of no meaning to the test",
    "karaf/tests/test_suite_sandbox.py": "a name for a process, of no meaning to the test",
    "ovs-config/tests/test_controller_relay.py": "bytes to be carried; those that come out are compared",
}
"""What of the gate may draw by chance, and why no verdict depends on it."""


def java_tests(root=places.ROOT):
    """The sources of tests, and of what they share."""
    return sorted(path for pattern in ("odl-apps/*/src/test/java/**/*.java", "it/src/test/java/**/*.java",
                                       "odl-apps/testkit/src/main/java/**/*.java") for path in root.glob(pattern))


def python_tests(root=places.ROOT):
    """The sources of tests, and of what they share."""
    return sorted(path for suite in places.PYTHON_SUITES for path in root.glob(f"{suite}/tests/**/*.py"))


def groups_of_java(text):
    """For each class and method that has annotations the tags among them."""
    for found in _ANNOTATIONS.finditer(_without_comments(text)):
        yield collections.Counter(_TAG.findall(found[0]))


def groups_of_python(text):
    """For the module, then for each class and each function, the markers that stand at it."""
    module = ast.parse(text)
    assigned = [node.value for node in module.body if isinstance(node, ast.Assign)
                and any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets)]
    yield _markers(assigned)
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield _markers(node.decorator_list)


def _markers(nodes):
    return collections.Counter(
        each.attr for node in nodes for each in ast.walk(node)
        if isinstance(each, ast.Attribute) and ast.unparse(each.value) == "pytest.mark")


def problem_of(tags):
    """What is wrong with the tags or markers at one place; None if nothing is."""
    found = [tag for tag in tags.elements() if tag in TAGS]
    if tags["deep"] == 0 and found:
        return f"{', '.join(found)} without deep"
    if tags["deep"] and len(found) != 1:
        return f"deep with {', '.join(found) or 'no tier'}: give it one of {', '.join(sorted(TAGS))}"
    return None


def drawn_in_java(text):
    """What a file leaves to chance, but for classes and methods that are deep."""
    return [found[0] for found in _DRAWN_JAVA.finditer(_of_the_gate(_without_comments(text)))]


def _without_comments(text):
    return _COMMENTS.sub(lambda found: found[1] or " ", text)


def _of_the_gate(text):
    kept, begin = [], 0
    for found in _ANNOTATIONS.finditer(text):
        if found.start() >= begin and "deep" in _TAG.findall(found[0]):
            kept.append(text[begin:found.start()])
            begin = _end_of_body(text, text.index("{", found.end()))
    return "".join((*kept, text[begin:]))


def _end_of_body(text, begin):
    """Behind the brace that closes the one at `begin`; the end of the text when braces in strings have no partner."""
    depth = 0
    for found in re.compile(r"[{}]").finditer(text, begin):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.end()
    return len(text)


def drawn_in_python(text):
    """What a file leaves to chance, but for classes and functions that are deep: functions that draw, and generators
    without a seed."""
    found, module = [], ast.parse(text)
    if next(groups_of_python(text))["deep"]:
        return found
    for node in _nodes_of_the_gate(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func).count(".") == 1:
            module, _, name = ast.unparse(node.func).partition(".")
            if (module == "random" and (name == "SystemRandom" or name.islower() or not node.args)) or (
                    module in _DRAWN_PYTHON and name in (_DRAWN_PYTHON[module] or {name})):
                found.append(ast.unparse(node))
    return found


def _nodes_of_the_gate(node):
    if not _markers(getattr(node, "decorator_list", []))["deep"]:
        yield node
        for below in ast.iter_child_nodes(node):
            yield from _nodes_of_the_gate(below)


class TreeTest(unittest.TestCase):
    """The tree as it is."""

    def each(self):
        for paths, groups, drawn in ((java_tests(), groups_of_java, drawn_in_java),
                                     (python_tests(), groups_of_python, drawn_in_python)):
            self.assertGreater(len(paths), 20)
            for path in paths:
                text = path.read_text(encoding="utf-8")
                yield path.relative_to(places.ROOT), list(groups(text)), drawn(text)

    def test_each_deep_test_has_one_tier(self):
        self.assertEqual([], [f"{path}: {problem}" for path, groups, _ in self.each() for tags in groups
                              if (problem := problem_of(tags))])

    def test_nothing_in_the_gate_is_left_to_chance(self):
        drawn = {str(path): drawn for path, _, drawn in self.each() if drawn}
        self.assertEqual({}, {path: drawn[path] for path in set(drawn) - set(ALLOWED)})
        self.assertEqual(set(), set(ALLOWED) - set(drawn), "no reason is needed any more")

    def test_there_are_deep_tests_in_each_tier(self):
        found = {tag for _, groups, _ in self.each() for tags in groups for tag in tags}
        self.assertEqual(set(), TAGS - found)


class RulesTest(unittest.TestCase):
    """The rules themselves."""

    def test_java(self):
        for annotations, wrong in (('@Tag("deep")\n@Tag("loss")', None), ('@Tag("hostile")', None),
                                   ('@Tag("deep")', "no tier"), ('@Tag("loss")', "loss without deep"),
                                   ('@Tag("deep") // @Tag("loss")', "no tier"),
                                   ('@Tag("deep")\n@Tag("loss")\n@Requirement(rfc = 1, number = "(b")\n@Tag("flood")',
                                    "deep with loss, flood")):
            groups = list(groups_of_java(f'/** @Tag("deep") */\n{annotations}\nfinal class A {{\n}}\n'))
            problems = [problem_of(tags) or "" for tags in groups]
            with self.subTest(annotations):
                self.assertEqual(1, len(problems))
                self.assertIn(wrong or "", problems[0])
                self.assertEqual(wrong is None, not problems[0])

    def test_python(self):
        for markers, wrong in (("[pytest.mark.node, pytest.mark.deep, pytest.mark.loss]", None),
                               ("pytest.mark.deep", "no tier"), ("pytest.mark.cluster", "cluster without deep")):
            for text in (f"pytestmark = {markers}\n", "".join(
                    f"@pytest{marker}\n" for marker in re.findall(r"\.mark\.\w+", markers)) + "class A:\n    pass\n"):
                problems = [problem for tags in groups_of_python(text) if (problem := problem_of(tags))]
                with self.subTest(text):
                    self.assertEqual(wrong is None, not problems)
                    self.assertIn(wrong or "", "".join(problems))

    def test_what_is_left_to_chance(self):
        for text in ("new Random()", "ThreadLocalRandom.current()", "new Random(System.nanoTime())",
                     'Long.getLong("a.seed", System.nanoTime())', "UUID.randomUUID()", "Collections.shuffle(list)"):
            self.assertTrue(drawn_in_java(f"x = {text};"), text)
            deep = f'@Tag("deep")\nvoid a() {{ if (b) {{ c(); }} x = {text}; }}\n'
            self.assertEqual([], drawn_in_java(deep), text)
            self.assertTrue(drawn_in_java(f"{deep} void d() {{ x = {text}; }}"), text)
        for text in ("new Random(7)", "new Random(SEED)", "// new Random()", "System.nanoTime()",
                     "Collections.shuffle(list, random)"):
            self.assertEqual([], drawn_in_java(f"x = {text};"), text)
        for text in ("random.Random()", "random.randrange(3)", "random.SystemRandom()", "secrets.token_hex()",
                     "uuid.uuid4()", "os.urandom(3)"):
            self.assertTrue(drawn_in_python(text), text)
            for deep in (f"pytestmark = pytest.mark.deep\n{text}\n", f"@pytest.mark.deep\ndef a():\n    {text}\n"):
                self.assertEqual([], drawn_in_python(deep), deep)
        for text in ("random.Random(7)", "chance.randrange(3)", "uuid.UUID(a)", "os.getpid()"):
            self.assertEqual([], drawn_in_python(text), text)

    def test_each_reason_is_of_a_file(self):
        for path in ALLOWED:
            self.assertTrue((pathlib.Path(places.ROOT) / path).is_file(), path)


if __name__ == "__main__":
    unittest.main()
