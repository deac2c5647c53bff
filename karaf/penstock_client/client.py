# SPDX-License-Identifier: Apache-2.0
"""The client: what may be asked of a controller, and what may be changed there."""

from __future__ import annotations

import json
import os
import typing
from collections.abc import Callable, Iterable, Sequence

from penstock_base.errors import PenstockError
from penstock_base.restconf import Restconf, RestconfError

from . import documents, edits, flat, kinds, paths, schema
from .edits import Edit, Entry
from .errors import Problem, Refused, Unreachable
from .target import Target

_PROBE_SECONDS = 5
"""For the answer of a member that is asked whether it is there."""
_PROBE = schema.ACLS
_STATE = "penstock-state:state"
_ATTEMPTS = 5

Answer = typing.TypeVar("Answer")


class Caller(typing.Protocol):
    """Calls RPCs of a controller: a Client, or a Restconf."""

    def call(self, operation: str, argument: object = None) -> dict[str, typing.Any]:
        """Calls `module:rpc` and returns its output."""


class Client:
    """Asks and changes one controller, or the first member of a cluster that answers. Each method raises Refused or
    Unreachable. A change whose answer is lost is not repeated: it may have been made."""

    def __init__(self, members: Sequence[Restconf], probes: Sequence[Restconf] = ()) -> None:
        """members: the controllers in the order in which they are asked; probes: the same, with little patience."""
        self._members = list(members)
        self._probes = list(probes or members)
        self._current: int | None = None if len(self._members) > 1 else 0

    @classmethod
    def of(cls, target: Target) -> Client:
        """A client of the controllers and the account of a target."""
        def restconf(url: str, seconds: float) -> Restconf:
            return Restconf(url, target.user, target.password, seconds, target.ca)
        return cls([restconf(url, target.timeout_seconds) for url in target.urls],
                   [restconf(url, _PROBE_SECONDS) for url in target.urls])

    def each(self) -> list[tuple[str, Client]]:
        """Each member with its URL, as a client of it alone."""
        return [(member.url, Client([member], [probe]))
                for member, probe in zip(self._members, self._probes, strict=True)]

    def is_there(self) -> bool:
        """Whether a member answers within some seconds."""
        return any(map(self._is_there, range(len(self._members))))

    def entries(self, kind: str) -> list[Entry]:
        """The configured entries of a kind, in the order of their names."""
        wanted = kinds.kind(kind)
        entries: list[Entry] = flat.arranged(self._of_tree(wanted, kind), wanted.node)
        return entries

    def names(self, kind: str) -> list[str]:
        """The names of the entries of a kind."""
        return [str(entry["name"]) for entry in self._of_tree(kinds.kind(kind), f"{kind}/name")]

    def entry(self, kind: str, name: str) -> Entry | None:
        """One configured entry; None if it does not exist."""
        wanted = kinds.kind(kind)
        found = self._read(f"{wanted.tree}/{paths.url(edits.entry_step(wanted, name))}")
        entries = _member(found, f"{wanted.module}:{kind}") if found else []
        return next((flat.arranged(entry, wanted.node) for entry in entries), None)

    def state(self, kind: str, name: str) -> Entry | None:
        """The state of one entry, as penstock-state has it; None if there is none, or the kind has none."""
        wanted = kinds.kind(kind)
        if not wanted.has_state:
            return None
        found = self._read(f"{_STATE}/{paths.url(edits.entry_step(wanted, name))}", "nonconfig")
        return next(iter(_member(found, f"penstock-state:{kind}")), None) if found else None

    def states(self, kind: str) -> dict[str, Entry]:
        """The states of all entries of a kind, by their names."""
        found = self._read(_STATE, "nonconfig", kind) if kinds.kind(kind).has_state else None
        return {str(entry["name"]): entry for entry in (_member(found, _STATE) if found else {}).get(kind, [])}

    def create(self, kind: str, entry: Entry) -> None:
        """Stores a new entry. Refused if there is one of its name."""
        wanted = kinds.kind(kind)
        name = str(entry["name"])
        try:
            self.apply([Edit("create", wanted.tree, (edits.entry_step(wanted, name),), entry)])
        except Refused as error:
            if all(problem.tag != "data-exists" for problem in error.problems):
                raise
            raise Refused([Problem(f"there is a {kind} {name} already", tag="data-exists")], error.status) from None

    def replace(self, kind: str, entry: Entry) -> None:
        """Stores an entry in the place of that of its name, if there is one."""
        wanted = kinds.kind(kind)
        self.apply([Edit("replace", wanted.tree, (edits.entry_step(wanted, str(entry["name"])),), entry)])

    def change(self, kind: str, name: str, given: Sequence[str], removed: Sequence[str] = ()) -> None:
        """Changes some leaves of an entry, and no others, so that no change of another client is lost.

        given: pairs of path and value, as attachment=office/vlan=200; values of a leaf-list are added
        removed: paths of leaves, containers and entries
        """
        wanted = kinds.kind(kind)
        before = self.entry(kind, name)
        if before is None:
            raise Refused([Problem(f"there is no {kind} {name}", tag="data-missing")])
        self.apply(edits.changes(wanted, name, given, removed))
        # An edit makes what is missing above it: also an entry that another client has deleted a moment before.
        touched = {flat.plain(text.partition("=")[0].partition("/")[0]) for text in (*given, *removed)}
        kept = {flat.plain(leaf) for leaf in before} - touched - {"name"}
        after = self.entry(kind, name)
        if kept and after is not None and not kept & {flat.plain(leaf) for leaf in after}:
            raise PenstockError(
                f"{kind} {name} was deleted by another client at the same time, and now has nothing but what was "
                "set here: delete it again, or write all of it")

    def delete(self, kind: str, names: Iterable[str]) -> None:
        """Deletes entries, all of them or none. Refused if one does not exist."""
        wanted = kinds.kind(kind)
        self.apply([Edit("delete", wanted.tree, (edits.entry_step(wanted, name),)) for name in names])

    def apply(self, wanted: Sequence[Edit]) -> None:
        """Carries out edits: every one, or none of them."""
        if wanted:
            self._ask(lambda restconf: restconf.edit([each.wire(number) for number, each in enumerate(wanted, 1)]),
                      changes=True)

    def validate(self, wanted: Sequence[Edit]) -> list[Problem]:
        """Has the controller check edits without storing them. Returns what is wrong, nothing if they are valid.

        The controller refuses a change as a whole and lists each rule that is broken. So one more edit, which always
        breaks a rule, is sent with them: nothing is stored, and what is told beside that one is the answer.
        """
        name = f"validate-{os.urandom(16).hex()}"
        tenant = kinds.kind("tenant")
        broken = Edit("create", tenant.tree, (edits.entry_step(tenant, name),), {"name": name, "egress-acl": name})
        try:
            self.apply([*wanted, broken])
        except Refused as error:
            if error.status != 400:
                raise
            return [problem for problem in error.problems if name not in problem.message + problem.path]
        self.delete("tenant", [name])
        raise PenstockError("the controller has stored what it was asked to check, because it no longer refuses a "
                            f"tenant that names no list; look at ./penstock audit for {name}")

    def stored(self, tree: str) -> Entry:
        """A whole tree of the configuration, such as penstock:network; empty if nothing is stored."""
        found = self._read(tree)
        whole: Entry = flat.arranged(_member(found, tree), schema.trees()[tree]) if found else {}
        return whole

    def unit(self, unit: documents.Unit) -> typing.Any:
        """What is stored in the place of a unit of a document; None if nothing is."""
        found = self._read(f"{unit.tree}/{paths.url(*unit.steps)}")
        value = next(iter(found.values())) if found else None
        return value[0] if isinstance(value, list) else value

    def export(self) -> dict[str, Entry]:
        """All of the configuration, as one document."""
        acls = self.stored(schema.ACLS)
        for _ in range(_ATTEMPTS):
            before, network = acls, self.stored(schema.NETWORK)
            # The trees are read one after the other: a list that the network names has to be there.
            acls = self.stored(schema.ACLS)
            if json.dumps(acls, sort_keys=True) == json.dumps(before, sort_keys=True):
                return {name: tree for name, tree in ((schema.ACLS, acls), (schema.NETWORK, network)) if tree}
        raise PenstockError("the access lists change all the time; repeat the command when the changes have ended")

    def call(self, operation: str, argument: object = None, changes: bool = False) -> dict[str, typing.Any]:
        """Calls `module:rpc` and returns its output.

        changes: whether it changes something, and so is not repeated at another member when its answer is lost
        """
        return self._ask(lambda restconf: restconf.call(operation, argument), changes)

    def _of_tree(self, kind: kinds.Kind, fields: str) -> list[Entry]:
        found = self._read(kind.tree, "config", fields)
        entries: list[Entry] = (_member(found, kind.tree) if found else {}).get(kind.name, [])
        return entries

    def _read(self, path: str, content: str = "config", fields: str = "") -> typing.Any:
        return self._ask(lambda restconf: restconf.read(path, content, fields))

    def _ask(self, ask: Callable[[Restconf], Answer], changes: bool = False) -> Answer:
        """The first answer of a member. changes: the request is not repeated at another member once it was sent."""
        failures = []
        for number in self._order():
            try:
                answer = ask(self._members[number])
            except RestconfError as error:
                if error.status is not None:
                    raise Refused.of(error) from None
                if changes and error.sent:
                    raise Unreachable(f"{error}; it is not known whether the change was made: look before you repeat it"
                                      ) from None
                failures.append(str(error))
                self._current = None
            else:
                self._current = number
                return answer
        raise Unreachable("\n".join(failures))

    def _order(self) -> list[int]:
        """The members as they are asked: that which has answered first."""
        numbers = range(len(self._members))
        first = self._current if self._current is not None else next(filter(self._is_there, numbers), 0)
        return [first, *(number for number in numbers if number != first)]

    def _is_there(self, number: int) -> bool:
        """Whether a member answers at all; one that hangs is passed over after some seconds and not after a minute."""
        try:
            self._probes[number].read(_PROBE, "config", "acl/name")
        except RestconfError as error:
            return error.status is not None
        return True


def _member(found: typing.Any, name: str) -> typing.Any:
    """A member of an answer."""
    if not isinstance(found, dict) or name not in found:
        raise PenstockError(f"the answer has no {name}: is it the controller?")
    return found[name]
