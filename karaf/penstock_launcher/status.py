# SPDX-License-Identifier: Apache-2.0
"""What `./penstock status` shows: asked of the controller, turned into one object, or into tables."""

import typing
from collections.abc import Iterable, Mapping

from penstock_base.restconf import Restconf

from . import tables
from .sample import Sample

State = dict[str, typing.Any]

FLOW_COUNTS = ("planned", "installed", "missing", "excess", "wrong")
NOT_RUNNING: State = {"nodes": [], "tenants": [], "chains": [], "functions": [], "controller": None}
"""The object when no controller runs."""


def collect(restconf: Restconf) -> State:
    """The state of the whole edge. Flow counts are read from the switches at this moment."""
    return from_rpc(restconf.call("penstock-operations:status"))


def from_rpc(output: Mapping[str, typing.Any]) -> State:
    """Our object of the output of the RPC, with every field there, null or empty where the RPC has none."""
    controller = output.get("controller", {})
    return {
        "nodes": [{"name": node["name"], "connected": node.get("connected", False),
                   "warning": node.get("warning") or None,
                   "datapath": node.get("datapath") or None,
                   "open-vswitch": node.get("open-vswitch") or None, "dpdk": node.get("dpdk") or None,
                   "flows": {name: node.get("flows", {}).get(name, 0) for name in FLOW_COUNTS}}
                  for node in output.get("node", [])],
        "tenants": [{"name": tenant["name"], "vrf": tenant.get("vrf"), "attachments": tenant.get("attachment", []),
                     "public": tenant.get("public") or None, "chain": tenant.get("chain") or None,
                     "state": tenant.get("state")} for tenant in output.get("tenant", [])],
        "chains": [{"name": chain["name"], "functions": chain.get("function", []),
                    "packets": int(chain.get("packets", 0))} for chain in output.get("chain", [])],
        "functions": [{"name": function["name"], "state": function.get("state")}
                      for function in output.get("function", [])],
        "controller": {"url": controller.get("url"), "version": controller.get("version"),
                       "uptime-seconds": controller.get("uptime-seconds", 0)}}


def not_ready(status: State, sample: Sample) -> list[str]:
    """What of the sample is not as it should be: a list of short reasons, empty when all is well."""
    wrong = []
    nodes = {node["name"]: node for node in status["nodes"]}
    if sample.node not in nodes:
        wrong.append(f"node {sample.node} is not known")
    for node in nodes.values():
        bad = [f"{node['flows'][name]} {name}" for name in ("missing", "excess", "wrong") if node["flows"][name]]
        if not node["connected"]:
            wrong.append(f"node {node['name']} is not connected")
        elif bad:
            wrong.append(f"node {node['name']} has {', '.join(bad)} flows")
        elif not node["flows"]["planned"]:
            wrong.append(f"node {node['name']} has no flows planned")
    functions = {function["name"]: function["state"] for function in status["functions"]}
    wrong += [f"function {name} is {functions.get(name, 'not known')}" for name in sample.functions
              if functions.get(name) != "up"]
    tenants = {tenant["name"]: tenant["state"] for tenant in status["tenants"]}
    wrong += [f"tenant {tenant.name} is {tenants.get(tenant.name, 'not known')}" for tenant in sample.tenants
              if tenants.get(tenant.name) != "active"]
    return wrong


def render(status: State) -> str:
    """Tables for people."""
    controller = status["controller"]
    parts = [
        _table("node", "connected", "datapath", "Open vSwitch", "dpdk", *FLOW_COUNTS, rows=[
            (node["name"], "yes" if node["connected"] else "no", node["datapath"],
             node["open-vswitch"], node["dpdk"],
             *(node["flows"][name] for name in FLOW_COUNTS)) for node in status["nodes"]]),
        *(f"warning: node {node['name']}: {node['warning']}" for node in status["nodes"] if node["warning"]),
        _table("tenant", "vrf", "node/port/vlan", "public", "chain", "state", rows=[
            (tenant["name"], tenant["vrf"], " ".join(tenant["attachments"]), tenant["public"], tenant["chain"],
             tenant["state"]) for tenant in status["tenants"]]),
        _table("chain", "functions", "packets", rows=[
            (chain["name"], " > ".join(chain["functions"]), chain["packets"]) for chain in status["chains"]]),
        _table("function", "state", rows=[(entry["name"], entry["state"]) for entry in status["functions"]])]
    if "members" in status:
        parts.append(_table("member", "role", "RESTCONF", rows=[
            (each["member"], each["role"], each["url"]) for each in status["members"]]))
    if controller:
        parts.append(f"controller {controller['version']} at {controller['url']}, up for "
                     f"{duration(controller['uptime-seconds'])}")
    return "\n\n".join(parts)


def _table(*headings: str, rows: Iterable[tuple[object, ...]]) -> str:
    return tables.table(headings, rows, f"no {headings[0]}s")


def duration(seconds: int) -> str:
    """Seconds as people say it: 42 s, 3 min 5 s, 2 h 7 min, 3 d 4 h."""
    for name, size, smaller, part in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if seconds >= size:
            return f"{seconds // size} {name} {seconds % size // part} {smaller}"
    return f"{seconds} s"
