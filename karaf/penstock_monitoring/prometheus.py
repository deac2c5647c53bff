# SPDX-License-Identifier: Apache-2.0
"""A Prometheus that scrapes the controllers of this machine: its configuration, its process."""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import os
import pathlib
import pwd
import shutil
from collections.abc import Sequence

import yaml

from penstock_base import files, places, processes
from penstock_base.errors import PenstockError

ALERTS = places.ROOT / "karaf" / "monitoring" / "alerts.yaml"
DASHBOARDS = places.ROOT / "karaf" / "monitoring" / "dashboards"
USER = "prometheus"
"""The system's user that it runs as, made by Debian's package; and the account with which it scrapes."""
JOB = "penstock-controller"
NODES = "penstock-nodes"
"""The jobs that alerts name."""

_READY_SECONDS = 30
_RETENTION = ("--storage.tsdb.retention.time=15d", "--storage.tsdb.retention.size=1GB")


@dataclasses.dataclass(frozen=True)
class Prometheus:
    """One of them. Not for two processes at a time; the launcher's lock holds others off."""

    directory: pathlib.Path
    """Its own: configuration, password and series. Made when it starts."""
    process: pathlib.Path
    """Where its process id is."""
    port: int = 9090
    """TCP port on loopback, where its page and its API are."""
    interval: str = "15s"
    """Time from one scrape to the next, and from one evaluation of alerts to the next, as Prometheus writes it."""

    @property
    def url(self) -> str:
        """Of its page."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def password_file(self) -> pathlib.Path:
        """The password of its account, which it reads at each scrape."""
        return self.directory / "password"

    @property
    def log(self) -> pathlib.Path:
        """What it says of itself."""
        return self.directory / "prometheus.log"

    def configuration(self, targets: Sequence[str], nodes: Sequence[str] = (), alerts: pathlib.Path = ALERTS,
                      alertmanagers: Sequence[str] = ()) -> str:
        """The text of its settings file. targets, nodes, alertmanagers: ADDRESS:PORT of controllers and so on."""
        content = {
            "global": {"scrape_interval": self.interval, "evaluation_interval": self.interval},
            "rule_files": [str(self.directory / alerts.name)],
            "scrape_configs": [{
                "job_name": JOB, "metrics_path": "/penstock/metrics",
                "basic_auth": {"username": USER, "password_file": str(self.password_file)},
                "static_configs": [{"targets": list(targets)}]}, {
                    "job_name": NODES, "static_configs": [{"targets": list(nodes)}]}]}
        if alertmanagers:
            content["alerting"] = {"alertmanagers": [{"static_configs": [{"targets": list(alertmanagers)}]}]}
        return yaml.safe_dump(content, sort_keys=False)

    def start(self, configuration: str, password: str, alerts: pathlib.Path = ALERTS) -> bool:
        """Starts it, or starts it again when its settings have changed. Returns False if it ran with the same.

        Raises PenstockError with the end of its log when it does not get ready.
        """
        wanted = {"prometheus.yaml": configuration, alerts.name: alerts.read_text(encoding="utf-8"),
                  "password": password}
        present = {name: _text(self.directory / name) for name in wanted}
        if processes.is_running(self.process) and present == wanted:
            return False
        self.stop()
        account = _account()
        data = self.directory / "data"
        data.mkdir(parents=True, exist_ok=True)
        self.directory.chmod(0o755)
        os.chown(data, account.pw_uid, account.pw_gid)
        data.chmod(0o700)
        for name, text in wanted.items():
            files.replace(self.directory / name, text, mode=0o640)
            os.chown(self.directory / name, 0, account.pw_gid)
        processes.start(
            ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs", "--inh-caps=-all",
             "--bounding-set=-all", "prometheus", f"--config.file={self.directory / 'prometheus.yaml'}",
             f"--storage.tsdb.path={data}", *_RETENTION, f"--web.listen-address=127.0.0.1:{self.port}",
             "--log.level=warn"], self.process, self.log)
        processes.wait_until(self._is_ready, f"Prometheus at {self.url}", _READY_SECONDS, self.process, self.log)
        return True

    def stop(self) -> bool:
        """Ends it. Returns True if it ran."""
        return processes.stop(self.process)

    def remove(self) -> None:
        """Removes what it has stored. It has to be stopped."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def _is_ready(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=1)
        with contextlib.closing(connection):
            try:
                connection.request("GET", "/-/ready")
                return connection.getresponse().status == http.HTTPStatus.OK
            except (OSError, http.client.HTTPException):
                return False


def _text(path: pathlib.Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None


def _account() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(USER)
    except KeyError:
        raise PenstockError(f"there is no user '{USER}': install Debian's package prometheus") from None
