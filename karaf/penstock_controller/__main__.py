# SPDX-License-Identifier: Apache-2.0
"""Command line: penstock-controller start|run|check|stop|kill|status|console|cluster."""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import sys
from typing import Any

from . import cluster_cli, systemd
from .controller import Controller, start
from .errors import ControllerError
from .settings import NODES, Member, Ports, Settings, Tls

_HOME = pathlib.Path(__file__).resolve().parent.parent
DISTRIBUTION = next((place for place in (_HOME / "distribution",) if place.is_dir()), _HOME / "target" / "assembly")
"""That of the packages, or else that of the source tree."""
RUN_DIRECTORY = pathlib.Path("/var/lib/penstock/controller")
"""As penstock_base/places.py has it."""


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    controller = Controller(options.distribution, options.run_dir)
    try:
        done: int = options.command(controller, options)
        return done
    except (ControllerError, OSError, ValueError) as failure:
        print(f"penstock_controller: {failure}", file=sys.stderr)
        return 1


def _settings(options: argparse.Namespace) -> Settings:
    if options.settings:
        others = [word for word in _words(options)[::2] if word != "--settings"]
        if others:
            raise ValueError(f"--settings has all settings: leave out {' '.join(others)}, or write them into the file")
        return _of_file(options.settings)
    numbers = {field.name: getattr(options, field.name + "_port") for field in dataclasses.fields(Ports)}
    files = {field.name: getattr(options, f"tls_{field.name}") for field in dataclasses.fields(Tls)}
    if any(files.values()) and not all(files.values()):
        raise ValueError("tls: give all of " + ", ".join(f"--tls-{name}" for name in files) + ", or none")
    return Settings(listen_address=options.listen, northbound_address=options.northbound, member=options.member,
                    members=options.members, ports=Ports(**numbers), heap=options.heap, namespace=options.namespace,
                    nat_syslog=options.nat_syslog, nat_ipfix=options.nat_ipfix, event_syslog=options.event_syslog,
                    flow_check_seconds=options.flow_check_seconds, metrics_tenants=options.metrics_tenants,
                    nodes=options.nodes,
                    tls=Tls(**files) if all(files.values()) else None)


def _of_file(path: pathlib.Path) -> Settings:
    from . import settings_file  # noqa: PLC0415  (it alone needs libraries; the options do not)
    try:
        return settings_file.load(path)
    except settings_file.ProfileError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None


def _check(_: Controller, options: argparse.Namespace) -> int:
    _of_file(options.file)
    print(f"{options.file}: the settings are fine")
    return 0


def _run(controller: Controller, options: argparse.Namespace) -> int:
    systemd.run(controller, _settings(options))
    return 0


def _unit(controller: Controller, options: argparse.Namespace) -> int:
    _settings(options)  # Says what is wrong with them.
    options.settings = options.settings and options.settings.absolute()
    words = ["--distribution", str(options.distribution.absolute()), "--run-dir", str(controller.run_dir), "run"]
    print(systemd.unit(controller.run_dir, options.user, words + _words(options)), end="")
    return 0


def _words(options: argparse.Namespace) -> list[str]:
    """The options of `run` that are not the default, as words of a command line."""
    plain = _parser().parse_args(["run"])
    return [word for name, value in vars(plain).items() if name not in ("run_dir", "distribution", "command")
            and getattr(options, name) != value
            for word in (f"--{name.replace('_', '-')}", _text(getattr(options, name)))]


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _start(controller: Controller, options: argparse.Namespace) -> int:
    settings = _settings(options)

    def report(step: str, seconds: float) -> None:
        if step == "again":
            step = f"the boot hung and is started again; thread dump: {controller.thread_dumps[-1]}"
        print(f"{seconds:6.1f} s  {step}", flush=True)

    started = start(options.distribution, options.run_dir, settings, seconds=options.timeout, model=options.model,
                    progress=report)
    reason = started.ask().reason
    if reason:
        print(f"the controller needs an operator: {reason}")
    print(f"ready: {started.restconf_url}, user {started.user}, password in {started.run_dir / 'password'}")
    return 0


def _stop(controller: Controller, _: argparse.Namespace) -> int:
    controller.stop()
    return 0


def _kill(controller: Controller, _: argparse.Namespace) -> int:
    controller.kill()
    return 0


def _status(controller: Controller, _: argparse.Namespace) -> int:
    """Exit code 3, as LSB has it, when it does not run."""
    if controller.pid is None:
        print(json.dumps({"running": False}))
        return 3
    answer = controller.ask()
    print(json.dumps({
        "running": True, "pid": controller.pid, "uptime-seconds": round(controller.uptime or 0),
        "resident-megabytes": round((controller.resident_bytes or 0) / 1e6), "restconf": controller.restconf_url,
        "log": str(controller.log_file), "ready": answer.done, "engine": answer.engine, "reason": answer.reason},
        indent=2))
    return 0


def _console(controller: Controller, _: argparse.Namespace) -> int:
    if sys.stdin.isatty():
        print(controller.console(), end="")
        return 0
    printed = controller.console_lines(sys.stdin.read())
    print(printed.text, end="", flush=True)
    for line in printed.errors:
        print(f"penstock_controller: console: {line}", file=sys.stderr)
    return 1 if printed.errors else 0


class _Version(argparse.Action):
    def __init__(self, option_strings: list[str], dest: str, **rest: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=rest.get("help"))

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from .version import version  # noqa: PLC0415  (as for settings_file)
        print(f"{parser.prog} {version()}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="penstock-controller", description="Runs a controller of Penstock.")
    parser.add_argument("--distribution", default=DISTRIBUTION, type=pathlib.Path, help="built Karaf distribution")
    parser.add_argument("--run-dir", default=RUN_DIRECTORY, type=pathlib.Path,
                        help="directory of this controller's files (default %(default)s)")
    parser.add_argument("--version", action=_Version, help="print the version")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command, text in (
            ("start", _start, "start and wait until ready"),
            ("run", _run, "become the controller, as a service of systemd"),
            ("check", _check, "check a settings file"),
            ("unit", _unit, "print a unit of systemd that runs it with these options"),
            ("stop", _stop, "stop the controller"), ("kill", _kill, "kill the controller, as in a crash"),
            ("status", _status, "print the state as JSON"),
            ("console", _console, "console; commands from standard input, or a terminal")):
        added = commands.add_parser(name, help=text)
        added.set_defaults(command=command)
        if command is _check:
            added.add_argument("file", metavar="FILE", type=pathlib.Path, help="settings file (YAML)")
        if command is _unit:
            added.add_argument("--user", default="penstock", help="system user of the controller (default %(default)s)")
        if command in (_start, _run, _unit):
            added.add_argument("--settings", metavar="FILE", type=pathlib.Path, help="settings file (YAML), in place "
                               "of the following options")
            added.add_argument("--listen", default=Settings.listen_address,
                               help="address on which OpenFlow and OVSDB listen")
            added.add_argument("--northbound", default=Settings.northbound_address, metavar="ADDRESS",
                               help="address on which RESTCONF listens, by HTTPS if other machines reach it and there "
                               "are certificates (default %(default)s)")
            added.add_argument("--member", default=Settings.member, help="name of this controller in its cluster "
                               "(default %(default)s)")
            added.add_argument("--members", default=(), type=Member.parse_all, metavar="NAME=ADDRESS,...",
                               help="all controllers of the cluster with the addresses at which they reach each other, "
                               "the same list for all")
            added.add_argument("--namespace", help="network namespace to run in")
            added.add_argument("--heap", default=Settings.heap, help="Java heap (default %(default)s)")
            added.add_argument("--nat-syslog", default="", metavar="ADDRESS:PORT", help="send NAT events by syslog "
                               "over UDP to this address")
            added.add_argument("--nat-ipfix", default="", metavar="[tcp:]ADDRESS:PORT,...", help="send NAT events by "
                               "IPFIX over UDP, or TCP, to this address, or to two")
            added.add_argument("--event-syslog", default="", metavar="ADDRESS:PORT", help="send what operators must "
                               "know by syslog over UDP to this address")
            added.add_argument("--flow-check-seconds", default=Settings.flow_check_seconds, type=int, metavar="SECONDS",
                               help="time in which all flows of each switch are compared with the plan and repaired; "
                               "0 for never (default %(default)s)")
            added.add_argument("--metrics-tenants", default=Settings.metrics_tenants, type=int, metavar="NUMBER",
                               help="tenants with samples of their own in the metrics; those of all others are added "
                               "up (default %(default)s)")
            added.add_argument("--nodes", default=Settings.nodes, choices=NODES, help="which nodes are believed: those "
                               "configured with the address from which they connect, or any (default %(default)s)")
            for kind, content in (("certificate", "certificate of this member"), ("key", "its private key"),
                                  ("ca", "certificate of the authority"), ("crl", "what is revoked")):
                added.add_argument(f"--tls-{kind}", default="", metavar="FILE", help=f"{content}, an absolute path "
                                   "(PEM); without these four all is plain text")
            for field in dataclasses.fields(Ports):
                added.add_argument(f"--{field.name}-port", default=field.default, type=int)
        if command is _start:
            added.add_argument("--model", default="", help="also wait for this YANG module")
            added.add_argument("--timeout", default=300, type=float, help="seconds (default %(default)s)")
    cluster_cli.add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
