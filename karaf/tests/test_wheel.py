# SPDX-License-Identifier: Apache-2.0
"""The client as a Python package: built, installed into an environment of its own, and used there."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import zipfile

from penstock_base import places
from penstock_launcher import wheel

from .restconf_server import refused, served

_MOMENT = 1764183600
_PROGRAM = """\
import importlib, json, pathlib, pkgutil, sys
import penstock_base, penstock_client
from penstock_client import Client, Refused, target
for package in (penstock_base, penstock_client):
    assert pathlib.Path(package.__file__).is_relative_to(sys.prefix), package.__file__
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
client = Client.of(target.find())
try:
    client.create("tenant", {"name": "red"})
except Refused as error:
    print(json.dumps([str(error), client.names("tenant")]))
"""


class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.file = wheel.run(_MOMENT, 0, cls.directory)

    def test_it_has_the_client_its_types_and_no_more_of_the_base_than_it_needs(self):
        self.assertEqual([self.file.name], [path.name for path in self.directory.iterdir()])
        with zipfile.ZipFile(self.file) as content:
            names = set(content.namelist())
            metadata = next(name for name in names if name.endswith("/METADATA"))
            self.assertIn("Requires-Dist: PyYAML", content.read(metadata).decode().splitlines())
        client = places.ROOT / "karaf" / "penstock_client"
        wanted = {f"penstock_client/{path.name}" for path in client.iterdir() if path.suffix in {".py", ".json"}}
        wanted |= {f"penstock_base/{name}" for name in wheel.BASE_MODULES} | {"penstock_client/py.typed"}
        self.assertEqual(wanted, {name for name in names if ".dist-info/" not in name})

    def test_it_works_in_an_environment_of_its_own(self):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        environment = directory / "environment"
        # PyYAML is Debian's: no package index is asked.
        subprocess.run([places.PYTHON, "-m", "venv", "--system-site-packages", "--without-pip", environment],
                       check=True)
        subprocess.run([places.PYTHON, "-m", "pip", "--python", environment / "bin" / "python", "install", "--quiet",
                        "--no-index", "--disable-pip-version-check", self.file], check=True)
        password = directory / "password"
        password.write_text("secret", encoding="ascii")
        password.chmod(0o600)
        server = served(self, (400, refused("tenant red: is wrong")),
                        (200, {"penstock:network": {"tenant": [{"name": "blue"}]}}))
        done = subprocess.run(
            [environment / "bin" / "python", "-I", "-c", _PROGRAM], capture_output=True, text=True, cwd="/",
            check=False, env={"PATH": os.environ["PATH"], "PENSTOCK_CONTROLLER": server.url, "PENSTOCK_USER": "erika",
                 "PENSTOCK_PASSWORD_FILE": str(password)})
        self.assertEqual("", done.stderr)
        self.assertEqual(["tenant red: is wrong", ["blue"]], json.loads(done.stdout))

    def test_versions_are_in_order(self):
        versions = [wheel.python_version("0.1.0-SNAPSHOT", _MOMENT), wheel.python_version("0.1.0-SNAPSHOT", _MOMENT, 2),
                    wheel.python_version("0.1.0-SNAPSHOT", _MOMENT + 1), wheel.python_version("0.1.0", _MOMENT),
                    wheel.python_version("0.1.0", _MOMENT, 1), wheel.python_version("0.2.0-SNAPSHOT", _MOMENT)]
        self.assertEqual(6, len(set(versions)))
        program = ("import sys; from pip._vendor.packaging.version import Version; "
                   "print(*sorted(reversed(sys.argv[1:]), key=Version))")
        done = subprocess.run([places.PYTHON, "-c", program, *versions], capture_output=True, text=True, check=True)
        self.assertEqual(versions, done.stdout.split())


if __name__ == "__main__":
    unittest.main()
