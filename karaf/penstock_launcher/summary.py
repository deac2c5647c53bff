# SPDX-License-Identifier: Apache-2.0
"""What `up` says at its end."""

from penstock_base import processes

from . import control, lab, metrics, status
from .sample import Sample


def render(state: status.State, sample: Sample, changed: bool, seconds: float) -> str:
    """The one page a user needs after `up`."""
    password = control.password_file()
    urls = [each.restconf_url for each in control.running().values()]
    url = urls[0]
    first = sample.tenants[0]
    headline = "Penstock is up" if changed else "Penstock is up already; nothing changed"
    return f"""
{headline} ({seconds:.0f} s)

{status.render(state)}

RESTCONF      {', '.join(urls)}  (user {control.controller().user})
password      in {password}, for RESTCONF and for the console
external host {lab.SERVER}, a web server behind the transit router, in namespace {lab.TRANSIT}
{_metrics()}tenants       one host each, in {', '.join(lab.namespace_of(tenant) for tenant in sample.tenants)}

Try
  ip netns exec {lab.namespace_of(first)} ping -c 3 {lab.SERVER}
  curl -u admin:$(cat {password}) '{url}/data/penstock:network/tenant={first.name}?content=config'
  ./penstock status      the tables above, at any time; --json for programs
  ./penstock console     penstock:tenant list, penstock:flow-list, penstock:verify, ...
  ./penstock logs -f     all logs, with lines that are added
  ./penstock down        stop and remove everything
"""


def _metrics() -> str:
    server = metrics.server()
    if not processes.is_running(server.process):
        return ""
    return f"Prometheus    {server.url}, alerts at {server.url}/alerts\n"
