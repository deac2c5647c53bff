# SPDX-License-Identifier: Apache-2.0
"""The command line of ovs-config."""

import argparse
import dataclasses
import json
import os
import pathlib
import sys
from collections.abc import Sequence

from penstock_base import files, places
from penstock_base.errors import PenstockError, ProfileError
from penstock_base.version import version

from . import node, node_status, profile, switch_root, unit

_EPILOG = """examples:
  ovs-config check profiles/sample.yaml    check the profile against schema and machine
  ovs-config up profiles/sample.yaml       start the node, or do nothing if it runs
  ovs-config status --json                 all nodes of the run directory
  ovs-config down edge1                    stop the node and undo everything

Exit codes: 0 done, 1 could not be done, 2 wrong usage or wrong profile.
Progress goes to standard error, results to standard output."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        with files.explained():
            code: int = options.run(options)
            return code
    except ProfileError as error:
        print(error, file=sys.stderr)
        return 2
    except PenstockError as error:
        print(f"ovs-config: {error}", file=sys.stderr)
        return switch_root.ABSENT_CODE if isinstance(error, switch_root.Absent) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ovs-config", description="Deploys Open vSwitch with DPDK as a Penstock node, in a network namespace of "
        "its own.", epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"%(prog)s {version()}", help="print the version")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    check = commands.add_parser("check", help="check a profile",
                                description="Checks a profile against the schema and against this machine.")
    check.add_argument("profile", metavar="PROFILE", help="profile file (YAML)")
    check.add_argument("--text-only", action="store_true", help="check against the schema only")
    check.set_defaults(run=_check)
    up = commands.add_parser("up", help="start a node", description="Starts the node of a profile. If the node runs "
                             "already, applies the changes of the profile, or changes nothing. Fetches Open vSwitch "
                             "first if the node needs it and none is there.")
    up.add_argument("profile", metavar="PROFILE", help="profile file (YAML)")
    up.add_argument("--name", metavar="NODE", help="refuse the profile of any other node")
    up.add_argument("--no-fetch", action="store_true", help="do not fetch Open vSwitch; exit with 3 if the node needs "
                    "one and none is there")
    up.set_defaults(run=_up)
    down = commands.add_parser("down", help="stop a node", description="Stops a node and removes everything that up "
                               "made, also after a crash. Run it in the network namespace that up was run in.")
    down.add_argument("node", metavar="NODE", help="name of the node")
    _run_directory(down)
    down.set_defaults(run=_down)
    status = commands.add_parser("status", help="list the nodes", description="Lists the nodes of the run directory.")
    status.add_argument("--json", action="store_true", help="print JSON")
    _run_directory(status)
    status.set_defaults(run=_status)
    switch = commands.add_parser("switch", help="show or fetch Open vSwitch", description="Lists the Open vSwitch of "
                                 f"Debian {switch_root.SUITE} that was unpacked for nodes. A node runs the newest one "
                                 "from its next start on, unless its profile has switch-root.")
    switch.add_argument("--fetch", action="store_true", help="unpack the version that the archive has now")
    switch.add_argument("--mirror", metavar="URL",
                        help="archive of Debian to fetch it from; default: that of the machine")
    switch.add_argument("--json", action="store_true", help="print JSON")
    switch.set_defaults(run=_switch)
    service = commands.add_parser("unit", help="print a unit of systemd", description="Prints the unit of systemd that "
                                "starts the node of a profile, and its supervision again when that ends.")
    service.add_argument("profile", metavar="PROFILE", help="profile file (YAML)")
    service.set_defaults(run=_unit)
    return parser


def _run_directory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--run-directory", metavar="DIR", type=pathlib.Path, default=places.run_directory(),
                        help="directory of the nodes' files; default $PENSTOCK_RUN_DIR, else /run/penstock")


def _check(options: argparse.Namespace) -> int:
    loaded = profile.load(options.profile)
    running = any(entry["name"] == loaded.name and entry["state"] == "running"
                  for entry in node_status.status(loaded.run_directory))
    wrong = [] if options.text_only else profile.machine_problems(loaded, check_memory=not running)
    if wrong:
        raise ProfileError(wrong, options.profile)
    print(f"{options.profile}: node {loaded.name} is fine")
    return 0


def _up(options: argparse.Namespace) -> int:
    _need_root()
    loaded = profile.load(options.profile)
    if options.name not in (None, loaded.name):
        raise ProfileError([f"name: is {loaded.name}, and {options.name} was to be started; give the file the name of "
                            "its node"], options.profile)
    node.up(loaded, fetch=not options.no_fetch)
    return 0


def _down(options: argparse.Namespace) -> int:
    _need_root()
    node.down(options.node, options.run_directory)
    return 0


def _switch(options: argparse.Namespace) -> int:
    if options.fetch:
        _need_root()
        switch_root.make(options.mirror)
    made = switch_root.all_made()
    if options.json:
        print(json.dumps([dataclasses.asdict(root) for root in made], indent=2, default=str))
        return 0
    if not made:
        print(switch_root.Absent())
    for root in made:
        print(f"{root.directory}: Open vSwitch {root.open_vswitch}, DPDK {root.dpdk}, package {root.package}")
    for path in switch_root.ignored():
        print(f"{path}: ignored: not a whole copy, or not named after its version")
    return 0


def _status(options: argparse.Namespace) -> int:
    nodes = node_status.status(options.run_directory)
    if options.json:
        print(json.dumps(nodes, indent=2))
        return 0
    if not nodes:
        print(f"no nodes in {options.run_directory}")
    for entry in nodes:
        controllers = ", ".join(f"controller {target} {'connected' if connected else 'not connected'}"
                                for target, connected in sorted(entry.get("controllers", {}).items()))
        print(f"{entry['name']}: {entry['state']}, namespace {entry['namespace']}, address "
              f"{entry['management-address']}, {entry['resident-mb']} MB resident, "
              f"{entry['huge-pages-added']} huge pages added, {controllers or 'no controller known'}, "
              f"bridges: {', '.join(entry['bridges']) or 'none'}, "
              f"agent {'running' if entry['agent']['pid'] else 'down'}, {entry['agent']['resolvers']} resolvers")
    return 0


def _unit(options: argparse.Namespace) -> int:
    print(unit.of(profile.load(options.profile), options.profile), end="")
    return 0


def _need_root() -> None:
    if os.geteuid() != 0:
        raise PenstockError("needs root: it makes network namespaces and huge pages")
    files.take_umask()
