# SPDX-License-Identifier: Apache-2.0
"""The controllers that the launcher runs on this machine: one, or the members of a cluster, numbered from 1.

    number   RESTCONF, console, cluster   OpenFlow, OVSDB    run directory
    1        127.0.0.1                    169.254.77.1       STATE/controller
    2        127.0.0.2                    169.254.77.2       STATE/controller-2
"""

import ipaddress
import pathlib

from penstock_base import places
from penstock_controller import Settings
from penstock_controller.settings import LOOPBACK, Member
from penstock_node import management

from . import nat_journal

COUNTS = (1, 3)
"""How many controllers there may be. Two need each other, and so fail twice as often as one."""


def present() -> list[int]:
    """The numbers of those that have been started, and not been removed."""
    return [number for number in range(1, max(COUNTS) + 1) if places.controller_directory(number).is_dir()]


def southbound(number: int) -> str:
    """Address where nodes reach a controller."""
    return str(ipaddress.ip_address(management.CONTROLLER_ADDRESS) + number - 1)


def journal() -> pathlib.Path:
    """Directory of the journal of public addresses: that of the member here which has the most lines."""
    return max((places.nat_journal(number) for number in present() or COUNTS[:1]), key=nat_journal.last_number)


def settings(number: int, count: int) -> Settings:
    """Those of one of `count` controllers."""
    names = [Member(f"member-{each}", _northbound(each)) for each in range(1, count + 1)]
    return Settings(listen_address=southbound(number), northbound_address=_northbound(number),
                    member=names[number - 1].name, members=tuple(names) if count > 1 else ())


def _northbound(number: int) -> str:
    return str(ipaddress.ip_address(LOOPBACK) + number - 1)
