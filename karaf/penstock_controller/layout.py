# SPDX-License-Identifier: Apache-2.0
"""The run directory of one controller: what is in it and how it is filled from a distribution.

A distribution is read only and serves any number of run directories. In a run directory

    etc/ configuration/initial/   made anew at every start, from the distribution and the settings
    password                      of the Karaf user "karaf" and the RESTCONF user "admin"; made once
    segmented-journal/ snapshots/ the datastore: the network's configuration
    audit-log/                    who has changed what
    data/                         logs, OSGi's bundle cache
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
import time

from . import cluster, keystore, standing, trust
from .durable import write
from .settings import Settings, Tls

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
_OF_ANSWERS = "org.opendaylight.openflowplugin.impl.services.SimpleRequestCallback"
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
        standing.forget_seen(self.run)
        empty = not standing.has_data(self.run)
        if empty and settings.members:
            # Before the datastore is made. Identity.java takes the mark away.
            standing.make_incomplete(self.run)
        for relative, text in files(settings, empty, standing.release(self.distribution)).items():
            write(self.run / relative, text)
        if settings.tls:
            write(self.run / trust.EMPTY_STORE, trust.empty_store())
        _replace(self.etc / "org.apache.karaf.shell.cfg",
                 {"sshHost": settings.console_address, "sshPort": str(settings.ports.ssh)})
        logging = self.etc / "org.ops4j.pax.logging.cfg"
        _replace(logging, {"log4j2.pattern": LOG_PATTERN})
        write(logging, logging.read_text(encoding="utf-8") + _without_noise())
        # Pax Web opens this listener, jetty.xml configures it: port and address have to agree or there are two.
        web = self.etc / "org.ops4j.pax.web.cfg"
        _replace(web, {"org.osgi.service.http.port": str(settings.ports.restconf)})
        write(web, web.read_text(encoding="utf-8")
              + f"\norg.ops4j.pax.web.listening.addresses = {settings.plain_address}\n")
        # Pax Web sometimes starts before it is given that file, and would then listen on every address, on port 8080,
        # for ever: tell it by system properties too, which it asks when it has no configuration.
        system = self.etc / "system.properties"
        write(system, system.read_text(encoding="utf-8") + (
            f"\norg.osgi.service.http.port = {settings.ports.restconf}\n"
            f"org.ops4j.pax.web.listening.addresses = {settings.plain_address}\n"
            "org.ops4j.pax.web.config.file = etc/jetty.xml\n") + _first_generations())
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
        _set_jetty(self.etc / "jetty.xml", settings.plain_address, settings.ports.restconf)
        _replace(self.etc / "odl.java.security", {"jdk.tls.disabledAlgorithms": trust.WEAK})
        if settings.tls and settings.has_https:
            self._add_https(settings.tls, settings)
        write(self.etc / "users.properties",
              f"{KARAF_USER} = {self.password()},_g_:admingroup\n"
              "_g_\\:admingroup = group,admin,manager,viewer,systembundles,ssh\n", mode=0o600)
        (self.data / "idmlight.db.mv.db").unlink(missing_ok=True)  # The user store of earlier versions.
        self._forget_old_bundles()

    def _add_https(self, tls: Tls, settings: Settings) -> None:
        password = secrets.token_urlsafe(24)
        store = keystore.pkcs12(pathlib.Path(tls.certificate), pathlib.Path(tls.key), password)
        write(self.run / trust.HTTPS_PASSWORD, password + "\n", mode=0o600)
        write(self.run / trust.HTTPS_STORE, store, mode=0o600)
        path = self.etc / "jetty.xml"
        before, end, after = path.read_text(encoding="utf-8").rpartition("</Configure>")
        write(path, before + trust.https(settings.northbound_address, settings.ports.restconf, password,
                                         WEB_IDLE_SECONDS) + end + after, mode=0o600)

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


def files(settings: Settings, empty: bool = False, release: tuple[str, str] = ("-", "-")) -> dict[str, str]:
    """The files that carry the settings, by path in the run directory.

    empty: the datastore has not got all data. release: version, and digest of the models.
    """
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
            f"metrics-tenants = {settings.metrics_tenants}\n"
            f"nodes = {settings.nodes}\n"
            f"{trust.engine(settings.tls)}"
            f"member = {settings.member}\n"
            f"members = {','.join(map(str, settings.members))}\n"
            f"cluster-port = {ports.cluster}\n"
            f"election-heartbeats = {cluster.election_heartbeats(settings)}\n"
            f"empty = {str(empty).lower()}\n"
            f"version = {release[0]}\n"
            f"models = {release[1]}\n"
            f"restconf-url = http://{settings.plain_address}:{ports.restconf}/rests\n"),
        **cluster.files(settings),
    }


def _set_jetty(path: pathlib.Path, address: str, port: int) -> None:
    """jetty.xml has its own idea of the port, binds to every address, and waits five minutes for a silent sender."""
    text = path.read_text(encoding="utf-8")
    text, hosts = re.subn(r'<Property name="jetty\.host"\s*/>',
                          f'<Property name="jetty.host" default="{address}"/>', text)
    text, numbers = re.subn(r'(<Property name="jetty\.port" default=")\d+"', rf'\g<1>{port}"', text)
    text, timeouts = re.subn(r'(<Property name="http\.timeout" default=")\d+"', rf'\g<1>{WEB_IDLE_SECONDS}000"', text)
    if not hosts or hosts != numbers or hosts != timeouts:
        raise ValueError(f"{path}: {hosts} hosts, {numbers} ports and {timeouts} timeouts found: "
                         "is this OpenDaylight's jetty.xml?")
    write(path, text)


def _without_noise() -> str:
    lines = [""]
    for number, (name, message) in enumerate(_OF_REFUSED_CHANGES):
        logger = f"log4j2.logger.refused{number}"
        lines += [f"{logger}.name = {name}", f"{logger}.level = INFO", f"{logger}.filter.refused.type = RegexFilter",
                  f"{logger}.filter.refused.regex = {message}", f"{logger}.filter.refused.onMatch = DENY",
                  f"{logger}.filter.refused.onMismatch = NEUTRAL"]
    # Each commit to a switch has answers of another type than this expects, which is no fault.
    lines += [f"log4j2.logger.answers.name = {_OF_ANSWERS}", "log4j2.logger.answers.level = WARN"]
    return "\n".join(lines) + "\n"


def _first_generations() -> str:
    """The generations of a controller that has no data, greater than those of one that had this name before.

    The leader of a shard refuses a client with a smaller generation than it has seen of that name, which would be 0
    (RecoveringClientActorBehavior of cds-access-client 7.0.11). One with data goes on counting.
    """
    now = int(time.time())
    return "".join(f"org.opendaylight.controller.cluster.access.client.initial.generation.{name} = {now}\n"
                   for name in ("datastore-config", "datastore-operational"))


def _replace(path: pathlib.Path, values: dict[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for key, value in values.items():
        text, count = re.subn(rf"(?m)^(\s*{re.escape(key)}\s*=).*$", "\\g<1> " + value.replace("\\", r"\\"), text)
        if count != 1:
            raise ValueError(f"{path}: {key} stands there {count} times")
    write(path, text)
