# SPDX-License-Identifier: Apache-2.0
"""The command line of nat64."""

import argparse
import json
import pathlib
import sys
from collections.abc import Sequence

from penstock_base import places
from penstock_base.errors import PenstockError
from penstock_base.steps import say
from penstock_base.version import version

from . import nat64

_EPILOG = """examples:
  nat64 start box --inside fd00:64::1/64 --prefix fd00:64:9b::/96 --pool 10.64.0.0/24
  nat64 start box --inside fd00:64::1/64 --prefix 64:ff9b::/96 --pool 10.64.0.0/24 --map 10.64.1.5=fd00:64::5
  nat64 status --json
  nat64 stop box                                   hosts get the same addresses at the next start

Exit codes: 0 done, 1 could not be done, 2 wrong usage."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    options = _parser().parse_args(arguments)
    run_directory = options.run_dir or places.run_directory()
    state_directory = options.state_dir or places.state_directory()
    try:
        options.run(options, run_directory, state_directory)
        return 0
    except PenstockError as error:
        print(f"nat64: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nat64", description="Translates between IPv6 and IPv4 (TAYGA) in a box on a tenant's network, so that "
        "IPv6 hosts are subscribers of the tenant's NAT.", epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run-dir", type=pathlib.Path,
                        help="where configuration, pid and log are; default /run/penstock")
    parser.add_argument("--state-dir", type=pathlib.Path,
                        help="directory of the stored addresses of hosts; default /var/lib/penstock")
    parser.add_argument("--version", action="version", version=f"%(prog)s {version()}", help="print the version")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    start = commands.add_parser("start", help="start a translator", description="Starts a translator in a network "
                                "namespace; if it is running already, changes nothing.")
    start.add_argument("namespace", metavar="NAMESPACE", help="network namespace of the box")
    start.add_argument("--inside", required=True, metavar="ADDRESS/LENGTH",
                       help="IPv6 address of the box, the router of its IPv6 hosts")
    start.add_argument("--prefix", required=True, help="IPv6 prefix in which IPv4 is seen, /32 to /96 (RFC 6052); "
                       "64:ff9b::/96 is the well-known one, and does not reach private addresses")
    start.add_argument("--pool", required=True, help="IPv4 prefix of which each IPv6 host gets an address; the tenant "
                       "routes it to the box")
    start.add_argument("--map", action="append", default=[], metavar="IPV4=IPV6",
                       help="a host that has a certain IPv4 address; may be repeated")
    start.add_argument("--device", default="eth0", help="device of the box on the tenant's network; default eth0")
    start.set_defaults(run=_start)
    stop = commands.add_parser("stop", help="stop a translator", description="Stops a translator; hosts get the same "
                               "addresses when it is started again, unless they were forgotten.")
    stop.add_argument("namespace", metavar="NAMESPACE", help="network namespace of the box")
    stop.add_argument("--forget", action="store_true", help="forget the addresses of hosts")
    stop.set_defaults(run=_stop)
    status = commands.add_parser("status", help="show translators", description="Shows all translators and the hosts "
                                 "that have an address.")
    status.add_argument("--json", action="store_true", help="print JSON")
    status.set_defaults(run=_status)
    return parser


def _start(options: argparse.Namespace, run_directory: pathlib.Path, state_directory: pathlib.Path) -> None:
    settings = nat64.parse(options.inside, options.prefix, options.pool, options.map, options.device)
    if not nat64.Translator(options.namespace, run_directory, state_directory).start(settings):
        say(f"the translator in {options.namespace} is running already; nothing changed")


def _stop(options: argparse.Namespace, run_directory: pathlib.Path, state_directory: pathlib.Path) -> None:
    if not nat64.Translator(options.namespace, run_directory, state_directory).stop(options.forget):
        say(f"no translator runs in {options.namespace}; nothing to do")


def _status(options: argparse.Namespace, run_directory: pathlib.Path, state_directory: pathlib.Path) -> None:
    found = [translator.describe() for translator in nat64.everywhere(run_directory, state_directory)]
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for each in found:
        print(f"{each['namespace']}: {each['state']}, {each['prefix']} to {each['pool']}, {len(each['hosts'])} hosts")
        for six, four in each["hosts"].items():
            print(f"  {six} has {four}")
    if not found:
        print("no translator")
