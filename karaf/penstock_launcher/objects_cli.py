# SPDX-License-Identifier: Apache-2.0
"""The commands for the entries of the configuration: tenant, acl, pool, function, chain, node."""

from __future__ import annotations

import argparse
import functools
import json
import pathlib
from collections.abc import Callable, Sequence

from penstock_base.texts import plain
from penstock_client import Client, Problem, Refused, documents, edits, kinds
from penstock_client.errors import WrongUsage

from . import objects, remote

Add = Callable[..., argparse.ArgumentParser]

NAMES = tuple(kinds.KINDS)
_PLURALS = {"tenant": "tenants", "acl": "access lists", "pool": "pools of public addresses",
            "function": "network functions", "chain": "chains of functions", "node": "nodes"}
_ACTIONS_OF_OPTIONS = {"where": ("list",), "names": ("list",), "remove": ("set",), "file": ("add", "set"),
                       "watch": ("list", "show")}
_NOT_RIGHT = 4
_DESCRIPTION = """list shows all, show one with its state, add makes one, set changes leaves of one, and delete removes.
Leaves are given as PATH=VALUE: {example}. The key of a list's entry is in the path; a slash in it is %2F."""
_EXAMPLES = {"tenant": "attachment=office/vlan=100", "acl": "aces/ace=web/actions/forwarding=accept",
             "pool": "prefix=203.0.113.64/29", "function": "fail-policy=closed", "chain": "function=fw1",
             "node": "address=192.0.2.10"}


def add(command: Add) -> None:
    """Adds them. command: makes a command of its name, function and texts."""
    for name, plural in _PLURALS.items():
        added = command(name, functools.partial(_run, name), f"list, show, add, change and delete {plural}",
                        _DESCRIPTION.format(example=_EXAMPLES[name]))
        added.add_argument("action", choices=tuple(_ACTIONS), metavar="ACTION", help=f"one of {', '.join(_ACTIONS)}")
        added.add_argument("words", nargs="*", metavar="WORD", help="list: nothing; show: NAME; add, set: NAME "
                           "PATH=VALUE ...; delete: NAME ...")
        added.add_argument("--where", action="append", default=[], metavar="PATH=VALUE", help="list: only those with "
                           "this leaf in configuration or state; keys in the path may be left out; may be repeated")
        added.add_argument("--names", action="store_true", help="list: only the names, one a line; without --where the "
                           "state is not asked for")
        added.add_argument("--remove", action="append", default=[], metavar="PATH",
                           help="set: delete a leaf, a container or an entry of a list; may be repeated")
        added.add_argument("--file", type=pathlib.Path, metavar="FILE", help="add, set: the whole entry, in JSON or "
                           "YAML; - for standard input")
        remote.watched(added)


def _run(kind: str, options: argparse.Namespace) -> int:
    action = options.action
    for name, actions in _ACTIONS_OF_OPTIONS.items():
        if getattr(options, name) and action not in actions:
            raise WrongUsage(f"--{name} is an option of {' and '.join(actions)}")
    if action == "list" and options.words:
        raise WrongUsage(f"list has no name: use ./penstock {kind} show {options.words[0]}, or --where")
    if action != "list" and not options.words:
        raise WrongUsage(f"./penstock {kind} {action} needs the NAME of a {kind}")
    if action == "show" and len(options.words) > 1:
        raise WrongUsage("show takes one NAME")
    return _ACTIONS[action](kind, options)


def _list(kind: str, options: argparse.Namespace) -> int:
    client = remote.client(options)
    if options.names:
        remote.shown(options, lambda: _names(client, kind, options.where), lambda names: "\n".join(map(plain, names)))
    elif options.json:
        remote.shown(options, lambda: [each.json() for each in objects.everything(client, kind, options.where)],
                     json.dumps)
    else:
        remote.shown(options, lambda: objects.everything(client, kind, options.where),
                     lambda rows: remote.fitted(objects.table(kind, rows)))
    return 0


def _names(client: Client, kind: str, where: Sequence[str]) -> list[str]:
    if where:
        return [str(each.config["name"]) for each in objects.everything(client, kind, where)]
    return sorted(client.names(kind))


def _show(kind: str, options: argparse.Namespace) -> int:
    client, name = remote.client(options), options.words[0]

    def ask() -> dict[str, objects.Entry]:
        entry = client.entry(kind, name)
        if entry is None:
            raise Refused([Problem(f"there is no {kind} {name}", tag="data-missing")])
        return objects.Found(entry, client.state(kind, name)).json()
    answer = remote.shown(options, ask, lambda found: objects.render(kind, objects.Found(**found)))
    return 0 if objects.is_right(kind, objects.Found(**answer)) else _NOT_RIGHT


def _add(kind: str, options: argparse.Namespace) -> int:
    name, *given = options.words
    entry = _of_file(kind, name, options.file, given) or edits.new_entry(kinds.kind(kind), name, given)
    remote.client(options).create(kind, entry)
    return _done(options, kind, [name], "added")


def _set(kind: str, options: argparse.Namespace) -> int:
    name, *given = options.words
    entry = _of_file(kind, name, options.file, [*given, *options.remove])
    if not entry and not given and not options.remove:
        raise WrongUsage("nothing is to be set: give PATH=VALUE, --remove PATH or --file FILE")
    client = remote.client(options)
    if entry:
        _known(client, kind, [name])
        client.replace(kind, entry)
    else:
        client.change(kind, name, given, options.remove)
    return _done(options, kind, [name], "changed")


def _delete(kind: str, options: argparse.Namespace) -> int:
    client, names = remote.client(options), list(dict.fromkeys(options.words))
    _known(client, kind, names)
    client.delete(kind, names)
    return _done(options, kind, names, "deleted")


def _known(client: Client, kind: str, names: Sequence[str]) -> None:
    """The controller says only that data do not exist, and not which."""
    missing = [name for name in names if client.entry(kind, name) is None]
    if missing:
        raise Refused([Problem(f"there is no {kind} {name}", tag="data-missing") for name in missing])


def _of_file(kind: str, name: str, path: pathlib.Path | None, given: Sequence[str]) -> edits.Entry | None:
    if path is None:
        return None
    if given:
        raise WrongUsage("--file has the whole entry: no leaf is given or removed beside it")
    return documents.entry(kinds.kind(kind), name, path)


def _done(options: argparse.Namespace, kind: str, names: Sequence[str], done: str) -> int:
    print(json.dumps({done: names}) if options.json else "\n".join(f"{kind} {plain(name)} {done}" for name in names))
    return 0


_ACTIONS = {"list": _list, "show": _show, "add": _add, "set": _set, "delete": _delete}
