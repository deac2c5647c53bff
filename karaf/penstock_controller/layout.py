# SPDX-License-Identifier: Apache-2.0
"""The run directory of one controller: what is in it and how it is filled from a distribution.

A distribution is read only and serves any number of run directories. In a run directory

    etc/ configuration/initial/   made anew at every start, from the distribution and the settings
    password                      of the Karaf user "karaf" and the RESTCONF user "admin"; made once
    segmented-journal/ snapshots/ the datastore: the network's configuration
    data/                         logs, the user store, OSGi's bundle cache
"""

from __future__ import annotations

import datetime
import fcntl
import hashlib
import os
import pathlib
import re
import secrets
import shutil

from .settings import LOOPBACK, Settings

KARAF_USER = "karaf"

# Messages quote what peers and users sent: control characters would forge lines, or command the terminal of a reader.
# Two backslashes are one for Java's reader of properties.
_MESSAGE = r"%replace{%encode{%maxLen{%m}{4000}}{CRLF}}{[\\x00-\\x1f\\x7f-\\x9f]}{?}"
LOG_PATTERN = ("%d{ISO8601} | %-5p | %-16t | %-32c{1} | %X{bundle.id} - %X{bundle.name} - %X{bundle.version} | "
               + _MESSAGE + "%n")
# What OpenDaylight logs of a change that was refused, with stacks of 160 lines each. Its sender has the reason, and the
# engine logs it in one line. The loggers have other messages, which stay.
_OF_REFUSED_CHANGES = (
    ("org.opendaylight.controller.cluster.datastore.SimpleShardDataTreeCohort", "Transaction .* failed to prepare"),
    ("org.opendaylight.restconf.nb.rfc8040.rests.utils.FutureCallbackTx", "Transaction.* FAILED!"))
RESTCONF_USER = "admin"
# Of a web connection on which nothing comes or goes, as Jetty has it; OpenDaylight has 300. A sender that is silent in
# its body holds a thread for so long. A connection whose request is being answered is not idle, nor a stream of events.
WEB_IDLE_SECONDS = 30


class Layout:
    """Paths of one run directory, and the writing of its files."""

    def __init__(self, distribution: pathlib.Path, run: pathlib.Path) -> None:
        self.distribution = pathlib.Path(distribution).resolve()
        self.run = pathlib.Path(run).resolve()
        self.etc = self.run / "etc"
        self.data = self.run / "data"
        self.password_file = self.run / "password"
        self.log_file = self.data / "log" / "karaf.log"
        self.console_file = self.data / "log" / "console.log"
        self.user_store = self.data / "idmlight.db.mv.db"
        self.pid_file = self.run / "pid"

    def prepare(self, settings: Settings) -> None:
        """Brings the run directory in line with the distribution and the settings."""
        if not (self.distribution / "bin" / "karaf").is_file():
            raise FileNotFoundError(f"no Karaf distribution in {self.distribution}: build it first")
        self.run.mkdir(parents=True, exist_ok=True)
        self.run.chmod(0o700)
        for directory in (self.data / "tmp", self.data / "log", self.run / "configuration" / "initial"):
            directory.mkdir(parents=True, exist_ok=True)
        shutil.copytree(self.distribution / "etc", self.etc, dirs_exist_ok=True)
        for relative, text in files(settings).items():
            write(self.run / relative, text)
        _replace(self.etc / "org.apache.karaf.shell.cfg",
                 {"sshHost": LOOPBACK, "sshPort": str(settings.ports.ssh)})
        logging = self.etc / "org.ops4j.pax.logging.cfg"
        _replace(logging, {"log4j2.pattern": LOG_PATTERN})
        write(logging, logging.read_text(encoding="utf-8") + _without_refused_changes())
        # Pax Web opens this listener, jetty.xml configures it: port and address have to agree or there are two.
        web = self.etc / "org.ops4j.pax.web.cfg"
        _replace(web, {"org.osgi.service.http.port": str(settings.ports.restconf)})
        write(web, web.read_text(encoding="utf-8") + f"\norg.ops4j.pax.web.listening.addresses = {LOOPBACK}\n")
        # Pax Web sometimes starts before it is given that file, and would then listen on every address, on port 8080,
        # for ever: tell it by system properties too, which it asks when it has no configuration.
        system = self.etc / "system.properties"
        write(system, system.read_text(encoding="utf-8") + (
            f"\norg.osgi.service.http.port = {settings.ports.restconf}\n"
            f"org.ops4j.pax.web.listening.addresses = {LOOPBACK}\n"
            "org.ops4j.pax.web.config.file = etc/jetty.xml\n"))
        # Karaf goes on without the features that failed; better to end and say so.
        _replace(system, {"karaf.require.successful.features.boot": "true"})
        # A port that takes the word to shut down; we send a signal.
        custom = self.etc / "custom.properties"
        write(custom, custom.read_text(encoding="utf-8") + "\nkaraf.shutdown.port = -1\n")
        # Karaf would write files of etc again when it has read them, not all or nothing, and looks for changed ones
        # once a second: one that it reads in that moment is empty, and all settings in it are the default.
        _replace(self.etc / "config.properties", {"felix.fileinstall.enableConfigSave": "false"})
        # No deployment by dropping files into a directory.
        (self.etc / "org.apache.felix.fileinstall-deploy.cfg").unlink(missing_ok=True)
        _set_jetty(self.etc / "jetty.xml", settings.ports.restconf)
        write(self.etc / "users.properties",
              f"{KARAF_USER} = {self.password()},_g_:admingroup\n"
              "_g_\\:admingroup = group,admin,manager,viewer,systembundles,ssh\n", mode=0o600)
        self._forget_old_bundles()

    def password(self) -> str:
        """The password, made at the first call."""
        try:
            return self.password_file.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            self.run.mkdir(parents=True, exist_ok=True)
            folder = os.open(self.run, os.O_RDONLY | os.O_DIRECTORY)
            try:
                # The program that starts the controller and the one that waits for it may both be the first.
                fcntl.flock(folder, fcntl.LOCK_EX)
                if not self.password_file.exists():
                    write(self.password_file, secrets.token_urlsafe(24) + "\n", mode=0o600)
            finally:
                os.close(folder)
            return self.password()

    def keep_thread_dump(self, text: str) -> pathlib.Path:
        """Writes it beside the logs."""
        name = f"hang-{datetime.datetime.now().astimezone():%Y%m%dT%H%M%S}.txt"
        path = self.log_file.with_name(name)
        write(path, text, mode=0o600)
        return path

    def thread_dumps(self) -> list[pathlib.Path]:
        """All that are kept, in order of time."""
        return sorted(self.log_file.parent.glob("hang-*.txt"))

    def _forget_old_bundles(self) -> None:
        """OSGi's cache keeps bundles by name and version: a rebuilt snapshot would not be seen."""
        mark = self.run / "distribution.sha256"
        seen = fingerprint(self.distribution)
        if not mark.is_file() or mark.read_text(encoding="ascii") != seen:
            shutil.rmtree(self.data / "cache", ignore_errors=True)
            write(mark, seen)


def fingerprint(distribution: pathlib.Path) -> str:
    """Changes when a build changed what the distribution holds."""
    digest = hashlib.sha256()
    for path in sorted((distribution / "system").rglob("*")):
        if path.is_file():
            status = path.stat()
            name = path.relative_to(distribution)
            digest.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    digest.update((distribution / "etc" / "org.apache.karaf.features.cfg").read_bytes())
    return digest.hexdigest()


def files(settings: Settings) -> dict[str, str]:
    """The files that carry the settings, by path in the run directory."""
    initial = "etc/opendaylight/datastore/initial/config"
    ports = settings.ports
    return {
        "etc/io.penstock.cfg": (
            "# Written at every start.\n"
            f"openflow-listen-address = {settings.listen_address}\n"
            f"openflow-listen-port = {ports.openflow}\n"
            f"ovsdb-listen-address = {settings.listen_address}\n"
            f"ovsdb-listen-port = {ports.ovsdb}\n"
            f"nat-syslog = {settings.nat_syslog}\n"
            f"nat-ipfix = {settings.nat_ipfix}\n"
            f"event-syslog = {settings.event_syslog}\n"
            f"flow-check-seconds = {settings.flow_check_seconds}\n"
            f"nodes = {settings.nodes}\n"
            f"restconf-url = http://{LOOPBACK}:{ports.restconf}/rests\n"),
        f"{initial}/default-openflow-connection-config.xml": _openflow(
            "openflow-switch-connection-provider-default-impl", settings.listen_address, ports.openflow),
        # The plugin insists on a second listener. It is where the first one is, so that what closes that address to
        # others (penstock_node/management.py) closes this one too. Any free port.
        f"{initial}/legacy-openflow-connection-config.xml": _openflow(
            "openflow-switch-connection-provider-legacy-impl", settings.listen_address, 0),
        "configuration/initial/akka.conf": _akka(ports.cluster),
    }


def _openflow(name: str, address: str, port: int) -> str:
    return f"""<switch-connection-config xmlns="urn:opendaylight:params:xml:ns:yang:openflow:switch:connection:config">
  <instance-name>{name}</instance-name>
  <address>{address}</address>
  <port>{port}</port>
  <transport-protocol>TCP</transport-protocol>
  <group-add-mod-enabled>false</group-add-mod-enabled>
  <channel-outbound-queue-size>1024</channel-outbound-queue-size>
</switch-connection-config>
"""


def _akka(port: int) -> str:
    return f"""odl-cluster-data {{
  akka {{
    remote.artery {{
      enabled = on
      transport = tcp
      canonical.hostname = "{LOOPBACK}"
      canonical.port = {port}
    }}
    cluster {{
      seed-nodes = ["akka://opendaylight-cluster-data@{LOOPBACK}:{port}"]
      roles = ["member-1"]
    }}
    persistence.snapshot-store.local {{
      use-lz4-compression = false
      lz4-blocksize = 256KB
    }}
    disable-default-actor-system-quarantined-event-handling = "false"
  }}
}}
"""


def _set_jetty(path: pathlib.Path, port: int) -> None:
    """jetty.xml has its own idea of the port, binds to every address, and waits five minutes for a silent sender."""
    text = path.read_text(encoding="utf-8")
    text, hosts = re.subn(r'<Property name="jetty\.host"\s*/>',
                          f'<Property name="jetty.host" default="{LOOPBACK}"/>', text)
    text, numbers = re.subn(r'(<Property name="jetty\.port" default=")\d+"', rf'\g<1>{port}"', text)
    text, timeouts = re.subn(r'(<Property name="http\.timeout" default=")\d+"', rf'\g<1>{WEB_IDLE_SECONDS}000"', text)
    if not hosts or hosts != numbers or hosts != timeouts:
        raise ValueError(f"{path}: {hosts} hosts, {numbers} ports and {timeouts} timeouts found: "
                         "is this OpenDaylight's jetty.xml?")
    write(path, text)


def _without_refused_changes() -> str:
    lines = [""]
    for number, (name, message) in enumerate(_OF_REFUSED_CHANGES):
        logger = f"log4j2.logger.refused{number}"
        lines += [f"{logger}.name = {name}", f"{logger}.level = INFO", f"{logger}.filter.refused.type = RegexFilter",
                  f"{logger}.filter.refused.regex = {message}", f"{logger}.filter.refused.onMatch = DENY",
                  f"{logger}.filter.refused.onMismatch = NEUTRAL"]
    return "\n".join(lines) + "\n"


def _replace(path: pathlib.Path, values: dict[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for key, value in values.items():
        text, count = re.subn(rf"(?m)^(\s*{re.escape(key)}\s*=).*$", "\\g<1> " + value.replace("\\", r"\\"), text)
        if count != 1:
            raise ValueError(f"{path}: {key} stands there {count} times")
    write(path, text)


def write(path: pathlib.Path, text: str, mode: int = 0o644) -> None:
    """Replaces a file: never there in part, never readable to others for a moment, on the disk when this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)  # What there is of it takes room.
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)  # The name of the file is an entry of its folder.
    finally:
        os.close(folder)
