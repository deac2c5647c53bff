# SPDX-License-Identifier: Apache-2.0
"""The node agent: carries out what the controller orders in the node's database, and reports there.

It keeps nothing that it cannot find out again, so it may be killed at any moment. `ovs-config up` starts it, as
`python3 -m penstock_node.agent DIRECTORY [--resolvers]`.
"""

import argparse
import functools
import pathlib
import socket
import sys
import time

import ovs.poller

from penstock_base import processes

from . import (
    agent_cache,
    agent_database,
    agent_floods,
    agent_fragments,
    agent_progress,
    agent_resolvers,
    agent_session_flows,
    agent_sessions,
    agent_timeouts,
    agent_traces,
    alive,
    capture_port,
    node_protocol,
    node_watch,
    sample_socket,
)
from .ovs import Ovs

_NO_RESOLVER = "this node has no resolvers: its profile has no dns"
_REPORT_SECONDS = 0.2  # Reports wait that long for others: many at once are one transaction.


def main() -> None:
    """Runs the agent until the process ends."""
    parser = argparse.ArgumentParser(prog="penstock_node.agent")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--resolvers", action="store_true")
    options = parser.parse_args()
    link = sample_socket.inherited()
    Agent(options.directory, options.resolvers, link).serve()


class Agent:
    """One run of the agent of the node in `directory`. link: where samples come; None for none."""

    def __init__(self, directory: pathlib.Path, with_resolvers: bool, link: socket.socket | None = None) -> None:
        switch = Ovs(directory)
        self._sign = alive.watch_of(directory)
        self._watch = node_watch.process_of(directory)
        self._database = agent_database.Database(switch.socket)
        self._sessions = agent_sessions.Sessions(switch, log)
        self._timeouts = agent_timeouts.Timeouts(switch, log)
        self._cache = agent_cache.Cache(functools.partial(agent_cache.renew, switch), log)
        self._session_flows = agent_session_flows.SessionFlows(switch, link, log)
        self._floods = agent_floods.Floods(switch, log)
        self._fragments = agent_fragments.Fragments(switch, log)
        self._captures = capture_port.Leftovers(switch, log)
        self._traces = agent_traces.Traces(switch, log)
        self._progress = agent_progress.Progress()
        resolvers = directory / agent_resolvers.DIRECTORY
        self._resolvers = (agent_resolvers.Resolvers(resolvers, log, alive=self._sign.give)
                           if with_resolvers else None)
        self._orders: dict[int, agent_database.TenantOrders] = {}
        self._is_new = True  # What agents before have left may have to go, also when nothing is ordered.
        self._configuration: list[tuple[int, bool]] | None = None

    def serve(self) -> None:
        """Works until the process ends."""
        seen = reported = answered = None
        report_due = 0.0
        while True:
            self._sign.give()
            self._look_after_the_watch()
            self._captures.run()
            changed = self._database.run()
            if changed is not None and changed != seen:
                seen = changed
                self._take_orders()
            if changed is not None:
                self._work()
            poller = ovs.poller.Poller()
            bridge = {node_protocol.TRACE_REPORT: self._traces.report,
                      node_protocol.CACHE_DONE: self._cache.done,
                      node_protocol.ORDERS_DONE: self._progress.report,
                      node_protocol.FLOODS: self._floods.report}
            # The controller waits for an answer. What it wants to know of tenants may wait for others of the same time.
            if changed is not None and (bridge != answered or time.monotonic() >= report_due):
                answered = bridge
                reports = self._reports()
                said = reports, bridge, changed
                if said != reported and self._database.report(reports, bridge):
                    reported = said
                report_due = time.monotonic() + _REPORT_SECONDS
            elif changed is not None:
                poller.timer_wait(int(_REPORT_SECONDS * 1000))
            self._sign.wait(poller)
            self._captures.wait(poller)
            self._database.wait(poller)
            if changed is not None:
                self._sessions.wait(poller)
                self._timeouts.wait(poller)
                self._cache.wait(poller)
                self._session_flows.wait(poller)
                self._floods.wait(poller)
                self._fragments.wait(poller)
                if self._resolvers:
                    self._resolvers.wait(poller)
            poller.block()

    def _work(self) -> None:
        """Does what is due of each part."""
        self._sessions.run()
        self._timeouts.run()
        if self._cache.run():
            self._session_flows.disturbed()
            self._floods.disturbed()
        if self._floods.run():
            self._session_flows.disturbed()
        self._session_flows.run()
        self._fragments.run()
        if self._resolvers:
            self._resolvers.run()
        if self._progress.is_asked():
            self._progress.tell(*self._undone())

    def _look_after_the_watch(self) -> None:
        """It looks after all others, so one of them has to look after it."""
        pid = processes.pid_of(self._watch)
        if pid is not None and processes.go_on(pid):
            log(f"the watch was stopped and goes on, process {pid}")

    def _take_orders(self) -> None:
        configuration = self._database.switch_configuration()
        if configuration != self._configuration:
            self._configuration = configuration
            self._sessions.look_again()
        self._timeouts.want(*self._database.timeouts())
        bridge = self._database.bridge
        self._traces.want(bridge(node_protocol.TRACE))
        self._cache.want(bridge(node_protocol.CACHE), bridge(node_protocol.CACHE_DONE))
        if self._progress.want(bridge(node_protocol.ORDERS), bridge(node_protocol.ORDERS_DONE)):
            self._sessions.look_again()  # The switch may have been started again a moment ago.
        orders = self._database.orders()
        self._session_flows.want(bridge(node_protocol.SESSION_FLOWS), orders)
        if orders == self._orders and not self._is_new:
            return
        if self._is_new:
            self._floods.adopt(bridge(node_protocol.FLOODS))
        self._is_new = False
        self._orders = orders
        self._sessions.want({zone: order.sessions for zone, order in orders.items() if order.sessions is not None},
                            orders)
        if self._resolvers:
            self._resolvers.want({zone: order.dns for zone, order in orders.items() if order.dns is not None})

    def _undone(self) -> tuple[dict[int, str], dict[int, str]]:
        """What of the orders is not carried out yet, and what cannot be, by tenant."""
        waiting = dict.fromkeys(self._timeouts.pending(), "the timeouts of connections are not set")
        waiting |= dict.fromkeys(self._sessions.pending(), "the limit of sessions is not set")
        failed: dict[int, str] = {}
        if self._resolvers:
            waiting |= self._resolvers.waiting()
            failed |= self._resolvers.failed()
        else:
            failed |= {zone: _NO_RESOLVER for zone, order in self._orders.items() if order.dns is not None}
        return waiting, failed

    def _reports(self) -> dict[int, dict[str, str | None]]:
        states = self._resolvers.states() if self._resolvers else {}
        silent = self._resolvers.silent_upstreams() if self._resolvers else {}
        reports: dict[int, dict[str, str | None]] = {}
        for zone, order in self._orders.items():
            limited = order.sessions is not None
            keys = reports[zone] = {
                node_protocol.SESSIONS_SET: _text(self._sessions.limits.get(zone)) if limited else None,
                node_protocol.SESSIONS_COUNT: _text(self._sessions.counts.get(zone)) if limited else None}
            keys[node_protocol.DNS_SILENT] = silent.get(zone)
            if order.dns is None:
                keys[node_protocol.DNS_STATE] = None
            elif not self._resolvers:
                keys[node_protocol.DNS_STATE] = _NO_RESOLVER
            elif zone in states:
                keys[node_protocol.DNS_STATE] = states[zone]
        return reports


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)


def log(text: str) -> None:
    """One line in the agent's log."""
    print(time.strftime("%Y-%m-%d %H:%M:%S"), text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
