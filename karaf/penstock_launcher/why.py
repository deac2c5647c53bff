# SPDX-License-Identifier: Apache-2.0
"""What `./penstock why` shows: the reason why packets of a tenant do not pass, asked of the controller."""

import textwrap
import typing

from penstock_base.texts import plain
from penstock_client.client import Caller

Report = dict[str, typing.Any]

PROTOCOLS = ("tcp", "udp", "icmp")
NO_FAULT = "none"
"""The cause where nothing is wrong. The same as Cause.java has."""

_MARKS = {"passes": "ok", "notice": "note", "unknown": "?", "fails": "FAILS"}


def ask(restconf: Caller, tenant: str, host: str | None = None, destination: str | None = None,
        port: int | None = None, protocol: str | None = None, inbound: bool = False) -> Report:
    """The answer, with every field there: null or empty where the RPC has none. A host of `-` stands for all.

    inbound: the host is an external one, the destination a public address of the tenant.
    """
    given = {"tenant": tenant, "host": None if host == "-" else host, "destination": destination, "port": port,
             "protocol": protocol, "inbound": inbound or None}
    output = restconf.call("penstock-operations:why", {leaf: value for leaf, value in given.items()
                                                       if value is not None})
    return {"cause": output["cause"], "answer": output["answer"], "remedy": output.get("remedy"),
            "steps": [{"stage": step["stage"], "verdict": step["verdict"], "cause": step.get("cause"),
                       "text": step["text"], "remedy": step.get("remedy")} for step in output.get("step", [])]}


def is_fault(report: Report) -> bool:
    """Whether packets do not pass."""
    return any(step["verdict"] == "fails" for step in report["steps"])


def render(report: Report, width: int) -> str:
    """The answer, and what was looked at, in lines of at most so many characters."""
    lines = textwrap.wrap(plain(report["answer"]), width) + textwrap.wrap(plain(report["remedy"] or ""), width) + [""]
    stage_width = max((len(step["stage"]) for step in report["steps"]), default=0)
    for step in report["steps"]:
        head = f"{step['stage']:{stage_width}}  {_MARKS[step['verdict']]:5}  "
        lines += textwrap.wrap(plain(step["text"]), max(width, len(head) + 20), initial_indent=head,
                               subsequent_indent=" " * len(head), break_long_words=False)
    return "\n".join(lines)
