# SPDX-License-Identifier: Apache-2.0
"""The dashboards, as Grafana reads them. `python3 -m penstock_monitoring.dashboards` writes their files.

A query is an expression of Prometheus; $node and $tenant stand for what the reader of a dashboard has chosen.
"""

from __future__ import annotations

import dataclasses
import json
import re
import typing

from .prometheus import DASHBOARDS

_COLUMNS = 24
_HEIGHT = 8
_SCHEMA = 38
"""The version of Grafana's format: that of 10."""
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
_VARIABLES = {"node": "label_values(penstock_node_connected, node)",
              "tenant": "label_values(penstock_tenant_active, tenant)"}


@dataclasses.dataclass(frozen=True)
class Panel:
    """One diagram, or one value."""

    title: str
    queries: tuple[tuple[str, str], ...]
    """Legend and expression of each line."""
    unit: str = "short"
    """As Grafana names it."""
    kind: str = "timeseries"
    width: int = 12


@dataclasses.dataclass(frozen=True)
class Dashboard:
    """A page of diagrams."""

    name: str
    title: str
    panels: tuple[Panel, ...]
    variables: tuple[str, ...] = ()


def _value(title: str, query: str, unit: str = "short") -> Panel:
    return Panel(title, (("", query),), unit, "stat", 4)


_NETWORK = Dashboard("network", "Penstock: network", (
    _value("Nodes connected", "sum(max by (node) (penstock_node_connected))"),
    _value("Nodes in sync", "sum(max by (node) (penstock_node_in_sync))"),
    _value("Tenants active", 'sum(penstock_tenants{status="active"})'),
    _value("Tenants not active", 'sum(penstock_tenants{status!="active"})'),
    _value("Functions down", "count(min by (function) (penstock_function_up) == 0) or vector(0)"),
    _value("Ports without a link", "count(min by (node, port) (penstock_node_port_up) == 0) or vector(0)"),
    Panel("Tenants by status", (("{{status}}", "sum by (status) (penstock_tenants)"),)),
    Panel("Dropped packets by node and reason", (("{{node}} {{reason}}", "topk(10, sum by (node, reason) "
                                                  '(rate(penstock_dropped_packets_total{node=~"$node"}[5m])) > 0)'),),
          "pps"),
    Panel("Flows by node", (("{{node}} {{state}}", 'max by (node, state) (penstock_node_flows{node=~"$node"})'),)),
    Panel("Repairs of switches", (("{{node}}", 'sum by (node) (increase(penstock_node_repairs_total{node=~"$node"}'
                                   "[10m]))"),)),
    Panel("Addresses of pools in use", (("{{pool}}", "max by (pool) (penstock_pool_used_addresses / "
                                         "penstock_pool_addresses)"),), "percentunit"),
    Panel("Time since the last comparison", (("{{node}}", "time() - max by (node) "
                                              '(penstock_node_compared_timestamp_seconds{node=~"$node"})'),), "s"),
    Panel("Instances of functions", (("{{function}} {{function_instance}}", "min by (function, function_instance) "
                                      "(penstock_instance_healthy)"),)),
    Panel("Lost probes", (("{{function}} {{function_instance}}", "sum by (function, function_instance) "
                           '(rate(penstock_probes_total{result="lost"}[5m]))'),), "pps")), ("node",))

_TENANTS = Dashboard("tenants", "Penstock: tenants", (
    _value("Active", 'min(penstock_tenant_active{tenant=~"$tenant"})'),
    _value("Connections", 'sum(penstock_tenant_sessions{tenant=~"$tenant"})'),
    _value("Leases", 'sum(penstock_tenant_bound_leases{tenant=~"$tenant"})'),
    _value("Port blocks", 'sum(penstock_tenant_port_blocks{tenant=~"$tenant"})'),
    Panel("Connections", (("{{tenant}} {{node}}", "topk(20, max by (tenant, node) "
                           '(penstock_tenant_sessions{tenant=~"$tenant"}))'),)),
    Panel("Dropped packets by reason", (("{{tenant}} {{reason}}", "topk(20, sum by (tenant, reason) "
                                         '(rate(penstock_dropped_packets_total{tenant=~"$tenant"}[5m])) > 0)'),),
          "pps"),
    Panel("Bound leases", (("{{tenant}}", "topk(20, max by (tenant) "
                            '(penstock_tenant_bound_leases{tenant=~"$tenant"}))'),)),
    Panel("DHCP messages", (("{{message}}", "sum by (message) (rate(penstock_dhcp_messages_total[5m])) > 0"),), "pps")),
    ("tenant",))

_CONTROLLERS = Dashboard("controllers", "Penstock: controllers", (
    _value("Members that answer", 'sum(up{job="penstock-controller"})'),
    _value("Masters", "sum(penstock_controller_leader)"),
    _value("First end of a certificate", "min(penstock_certificate_end_timestamp_seconds) - time()", "s"),
    Panel("Time of a commit", (("99 %", "histogram_quantile(0.99, sum by (le) "
                                "(rate(penstock_commit_duration_seconds_bucket[5m])))"),
                               ("50 %", "histogram_quantile(0.5, sum by (le) "
                                "(rate(penstock_commit_duration_seconds_bucket[5m])))")), "s"),
    Panel("Time until a switch has a change", (("99 %", "histogram_quantile(0.99, sum by (le) "
                                                "(rate(penstock_apply_duration_seconds_bucket[5m])))"),
                                               ("50 %", "histogram_quantile(0.5, sum by (le) "
                                                "(rate(penstock_apply_duration_seconds_bucket[5m])))")), "s"),
    Panel("Changes", (("accepted", "sum(rate(penstock_commit_duration_seconds_count[5m]))"),
                      ("refused", "sum(rate(penstock_refused_changes_total[5m]))")), "ops"),
    Panel("Packets to the controller", (("{{service}} {{fate}}", "sum by (service, fate) "
                                         "(rate(penstock_packet_ins_total[5m])) > 0"),), "pps"),
    Panel("Elections", (("{{instance}} {{shard}}", "increase(penstock_raft_leader_changes_total[10m])"),)),
    Panel("Events", (("{{event}} {{severity}}", "sum by (event, severity) (increase(penstock_events_total[10m]))"),)),
    Panel("Heap in use", (("{{instance}}", 'sum by (instance) (jvm_memory_used_bytes{area="heap"})'),), "bytes"),
    Panel("Processor", (("{{instance}}", "rate(process_cpu_seconds_total[5m])"),), "percentunit")))

_SWITCHES = Dashboard("switches", "Penstock: switches", (
    _value("Switches that answer", "sum(ovs_up)"),
    _value("Tracked connections", "sum(ovs_conntrack_entries)"),
    _value("Datapath flows", "sum(ovs_datapath_flows)"),
    Panel("Busy part of polling threads", (("{{instance}} core {{core}}",
                                            "sum by (instance, core) (ovs_pmd_rxq_usage_ratio) + "
                                            "sum by (instance, core) (ovs_pmd_overhead_ratio)"),), "percentunit"),
    Panel("Cycles per packet", (("{{instance}} core {{core}}", "ovs_pmd_cycles_per_packet"),)),
    Panel("Packets of new flows", (("{{instance}} missed", "rate(ovs_datapath_lookups_missed_total[5m])"),
                                   ("{{instance}} lost", "rate(ovs_datapath_lookups_lost_total[5m])")), "pps"),
    Panel("Received packets", (("{{instance}} {{interface}}", "topk(20, rate(ovs_interface_rx_packets_total[5m]))"),),
          "pps"),
    Panel("Packets not received", (("{{instance}} {{interface}}",
                                    "topk(20, rate(ovs_interface_rx_missed_total[5m]) > 0)"),), "pps"),
    Panel("Free huge pages", (("{{instance}} {{numa}} {{size_bytes}}", "penstock_node_huge_pages_free"),)),
    Panel("Processor of functions", (("{{instance}} {{function_instance}}",
                                      "rate(penstock_node_instance_cpu_seconds_total[5m])"),), "percentunit")))

ALL = (_NETWORK, _TENANTS, _CONTROLLERS, _SWITCHES)


def queries(dashboard: Dashboard) -> list[str]:
    """Its expressions, with anything chosen."""
    chosen = [re.sub(r"\$(?:node|tenant)\b", ".*", expression)
              for panel in dashboard.panels for _, expression in panel.queries]
    return chosen + [re.sub(r"label_values\((\w+), \w+\)", r"\1", _VARIABLES[name]) for name in dashboard.variables]


def render(dashboard: Dashboard) -> str:
    """The text of its file."""
    variables: list[dict[str, typing.Any]] = [{"name": "datasource", "type": "datasource", "query": "prometheus"}]
    variables += [{"name": name, "type": "query", "datasource": _SOURCE, "query": _VARIABLES[name], "refresh": 2,
                   "includeAll": True, "allValue": ".*", "multi": True, "current": {"text": "All", "value": "$__all"}}
                  for name in dashboard.variables]
    content = {"uid": f"penstock-{dashboard.name}", "title": dashboard.title, "tags": ["penstock"],
               "schemaVersion": _SCHEMA, "timezone": "browser", "refresh": "30s",
               "time": {"from": "now-3h", "to": "now"}, "templating": {"list": variables},
               "panels": _placed(dashboard.panels)}
    return json.dumps(content, indent=2) + "\n"


def _placed(panels: tuple[Panel, ...]) -> list[dict[str, typing.Any]]:
    """Panels from left to right and down."""
    placed, x, y, height = [], 0, 0, 0
    for number, panel in enumerate(panels, 1):
        if x + panel.width > _COLUMNS or (height and height != _rows(panel)):
            x, y = 0, y + height
        height = _rows(panel)
        targets = [{"refId": chr(ord("A") + index), "expr": expression, "legendFormat": legend, "datasource": _SOURCE}
                   for index, (legend, expression) in enumerate(panel.queries)]
        placed.append({"id": number, "title": panel.title, "type": panel.kind, "datasource": _SOURCE,
                       "gridPos": {"x": x, "y": y, "w": panel.width, "h": height}, "targets": targets,
                       "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []}})
        x += panel.width
    return placed


def _rows(panel: Panel) -> int:
    return _HEIGHT // 2 if panel.kind == "stat" else _HEIGHT


def write() -> None:
    """Writes all files anew."""
    for dashboard in ALL:
        (DASHBOARDS / f"{dashboard.name}.json").write_text(render(dashboard), encoding="utf-8")


if __name__ == "__main__":
    write()
