# SPDX-License-Identifier: Apache-2.0
"""The directory with Open vSwitch, fetched by the real mmdebstrap from a small archive with signatures."""

import contextlib
import datetime
import gzip
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
import unittest.mock

from penstock_base import places, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node import debian_archive, switch_program, switch_root

_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_LOADER = pathlib.Path("/lib64/ld-linux-x86-64.so.2")
_META = ("librte-meta-bus", "librte-meta-mempool", "librte-meta-net")


class Archive:
    """An archive of Debian with the packages that a switch is made of, in a directory, signed by a key of its own."""

    def __init__(self, directory):
        self.directory = directory
        self.mirror = f"copy://{directory}/archive"
        self.keyring = directory / "keyring.gpg"
        self._home = directory / "gnupg"
        self._home.mkdir(mode=0o700)
        self._gpg("--quick-generate-key", "archive <a@example.org>", "ed25519", "sign", "never")
        self._gpg("--output", self.keyring, "--export")
        self.keyring.chmod(0o644)
        directory.chmod(0o755)

    def _gpg(self, *words):
        run("gpg", "--homedir", self._home, "--batch", "--quiet", "--passphrase", "", *words)

    def close(self):
        """Ends the agent of gpg."""
        run("gpgconf", "--homedir", self._home, "--kill", "all")

    def publish(self, version="4.0.0", package="4.0.0-2", drivers=True, valid=datetime.timedelta(days=7),
                architecture="amd64"):
        """Replaces all of it. valid: how long the Release file is."""
        place = self.directory / "archive"
        shutil.rmtree(place, ignore_errors=True)
        index = place / "dists" / switch_root.SUITE / "main" / "binary-amd64"
        index.mkdir(parents=True)
        entries = [self._package(place, "openvswitch-switch-dpdk", package, architecture,
                                 self._tree(version, package, drivers))]
        entries += [self._package(place, name, "26", "all", self._empty()) for name in _META]
        content = "\n".join(entries).encode()
        (index / "Packages").write_bytes(content)
        now = datetime.datetime.now(datetime.UTC)
        release = textwrap.dedent(f"""\
            Origin: Debian
            Suite: {switch_root.SUITE}
            Codename: {switch_root.SUITE}
            Date: {_date(now + min(valid, datetime.timedelta()) * 2)}
            Valid-Until: {_date(now + valid)}
            Architectures: amd64
            Components: main
            SHA256:
             {hashlib.sha256(content).hexdigest()} {len(content)} main/binary-amd64/Packages
            """)
        path = index.parents[1] / "Release"
        path.write_text(release, encoding="ascii")
        self._gpg("--clearsign", "--output", path.with_name("InRelease"), path)

    def _tree(self, version, package, drivers):
        root = self._empty()
        libraries = root / _LIBRARIES
        (libraries / "dpdk/pmds-26.0" if drivers else libraries).mkdir(parents=True)
        for name in ("openvswitch-switch-dpdk", "openvswitch-switch"):
            (root / "usr/lib" / name).mkdir()
        (root / "usr/lib64").mkdir()
        shutil.copy(_LOADER.resolve(), root / "usr/lib64" / _LOADER.name)
        for library in run("ldd", "/bin/true").split():
            if library.startswith("/lib/x86_64-linux-gnu/libc.so"):
                shutil.copy(library, libraries)
        source = root / "main.c"
        source.write_text(f'#include <stdio.h>\nint main(void) {{ puts("ovs-vswitchd (Open vSwitch) {version}\\n'
                          'DPDK 25.11.4"); return 0; }\n', encoding="ascii")
        run("cc", "-o", root / "usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk", source)
        source.unlink()
        schema = root / "usr/share/openvswitch/vswitch.ovsschema"
        schema.parent.mkdir(parents=True)
        schema.write_text("{}", encoding="ascii")
        doc = root / "usr/share/doc/openvswitch-switch-dpdk"
        doc.mkdir(parents=True)
        (doc / "changelog.Debian.gz").write_bytes(gzip.compress(f"openvswitch ({package}) testing; x\n".encode()))
        return root

    def _empty(self):
        root = pathlib.Path(tempfile.mkdtemp(dir=self.directory))
        root.chmod(0o755)
        return root

    @staticmethod
    def _package(place, name, version, architecture, root):
        facts = (f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: n <n@example.org>\n"
                 "Description: for a test\n")
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN" / "control").write_text(facts, encoding="ascii")
        run("dpkg-deb", "--build", "--root-owner-group", "-Znone", root, place / f"{name}.deb")
        shutil.rmtree(root)
        content = (place / f"{name}.deb").read_bytes()
        return f"{facts}Filename: {name}.deb\nSize: {len(content)}\nSHA256: {hashlib.sha256(content).hexdigest()}\n"


def _date(when):
    return when.strftime("%a, %d %b %Y %H:%M:%S UTC")


class SwitchRootTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir="/var/tmp")))
        self.archive = Archive(self.directory)
        self.addCleanup(self.archive.close)
        self.place = self.directory / "made"
        self.enterContext(unittest.mock.patch.dict(os.environ, {"PENSTOCK_SWITCH_DIR": str(self.place)}))

    def make(self):
        """The directory that is made, and what is printed."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            made = switch_root.make(self.archive.mirror, self.archive.keyring)
        return made, said.getvalue()

    def refused(self, expected):
        before = self.names()
        with self.assertRaisesRegex(PenstockError, expected):
            self.make()
        self.assertEqual(self.names(), before)

    def names(self):
        return sorted(path.name for path in self.place.glob("*"))

    def test_one_directory_for_each_version(self):
        self.assertEqual(switch_root.all_made(), [])
        self.archive.publish()
        made, said = self.make()
        self.assertEqual((made.directory, made.open_vswitch, made.dpdk), (self.place / "4.0.0-2", "4.0.0", "25.11.4"))
        self.assertIn("done in", said)
        self.assertNotIn("warning", said)
        self.assertEqual(switch_program.version(made.directory), ("4.0.0", "25.11.4"))
        self.assertEqual(self.make()[0], made)
        self.assertEqual(switch_root.ensure(), made)
        self.archive.publish("4.0.1", "4.0.1-10")
        newer, _ = self.make()
        self.archive.publish("4.0.1", "4.0.1-9")
        self.make()
        self.assertEqual(self.names(), ["4.0.0-2", "4.0.1-10", "4.0.1-9"])
        self.assertEqual(switch_root.ensure(), newer)

    def test_a_copy_has_its_name_when_it_is_whole(self):
        self.archive.publish()
        made, _ = self.make()
        made.directory.rename(self.place / "copy")
        self.assertEqual((switch_root.all_made(), switch_root.ignored()), ([], [self.place / "copy"]))
        self.assertEqual(self.make()[0], made)
        self.assertEqual(switch_root.ignored(), [self.place / "copy"])
        shutil.rmtree(made.directory)
        (self.place / "copy").rename(made.directory)
        self.assertEqual(switch_root.all_made(), [made])
        # A copy of one version that has the name of another one is replaced.
        self.archive.publish("4.0.1", "4.0.1-1")
        made.directory.rename(self.place / "4.0.1-1")
        self.assertEqual(self.make()[0].open_vswitch, "4.0.1")
        self.assertEqual([root.package for root in switch_root.all_made()], ["4.0.1-1"])

    def test_an_archive_past_its_date_is_a_warning(self):
        self.archive.publish(valid=-datetime.timedelta(days=3))
        made, said = self.make()
        self.assertRegex(said, f"warning: the Release file of Debian testing at {self.archive.mirror} is past its date "
                               "for 3d ")
        self.assertEqual(switch_root.all_made(), [made])

    def test_what_is_not_signed_is_refused(self):
        self.archive.publish()
        self.archive.keyring = debian_archive.KEYRING
        self.refused("Open vSwitch of Debian testing cannot be fetched: E: .*(GPG error|not signed|public key)")
        self.archive.keyring = self.directory / "keyring.gpg"
        package = self.directory / "archive" / "openvswitch-switch-dpdk.deb"
        content = bytearray(package.read_bytes())
        content[-200] ^= 1
        package.write_bytes(content)
        self.refused("cannot be fetched: E: ")

    def test_what_the_tests_do_not_run_with_is_refused(self):
        for options, expected in (
                ({"version": "4.1.0"}, "Debian testing has Open vSwitch 4.1.0; this version of Penstock runs 4.0: "),
                ({"version": "40.0"}, "has Open vSwitch 40.0; "),
                ({"drivers": False}, "is not what it was: .* has no DPDK drivers"),
                ({"architecture": "arm64"}, "cannot be fetched: E: ")):
            with self.subTest(options):
                self.archive.publish(**options)
                self.refused(expected)

    def test_half_a_directory_is_never_taken_for_one(self):
        self.archive.publish()
        program = ("import pathlib, sys; from penstock_node import switch_root; "
                   "switch_root.make(sys.argv[1], pathlib.Path(sys.argv[2]))")
        for wanted in ("new-*", "new-*/root/usr", "new-*/root/usr/lib/openvswitch-switch-dpdk"):
            with self.subTest(wanted):
                process = subprocess.Popen(
                    [sys.executable, "-c", program, self.archive.mirror, self.archive.keyring], stderr=subprocess.PIPE,
                    env=os.environ | {"PYTHONPATH": places.python_path()})

                def begun(process=process, wanted=wanted):
                    return list(self.place.glob(wanted)) or process.poll() is not None
                processes.wait_until(begun, wanted, 60)
                process.kill()
                process.communicate()
                self.assertIn(switch_root.all_made(), ([], [self.make()[0]]))
                self.assertEqual(self.names(), ["4.0.0-2"])
                shutil.rmtree(self.place)

    def test_two_at_once(self):
        self.archive.publish()
        program = ("import pathlib, sys; from penstock_node import switch_root; "
                   "print(switch_root.make(sys.argv[1], pathlib.Path(sys.argv[2])).directory)")
        both = [subprocess.Popen([sys.executable, "-c", program, self.archive.mirror, self.archive.keyring],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env=os.environ | {"PYTHONPATH": places.python_path()}) for _ in range(2)]
        said = [process.communicate(timeout=120) for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0], said)
        self.assertEqual({output for output, _ in said}, {f"{self.place}/4.0.0-2\n"})
        self.assertEqual(self.names(), ["4.0.0-2"])

    def test_a_full_disk(self):
        self.archive.publish()
        self.place.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", self.place)
        self.addCleanup(run, "umount", self.place)
        self.refused("No space left on device|enough free space|write error")


if __name__ == "__main__":
    unittest.main()
