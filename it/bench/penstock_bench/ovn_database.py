# SPDX-License-Identifier: Apache-2.0
"""The database that OVN is configured by: OVSDB (RFC 7047) over a unix socket, and how it writes rows."""

import json
import pathlib
import select
import socket
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from penstock_base.errors import PenstockError

from .results import Results


class Database:
    """Transactions with an OVSDB server on a unix socket (RFC 7047), one after the other."""

    def __init__(self, path: pathlib.Path, name: str) -> None:
        self._path, self._name = path, name
        self._connection: Any = None  # Until it is opened.
        self._calls = 0

    def connects(self) -> bool:
        """Connects if the server is there."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(self._path))
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            return False
        self._connection = connection
        return True

    def close(self) -> None:
        """Ends the connection, if there is one."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def has(self, table: str) -> bool:
        """Whether a table has any row."""
        return bool(self.transact({"op": "select", "table": table, "where": [], "columns": ["_uuid"]})[0]["rows"])

    def transact(self, *operations: Results, meanwhile: Callable[[], object] = lambda: None) -> list[Results]:
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
        result: list[Results] = answer["result"]
        return result

    def _receive(self, meanwhile: Callable[[], object]) -> Results:
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
                    answer: Results = json.loads(b"".join(parts))
                    return answer
                except ValueError:
                    continue


def insert(table: str, row_name: str, /, **row: Any) -> Results:
    """A row with a name, by which others of the same transaction mean it."""
    return {"op": "insert", "table": table, "uuid-name": row_name, "row": row}


def update(table: str, column: str, value: Any, /, **row: Any) -> Results:
    """Columns of the rows whose `column` is `value`."""
    return {"op": "update", "table": table, "where": [[column, "==", value]], "row": row}


def made(operations: Iterable[Results], results: Iterable[Results]) -> dict[str, list[str]]:
    """{name: uuid} of the rows that operations have inserted."""
    return {operation["uuid-name"]: result["uuid"] for operation, result in zip(operations, results, strict=False)
            if operation["op"] == "insert"}


def named(row_name: str) -> list[str]:
    """A row of the same transaction."""
    return ["named-uuid", row_name]


def set_of(values: Iterable[object]) -> list[Any]:
    """A set, as OVSDB writes it."""
    return ["set", list(values)]


def map_of(values: Mapping[str, str]) -> list[Any]:
    """A map, as OVSDB writes it."""
    return ["map", [[key, value] for key, value in values.items()]]
