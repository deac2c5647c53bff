# SPDX-License-Identifier: Apache-2.0
"""Numbers of users that have no name: one for each function instance, translator and tenant's resolver, one for the
switch of each node, and one for the relays of nodes.

They are of a range that neither Debian nor systemd gives to anybody (UIDS-GIDS of systemd), and beyond those that
containers usually get. A user is its own group.
"""

import hashlib
import pathlib

from penstock_base import locks
from penstock_base.errors import PenstockError

RELAY = 0x70000000
"""The user of the relays to controllers on other machines."""
CAPTURES = 0x70000010
"""The user of tcpdump in the first capture of a node; that of the second follows."""
RESOLVERS = 0x70010000
"""The number of the resolver of tenant (VRF) 0; that of others follows."""
_LAST_RESOLVER = RESOLVERS + 0xffff
_FIRST, _LAST = 0x70020000, 0x7002FFFF
_SWITCHES, _MOST_SWITCHES = 0x70100000, 1 << 20


def resolver(tenant: int) -> int:
    """The user of a tenant's resolver. tenant: its VRF id, below 65536."""
    return RESOLVERS + tenant


def switch(directory: pathlib.Path) -> int:
    """The user of the switch of the node whose files are in a directory. It follows from the path, so no
    file can lose it; the nodes of one machine are too few for two equal numbers."""
    digest = hashlib.sha256(str(directory.absolute()).encode()).digest()
    return _SWITCHES + int.from_bytes(digest[:4], "big") % _MOST_SWITCHES


def take(owner: str) -> int:
    """The user of the directory `owner`, that it has or that it gets now. The directory must be there: when it has
    gone its user is given to another one."""
    with locks.held("user-ids"):
        users = _read()
        if owner not in users:
            users = {path: uid for path, uid in users.items() if pathlib.Path(path).exists()}
            given = set(users.values())
            free = next((uid for uid in range(_FIRST, _LAST + 1) if uid not in given), None)
            if free is None:
                raise PenstockError(f"no user is free for {owner}: {len(given)} functions and translators have one")
            users[owner] = free
            locks.write_json(_ledger(), users)
        return users[owner]


def give_back(owner: str) -> None:
    """Makes the user of a directory free, when no process of it runs any more."""
    with locks.held("user-ids"):
        users = _read()
        if users.pop(owner, None) is not None:
            if users:
                locks.write_json(_ledger(), users)
            else:
                _ledger().unlink(missing_ok=True)


def owner(uid: int) -> str | None:
    """The directory that has a user of `take`; None for other users, and for one that is free."""
    if not _FIRST <= uid <= _LAST:
        return None
    return next((path for path, given in _read().items() if given == uid), None)


def is_taken(uid: int) -> bool:
    """Whether it is the user of a tenant's resolver, or one that a directory has."""
    return RESOLVERS <= uid <= _LAST_RESOLVER or owner(uid) is not None


def of(path: str) -> int | None:
    """The user of the directory, None if it has none."""
    return _read().get(path)


def _ledger() -> pathlib.Path:
    return locks.lock_directory() / "user-ids.json"


def _read() -> dict[str, int]:
    users: dict[str, int] = locks.read_json(_ledger(), {})
    return users
