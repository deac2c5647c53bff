# SPDX-License-Identifier: Apache-2.0
"""The controllers as the launcher runs them: from a copy of the distribution, each at an address for nodes."""

import dataclasses
import os
import pathlib
import pwd
import shutil
import socket
import time
from collections.abc import Mapping

import penstock_controller
from penstock_base import places, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_base.restconf import Restconf
from penstock_base.steps import say
from penstock_controller import Controller, Settings, cluster_cli
from penstock_node import management

from . import changes, controller_tree, members

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


def controller(number: int = 1) -> Controller:
    """One of the controllers, running or not."""
    home = places.java_home()
    if home:
        os.environ["JAVA_HOME"] = str(home)  # Else it takes any Java it finds.
    return penstock_controller.Controller(places.distribution(), places.controller_directory(number), SYSTEM_USER,
                                          controller_tree.Keeper(number))


def running() -> dict[int, Controller]:
    """Those whose processes run, by number."""
    there = {number: controller(number) for number in members.present()}
    return {number: each for number, each in there.items() if each.pid is not None}


def is_running() -> bool:
    """Whether a controller runs."""
    return bool(running())


def answering() -> Controller:
    """A controller that takes requests; the first one if none does."""
    for each in running().values():
        if each.ask().done["restconf"]:
            return each
    return controller()


def master() -> Controller:
    """The controller that has the engine, as far as one tells; one that takes requests if none does."""
    number = _master()
    return controller(number) if number else answering()


def cluster() -> list[dict[str, str]]:
    """The members of a cluster with their roles: master, standby, or away. Empty for a controller alone."""
    there = members.present()
    if len(there) < 2:
        return []
    up, leading = running(), _master()
    return [{"member": f"member-{number}", "url": controller(number).restconf_url,
             "role": "away" if number not in up else "master" if number == leading else "standby"}
            for number in there]


def _master() -> int | None:
    """The number of the controller that has the engine, as the datastore has it."""
    try:
        found = restconf().read("penstock-allocation:allocations/mastership")
    except PenstockError:
        return None
    member = found and found["penstock-allocation:mastership"].get("member")
    return int(member.removeprefix("member-")) if member else None


def restconf() -> Restconf:
    """A client for a controller that takes requests."""
    chosen = answering()
    return Restconf(chosen.restconf_url, chosen.user, chosen.password)


def password_file() -> pathlib.Path:
    """Where the generated password is; all controllers have the same."""
    return places.controller_directory() / "password"


def ensure(stamp: str, count: int | None = None) -> bool:
    """Makes controllers of the distribution of fingerprint `stamp` run, and waits until they are ready.

    count: of members.COUNTS; None for as many as there are, or else one. Another count than before keeps the data, and
    a run that was killed is completed by the next one. Returns True if it was not so.
    """
    every = {number: controller(number) for number in range(1, max(members.COUNTS) + 1)}
    found = changes.standing_of(every)
    changes.check(found)
    count = count or changes.count(found)
    if found.is_stale or (count == 1 and found.with_data - {1}):
        _shrink(stamp, every)
    elif count == 1 and set(found.present) - {1}:
        _leave_first(every)
    current = {number: every[number] for number in range(1, count + 1)}
    if count > 1:
        _make_user()
        for number, each in current.items():
            changes.make(number, each, SYSTEM_USER)
    return _run(stamp, current)


def _shrink(stamp: str, every: Mapping[int, Controller]) -> None:
    """Leaves one of three controllers, which has all data."""
    if not changes.standing_of(every).is_stale:
        up = running()
        if 1 not in up or len(up) != 2:
            _run(stamp, every)
            every[2].stop()
        say("controller 1 is checked to have all data")
        try:
            cluster_cli.decide(every[1])
        except penstock_controller.ControllerError as error:
            raise PenstockError(f"controller 1: {error}") from error
    _leave_first(every)


def _leave_first(every: Mapping[int, Controller]) -> None:
    """Stops all controllers, and retires those whose data count no more."""
    for each in every.values():
        each.stop()
    if changes.standing_of(every).needs_decision:
        changes.decide(every[1])
    for number in sorted(set(members.present()) - {1}):
        _retire(number, every)


def _retire(number: int, every: Mapping[int, Controller]) -> None:
    every[number].stop()
    changes.retire(number, every[number], every[1])
    management.release_address(ADDRESS_USER, members.southbound(number))


def _run(stamp: str, current: Mapping[int, Controller]) -> bool:
    """Makes as many controllers run as are given. Returns True if it was not so."""
    for number in current:
        management.acquire_address(ADDRESS_USER, members.southbound(number))
        if controller_tree.Keeper(number).ensure():
            say(f"the supervision of controller {number} had ended and is started again")
    if any(each.pid is not None for each in current.values()) and _installed() != stamp:
        say("there is a new build; the controller is restarted")
        stop()
    for number, each in current.items():
        if each.pid is not None and each.settings.members != members.settings(number, len(current)).members:
            say(f"controller {number} gets other members, and is restarted")
            each.stop()
    if all(each.pid is not None for each in current.values()) and all(map(_gets_ready, current.values())):
        return False
    if _installed() != stamp:
        _install(stamp)
    _make_user()
    if len(current) == 1:
        _boot(current[1], members.settings(1, 1))
    else:
        _boot_all(current)
    for each in current.values():
        _say_what_is_wrong(each)
    return True


def _gets_ready(current: Controller) -> bool:
    """Whether one that runs is ready, or is so in time; ends it if not."""
    # One that has hung since its boot, or never got its ports, does not recover.
    patience = max(_HANG_SECONDS, _START_SECONDS - (current.uptime or 0))
    try:
        current.wait_until_ready(patience, None, MODEL)
        _say_what_is_wrong(current)
        return True
    except penstock_controller.ControllerError as error:
        say(f"the running controller does not get ready ({error}); it is restarted")
        current.stop()
        return False


def _boot(current: Controller, settings: Settings) -> None:
    _check_ports(settings)
    say(f"booting; log: {current.log_file}")
    try:
        current.boot(settings, _START_SECONDS, _report, MODEL)
    except penstock_controller.ControllerError as error:
        raise PenstockError(f"{error}{_last_errors(current.log_file)}") from error


def _boot_all(current: Mapping[int, Controller]) -> None:
    """Starts those that do not run, all at once: each needs a majority to become ready."""
    if changes.standing_of(current).needs_decision:
        for each in current.values():
            each.stop()
        changes.decide(current[1])
    password = next((each for each in current.values() if each.has_password), current[1]).password
    for number, each in current.items():
        if each.pid is not None:
            continue
        settings = members.settings(number, len(current))
        _check_ports(settings)
        each.take_password(password)
        say(f"controller {number} is booting; log: {each.log_file}")
        each.start(settings)
    deadline = time.monotonic() + _START_SECONDS
    for number, each in current.items():
        try:
            each.wait_until_ready(deadline - time.monotonic(), None, MODEL)
        except penstock_controller.ControllerError as error:
            stop()
            raise PenstockError(f"controller {number}: {error}{_last_errors(each.log_file)}") from error
        say(f"controller {number} is ready")


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
    """A controller that is ready may not carry out all that is configured, or need something soon."""
    reason = current.ask().reason
    if reason:
        say(f"WARNING: the controller needs an operator: {reason}")


def _check_ports(settings: Settings) -> None:
    """Says which port is taken, before a boot that would wait for it in vain."""
    for name, port in dataclasses.asdict(settings.ports).items():
        address = settings.listen_address if name in ("openflow", "ovsdb") else settings.northbound_address
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
            except OSError as error:
                raise PenstockError(f"port {port} ({name}) on {address} is not free: {error.strerror}") from None


def stop() -> bool:
    """Ends all controllers. Returns True if one ran."""
    ran = is_running()
    for number in members.present():
        controller(number).stop()
    return ran


def release_addresses() -> None:
    """Gives up the addresses at which nodes reach controllers."""
    for number in range(1, max(members.COUNTS) + 1):
        management.release_address(ADDRESS_USER, members.southbound(number))


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
