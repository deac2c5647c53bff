# SPDX-License-Identifier: Apache-2.0
"""The command line of ./penstock."""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import functools
import ipaddress
import json
import os
import sys
import typing
from collections.abc import Callable, Sequence

import penstock_controller
from penstock_base import failures, places
from penstock_base.version import version

from . import access_cli, capture_cli, logs, members, nat_journal, remote_cli, running, status
from .arguments import NOT_RUNNING, PROGRAM, Parser, moment

_SOURCES = places.is_source_tree()
if _SOURCES:
    from . import tree
_PROGRAMS = {"pki": "penstock_pki"} | ({"bench": "penstock_bench", "test": "penstock_suite"} if _SOURCES else {})
"""Commands that are programs of their own, with options and exit codes of their own. Benchmark and tests are no part of
the product, and the authority may be on a machine that has nothing else of it."""
_EPILOG = f"""examples:
{tree.EXAMPLES if _SOURCES else ""}\
  {PROGRAM} status --json      one object for programs
  {PROGRAM} why red 10.0.0.10 198.51.100.10 80
                                the reason why these packets do not pass
  {PROGRAM} capture red 'icmp or port 53' --output red.pcap
                                packets of a tenant, for tcpdump or Wireshark
  {PROGRAM} console            the Karaf console; type penstock: and press tab for the commands
  {PROGRAM} logs -f controller
  {PROGRAM} nat-owner 203.0.113.0 40000 --at 2026-11-21T18:00:00Z
                                the tenant that had this public address and port at that time
  {PROGRAM} user add erika --role tenant --tenant red
                                an account; its password is shown once
  {PROGRAM} audit show --user erika
                                what she has changed, and what was refused to her
  {PROGRAM} history red --since 12h
                                changes of a tenant, with accounts and values, from any machine
  {PROGRAM} pki issue node edge1
                                a certificate for a node; {PROGRAM} pki --help has the others

  {PROGRAM} tenant set red quota/bandwidth-out=200000
                                one leaf of the configuration; {PROGRAM} tenant --help has the rest

Exit codes: 0 done, 1 could not be done, 2 wrong usage, 3 the controller does not run or does not answer,
4 the subject is not all right: packets do not pass (why), a tenant, function or node does not work (show),
a document is wrong (validate) or differs (diff), 5 the controller has refused the request.
Progress goes to standard error, results to standard output.

Files: /run/penstock ($PENSTOCK_RUN_DIR) while it runs, /var/lib/penstock ($PENSTOCK_STATE_DIR) for the controller's
stored configuration, password and audit log, /var/log/penstock ($PENSTOCK_LOG_DIR) for the launcher's logs.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in _PROGRAMS:
        _become(_PROGRAMS[arguments[0]], arguments[1:])
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


def _become(program: str, arguments: Sequence[str]) -> typing.NoReturn:
    os.execve(places.PYTHON, [places.PYTHON, "-m", program, *arguments],
              os.environ | {"PYTHONPATH": places.python_path()})


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = Parser(
        prog=PROGRAM, description="Penstock: a multi-tenant provider edge on Open vSwitch with DPDK, driven by "
        "OpenDaylight.", epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(command=None)
    parser.add_argument("--version", action="version", version=f"penstock {version()}", help="print the version")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    if _SOURCES:
        tree.add(commands, _command)
    shown = _command(commands, "status", _status, "show the state of nodes, tenants, chains and functions")
    shown.add_argument("--json", action="store_true", help="print one JSON object")
    capture_cli.add(lambda *words, **options: _command(commands, *words, **options))
    remote_cli.add(functools.partial(_command, commands, needs_root=False))
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
    owner.add_argument("--at", type=moment, default=None, metavar="TIME",
                       help="ISO 8601 with a time zone, as 2026-11-21T18:00:00Z; default now")
    owner.add_argument("--tolerance", type=_seconds, default="2", metavar="SECONDS",
                       help="also show tenants that had it this long before or after; default 2")
    _add_journal_options(owner)
    _add_journal_options(_command(commands, "nat-verify", _nat_verify, "check that the journal of public addresses "
                                  "is unchanged", needs_root=False))
    access_cli.add(lambda *words, **options: _command(commands, *words, **options), moment)
    # For the list: main starts it.
    commands.add_parser("pki", help="certificates of controller members and nodes: issue, renew, revoke, check")
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
    command.add_argument("--directory", default=None, metavar="DIR",
                         help=f"of the journal, or a copy of it; default {places.nat_journal()}, or that of the member "
                         "here that has the most lines")
    command.add_argument("--json", action="store_true", help="print one JSON object")


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is not in 1..65535")
    return int(text)


def _seconds(text: str) -> datetime.timedelta:
    try:
        return datetime.timedelta(seconds=abs(float(text)))
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds") from None


def _status(options: argparse.Namespace) -> int:
    if not running.is_running():
        if options.json:
            print(json.dumps(status.NOT_RUNNING, indent=2))
        print(f"penstock: {NOT_RUNNING}", file=sys.stderr)
        return 3
    state = status.collect(running.restconf())
    cluster = running.cluster()
    if cluster:
        state["members"] = cluster
    print(json.dumps(state, indent=2) if options.json else status.render(state))
    return 0


def _console(_: argparse.Namespace) -> int:
    if not running.is_running():
        print(f"penstock: {NOT_RUNNING}", file=sys.stderr)
        return 3
    try:
        if sys.stdin.isatty():
            print(running.master().console(), end="")
            return 0
        printed = running.master().console_lines(sys.stdin.read())
    except penstock_controller.ControllerError as error:
        print(f"penstock: {error}", file=sys.stderr)
        return 1
    print(printed.text, end="", flush=True)
    for line in printed.errors:
        print(f"penstock: console: {line}", file=sys.stderr)
    return 1 if printed.errors else 0


def _logs(options: argparse.Namespace) -> typing.NoReturn:
    logs.show(options.kind, options.follow, options.lines)


def _nat_owner(options: argparse.Namespace) -> int:
    at = options.at or datetime.datetime.now(datetime.UTC)
    found = nat_journal.owners(options.directory or members.journal(), options.address, options.port,
                               options.protocol, at, options.tolerance)
    if options.json:
        print(json.dumps({"owners": [dataclasses.asdict(owner) for owner in found]}, indent=2))
    else:
        print("\n".join(map(_told, found)) or f"no tenant had {options.address} at {at.isoformat()}")
    return 0


def _told(owner: nat_journal.Owner) -> str:
    inside = owner.inside or "some host"
    inside += f" port {owner.inside_port}" if owner.inside_port else ""
    return (f"tenant {owner.tenant} (VRF {owner.vrf}), {inside}, by {owner.kind}, from {owner.since} to "
            f"{owner.until or 'later'}")


def _nat_verify(options: argparse.Namespace) -> int:
    found = nat_journal.verify(options.directory or members.journal())
    print(json.dumps(found, indent=2) if options.json else
          "whole: {entries} entries in {segments} segments, {first} to {last}".format(**found))
    return 0
