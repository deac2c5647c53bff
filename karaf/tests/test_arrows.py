# SPDX-License-Identifier: Apache-2.0
"""Which Python may import which: pyproject.toml has the arrows, and whatever it does not name may import nothing."""

import ast
import os
import pathlib
import re
import sys
import tempfile
import tomllib
import unittest

from penstock_base import places

_NOT_SOURCES = {".git", "__pycache__", "target"}
_SHARED = "ovs-config/tests"
"""The folder whose modules the tests of others import by their own names."""
_PYTHON = re.compile(rb"#!.*\bpython3?\b")


def settings(root=places.ROOT):
    """The tables of pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]


def _packages():
    return [path.parent for path in places.ROOT.glob("**/penstock_*/__init__.py")]


class Tree:
    """All Python below a directory, and what of it may import what.

    allowed: {unit: what it may import}. A unit is a package, a module of a package that has arrows of its own, or a
    path of code that belongs to no package.
    """

    def __init__(self, root, allowed):
        self._root, self._allowed = root, allowed
        self._owners = {path.stem: _SHARED for path in (root / _SHARED).glob("*.py")} | {"tests": "docs/tests"}
        self.units = set()

    def faults(self):
        """Imports that no arrow permits, one line each."""
        return sorted({fault for path in self._files() for fault in self._of_file(path)})

    def _files(self):
        for directory, below, names in os.walk(self._root):
            below[:] = sorted(name for name in below if name not in _NOT_SOURCES)
            for path in (pathlib.Path(directory, name) for name in sorted(names)):
                if path.suffix == ".py" or (not path.suffix and _begins_as_python(path)):
                    yield path

    def _of_file(self, path):
        below = path.relative_to(self._root)
        module = _module(self._root, path)
        unit = self._unit(module) if module else self._unit_of_path(below)
        self.units.add(unit)
        for line, wanted in _imports(path, module):
            target = self._unit(wanted)
            if target != unit and target not in self._allowed.get(unit, ()):
                yield f"{below}:{line}: {unit} may not import {target}"

    def _unit(self, module):
        """The longest name with arrows of its own, or the package, or the folder whose modules have no package."""
        words = module.split(".")
        if words[0] in self._owners:
            return self._owners[words[0]]
        names = [".".join(words[:count]) for count in range(len(words), 0, -1)]
        return next((name for name in names if name in self._allowed), words[0])

    def _unit_of_path(self, below):
        return next((str(place) for place in (below, *below.parents) if str(place) in self._allowed), str(below))


def _begins_as_python(path):
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return _PYTHON.match(file.readline(200)) is not None


def _module(root, path):
    """The name of a module that is in a package with a name of ours, None for other files."""
    words = [*path.relative_to(root).parts[:-1], path.stem]
    first = next((index for index, word in enumerate(words) if word.startswith("penstock_")), None)
    return None if first is None else ".".join(words[first:]).removesuffix(".__init__")


def _imports(path, module):
    """Pairs of a line and the full name that it imports; neither the standard library nor the file's own folder."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        found = []
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [f"{_origin(node, path, module)}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found = [str(node.args[0].value)] if called in ("import_module", "__import__") else []
        for name in found:
            if name.partition(".")[0] not in sys.stdlib_module_names and not name.startswith("."):
                yield node.lineno, name


def _origin(node, path, module):
    """The package that an import is from; that of a file without a package begins with a dot."""
    if not node.level:
        return node.module
    if module is None:
        return "." * node.level
    words = module.split(".")[:len(module.split(".")) - node.level + (path.name == "__init__.py")]
    return ".".join([*words, *([node.module] if node.module else [])])


class ArrowsTest(unittest.TestCase):

    def test_no_import_is_against_the_arrows(self):
        allowed = settings()["penstock"]["imports"]
        tree = Tree(places.ROOT, allowed)
        self.assertEqual(tree.faults(), [])
        self.assertEqual(set(allowed) - tree.units, set(), "units that are not there")

    def test_the_arrows_make_no_circle(self):
        left = {name: set(wanted) for name, wanted in settings()["penstock"]["imports"].items()}
        while free := {name for name, wanted in left.items() if not wanted & set(left)}:
            left = {name: wanted for name, wanted in left.items() if name not in free}
        self.assertEqual(left, {})

    def test_neither_product_nor_benchmark_imports_the_other_ones_command_line(self):
        allowed = settings()["penstock"]["imports"]
        self.assertEqual([name for name, wanted in allowed.items() if "penstock_bench" in wanted],
                         ["it/bench/tests", "docs/tests"])
        self.assertNotIn("penstock_launcher", allowed["penstock_bench"])

    def test_folders_of_packages_are_the_same_everywhere(self):
        tool = settings()
        folders = list(places.PACKAGE_FOLDERS)
        self.assertEqual(sorted({str(path.parent.relative_to(places.ROOT)) for path in _packages()}), sorted(folders))
        shared = [_SHARED]
        self.assertEqual(sorted(tool["ruff"]["src"]), sorted(folders + shared))
        self.assertEqual(sorted(tool["pytest"]["ini_options"]["pythonpath"]), sorted(folders + shared))
        self.assertEqual(tool["mypy"]["mypy_path"], [f"$MYPY_CONFIG_FILE_DIR/{folder}" for folder in folders])
        path = ":".join(f"$here/{folder}" for folder in folders)
        self.assertIn(f'\nPYTHONPATH="{path}"\n', (places.ROOT / "penstock").read_text(encoding="utf-8"))

    def test_every_package_is_typed_and_says_what_it_owns(self):
        for path in _packages():
            with self.subTest(path.name):
                self.assertTrue((path / "py.typed").exists())
                self.assertTrue(ast.get_docstring(ast.parse((path / "__init__.py").read_text(encoding="utf-8"))))


class FaultsTest(unittest.TestCase):
    """Trees that are made up."""

    def faults(self, allowed, **sources):
        with tempfile.TemporaryDirectory() as name:
            for path, text in sources.items():
                file = pathlib.Path(name, path.replace("__", "/") + ".py")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return Tree(pathlib.Path(name), allowed).faults()

    def test_an_arrow_permits_one_direction(self):
        allowed = {"penstock_a": [], "penstock_b": ["penstock_a"]}
        good = "import penstock_a.n\nfrom penstock_a import n\n"
        self.assertEqual(self.faults(allowed, x__penstock_b__m=good), [])
        self.assertEqual(self.faults(allowed, x__penstock_a__m="import json\ndef f():\n    import penstock_b.n\n"),
                         ["x/penstock_a/m.py:3: penstock_a may not import penstock_b"])

    def test_what_is_not_listed_may_import_nothing(self):
        self.assertEqual(self.faults({"penstock_a": []}, x__penstock_c__m="import penstock_a\nimport yaml\n",
                                     y__s="import yaml\n"),
                         ["x/penstock_c/m.py:1: penstock_c may not import penstock_a",
                          "x/penstock_c/m.py:2: penstock_c may not import yaml",
                          "y/s.py:1: y/s.py may not import yaml"])

    def test_relative_imports_and_imports_by_name_count(self):
        allowed = {"penstock_a": [], "penstock_a.build": ["penstock_b"]}
        self.assertEqual(self.faults(allowed, x__penstock_a__build="from penstock_b import n\nfrom . import m\n",
                                     x__penstock_a__m="from . import build, n\nfrom .build import f\n",
                                     x__penstock_a__n="import importlib\nimportlib.import_module('penstock_b.n')\n"),
                         ["x/penstock_a/build.py:2: penstock_a.build may not import penstock_a",
                          "x/penstock_a/m.py:1: penstock_a may not import penstock_a.build",
                          "x/penstock_a/m.py:2: penstock_a may not import penstock_a.build",
                          "x/penstock_a/n.py:2: penstock_a may not import penstock_b"])

    def test_files_outside_of_packages_belong_to_their_folder(self):
        self.assertEqual(self.faults({"x/tests": ["penstock_a"]}, x__tests__deep__m="import penstock_b\n",
                                     x__tests__m="import penstock_a\nfrom .names import b\n"),
                         ["x/tests/deep/m.py:1: x/tests may not import penstock_b"])


if __name__ == "__main__":
    unittest.main()
