# SPDX-License-Identifier: Apache-2.0
"""The agent of functions: keeps the instances that the controller orders in the node's database, and reports there.

It keeps nothing that it cannot find out again, so it may be killed at any moment. `functions agent` starts it, as
`python3 -m penstock_functions.agent RUN_DIRECTORY NODE CATALOGUE`.
"""

import argparse
import pathlib
import signal
import time

import ovs.poller

from penstock_node import alive
from penstock_node.agent import log
from penstock_node.ovs import Ovs

from . import agent_database, agent_facts, agent_found, agent_instances

_SHORT_SECONDS, _LONG_SECONDS = 0.25, 1.0
_FOUND_SECONDS = 2.0


def main() -> None:
    """Runs the agent until the process ends."""
    parser = argparse.ArgumentParser(prog="penstock_functions.agent")
    parser.add_argument("run_directory", type=pathlib.Path)
    parser.add_argument("node")
    parser.add_argument("catalogue", type=pathlib.Path)
    options = parser.parse_args()
    Agent(options.run_directory, options.node, options.catalogue).serve()


class Agent:
    """One run of the agent of a node."""

    def __init__(self, run_directory: pathlib.Path, node: str, catalogue: pathlib.Path) -> None:
        self._directory = run_directory / node
        self._sign = alive.watch_of(self._directory)
        self._database = agent_database.Database(Ovs(self._directory).socket)
        self._instances = agent_instances.Instances(run_directory, node, catalogue, log, alive=self._sign.give)
        self._facts = agent_facts.Facts(catalogue, log)
        self._run_directory = run_directory
        self._node = node
        self._ending = False

    def serve(self) -> None:
        """Works until it gets SIGTERM, or the node goes. Ends what it has begun first: no instance is half made."""
        signal.signal(signal.SIGTERM, self._end)
        found: list[str] = []
        facts: str | None = None
        orders: dict[str, str] = {}
        seen = reported = None
        look_due = found_due = 0.0
        while (self._directory / "state.json").exists():
            self._sign.give()
            changed = self._database.run()
            if self._ending:
                self._instances.finish()
                return
            now = time.monotonic()
            if changed is not None:
                if changed != seen:
                    seen, orders = changed, self._database.orders()
                if self._instances.want(orders) or now >= look_due:
                    self._instances.run()
                    look_due = now + (_SHORT_SECONDS if self._instances.busy else _LONG_SECONDS)
                if now >= found_due:
                    found = agent_found.found(self._run_directory, self._node, self._database.names())
                    facts = self._facts.text()
                    found_due = now + _FOUND_SECONDS
                report = self._instances.states(), found, facts
                if (report, changed) != reported and self._database.report(*report):
                    reported = report, changed
            poller = ovs.poller.Poller()
            # A signal does not end the waiting, so it must not be long.
            poller.timer_wait(int((_SHORT_SECONDS if self._instances.busy else _LONG_SECONDS) * 1000))
            self._database.wait(poller)
            poller.block()
        log("the node has gone")

    def _end(self, *_: object) -> None:
        self._ending = True


if __name__ == "__main__":
    main()
