# SPDX-License-Identifier: Apache-2.0
"""The commands ./penstock user and ./penstock audit."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Callable

from penstock_base import places
from penstock_base.errors import PenstockError

from . import audit, running, users

Add = Callable[..., argparse.ArgumentParser]


def add(command: Add, moment: Callable[[str], object]) -> None:
    """Adds them. command: makes a command of its name, function and text; moment: reads a time."""
    user = command("user", _user, "list, add, change and delete the accounts of RESTCONF; passwords are generated and "
                   "shown once, unless one is given")
    user.add_argument("action", choices=tuple(_ACTIONS), nargs="?", default="list")
    user.add_argument("name", metavar="NAME", nargs="?", help="account to add, set or delete")
    user.add_argument("--role", choices=users.ROLES, metavar="ROLE",
                      help=f"what it may do, one of {', '.join(users.ROLES)}; add needs it")
    user.add_argument("--tenant", action="append", metavar="TENANT",
                      help="tenant of an account with the role tenant; may be repeated")
    where = user.add_mutually_exclusive_group()
    where.add_argument("--ask", action="store_true", help="read the password from the terminal, or standard input")
    where.add_argument("--password-file", type=pathlib.Path, metavar="FILE", help="the password is its first line")
    where.add_argument("--generate", action="store_true", help="generate a password; add does so by itself")
    user.add_argument("--json", action="store_true", help="print one JSON object")
    shown = command("audit", _show, "show who has changed what, or verify that this log is unchanged; needs no "
                    "controller", needs_root=False)
    shown.add_argument("action", choices=("show", "verify"))
    shown.add_argument("--user", metavar="NAME")
    shown.add_argument("--event", choices=audit.EVENTS)
    shown.add_argument("--path", metavar="TEXT", help="only requests whose path has it")
    shown.add_argument("--since", type=moment, metavar="TIME", help="ISO 8601 with a time zone")
    shown.add_argument("--until", type=moment, metavar="TIME")
    shown.add_argument("--directory", default=str(places.audit_log()), metavar="DIR",
                       help="of the log, or a copy of it; default %(default)s")
    shown.add_argument("--json", action="store_true", help="print JSON")


def _user(options: argparse.Namespace) -> int:
    if options.action != "list" and not options.name:
        raise PenstockError(f"./penstock user {options.action} needs the NAME of an account")
    if options.action == "add" and not options.role:
        raise PenstockError(f"./penstock user add needs --role, one of {', '.join(users.ROLES)}")
    if not running.is_running():
        print("penstock: the controller does not run; start it with ./penstock up", file=sys.stderr)
        return 3
    _ACTIONS[options.action](options)
    return 0


def _list(options: argparse.Namespace) -> None:
    found = users.all_of(running.restconf())
    print(json.dumps({"users": found}, indent=2) if options.json else users.render(found))


def _write(options: argparse.Namespace) -> None:
    is_new = options.action == "add"
    password = users.of_file(options.password_file) if options.password_file else users.asked() if options.ask else None
    generated = users.made() if password is None and (is_new or options.generate) else None
    # Another role leaves the tenants of the one before behind.
    tenants = options.tenant if options.tenant or options.role in (None, "tenant") or is_new else []
    users.write(running.restconf(), options.name, is_new, options.role, tenants, generated or password)
    if generated:
        print(f"password of {options.name}: {generated}")


def _delete(options: argparse.Namespace) -> None:
    users.delete(running.restconf(), options.name)


_ACTIONS = {"list": _list, "add": _write, "set": _write, "delete": _delete}


def _show(options: argparse.Namespace) -> int:
    if options.action == "verify":
        found = audit.verify(options.directory)
        print(json.dumps(found, indent=2) if options.json else
              "whole: {entries} entries in {segments} segments, {first} to {last}".format(**found))
        return 0
    entries = audit.entries(options.directory, audit.Wanted(options.user, options.event, options.path, options.since,
                                                            options.until))
    print(json.dumps({"entries": entries}, indent=2) if options.json else "\n".join(map(audit.line, entries)))
    return 0
