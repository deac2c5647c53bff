# SPDX-License-Identifier: Apache-2.0
"""Command line: python3 -m penstock_controller start|stop|kill|status|console."""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import sys

from . import systemd
from .controller import Controller, start
from .errors import ControllerError
from .settings import NODES, Ports, Settings

DISTRIBUTION = pathlib.Path(__file__).resolve().parent.parent / "target" / "assembly"


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
    numbers = {field.name: getattr(options, field.name + "_port") for field in dataclasses.fields(Ports)}
    return Settings(options.listen, Ports(**numbers), options.heap, options.namespace,
                    nat_syslog=options.nat_syslog, nat_ipfix=options.nat_ipfix, event_syslog=options.event_syslog,
                    flow_check_seconds=options.flow_check_seconds, nodes=options.nodes)


def _run(controller: Controller, options: argparse.Namespace) -> int:
    systemd.run(controller, _settings(options))
    return 0


def _unit(controller: Controller, options: argparse.Namespace) -> int:
    _settings(options)  # Says what is wrong with them.
    words = ["--distribution", str(options.distribution.absolute()), "--run-dir", str(controller.run_dir), "run"]
    print(systemd.unit(controller.run_dir, options.user, words + _words(options)), end="")
    return 0


def _words(options: argparse.Namespace) -> list[str]:
    """The options of `run` that are not the default, as words of a command line."""
    plain = _parser().parse_args(["--run-dir", ".", "run"])
    return [word for name, value in vars(plain).items() if name not in ("run_dir", "distribution", "command")
            and getattr(options, name) != value
            for word in (f"--{name.replace('_', '-')}", str(getattr(options, name)))]


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
        print(f"the configuration is not carried out: {reason}")
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
    print(controller.console(None if sys.stdin.isatty() else sys.stdin.read()), end="")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="penstock_controller", description=__doc__)
    parser.add_argument("--distribution", default=DISTRIBUTION, type=pathlib.Path, help="built Karaf distribution")
    parser.add_argument("--run-dir", required=True, type=pathlib.Path, help="directory of this controller's files")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command, text in (
            ("start", _start, "start and wait until ready"),
            ("run", _run, "become the controller, as a service of systemd"),
            ("unit", _unit, "print a unit of systemd that runs it with these options"),
            ("stop", _stop, "stop the controller"), ("kill", _kill, "kill the controller, as in a crash"),
            ("status", _status, "print the state as JSON"),
            ("console", _console, "console; commands from standard input, or a terminal")):
        added = commands.add_parser(name, help=text)
        added.set_defaults(command=command)
        if command is _unit:
            added.add_argument("--user", default="penstock", help="system user of the controller (default %(default)s)")
        if command in (_start, _run, _unit):
            added.add_argument("--listen", default=Settings.listen_address,
                               help="address on which OpenFlow and OVSDB listen")
            added.add_argument("--namespace", help="network namespace to run in")
            added.add_argument("--heap", default=Settings.heap, help="Java heap (default %(default)s)")
            added.add_argument("--nat-syslog", default="", metavar="ADDRESS:PORT", help="send NAT events by syslog "
                               "over UDP to this address")
            added.add_argument("--nat-ipfix", default="", metavar="ADDRESS:PORT", help="send port block events by "
                               "IPFIX over UDP to this address")
            added.add_argument("--event-syslog", default="", metavar="ADDRESS:PORT", help="send what operators must "
                               "know by syslog over UDP to this address")
            added.add_argument("--flow-check-seconds", default=Settings.flow_check_seconds, type=int, metavar="SECONDS",
                               help="time in which all flows of each switch are compared with the plan and repaired; "
                               "0 for never (default %(default)s)")
            added.add_argument("--nodes", default=Settings.nodes, choices=NODES, help="which nodes are believed: those "
                               "configured with the address from which they connect, or any (default %(default)s)")
            for field in dataclasses.fields(Ports):
                added.add_argument(f"--{field.name}-port", default=field.default, type=int)
        if command is _start:
            added.add_argument("--model", default="", help="also wait for this YANG module")
            added.add_argument("--timeout", default=300, type=float, help="seconds (default %(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
