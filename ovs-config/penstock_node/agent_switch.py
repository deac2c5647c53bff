# SPDX-License-Identifier: Apache-2.0
"""What the agent asks the running switch at its control socket, many times a minute, without a process for each."""

import re

import ovs.unixctl.client

from . import processes
from .errors import PenstockError


def ask(switch, command, *arguments):
    """Sends one command to the process of `switch`, an Ovs. Returns the answer; PenstockError when there is none."""
    pid = processes.pid_of(switch.switch_process)
    failed, client = ovs.unixctl.client.UnixctlClient.create(str(switch.directory / f"ovs-vswitchd.{pid}.ctl"))
    if failed:
        raise PenstockError("the switch does not answer")
    try:
        failed, error, answer = client.transact(command, list(arguments))
    finally:
        client.close()
    if failed or error:
        raise PenstockError(f"{command}: {(error or 'no answer').strip()}")
    return answer or ""


def zones(switch):
    """{conntrack zone: (limit, connections)} of the zones that have a limit."""
    return {int(zone): (int(limit), int(count)) for zone, limit, count in
            re.findall(r"zone=(\d+),limit=(\d+),count=(\d+)", ask(switch, "dpctl/ct-get-limits"))}
