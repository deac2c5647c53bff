# SPDX-License-Identifier: Apache-2.0
"""The run directory, filled from a distribution of a few small files."""

import multiprocessing
import pathlib
import re
import stat
import subprocess
import tempfile
import time
import unittest

from penstock_controller import trust
from penstock_controller.layout import Layout, files
from penstock_controller.settings import Ports, Settings, Tls

JETTY = """<Configure>
<Set name="host"><Property name="jetty.host"/></Set><Set name="port"><Property name="jetty.port" default="8181"/></Set>
<Set name="idleTimeout"><Property name="http.timeout" default="300000"/></Set>
</Configure>"""


def distribution(root: pathlib.Path) -> pathlib.Path:
    """The files of a distribution that Layout touches."""
    for name, text in {
            "bin/karaf": "", "etc/jetty.xml": JETTY, "etc/org.ops4j.pax.web.cfg": "org.osgi.service.http.port = 8181\n",
            "etc/org.ops4j.pax.logging.cfg":
                "log4j2.pattern = %m%n\nlog4j2.appender.a.layout.pattern = ${log4j2.pattern}\n",
            "etc/org.apache.karaf.shell.cfg": "sshPort = 8101\nsshHost = 0.0.0.0\n",
            "etc/system.properties": "karaf.require.successful.features.boot = false\n",
            "etc/config.properties": "felix.fileinstall.enableConfigSave = true\n",
            "etc/odl.java.security": "jdk.tls.disabledAlgorithms=EXPORT, RC4\n",
            "etc/custom.properties": "karaf.framework=equinox\n", "etc/users.properties": "karaf = karaf,_g_:admin\n",
            "etc/org.apache.felix.fileinstall-deploy.cfg": "",
            "etc/org.apache.karaf.features.cfg": "featuresBoot = x\n",
            "system/io/penstock/engine.jar": "one"}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


class LayoutTest(unittest.TestCase):
    """Layout.prepare."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        root = pathlib.Path(directory.name)
        self.distribution = distribution(root / "distribution")
        self.layout = Layout(self.distribution, root / "run")

    def read(self, name: str) -> str:
        return (self.layout.etc / name).read_text(encoding="utf-8")

    def test_everything_but_southbound_listens_on_loopback(self) -> None:
        self.layout.prepare(Settings("169.254.77.1"))
        self.assertIn("sshHost = 127.0.0.1", self.read("org.apache.karaf.shell.cfg"))
        self.assertIn('<Property name="jetty.host" default="127.0.0.1"/>', self.read("jetty.xml"))
        self.assertIn("listening.addresses = 127.0.0.1", self.read("org.ops4j.pax.web.cfg"))
        for path in self.layout.run.rglob("*"):
            if path.is_file():
                self.assertNotIn("0.0.0.0", path.read_text(encoding="utf-8"), path)

    def test_log_messages_have_no_control_characters(self) -> None:
        self.layout.prepare(Settings())
        settings = self.read("org.ops4j.pax.logging.cfg")
        # Properties double the backslashes of the expression.
        self.assertIn(r"%replace{%encode{%maxLen{%m}{4000}}{CRLF}}{[\\x00-\\x1f\\x7f-\\x9f]}{?}%n", settings)
        self.assertIn("appender.a.layout.pattern = ${log4j2.pattern}", settings)

    def test_a_refused_change_has_no_stack_in_the_log(self) -> None:
        self.layout.prepare(Settings())
        self.layout.prepare(Settings())
        settings = self.read("org.ops4j.pax.logging.cfg")
        for number, name in enumerate(("SimpleShardDataTreeCohort", "FutureCallbackTx")):
            self.assertEqual(settings.count(f"log4j2.logger.refused{number}.name"), 1)
            self.assertRegex(settings, rf"(?m)^log4j2.logger.refused{number}.name = org\.opendaylight\..*\.{name}$")
            self.assertIn(f"log4j2.logger.refused{number}.filter.refused.onMatch = DENY\n", settings)

    def test_answers_of_a_switch_are_not_in_the_log(self) -> None:
        self.layout.prepare(Settings())
        settings = self.read("org.ops4j.pax.logging.cfg")
        self.assertRegex(settings, r"(?m)^log4j2.logger.answers.name = org\.opendaylight\..*\.SimpleRequestCallback$")
        self.assertIn("log4j2.logger.answers.level = WARN\n", settings)

    def test_clients_of_the_datastore_begin_with_the_time(self) -> None:
        before = int(time.time())
        self.layout.prepare(Settings())
        found = re.findall(r"(?m)^org\.opendaylight\.controller\.cluster\.access\.client\.initial\.generation\."
                           r"(datastore-\w+) = (\d+)$", self.read("system.properties"))
        self.assertEqual([name for name, _ in found], ["datastore-config", "datastore-operational"])
        self.assertTrue(all(before <= int(number) <= time.time() for _, number in found))

    def test_later_start_takes_new_ports_and_address(self) -> None:
        self.layout.prepare(Settings())
        self.layout.prepare(Settings("127.0.0.9", ports=Ports().shifted(1000)))
        self.assertIn("sshPort = 9101", self.read("org.apache.karaf.shell.cfg"))
        self.assertIn('"jetty.port" default="9181"', self.read("jetty.xml"))
        self.assertIn("http.port = 9181", self.read("org.ops4j.pax.web.cfg"))
        self.assertIn("openflow-listen-address = 127.0.0.9", self.read("io.penstock.cfg"))
        self.assertIn("ovsdb-listen-port = 7640", self.read("io.penstock.cfg"))

    def test_collectors(self) -> None:
        self.layout.prepare(Settings(nat_syslog="192.0.2.9:514", nat_ipfix="192.0.2.8:4739,tcp:192.0.2.9:4739",
                                     event_syslog="192.0.2.7:514"))
        self.assertIn("nat-syslog = 192.0.2.9:514\n", self.read("io.penstock.cfg"))
        self.assertIn("nat-ipfix = 192.0.2.8:4739,tcp:192.0.2.9:4739\n", self.read("io.penstock.cfg"))
        self.assertIn("event-syslog = 192.0.2.7:514\n", self.read("io.penstock.cfg"))
        for wrong in ("192.0.2.9", "192.0.2.9:", ":514", "192.0.2.9:65536"):
            with self.assertRaisesRegex(ValueError, "nat-syslog: .* is not ADDRESS:PORT"):
                Settings(nat_syslog=wrong)
            with self.assertRaisesRegex(ValueError, "event-syslog: .* is not ADDRESS:PORT"):
                Settings(event_syslog=wrong)
            with self.assertRaisesRegex(ValueError, r"nat-ipfix: .* is not \[tcp:\]ADDRESS:PORT"):
                Settings(nat_ipfix=f"192.0.2.1:4739,{wrong}")
        with self.assertRaisesRegex(ValueError, "nat-ipfix: 3 collectors: name one or two"):
            Settings(nat_ipfix="192.0.2.1:1,192.0.2.1:2,192.0.2.1:3")

    def test_flow_check(self) -> None:
        self.layout.prepare(Settings())
        self.assertIn("flow-check-seconds = 50\n", self.read("io.penstock.cfg"))
        self.layout.prepare(Settings(flow_check_seconds=0))
        self.assertIn("flow-check-seconds = 0\n", self.read("io.penstock.cfg"))
        for wrong in (-1, 3601):
            with self.assertRaisesRegex(ValueError, "flow-check-seconds: .* is not in 0..3600"):
                Settings(flow_check_seconds=wrong)

    def test_metrics(self) -> None:
        self.layout.prepare(Settings())
        self.assertIn("metrics-tenants = 1000\n", self.read("io.penstock.cfg"))
        self.layout.prepare(Settings(metrics_tenants=0))
        self.assertIn("metrics-tenants = 0\n", self.read("io.penstock.cfg"))
        for wrong in (-1, 100_001):
            with self.assertRaisesRegex(ValueError, "metrics-tenants: .* is not in 0..100000"):
                Settings(metrics_tenants=wrong)

    def test_nodes(self) -> None:
        self.layout.prepare(Settings())
        self.assertIn("nodes = configured\n", self.read("io.penstock.cfg"))
        self.layout.prepare(Settings(nodes="any"))
        self.assertIn("nodes = any\n", self.read("io.penstock.cfg"))
        with self.assertRaisesRegex(ValueError, "nodes: 'all' is neither configured nor any"):
            Settings(nodes="all")

    def test_certificates(self) -> None:
        self.layout.prepare(Settings())
        self.assertNotIn("tls-", self.read("io.penstock.cfg"))
        tls = Tls("/c.pem", "/k.pem", "/a.pem", "/r.pem")
        self.layout.prepare(Settings("192.0.2.1", tls=tls))
        self.assertIn("tls-certificate = /c.pem\ntls-key = /k.pem\ntls-ca = /a.pem\ntls-crl = /r.pem\n",
                      self.read("io.penstock.cfg"))
        self.assertTrue((self.layout.run / trust.EMPTY_STORE).is_file())

    def test_no_weak_algorithm(self) -> None:
        self.layout.prepare(Settings())
        for name in ("TLSv1,", "TLSv1.1,", "NULL", "anon", "3DES_EDE_CBC"):
            self.assertRegex(self.read("odl.java.security"), rf"(?m)^jdk.tls.disabledAlgorithms= .*{name}")

    def test_members_trust_each_other_by_certificates(self) -> None:
        self.layout.prepare(Settings())
        akka = self.layout.run / "configuration" / "initial" / "akka.conf"
        self.assertIn("transport = tcp\n", akka.read_text(encoding="utf-8"))
        self.layout.prepare(Settings(tls=Tls("/c.pem", "/k.pem", "/a.pem", "/r.pem")))
        self.assertIn("transport = tls-tcp\n", akka.read_text(encoding="utf-8"))
        self.assertIn('key-file = "/k.pem"', akka.read_text(encoding="utf-8"))

    def test_the_empty_store_is_one_of_java(self) -> None:
        self.layout.prepare(Settings(tls=Tls("/c.pem", "/k.pem", "/a.pem", "/r.pem")))
        said = subprocess.run(["keytool", "-list", "-keystore", self.layout.run / trust.EMPTY_STORE, "-storepass",
                               trust._STORE_PASSWORD], capture_output=True, text=True, check=False).stdout
        self.assertIn("contains 0 entries", said)

    def test_plain_text_stays_on_the_machine(self) -> None:
        for address in ("192.0.2.1", "0.0.0.0", "::", "2001:db8::1", "10.0.0.1"):
            with self.subTest(address), self.assertRaisesRegex(ValueError, "in plain text: give certificates"):
                Settings(address)
        for address in ("127.0.0.1", "127.9.9.9", "::1", "169.254.77.1", "fe80::1"):
            Settings(address)
        Settings("0.0.0.0", nodes="any")
        for wrong in (("c.pem", "/k", "/a", "/r"), ("", "/k", "/a", "/r"), ("/c\nx", "/k", "/a", "/r")):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, "is no absolute path"):
                Tls(*wrong)

    def test_password_is_random_private_and_stays(self) -> None:
        self.layout.prepare(Settings())
        password = self.layout.password()
        self.assertGreaterEqual(len(password), 24)
        self.layout.prepare(Settings())
        self.assertEqual(password, self.layout.password())
        self.assertIn(f"karaf = {password},_g_:admingroup", self.read("users.properties"))
        self.assertNotIn("karaf = karaf", self.read("users.properties"))
        for path in (self.layout.password_file, self.layout.etc / "users.properties"):
            self.assertEqual(0o600, stat.S_IMODE(path.stat().st_mode), path)
        self.assertEqual(0o700, stat.S_IMODE(self.layout.run.stat().st_mode))

    def test_all_who_ask_first_get_the_same_password(self) -> None:
        """The launcher waits for the controller that another process starts: both may make it."""
        processes = multiprocessing.get_context("fork")
        with processes.Pool(4) as pool:
            for number in range(20):
                asked = Layout(self.layout.distribution, self.layout.run / str(number))
                passwords = pool.map(Layout.password, [asked] * 4, chunksize=1)
                self.assertEqual(set(passwords), {asked.password()})

    def test_two_runs_have_two_passwords(self) -> None:
        other = Layout(self.distribution, self.layout.run.with_name("other"))
        self.assertNotEqual(self.layout.password(), other.password())

    def test_failed_boot_ends_karaf_and_nothing_is_hot_deployed(self) -> None:
        self.layout.prepare(Settings())
        self.assertIn("successful.features.boot = true", self.read("system.properties"))
        self.assertIn("karaf.shutdown.port = -1", self.read("custom.properties"))
        self.assertFalse((self.layout.etc / "org.apache.felix.fileinstall-deploy.cfg").exists())

    def test_karaf_does_not_write_into_the_files_that_it_reads(self) -> None:
        self.layout.prepare(Settings())
        self.assertIn("enableConfigSave = false\n", self.read("config.properties"))

    def test_rebuilt_distribution_drops_the_bundle_cache_and_nothing_else(self) -> None:
        self.layout.prepare(Settings())
        cached = self.layout.data / "cache" / "bundle"
        journal = self.layout.run / "segmented-journal" / "entry"
        for path in (cached, journal):
            path.parent.mkdir(parents=True)
            path.touch()
        self.layout.prepare(Settings())
        self.assertTrue(cached.exists())
        (self.distribution / "system/io/penstock/engine.jar").write_text("changed", encoding="utf-8")
        self.layout.prepare(Settings())
        self.assertFalse(cached.exists())
        self.assertTrue(journal.exists())

    def test_a_silent_sender_is_given_up(self) -> None:
        self.layout.prepare(Settings())
        self.assertIn('"http.timeout" default="30000"', self.read("jetty.xml"))

    def test_unknown_jetty_file_is_refused(self) -> None:
        (self.distribution / "etc/jetty.xml").write_text("<Configure/>", encoding="utf-8")
        with self.assertRaises(ValueError):
            self.layout.prepare(Settings())

    def test_missing_distribution_is_named(self) -> None:
        with self.assertRaisesRegex(FileNotFoundError, "build it first"):
            Layout(self.distribution / "nothing", self.layout.run).prepare(Settings())


class FilesTest(unittest.TestCase):
    """What carries the settings."""

    def test_openflow_listener(self) -> None:
        text = files(Settings("169.254.77.1", ports=Ports(openflow=7653)))["etc/io.penstock.cfg"]
        self.assertIn("openflow-listen-address = 169.254.77.1\nopenflow-listen-port = 7653\n", text)

    def test_cluster_port_stands_in_the_seed_too(self) -> None:
        text = files(Settings(ports=Ports(cluster=3550)))["configuration/initial/akka.conf"]
        self.assertIn("canonical.port = 3550", text)
        self.assertIn("@127.0.0.1:3550", text)


if __name__ == "__main__":
    unittest.main()
