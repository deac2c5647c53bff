# SPDX-License-Identifier: Apache-2.0
"""The command line of functions."""

import argparse
import json
import os
import pathlib
import sys
from collections.abc import Sequence

from penstock_base import files, places
from penstock_base.errors import PenstockError, ProfileError
from penstock_base.steps import say
from penstock_base.version import version

from . import agent_process, catalogue, instance

_EPILOG = """examples:
  functions list                                   list the catalogue
  functions check                                  check all descriptions
  functions start packet-filter --node edge1       start it beside node edge1
  functions start fw2 --function packet-filter --node edge1
  functions status --json
  functions stop fw2 --node edge1
  functions release fw2 --node edge1               it may run again after a quarantine
  functions agent --node edge1 --detach            keep what the controller orders for node edge1

Exit codes: 0 done, 1 could not be done, 2 wrong usage or wrong description.
States: waiting (the switch is not connected to all its sockets yet, or the guest of form vm not ready),
attached, failed (the process has ended), quarantined (it has ended the switch, and may not run before `release`)."""


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
        print(f"functions: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="functions", description="Starts network functions beside a Penstock node and watches them.",
        epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"%(prog)s {version()}", help="print the version")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    listing = commands.add_parser("list", help="list the catalogue")
    listing.add_argument("--json", action="store_true", help="print JSON")
    _catalogue(listing)
    listing.set_defaults(run=_list)
    check = commands.add_parser("check", help="check descriptions",
                                description="Checks descriptions against the schema and against this machine.")
    check.add_argument("files", metavar="FILE", nargs="*", help="catalogue files; default is the whole catalogue")
    check.set_defaults(run=_check)
    start = commands.add_parser("start", help="start an instance", description="Starts an instance. If it runs "
                                "already, changes nothing.")
    start.add_argument("name", metavar="NAME", help="name of the instance; its ports are NAME-in and NAME-out, "
                       "and NAME-alt with a second output")
    start.add_argument("--function", metavar="FUNCTION", help="catalogue name; default NAME")
    start.add_argument("--core", type=int, help="core to run on; default is that of the catalogue")
    start.add_argument("--scheduling", choices=["idle", "low", "normal"],
                       help="share of the core; default is that of the catalogue")
    start.add_argument("--wait", metavar="SECONDS", type=float, default=0,
                       help="wait until packets pass all its ports, and a guest is ready; "
                       "default is not to wait")
    start.add_argument("--ordered", action="store_true", help="for the agent: it ends the instance with its order")
    _catalogue(start)
    _where(start, node_required=True)
    start.set_defaults(run=_start)
    stop = commands.add_parser("stop", help="stop an instance")
    stop.add_argument("name", metavar="NAME", help="name of the instance")
    stop.add_argument("--ordered", action="store_true", help="only if the agent has started it")
    _where(stop, node_required=True)
    stop.set_defaults(run=_stop)
    release = commands.add_parser("release", help="end the quarantine of an instance", description="Ends the "
                                  "quarantine of an instance that has ended the switch of its node. An ordered one is "
                                  "started again by the agent, others by start.")
    release.add_argument("name", metavar="NAME", help="name of the instance")
    release.add_argument("--json", action="store_true", help="print JSON: name, node, and whether it was released")
    _where(release, node_required=True)
    release.set_defaults(run=_release)
    status = commands.add_parser("status", help="list the instances")
    status.add_argument("--json", action="store_true", help="print JSON")
    _where(status, node_required=False)
    status.set_defaults(run=_status)
    agent = commands.add_parser("agent", help="run the agent, which keeps the instances that the controller orders",
                                description="Starts and "
                                "ends instances as the controller orders in the node's database, and reports there. "
                                "Runs until it is ended, which leaves its instances as they are.")
    how = agent.add_mutually_exclusive_group()
    how.add_argument("--detach", action="store_true", help="run in the background; if it runs already, change nothing")
    how.add_argument("--stop", action="store_true", help="end the agent of this node, however it was started")
    _catalogue(agent)
    _where(agent, node_required=True)
    agent.set_defaults(run=_agent)
    return parser


def _catalogue(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--catalogue", metavar="DIR", type=pathlib.Path, default=catalogue.DIRECTORY,
                        help="directory of the descriptions; default is the one beside this program")


def _where(parser: argparse.ArgumentParser, node_required: bool) -> None:
    parser.add_argument("--node", metavar="NODE", required=node_required, help="name of the node")
    parser.add_argument("--run-directory", metavar="DIR", type=pathlib.Path, default=places.run_directory(),
                        help="directory of the nodes' files; default $PENSTOCK_RUN_DIR, else /run/penstock")


def _list(options: argparse.Namespace) -> int:
    entries = catalogue.load_all(options.catalogue)
    if options.json:
        print(json.dumps([entry.as_json() for entry in entries.values()], indent=2))
        return 0
    for entry in entries.values():
        shared = "for several tenants" if entry.shared else "for one tenant"
        outputs = f", {entry.outputs} outputs" if entry.outputs != 1 else ""
        print(f"{entry.name}: {entry.description} ({entry.form}{outputs}, {shared}, fail-policy {entry.fail_policy})")
    return 0


def _check(options: argparse.Namespace) -> int:
    wrong = []
    paths = [pathlib.Path(name) for name in options.files] or catalogue.paths()
    for path in paths:
        try:
            entry = catalogue.load(path)
            problems = catalogue.machine_problems(entry)
            if problems:
                raise ProfileError(problems, path)
            print(f"{path}: function {entry.name} is fine")
        except ProfileError as error:
            wrong.append(str(error))
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
    return 2 if wrong else 0


def _start(options: argparse.Namespace) -> int:
    _need_root()
    function = catalogue.find(options.function or options.name, options.catalogue)
    instance.start(options.name, options.node, function, options.run_directory, options.core, options.scheduling,
                   options.wait, options.ordered)
    return 0


def _stop(options: argparse.Namespace) -> int:
    _need_root()
    instance.stop(options.name, options.node, options.run_directory, options.ordered)
    return 0


def _release(options: argparse.Namespace) -> int:
    _need_root()
    released = instance.release(options.name, options.node, options.run_directory)
    if options.json:
        print(json.dumps({"name": options.name, "node": options.node, "released": released}))
    return 0


def _agent(options: argparse.Namespace) -> int:
    _need_root()
    if options.stop:
        if not agent_process.stop(options.node, options.run_directory):
            say(f"no agent of functions runs for node {options.node}; nothing to do")
    elif options.detach:
        if not agent_process.start(options.node, options.run_directory, options.catalogue):
            say(f"the agent of functions of node {options.node} runs already; nothing changed")
    else:
        agent_process.become(options.node, options.run_directory, options.catalogue)
    return 0


def _status(options: argparse.Namespace) -> int:
    entries = instance.status(options.run_directory, options.node)
    if options.json:
        print(json.dumps(entries, indent=2))
        return 0
    if not entries:
        print(f"no functions in {options.run_directory}")
    held_names = [(entry["name"], entry["node"]) for entry in entries if entry["quarantine"]]
    for entry in entries:
        counters = "".join(f", {name} {packets}" for name, packets in entry.get("counters", {}).items())
        core = "any core" if entry["core"] is None else f"core {entry['core']}"
        lack = (entry["control-group"] or {}).get("missing")
        unbounded = f", NO CONTROL GROUP: {lack}" if lack else ""
        acceleration = f", {entry['acceleration']}" if entry.get("acceleration") else ""
        held = entry["quarantine"]
        reason = f"; {held['time']}: {held['reason']}" if held else ""
        problem = f"; {entry['problem']}" if entry.get("problem") else ""
        print(f"{entry['node']}/{entry['name']}: {entry['state']} ({entry['function']}, {entry['form']}{acceleration}, "
              f"{core}, {entry['resident-mb']} MB resident{counters}{unbounded}){reason}{problem}")
    for name, node in held_names:
        print(f"to release it: functions release {name} --node {node}")
    return 0


def _need_root() -> None:
    if os.geteuid() != 0:
        raise PenstockError("needs root: it makes network namespaces and huge pages")
    files.take_umask()
