# SPDX-License-Identifier: Apache-2.0
"""The features that documents promise, and whether a test of the gate shows each.

A feature is a bold beginning of a list entry of README.md, or a heading of docs/model.md. Its tests are in a table of
docs/testing.md.
"""

import ast
import re

_PROMISED = re.compile(r"^\* \*\*([^*]+)\*\*", re.MULTILINE)
_HEADING = re.compile(r"^#{2,3} (.+)$", re.MULTILINE)
_ROW = re.compile(r"^\| (?:\[([^\]]*)\]\([^)]*\)|([^|]*?)) \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
_NAME = re.compile(r"`(\w+(?:IT|Test)|test_\w+\.py)(?:\.(\w+))?`")
_JAVA_TEST = re.compile(r"^    @(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b", re.MULTILINE)
_DEEP_JAVA = '@Tag("deep")'


def promised(readme, model):
    """The features, in their order; of the README those in the section that says what it does."""
    section = readme.plain.partition("## What it does")[2].partition("\n## ")[0]
    return [*(name.rstrip(".") for name in _PROMISED.findall(section)), *_HEADING.findall(model.plain)]


def rows(testing):
    """The table: features, and the cells with tests of the gate and of the deep suite."""
    section = testing.plain.partition("## Features and their tests")[2].partition("\n## ")[0]
    return {(linked or plain): (gate, deep) for linked, plain, gate, deep in _ROW.findall(section)
            if linked or plain != "feature"}


def problems(features, table, tests):
    """What is wrong with the table. tests: the sources of each class of Java and file of Python, by its name."""
    found = [f"{feature}: no row" for feature in features if feature not in table]
    found += [f"{feature}: no such feature" for feature in table if feature not in features]
    for feature, (gate, deep) in table.items():
        found += [f"{feature}: {cell} names no test" for cell in (gate,) if not _NAME.search(cell)]
        found += [f"{feature}: {cell} is no list of tests" for cell in (gate, deep)
                  if _NAME.sub("", cell).strip(", -")]
        found += [f"{feature}: {name}: {problem}" for cell, is_deep in ((gate, False), (deep, True))
                  for name, method in _NAME.findall(cell) if (problem := _problem(name, method, is_deep, tests))]
    return found


def _problem(name, method, is_deep, tests):
    if name not in tests:
        return "no such test"
    of = _python if name.endswith(".py") else _java
    found = [is_test_deep for text in tests[name] for is_test_deep in of(text, method)]
    if not found:
        return f"no test {method}" if method else "no test in it"
    return None if is_deep in found else f"it is {'not ' if is_deep else ''}deep"


def _java(text, method):
    """For each test of a class, or one method, whether it is deep."""
    whole = re.search(r'^@Tag\("deep"\)', text, re.MULTILINE) is not None
    found = []
    for begin in _JAVA_TEST.finditer(text):
        # The annotations around it, up to the name of the method.
        before = text[:begin.start()].rpartition("\n\n")[2].rpartition("}\n")[2]
        after = re.match(r"(.*?)\bvoid (\w+)\(|(.*?)\n\n", text[begin.start():], re.DOTALL)
        named = after[2] if after else None
        if not method or method == named:
            found.append(whole or _DEEP_JAVA in before + (after[1] or "" if after else ""))
    return found


def _python(text, method):
    """The same of a file in Python."""
    module = ast.parse(text)
    marks = [node.value for node in module.body if isinstance(node, ast.Assign)
             and any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets)]
    return list(_of_nodes(module.body, _are_deep(marks), method))


def _of_nodes(nodes, is_deep, method):
    for node in nodes:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            now = is_deep or _are_deep(node.decorator_list)
            if isinstance(node, ast.ClassDef):
                yield from _of_nodes(node.body, now, method)
            elif node.name.startswith("test_") and method in {"", node.name}:
                yield now


def _are_deep(nodes):
    return any(ast.unparse(each) == "pytest.mark.deep" for node in nodes for each in ast.walk(node))
