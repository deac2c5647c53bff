# SPDX-License-Identifier: Apache-2.0
"""The database that OVN is configured by: OVSDB (RFC 7047) over a unix socket, and how it writes rows."""

import json
import select
import socket
import typing

from penstock_base.errors import PenstockError


class Database:
    """Transactions with an OVSDB server on a unix socket (RFC 7047), one after the other."""

    def __init__(self, path, name):
        self._path, self._name = path, name
        self._connection: typing.Any = None  # Until it is opened.
        self._calls = 0

    def connects(self):
        """Connects if the server is there."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(self._path))
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            return False
        self._connection = connection
        return True

    def close(self):
        """Ends the connection, if there is one."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def has(self, table):
        """Whether a table has any row."""
        return bool(self.transact({"op": "select", "table": table, "where": [], "columns": ["_uuid"]})[0]["rows"])

    def transact(self, *operations, meanwhile=lambda: None):
        """Returns one result for each operation, when all are done. Raises if one fails; none is done then.

        meanwhile: called every second without an answer; may raise to give up.
        """
        self._calls += 1
        call = {"method": "transact", "params": [self._name, *operations], "id": self._calls}
        self._connection.sendall(json.dumps(call).encode())
        answer = self._receive(meanwhile)
        errors = [answer["error"]] if answer["error"] else [
            result for result in answer["result"] if result and "error" in result]
        if errors:
            raise PenstockError(f"{self._name}: {json.dumps(errors[0])}")
        return answer["result"]

    def _receive(self, meanwhile):
        # A server on a unix socket speaks only when spoken to: all there is, is the answer.
        parts = []
        while True:
            if not select.select([self._connection], [], [], 1)[0]:
                meanwhile()
                continue
            data = self._connection.recv(1 << 20)
            if not data:
                raise PenstockError(f"{self._name}: the database server has gone")
            parts.append(data)
            if data.endswith(b"}"):
                try:
                    return json.loads(b"".join(parts))
                except ValueError:
                    continue


def insert(table, row_name, /, **row):
    """A row with a name, by which others of the same transaction mean it."""
    return {"op": "insert", "table": table, "uuid-name": row_name, "row": row}


def update(table, column, value, /, **row):
    """Columns of the rows whose `column` is `value`."""
    return {"op": "update", "table": table, "where": [[column, "==", value]], "row": row}


def made(operations, results):
    """{name: uuid} of the rows that operations have inserted."""
    return {operation["uuid-name"]: result["uuid"] for operation, result in zip(operations, results, strict=False)
            if operation["op"] == "insert"}


def named(row_name):
    """A row of the same transaction."""
    return ["named-uuid", row_name]


def set_of(values):
    """A set, as OVSDB writes it."""
    return ["set", list(values)]


def map_of(values):
    """A map, as OVSDB writes it."""
    return ["map", [[key, value] for key, value in values.items()]]
