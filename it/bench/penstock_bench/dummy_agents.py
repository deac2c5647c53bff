# SPDX-License-Identifier: Apache-2.0
"""The part of the agents of dummy nodes for which the controller waits, of all nodes in one process.

Each says that cached flows have been dropped, of which a dummy datapath has none, and that all orders are carried out,
as soon as it is asked (penstock_node/agent.py). So nothing here waits a second between two drops, as a real agent does.

A job is a line of JSON, the paths of database sockets that are to be followed too; the answer is how many are followed.

    python3 -m penstock_bench.dummy_agents
"""

import json
import pathlib
import selectors
import sys
from collections.abc import Iterator
from typing import Any

from penstock_node import node_protocol

from . import ovn_database
from .host_process import LineProcess
from .json_peer import JsonPeer, Message, result

_MONITOR, _WRITE = "monitor", "write"
"""Ids of our requests."""


class DummyAgents(LineProcess):
    """The process; a context manager."""

    def __init__(self, log: pathlib.Path) -> None:
        super().__init__(["penstock_bench.dummy_agents"], log)

    def follow(self, sockets: list[pathlib.Path]) -> None:
        """Has it be the agent of further nodes, by the sockets of their databases."""
        self.play([str(path) for path in sockets])


class Agent:
    """That of one node."""

    def __init__(self, peer: JsonPeer) -> None:
        self._peer = peer
        peer.send(method="monitor", id=_MONITOR,
                  params=["Open_vSwitch", None, {"Bridge": {"columns": ["external_ids"]}}])

    def run(self) -> None:
        """Answers what has come."""
        for message in self._peer.receive():
            if message.get("method") == "echo":
                self._peer.send(id=message["id"], result=message["params"], error=None)
            for bridge, ids in bridges(message):
                for key, value in answers(ids).items():
                    self._peer.send(method="transact", id=_WRITE, params=["Open_vSwitch", write(bridge, key, value)])


def bridges(message: Message) -> Iterator[tuple[str, dict[str, str]]]:
    """Id and external_ids of each bridge of which a message of the database tells; none of other messages."""
    tables: Message = {}
    if message.get("method") == "update":
        tables = message["params"][1]
    elif message.get("id") == _MONITOR:
        tables = result(message)
    elif message.get("id") == _WRITE:
        for done in result(message):
            result(done)
    for bridge, row in tables.get("Bridge", {}).items():
        if "new" in row:
            yield bridge, dict(row["new"]["external_ids"][1])


def answers(ids: dict[str, str]) -> dict[str, str]:
    """Keys that the agent has to write beside those that a bridge has; see CachedFlows and OrdersInForce in Java."""
    found = {}
    if (order := ids.get(node_protocol.CACHE)) is not None and order != ids.get(node_protocol.CACHE_DONE):
        found[node_protocol.CACHE_DONE] = order
    if (question := ids.get(node_protocol.ORDERS)) is not None:
        done = json.dumps({"order": question})
        if done != ids.get(node_protocol.ORDERS_DONE):
            found[node_protocol.ORDERS_DONE] = done
    return found


def write(bridge: str, key: str, value: str) -> dict[str, Any]:
    """The operation that sets one key in the row of a bridge."""
    return {"op": "mutate", "table": "Bridge", "where": [["_uuid", "==", ["uuid", bridge]]], "mutations": [
        ["external_ids", "delete", ovn_database.set_of([key])],
        ["external_ids", "insert", ovn_database.map_of({key: value})]]}


def main() -> None:
    """Is the agent of all nodes it is told of, until the end of the input."""
    followed = 0
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.data:
                    key.data.run()
                    continue
                line = sys.stdin.readline()
                if not line:
                    return
                for path in json.loads(line):
                    peer = JsonPeer(pathlib.Path(path))
                    selector.register(peer, selectors.EVENT_READ, Agent(peer))
                    followed += 1
                print(followed, flush=True)


if __name__ == "__main__":
    main()
