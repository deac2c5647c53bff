# SPDX-License-Identifier: Apache-2.0
"""Accounts of the controller, by its RPCs. A password is made here and told once, or read from a terminal or a file: no
list of processes and no history of a shell has it."""

from __future__ import annotations

import getpass
import pathlib
import secrets
import sys
import typing

from penstock_base.errors import PenstockError
from penstock_base.restconf import Restconf

ROLES = ("provider", "operator", "tenant", "reader")
LEAST, MOST = 12, 200
"""Characters of a password. The same as its length in penstock-access.yang."""

_MODULE = "penstock-access"


def all_of(controller: Restconf) -> list[dict[str, typing.Any]]:
    """All accounts by name; admin is not among them."""
    return sorted(controller.call(f"{_MODULE}:list-users").get("user", []), key=lambda user: str(user["name"]))


def render(users: list[dict[str, typing.Any]]) -> str:
    """A line for each."""
    rows = [("NAME", "ROLE", "TENANTS", "CHANGED"), ("admin", "provider", "", "by its file")]
    rows += [(user["name"], user["role"], ",".join(sorted(user.get("tenant", []))), user.get("changed", ""))
             for user in users]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = ([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[3]] for row in rows)
    return "\n".join("  ".join(line).rstrip() for line in lines)


def write(controller: Restconf, name: str, is_new: bool, role: str | None, tenants: list[str] | None,
          password: str | None) -> None:
    """Makes or changes an account; None keeps a value."""
    given = {"name": name, "is-new": is_new, "role": role, "tenant": tenants, "password": password}
    controller.call(f"{_MODULE}:set-user", {leaf: value for leaf, value in given.items() if value is not None})


def delete(controller: Restconf, name: str) -> None:
    """Removes an account."""
    controller.call(f"{_MODULE}:delete-user", {"name": name})


def made() -> str:
    """A password that is not guessed."""
    return secrets.token_urlsafe(24)


def asked() -> str:
    """A password from the terminal, twice, or else the first line of standard input."""
    if not sys.stdin.isatty():
        return checked(sys.stdin.readline().rstrip("\r\n"))
    password = checked(getpass.getpass("New password: "))
    if getpass.getpass("Again: ") != password:
        raise PenstockError("the passwords differ")
    return password


def of_file(path: pathlib.Path) -> str:
    """A password from the first line of a file."""
    try:
        return checked(path.read_text(encoding="utf-8").split("\n", 1)[0].rstrip("\r"))
    except (OSError, UnicodeDecodeError) as error:
        raise PenstockError(f"the password cannot be read from {path}: {error}") from error


def checked(password: str) -> str:
    """The password, if the controller takes it: it would tell the words of one that it refuses."""
    if not LEAST <= len(password) <= MOST:
        raise PenstockError(f"a password has {LEAST} to {MOST} characters")
    return password
