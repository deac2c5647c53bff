# SPDX-License-Identifier: Apache-2.0
"""The real tools on a small tree: clean as it is, and with one fault each. Needs root and the package index once."""

import contextlib
import functools
import io
import json
import pathlib
import shutil
import tempfile
import unittest
import unittest.mock

from penstock_base.errors import PenstockError
from penstock_base.places import ROOT
from penstock_launcher import cli, lint

_LICENCE = "# SPDX-License-Identifier: Apache-2.0\n"
_TWICE = _LICENCE + '''"""Twice."""


def twice(number: int) -> int:
    """Twice a number."""
    return 2 * number
'''
_NAMES = """module penstock-names {
  namespace "urn:names";
  prefix pn;
  typedef name { type string { length 1..8; } }
}
"""
_NETWORK = """module penstock {
  namespace "urn:penstock";
  prefix ps;
  import penstock-names { prefix pn; }
  container network {
    list tenant {
      key name;
      leaf name { type pn:name; }
      leaf vlan { type uint16 { range 1..4094 { error-message "vlan is not in 1..4094"; } } mandatory true; }
    }
  }
}
"""
_EXAMPLE = """{
  "penstock:tenant": [
    {"name": "orange", "vlan": 100}
  ]
}
"""
_PAGE = """# Tenants

```json put=penstock:network/tenant=orange
{
  "penstock:tenant": [{"name": "orange", "vlan": 100}]
}
```

```sh test=change
rest PUT data/penstock:network/tenant=orange -d '
{"penstock:tenant": [{"name": "orange", "vlan": 101}]}'
curl -X PATCH "$rests/data/penstock:network/tenant=orange" \\
  -d '{"penstock:tenant": [{"name": "orange"}]}'
rest PUT data/penstock:network/tenant=orange/vlan -d '{"penstock:vlan": 102}'
rest GET data/penstock:network/tenant=orange
rest POST data/penstock:network -d '{"penstock:tenant": [{"name": "lemon", "vlan": 103}]}'
```
"""
_REFUSED = """[
  {"what": "a large VLAN", "document": {"penstock:network": {"tenant": [{"name": "t", "vlan": 5000}]}},
   "model": "vlan is not in 1..4094", "controller": "5000"},
  {"what": "no VLAN", "document": {"penstock:network": {"tenant": [{"name": "t"}]}},
   "model": "Mandatory node", "controller": "is missing"}
]
"""
_PAGE_MD, _REFUSED_JSON = "docs/tenants.md", "odl-apps/model/src/test/samples/refused.json"
_CONTROLLER, _NODE, _SCRIPT = "karaf/penstock_controller/twice.py", "ovs-config/penstock_node/twice.py", ".ci/run"
_NETWORK_YANG, _NAMES_YANG = (f"odl-apps/model/src/main/yang/{name}.yang" for name in ("penstock", "penstock-names"))
_EXAMPLE_JSON = "docs/examples/orange.json"
_TREE = {
    "karaf/penstock_controller/__init__.py": _LICENCE + '"""A package."""\n', _CONTROLLER: _TWICE,
    "ovs-config/penstock_node/__init__.py": _LICENCE + '"""Another one."""\n', _NODE: _TWICE,
    "docs/tests/__init__.py": _LICENCE + '"""Tests."""\n', "docs/tests/checks.py": _TWICE,
    _SCRIPT: f'#!/bin/sh\n{_LICENCE}set -eu\nexec rm "$1"\n',
    _NETWORK_YANG: _NETWORK, _NAMES_YANG: _NAMES, _EXAMPLE_JSON: _EXAMPLE, _PAGE_MD: _PAGE, _REFUSED_JSON: _REFUSED,
    # Files of Maven and git are no sources.
    "karaf/target/broken.py": "import os\n", ".git/hook": "#!/bin/sh\nrm $1\n",
}


class LintTest(unittest.TestCase):
    """All use one tree, which every test begins with as it should be: so mypy has its cache."""

    @classmethod
    def setUpClass(cls):
        lint.install()
        cls.root = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        shutil.copy(ROOT / "pyproject.toml", cls.root)

    def setUp(self):
        for name, text in _TREE.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755 if text.startswith("#!") else 0o644)

    def run_lint(self):
        with contextlib.redirect_stderr(io.StringIO()):
            return lint.run(self.root)

    def finds(self, name, text, line, words):
        """With this text in one of the files there is one fault, with these words in it."""
        self.write(name, text)
        found = self.run_lint()
        self.assertEqual([(finding.path, finding.line) for finding in found], [(name, line)], found)
        self.assertIn(words, str(found[0]))

    def test_a_clean_tree(self):
        self.assertEqual(self.run_lint(), [])

    def test_an_import_that_is_not_used(self):
        self.finds(_NODE, _TWICE.replace('e."""\n', 'e."""\n\nimport os\n', 1), 4, "[F401]")

    def test_a_file_without_licence(self):
        self.finds("docs/tests/checks.py", _TWICE.removeprefix(_LICENCE), 1, "[CPY001]")

    def test_a_suppression_without_effect(self):
        self.finds(_NODE, _TWICE.replace("* number", "* number  # noqa: S101"), 7, "[RUF100]")

    def test_python_that_cannot_be_parsed(self):
        self.write(_NODE, _TWICE.replace("int:", "int"))
        self.assertIn((_NODE, 5), [(finding.path, finding.line) for finding in self.run_lint()])

    def test_a_package_is_annotated(self):
        self.finds(_CONTROLLER, _TWICE.replace(" -> int", ""), 5, "[no-untyped-def]")

    def test_bodies_without_annotations_are_checked(self):
        text = _TWICE.replace(": int", "").replace(" -> int", "").replace("2 * number", "number * (2 + 'two')")
        self.finds("docs/tests/checks.py", text, 7, "[operator]")

    def test_the_tests_of_the_documentation_are_checked(self):
        self.finds("docs/tests/checks.py", _TWICE.replace("2 * number", "str(number)"), 7, "[return-value]")

    def test_a_shell_script_without_suffix(self):
        self.finds(_SCRIPT, _TREE[_SCRIPT].replace('"$1"', "$1"), 4, "[SC2086]")

    def test_yang_that_cannot_be_parsed(self):
        self.finds(_NETWORK_YANG, _NETWORK.replace("key name;", "kee name;"), 7, "kee")

    def test_a_fault_in_an_imported_module_is_reported_once_and_in_that_module(self):
        self.finds(_NAMES_YANG, _NAMES.replace("type string", "typ string"), 4, "typ")

    def test_an_import_that_does_not_exist(self):
        self.write(_NETWORK_YANG, _NETWORK.replace("import penstock-names", "import penstock-nowhere"))
        self.assertEqual({finding.path for finding in self.run_lint()}, {_NETWORK_YANG})

    def test_an_example_with_an_unknown_leaf(self):
        self.finds(_EXAMPLE_JSON, _EXAMPLE.replace("100}", '100, "flan": 1}'), 3, "flan")

    def test_an_example_with_a_value_that_is_not_allowed(self):
        self.finds(_EXAMPLE_JSON, _EXAMPLE.replace("100", "5000"), 3, "vlan is not in 1..4094")

    def test_an_example_that_lacks_something(self):
        self.finds(_EXAMPLE_JSON, _EXAMPLE.replace(', "vlan": 100', ""), 1, 'Mandatory node "vlan"')

    def test_an_example_of_a_document(self):
        self.finds(_PAGE_MD, _PAGE.replace("100", "5000"), 5, "vlan is not in 1..4094")
        self.finds(_PAGE_MD, _PAGE.replace(', "vlan": 100', ""), 4, 'Mandatory node "vlan"')

    def test_bodies_of_requests_in_a_document(self):
        self.finds(_PAGE_MD, _PAGE.replace("101", "5001"), 11, "vlan is not in 1..4094")
        self.finds(_PAGE_MD, _PAGE.replace('[{"name": "orange"}]', '[{"name": "orange", "vlan": 0}]'), 13, "vlan")
        self.finds(_PAGE_MD, _PAGE.replace("102", "5002"), 14, "vlan is not in 1..4094")
        self.finds(_PAGE_MD, _PAGE.replace("103", "5003"), 16, "vlan is not in 1..4094")

    def test_a_sample_that_is_not_refused(self):
        self.finds(_REFUSED_JSON, _REFUSED.replace("5000", "50"), 2, "a large VLAN: is not refused")
        self.finds(_REFUSED_JSON, _REFUSED.replace("Mandatory", "Missing"), 4, "no VLAN: is not refused with")

    def test_an_openapi_document_that_the_yang_does_not_make(self):
        (self.root / "odl-apps").rename(self.root / "small")
        self.addCleanup((self.root / "small").rename, self.root / "odl-apps")
        (self.root / "odl-apps").symlink_to(ROOT / "odl-apps")
        self.addCleanup((self.root / "odl-apps").unlink)
        path = self.root / lint.OPENAPI
        self.addCleanup(path.unlink)
        right = (ROOT / lint.OPENAPI).read_text(encoding="utf-8")
        path.write_text(right.replace('"maximum":4094', '"maximum":4095', 1), encoding="utf-8")
        found = lint.openapi(self.root, lint.install())
        self.assertEqual(["docs/openapi.json"], [each.path for each in found])
        self.assertIn("./penstock lint --write-openapi", found[0].text)

    def test_an_openapi_document_that_is_none(self):
        right = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {}}
        path = self.root / lint.OPENAPI
        self.addCleanup(path.unlink)
        for document, words in ((right, []), (right | {"colour": 1}, ["'colour' was unexpected"])):
            path.write_text(json.dumps(document), encoding="utf-8")
            found = lint.openapi_faults(self.root, lint.install())
            self.assertEqual(len(words), len(found), found)
            for word, finding in zip(words, found, strict=True):
                self.assertIn(word, finding.text)

    def test_the_command_prints_findings_and_fails(self):
        for text, code in ((_TREE[_SCRIPT], 0), (_TREE[_SCRIPT].replace('"$1"', "$1"), 1)):
            self.write(_SCRIPT, text)
            with self.subTest(code), contextlib.redirect_stdout(io.StringIO()) as out, \
                    contextlib.redirect_stderr(io.StringIO()), \
                    unittest.mock.patch("penstock_launcher.lint.run", functools.partial(lint.run, self.root)):
                self.assertEqual(cli.main(["lint"]), code)
                self.assertEqual(out.getvalue().startswith(f"{_SCRIPT}:4: "), code == 1)


class InstallTest(unittest.TestCase):
    """Without a package index."""

    def test_the_error_names_the_package_and_the_next_run_tries_again(self):
        with tempfile.TemporaryDirectory() as directory, contextlib.redirect_stderr(io.StringIO()), \
                unittest.mock.patch.dict("os.environ", PENSTOCK_CACHE_DIR=directory, PIP_NO_INDEX="1",
                                         PIP_FIND_LINKS=""):
            for _ in range(2):
                with self.assertRaisesRegex(PenstockError, r"cannot install lint-requirements.txt: ERROR: .*ruff"):
                    lint.install()
            self.assertEqual(list(pathlib.Path(directory).rglob("complete")), [])


if __name__ == "__main__":
    unittest.main()
