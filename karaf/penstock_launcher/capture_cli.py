# SPDX-License-Identifier: Apache-2.0
"""`./penstock capture`: packets of one tenant, into a pcap file on the machine of the tenant's node."""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import pathlib
import sys
from collections.abc import Callable

from penstock_base import places
from penstock_base.errors import PenstockError
from penstock_base.restconf import Restconf

from . import running
from .arguments import NOT_RUNNING

_NOT_RUNNING = 3
_ENDS = {"packets": "the number of packets was reached", "seconds": "the time was over",
         "bytes": "the file has its largest size", "interrupted": "it was interrupted",
         "rate": "the tenant had so many packets a second that copies of them would slow the switch",
         "port": "the switch took the port of the capture away"}


@dataclasses.dataclass(frozen=True)
class Place:
    """Where packets of the tenant alone pass, as the controller says it."""
    attachment: str
    node: str
    port: str
    vlan: int


def add(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds the command. command: makes one of its name, function and text."""
    captured = command("capture", _capture, "write packets of a tenant at one of its attachments into a pcap file, on "
                       "the machine of its node")
    captured.add_argument("tenant", metavar="TENANT", help="name of the tenant")
    captured.add_argument("filter", nargs="?", default="", metavar="FILTER",
                          help="a filter of tcpdump, as 'icmp or port 53'; default all packets")
    captured.add_argument("--at", metavar="ATTACHMENT", help="name of the attachment; default the only one")
    captured.add_argument("--count", type=int, default=1000, metavar="N", help="most packets; default 1000")
    captured.add_argument("--seconds", type=float, default=60.0, metavar="N", help="longest duration; default 60")
    captured.add_argument("--output", type=pathlib.Path, metavar="FILE",
                          help="the file, which must not exist; default TENANT-TIME.pcap")
    captured.add_argument("--json", action="store_true", help="print one JSON object")


def granted(restconf: Restconf, tenant: str, attachment: str | None, words: str, seconds: float, count: int) -> Place:
    """Asks the controller for the place, which writes the capture into the audit log. Raises PenstockError."""
    given = {"tenant": tenant, "filter": words, "seconds": f"{seconds:.1f}", "packets": count}
    answer = restconf.call("penstock-operations:capture", given | ({"attachment": attachment} if attachment else {}))
    return Place(answer["attachment"], answer["node"], answer["port"], int(answer["vlan"]))


def _capture(options: argparse.Namespace) -> int:
    if not running.is_running():
        print(f"penstock: {NOT_RUNNING}", file=sys.stderr)
        return _NOT_RUNNING
    try:
        # On a machine without a node its packages need not be there.
        from penstock_node import capture  # noqa: PLC0415
    except ImportError as missing:
        raise PenstockError(f"the packages of a node are not on this machine ({missing.name}): run the command on the "
                            "machine of the tenant's node") from None
    bounds = capture.Bounds(packets=options.count, seconds=options.seconds)
    output = options.output or pathlib.Path(
        f"{options.tenant}-{datetime.datetime.now(datetime.UTC):%Y%m%dT%H%M%SZ}.pcap")
    capture.check_filter(options.filter)
    place = granted(running.restconf(), options.tenant, options.at, options.filter, options.seconds, options.count)
    directory = places.run_directory() / place.node
    if not directory.is_dir():
        raise PenstockError(f"node {place.node} of tenant {options.tenant} is not on this machine: run the command on "
                            "the machine of the node, where the packets are")
    summary = capture.capture(
        directory, place.port, place.vlan, options.filter, output, bounds,
        lambda: print(f"capturing at {place.node}/{place.port}, VLAN {place.vlan}; Ctrl-C ends it", file=sys.stderr))
    if options.json:
        print(json.dumps({"tenant": options.tenant} | dataclasses.asdict(place) | dataclasses.asdict(summary)
                         | {"file": str(output)}, indent=2))
    else:
        print(f"{output}: {summary.packets} packets, {summary.bytes} bytes in {summary.seconds} s; "
              f"ended because {_ENDS[summary.ended]}")
        print(f"{summary.lost} packets were not captured")
    return 0
