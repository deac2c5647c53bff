# SPDX-License-Identifier: Apache-2.0
"""The commands of ./penstock that need the source tree: the edge on one machine, and the work on Penstock itself."""

from __future__ import annotations

import argparse
import typing
from collections.abc import Callable

from penstock_base import exclusive

from . import down, lint, members, package, up

EXAMPLES = """\
  ./penstock up                 from a fresh Debian 12 to a working edge with three sample tenants
  ./penstock test               the gate: all tests that a change has to pass
  ./penstock test --changed     those that depend on what differs and need no core of their own, for every edit
  ./penstock test --all         the deep suite: what is too long, too hard or too random for the gate
  ./penstock lint               static analysis; prints each finding as FILE:LINE: TEXT
  ./penstock bench --quick      throughput and control plane, compared with bare forwarding and OVN
  ./penstock bench nat          carrier NAT: new sessions per second, memory, throughput with a full table
  ./penstock bench services     DHCP, DNS, and the effect of a hostile tenant on its neighbour
  ./penstock bench chain        cost of functions and chains, and loss while they change and fail
  ./penstock bench cores        how much two polling threads carry over one
  ./penstock bench scale        what many nodes and tenants cost the controller
  ./penstock bench switches     the same loads on three versions of Open vSwitch and two of OVN
  ./penstock bench load         many tenants and connections, beside one conntrack flow and OVN
  ./penstock package            build Debian packages of controller, nodes and functions
  ./penstock down               stop and remove everything
"""
_DOWN = """Stops the functions, the node, the controller and the sample's hosts, releases the huge pages, and
removes all their files, the stored tenants, the password and the journal of public addresses included. The build
stays, so that up is fast. Debian packages stay too."""

Command = Callable[..., argparse.ArgumentParser]


def add(commands: typing.Any, command: Command) -> None:
    """Adds them to the commands of the launcher. command: adds one."""
    made = command(commands, "up", _up, "install, build, start, provision and verify everything; a second run changes "
                   "nothing")
    made.add_argument("--controllers", type=int, choices=members.COUNTS, help="how many controllers: one, or a "
                      "cluster; another number than before keeps all data; default as many as there are, or one")
    made.add_argument("--with-metrics", action="store_true", help="also start Prometheus with Penstock's alerts, "
                      "at port 9090 of loopback")
    removed = command(commands, "down", _down, "stop and remove everything, the stored tenants included", _DOWN)
    kind = removed.add_mutually_exclusive_group()
    kind.add_argument("--keep", action="store_true", help="keep the controller's stored configuration (tenants, their "
                      "public addresses), its password and the journal for the next up")
    kind.add_argument("--purge", action="store_true", help="also remove the build, downloads and the "
                      "launcher's logs")
    linted = command(commands, "lint", _lint, "static analysis of Python, shell, YANG, the examples and the OpenAPI "
                     "document", needs_root=False)
    linted.add_argument("--write-openapi", action="store_true", help="write docs/openapi.json before, of the YANG")
    packed = command(commands, "package", _package, "build Debian packages of controller, nodes and functions, and the "
                     "client as a Python package, in target/packages")
    packed.add_argument("--client", action="store_true", help="only the Python package of the client")
    packed.add_argument("--revision", type=int, default=0, metavar="N", help="of a further build of the same commit; "
                        "its packages have a higher version")
    # For the list: main starts them.
    commands.add_parser("test", help="run the tests of the gate, or others, with or without a running network")
    commands.add_parser("bench", help="run benchmarks: of forwarding against bare and OVN, of carrier NAT, services, "
                        "chains, many loads or many nodes; needs the whole machine")


def _up(options: argparse.Namespace) -> int:
    with exclusive.alone("launcher", "./penstock up"):
        text = up.run(options.controllers, options.with_metrics)
    print(text, end="")
    return 0


def _down(options: argparse.Namespace) -> int:
    with exclusive.alone("launcher", "./penstock down"):
        down.run(options.keep, options.purge)
    return 0


def _lint(options: argparse.Namespace) -> int:
    if options.write_openapi:
        lint.write_openapi()
    found = lint.run()
    print("".join(f"{finding}\n" for finding in found), end="")
    return 1 if found else 0


def _package(options: argparse.Namespace) -> int:
    with exclusive.alone("package", "./penstock package", wait=True):
        built = [*([] if options.client else package.run(options.revision)), package.client(options.revision)]
    print("\n".join(map(str, built)))
    return 0
