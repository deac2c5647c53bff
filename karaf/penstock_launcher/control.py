# SPDX-License-Identifier: Apache-2.0
"""The controller as the launcher runs it: from a copy of the distribution, reachable for nodes at one address."""

import dataclasses
import os
import pathlib
import pwd
import shutil
import socket

import penstock_controller
from penstock_base import places, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_base.restconf import Restconf
from penstock_base.steps import say
from penstock_controller import Controller, Settings
from penstock_node import management

from . import controller_tree

ADDRESS_USER = "penstock"
"""Name under which the launcher holds the management address."""

SYSTEM_USER = "penstock"
"""The user that the controller runs as."""

MODEL = "penstock"
"""The controller is ready when this YANG module is there."""

_START_SECONDS = 300
_HANG_SECONDS = 30
_STEPS = {"web": "web server answers", "engine": "engine runs", "system": "all bundles active",
          "openflow": "OpenFlow listens", "restconf": "RESTCONF answers", "model": "Penstock's models are there",
          "again": "the boot hung and is started again"}
_MARK = "penstock-build.sha256"


def controller() -> Controller:
    """The controller, running or not."""
    home = places.java_home()
    if home:
        os.environ["JAVA_HOME"] = str(home)  # Else it takes any Java it finds.
    return penstock_controller.Controller(places.distribution(), places.controller_directory(), SYSTEM_USER,
                                          controller_tree.Keeper())


def is_running() -> bool:
    """Whether its process runs."""
    return controller().pid is not None


def restconf() -> Restconf:
    """A client for the running controller."""
    running = controller()
    return Restconf(running.restconf_url, running.user, running.password)


def password_file() -> pathlib.Path:
    """Where the generated password is."""
    return places.controller_directory() / "password"


def ensure(stamp: str) -> bool:
    """Makes the distribution of fingerprint `stamp` run and waits until it is ready. Returns True if it was not so."""
    current = controller()
    if controller_tree.Keeper().ensure():
        say("the supervision of the controller had ended and is started again")
    if current.pid is not None and _installed() != stamp:
        say("there is a new build; the controller is restarted")
        current.stop()
    if current.pid is not None:
        # One that has hung since its boot, or never got its ports, will not mend.
        patience = max(_HANG_SECONDS, _START_SECONDS - (current.uptime or 0))
        try:
            current.wait_until_ready(patience, None, MODEL)
            _say_what_is_wrong(current)
            return False
        except penstock_controller.ControllerError as error:
            say(f"the running controller does not get ready ({error}); it is restarted")
            current.stop()
    if _installed() != stamp:
        _install(stamp)
    _make_user()
    settings = penstock_controller.Settings(listen_address=management.CONTROLLER_ADDRESS)
    _check_ports(settings)
    say(f"booting; log: {current.log_file}")
    try:
        current.boot(settings, _START_SECONDS, _report, MODEL)
    except penstock_controller.ControllerError as error:
        raise PenstockError(f"{error}{_last_errors(current.log_file)}") from error
    _say_what_is_wrong(current)
    return True


def _make_user() -> None:
    """Makes the controller's user unless it is there."""
    try:
        pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        try:
            run("useradd", "--system", "--user-group", "--home-dir", "/nonexistent", "--no-create-home", "--shell",
                "/usr/sbin/nologin", SYSTEM_USER)
        except PenstockError as error:
            raise PenstockError(f"the controller runs as the system user {SYSTEM_USER}, which is not there and could "
                                f"not be made; make it by useradd --system {SYSTEM_USER}: {error}") from None


def _say_what_is_wrong(current: Controller) -> None:
    """A controller that is ready may have a configuration that it does not carry out."""
    reason = current.ask().reason
    if reason:
        say(f"WARNING: the configuration is not carried out: {reason}")


def _check_ports(settings: Settings) -> None:
    """Says which port is taken, before a boot that would wait for it in vain."""
    for name, port in dataclasses.asdict(settings.ports).items():
        address = settings.listen_address if name in ("openflow", "ovsdb") else penstock_controller.settings.LOOPBACK
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
            except OSError as error:
                raise PenstockError(f"port {port} ({name}) on {address} is not free: {error.strerror}") from None


def stop() -> bool:
    """Ends the controller. Returns True if it ran."""
    running = is_running()
    if places.controller_directory().is_dir():
        controller().stop()
    return running


def _report(name: str, seconds: float) -> None:
    say(f"{_STEPS.get(name, name)} after {seconds:.0f} s")
    if name == "again":
        say(f"thread dump of the process that hung: {controller().thread_dumps[-1]}")


def _installed() -> str | None:
    try:
        return (places.distribution() / _MARK).read_text(encoding="ascii").strip()
    except OSError:
        return None


def _install(stamp: str) -> None:
    """Copies the distribution: the next build may take the original away under a running controller."""
    target = places.distribution()
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    for old in (partial, target):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(places.ASSEMBLY, partial, symlinks=True)
    (partial / _MARK).write_text(stamp + "\n", encoding="ascii")
    partial.replace(target)


def _last_errors(log: pathlib.Path, lines: int = 6) -> str:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    errors = [line for line in text.splitlines() if " ERROR " in line or "| ERROR |" in line]
    return "\nlast errors in the log:\n  " + "\n  ".join(errors[-lines:]) if errors else processes.log_tail(log)
