# SPDX-License-Identifier: Apache-2.0
"""The command line of ./penstock."""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import ipaddress
import json
import os
import sys
import typing
from collections.abc import Callable, Sequence

import penstock_controller
from penstock_base import exclusive, failures, places

from . import control, down, lint, logs, nat_journal, status, suites, up

_BENCH = "bench"
_EPILOG = """examples:
  ./penstock up                 from a fresh Debian 12 to a working edge with three sample tenants
  ./penstock status --json      one object for programs
  ./penstock console            the Karaf console; type penstock: and press tab for the commands
  ./penstock logs -f controller
  ./penstock nat-owner 203.0.113.0 40000 --at 2026-11-21T18:00:00Z
                                the tenant that had this public address and port at that time
  ./penstock test               all tests
  ./penstock test --quick       the tests that need no core of their own, for every edit
  ./penstock lint               static analysis; prints each finding as FILE:LINE: TEXT
  ./penstock bench --quick      throughput and control plane, compared with bare forwarding and OVN
  ./penstock bench nat          carrier NAT: new sessions per second, memory, throughput with a full table
  ./penstock bench services     DHCP, DNS, and the effect of a hostile tenant on its neighbour
  ./penstock bench chain        cost of functions and chains, and loss while they change and fail
  ./penstock bench cores        how much two polling threads carry over one
  ./penstock bench scale        what many nodes and tenants cost the controller
  ./penstock bench load         many tenants and connections, beside one conntrack flow and OVN
  ./penstock down               stop and remove everything

Exit codes: 0 done, 1 could not be done, 2 wrong usage, 3 (status, console) the controller does not run.
Progress goes to standard error, results to standard output.

Files: /run/penstock ($PENSTOCK_RUN_DIR) while it runs, /var/lib/penstock ($PENSTOCK_STATE_DIR) for the controller's
stored configuration and password, /var/log/penstock ($PENSTOCK_LOG_DIR) for the launcher's logs.
"""

_DOWN = """Stops the functions, the node, the controller and the sample's hosts, releases the huge pages, and
removes all their files, the stored tenants, the password and the journal of public addresses included. The build
stays, so that up is fast. Debian packages stay too."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == [_BENCH]:
        _become_the_benchmark(arguments[1:])
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 2

    def work() -> int:
        if options.needs_root:
            failures.need_root(options.command)
        code: int = options.run(options)
        return code
    return failures.exit_code(work)


def _become_the_benchmark(arguments: Sequence[str]) -> typing.NoReturn:
    """The benchmark is no part of the product: a program of its own, with options and exit codes of its own."""
    os.execve(places.PYTHON, [places.PYTHON, "-m", "penstock_bench", *arguments],
              os.environ | {"PYTHONPATH": places.python_path()})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./penstock", description="Penstock on one machine: a multi-tenant provider edge on Open vSwitch with "
        "DPDK, driven by OpenDaylight.", epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(command=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    _command(commands, "up", _up, "install, build, start, provision and verify everything; a second run changes "
             "nothing")
    removed = _command(commands, "down", _down, "stop and remove everything, the stored tenants included", _DOWN)
    kind = removed.add_mutually_exclusive_group()
    kind.add_argument("--keep", action="store_true", help="keep the controller's stored configuration (tenants, their "
                      "public addresses), its password and the journal for the next up")
    kind.add_argument("--purge", action="store_true", help="also remove the build, downloads and the "
                      "launcher's logs")
    shown = _command(commands, "status", _status, "show the state of nodes, tenants, chains and functions")
    shown.add_argument("--json", action="store_true", help="print one JSON object")
    _command(commands, "console", _console, "open the Karaf console, or run commands from standard input if that is no "
             "terminal")
    log = _command(commands, "logs", _logs, "show the logs")
    log.add_argument("kind", nargs="?", choices=logs.KINDS, help="logs to show; default: all but the launcher's")
    log.add_argument("-f", "--follow", action="store_true", help="continue with lines that are added")
    log.add_argument("-n", "--lines", type=int, default=20, metavar="N", help="lines of each file; default 20")
    owner = _command(commands, "nat-owner", _nat_owner, "show the tenant that had a public address and port at a "
                     "time; needs no controller", needs_root=False)
    owner.add_argument("address", type=ipaddress.IPv4Address, metavar="ADDRESS", help="public IPv4 address")
    owner.add_argument("port", type=_port, nargs="?", metavar="PORT", help="public port, 1 to 65535; default any")
    owner.add_argument("--protocol", choices=nat_journal.PROTOCOLS, help="of the port; default either")
    owner.add_argument("--at", type=_moment, default=None, metavar="TIME",
                       help="ISO 8601 with a time zone, as 2026-11-21T18:00:00Z; default now")
    owner.add_argument("--tolerance", type=_seconds, default="2", metavar="SECONDS",
                       help="also show tenants that had it this long before or after; default 2")
    _add_journal_options(owner)
    _add_journal_options(_command(commands, "nat-verify", _nat_verify, "check that the journal of public addresses "
                                  "is unchanged", needs_root=False))
    tests = _command(commands, "test", _test, "run all tests, with or without a running network")
    tests.add_argument("--quick", action="store_true", help="only the tests that need no core of their own: a few "
                       "minutes, for every edit")
    tests.add_argument("--only", action="append", choices=[tier.name for tier in suites.TIERS], default=[],
                       metavar="TIER", help="only these tests, with what was built before; one of "
                       f"{', '.join(tier.name for tier in suites.TIERS)}; may be repeated")
    _command(commands, "lint", _lint, "static analysis of Python, shell, YANG and the examples", needs_root=False)
    # For the list: main starts it.
    commands.add_parser(_BENCH, help="run benchmarks: of forwarding against bare and OVN, of carrier NAT, services, "
                        "chains, many loads or many nodes; needs the whole machine")
    _command(commands, "help", lambda _: _help(parser), "show this", needs_root=False)
    return parser


def _help(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0


def _command(commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str,
             run: Callable[[argparse.Namespace], int], text: str, description: str | None = None,
             needs_root: bool = True) -> argparse.ArgumentParser:
    added = commands.add_parser(name, help=text, description=description or text[0].upper() + text[1:] + ".")
    added.set_defaults(run=run, needs_root=needs_root)
    return added


def _add_journal_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--directory", default=str(places.nat_journal()), metavar="DIR",
                         help="of the journal, or a copy of it; default %(default)s")
    command.add_argument("--json", action="store_true", help="print one JSON object")


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is not in 1..65535")
    return int(text)


def _moment(text: str) -> datetime.datetime:
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not ISO 8601 with a time zone, as 2026-11-21T18:00:00Z")
    return moment


def _seconds(text: str) -> datetime.timedelta:
    try:
        return datetime.timedelta(seconds=abs(float(text)))
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds") from None


def _up(_: argparse.Namespace) -> int:
    with exclusive.alone("launcher", "./penstock up"):
        text = up.run()
    print(text, end="")
    return 0


def _down(options: argparse.Namespace) -> int:
    with exclusive.alone("launcher", "./penstock down"):
        down.run(options.keep, options.purge)
    return 0


def _status(options: argparse.Namespace) -> int:
    if not control.is_running():
        if options.json:
            print(json.dumps(status.NOT_RUNNING, indent=2))
        print("penstock: the controller does not run; start it with ./penstock up", file=sys.stderr)
        return 3
    state = status.collect(control.restconf())
    print(json.dumps(state, indent=2) if options.json else status.render(state))
    return 0


def _console(_: argparse.Namespace) -> int:
    if not control.is_running():
        print("penstock: the controller does not run; start it with ./penstock up", file=sys.stderr)
        return 3
    commands = None if sys.stdin.isatty() else sys.stdin.read()
    try:
        print(control.controller().console(commands), end="")
    except penstock_controller.ControllerError as error:
        print(f"penstock: {error}", file=sys.stderr)
        return 1
    return 0


def _logs(options: argparse.Namespace) -> typing.NoReturn:
    logs.show(options.kind, options.follow, options.lines)


def _nat_owner(options: argparse.Namespace) -> int:
    moment = options.at or datetime.datetime.now(datetime.UTC)
    found = nat_journal.owners(options.directory, options.address, options.port, options.protocol, moment,
                               options.tolerance)
    if options.json:
        print(json.dumps({"owners": [dataclasses.asdict(owner) for owner in found]}, indent=2))
    else:
        print("\n".join(map(_told, found)) or f"no tenant had {options.address} at {moment.isoformat()}")
    return 0


def _told(owner: nat_journal.Owner) -> str:
    inside = owner.inside or "some host"
    inside += f" port {owner.inside_port}" if owner.inside_port else ""
    return (f"tenant {owner.tenant} (VRF {owner.vrf}), {inside}, by {owner.kind}, from {owner.since} to "
            f"{owner.until or 'later'}")


def _nat_verify(options: argparse.Namespace) -> int:
    found = nat_journal.verify(options.directory)
    print(json.dumps(found, indent=2) if options.json else
          "whole: {entries} entries in {segments} segments, {first} to {last}".format(**found))
    return 0


def _test(options: argparse.Namespace) -> int:
    return 0 if suites.run(options.quick, options.only) else 1


def _lint(_: argparse.Namespace) -> int:
    found = lint.run()
    print("".join(f"{finding}\n" for finding in found), end="")
    return 1 if found else 0
