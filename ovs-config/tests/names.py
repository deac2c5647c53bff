# SPDX-License-Identifier: Apache-2.0
"""For the tests of the agent: the controller's pen, an upstream resolver that counts, a host that keeps asking."""

import json
import select
import socket
import struct
import subprocess
import threading
import time

from penstock_base.commands import run
from penstock_node import node_protocol
from penstock_node.ovs import Ovs
from sandbox import inside

_A, _TXT = 1, 16


class Controller:
    """Writes orders and reads reports as the controller does, in the database of a node."""

    def __init__(self, directory):
        self.ovs = Ovs(directory)
        self._rows = {}

    def order(self, tenant, **keys):
        """Sets keys of a tenant (names with _ for -); None takes one away, a dict becomes JSON. Other keys stay."""
        keys = {name.replace("_", "-"): json.dumps(value) if isinstance(value, dict) else value
                for name, value in keys.items()}
        if tenant not in self._rows:
            self._rows[tenant] = self._insert(tenant)
        gone = [name for name in keys if keys[name] is None]
        self._transact({"op": "mutate", "table": "CT_Zone", "where": [["_uuid", "==", ["uuid", self._rows[tenant]]]],
                        "mutations": [["external_ids", "delete", ["set", list(keys)]],
                                      ["external_ids", "insert", ["map", [[name, value] for name, value in keys.items()
                                                                          if name not in gone]]]]})

    def remove(self, tenant):
        """Takes the row of a tenant away."""
        row = self._rows.pop(tenant)
        self._transact({"op": "mutate", "table": "Datapath", "where": [], "mutations": [
            ["ct_zones", "delete", ["map", [[tenant, ["uuid", row]]]]]]})

    def reports(self, tenant):
        """All keys of a tenant."""
        return self.ovs.get("CT_Zone", self._rows[tenant], "external_ids")

    def state(self, tenant):
        """What the agent says about the tenant's names."""
        return self.reports(tenant).get(node_protocol.DNS_STATE)

    def _insert(self, tenant):
        if not self.ovs.get("Open_vSwitch", ".", "datapaths"):
            self._transact({"op": "insert", "table": "Datapath", "row": {}, "uuid-name": "d"},
                           {"op": "mutate", "table": "Open_vSwitch", "where": [], "mutations": [
                               ["datapaths", "insert", ["map", [["netdev", ["named-uuid", "d"]]]]]]})
        answer = self._transact({"op": "insert", "table": "CT_Zone", "row": {}, "uuid-name": "z"},
                                {"op": "mutate", "table": "Datapath", "where": [], "mutations": [
                                    ["ct_zones", "insert", ["map", [[tenant, ["named-uuid", "z"]]]]]]})
        return answer[0]["uuid"][1]

    def _transact(self, *operations):
        answer = json.loads(run("ovsdb-client", "transact", f"unix:{self.ovs.socket}",
                                json.dumps(["Open_vSwitch", *operations])))
        if any("error" in part for part in answer):
            raise AssertionError(answer)
        return answer


class Upstream:
    """Answers every A query with one address, and every TXT query with 3000 letters (so by TCP only)."""

    def __init__(self, namespace, listen_at, answer):
        self.asked = []
        """Name and source address of every query."""
        self._answer = socket.inet_aton(answer)

        def make():
            family = socket.AF_INET6 if ":" in listen_at else socket.AF_INET
            datagrams = socket.socket(family, socket.SOCK_DGRAM)
            datagrams.bind((listen_at, 53))
            return datagrams, socket.create_server((listen_at, 53), family=family)
        self._sockets = inside(namespace, make)
        self._stop, self._stopping = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self):
        """Ends it; from then on nobody answers."""
        self._stop.close()
        self._thread.join()
        for each in (*self._sockets, self._stopping):
            each.close()

    def _serve(self):
        datagrams, listener = self._sockets
        while True:
            ready, _, _ = select.select([datagrams, listener, self._stopping], [], [])
            if self._stopping in ready:
                return
            if datagrams in ready:
                query, peer = datagrams.recvfrom(4096)
                datagrams.sendto(self._reply(query, peer, 512), peer)
            if listener in ready:
                connection, peer = listener.accept()
                with connection:
                    connection.settimeout(30)
                    query = connection.recv(4096)[2:]
                    reply = self._reply(query, peer, 65535)
                    connection.sendall(struct.pack(">H", len(reply)) + reply)

    def _reply(self, query, peer, room):
        end = query.index(b"\0", 12) + 5
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode().lower())
            at += 1 + query[at]
        self.asked.append((".".join(labels), peer[0]))
        kind = struct.unpack(">H", query[end - 4:end - 2])[0]
        data = {_A: self._answer, _TXT: (b"\xfa" + b"x" * 250) * 12}.get(kind)
        cut = bool(data) and len(data) > room
        answers = 1 if data and not cut else 0
        record = b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 300, len(data)) + data if answers else b""
        return query[:2] + struct.pack(">HHHHH", 0x8180 | cut << 9, 1, answers, 0, 0) + query[12:end] + record


class Asker:
    """A host that asks for one name over and over, from `namespace`, each time when the last question was answered, and
    notes when there was no answer within `patience` seconds."""

    def __init__(self, namespace, server, name, patience):
        self.lost, self.answered, self.longest_gap = 0, 0, 0.0
        query = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
        self._query = struct.pack(">HHHHH", 0x0100, 1, 0, 0, 0) + query + b"\0\0\1\0\1"
        self._socket = inside(namespace, lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self._socket.settimeout(patience)
        self._server = (server, 53)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()
        self._socket.close()

    def _ask(self):
        number, last = 0, time.monotonic()
        while not self._done.wait(0.005):
            number = (number + 1) & 0xffff
            self._socket.sendto(struct.pack(">H", number) + self._query, self._server)
            try:
                while self._socket.recv(512)[:2] != struct.pack(">H", number):
                    pass
                self.answered += 1
                self.longest_gap = max(self.longest_gap, time.monotonic() - last)
                last = time.monotonic()
            except (TimeoutError, ConnectionRefusedError):
                self.lost += 1


def dig(namespace, server, *question, timeout=30):
    """The words dig prints, comments included, as one text."""
    done = subprocess.run(["ip", "netns", "exec", namespace, "dig", f"@{server}", f"+timeout={timeout}", "+tries=1",
                           *question],
                          capture_output=True, text=True, check=False)
    return done.stdout


def short(namespace, server, *question):
    """The answers alone, sorted."""
    return sorted(dig(namespace, server, "+short", *question).split())
