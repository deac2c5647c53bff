# SPDX-License-Identifier: Apache-2.0
"""An upgrade of a cluster, member by member, to programs whose models have one more leaf, while clients write."""

import pathlib
import time
import zipfile
from collections.abc import Callable

from penstock_base import processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_controller import Controller, cluster_cli

from . import configuration
from .cluster_bed import NUMBERS, ClusterBed
from .cluster_observers import Writer

_LIST = "list pool {\n      key name;\n"
_LEAF = "      leaf later { type string; description \"A leaf of a later release.\"; }\n"
_POOL = {"penstock:pool": [{"name": "upgraded", "prefix": ["198.51.100.0/28"], "later": "yes"}]}
_SECONDS = 60
_LOG_LINES = 40


def variant(distribution: pathlib.Path, target: pathlib.Path) -> pathlib.Path:
    """A copy of a distribution whose model has one more leaf, which nothing but the datastore reads."""
    run("cp", "--recursive", "--reflink=auto", distribution, target)
    jar = next(target.glob("system/io/penstock/model/*/model-*.jar"))
    changed = jar.with_suffix(".new")
    with zipfile.ZipFile(jar) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.startswith("META-INF/yang/penstock@"):
                text = content.decode()
                if text.count(_LIST) != 1:
                    raise PenstockError(f"{name}: the list of pools does not begin as expected")
                content = text.replace(_LIST, _LIST + _LEAF).encode()
            new.writestr(name, content)
    changed.replace(jar)
    return target


def upgrade(bed: ClusterBed, distribution: pathlib.Path, writers: list[Writer], kill: Callable[[], None]) -> list[str]:
    """Upgrades the members, one by one; returns what is wrong.

    The first one is killed while it is the master, one is stopped while it stands by, and the last one after it has
    lost the mastership to one that has the programs of now.

    writers: at work at each member; each is waited for after each step
    kill:    kills the master, and waits until it is in again
    """
    wrong = []
    first = _leads(bed)
    _exchange(bed, first, distribution, kill)
    master = _leads(bed)
    for number in [first, *(each for each in NUMBERS if each not in (first, master))]:
        if number != first:
            _exchange(bed, number, distribution)
        _await_all(bed, number)
        if cluster_cli.state(bed.members[number])["same-models"]:
            wrong.append(f"member {number} does not see that models differ")
        answer = _store(bed, number)
        if not answer:
            wrong.append("a master without the leaf has stored it")
    # The new master knows the leaf, and the former one is in without it.
    bed.freeze(master)
    processes.wait_until(lambda: _leads(bed) != master, "another member takes over", _SECONDS)
    leading = _leads(bed)
    bed.thaw(master)  # For some milliseconds it answers as if it led.
    processes.wait_until(lambda: bed.members[master].pid is None or cluster_cli.state(bed.members[leading])[
        "may-stop-one"], "the former master is in again, or has ended", _SECONDS)
    if bed.members[master].pid is not None:  # It ends if it was away for 7 s, and would not be let in again.
        answer = _store(bed, leading)
        if f"member-{master} has models without network/pool/later" not in answer:
            wrong.append(f"the leaf that member {master} lacks was answered by: {answer or 'stored'}")
    _exchange(bed, master, distribution)
    _await_all(bed, master)
    begun = time.monotonic()
    processes.wait_until(lambda: all(writer.accepted_after(begun) for writer in writers), "each writer goes on",
                         _SECONDS)
    answer = _store(bed, master)
    if answer:
        wrong.append(f"the leaf that all have is refused: {answer}")
    wrong += [f"member {number} does not have the leaf" for number in NUMBERS
              if bed.restconf(number, 20).read(f"{configuration.NETWORK}/pool=upgraded") != _POOL]
    return wrong


def _exchange(bed: ClusterBed, number: int, distribution: pathlib.Path, end: Callable[[], None] | None = None) -> None:
    """Ends a member, and starts it with other programs."""
    former = bed.members[number]
    bed.members[number] = Controller(distribution, former.run_dir)
    (end or former.stop)()
    bed.come_back(number)


def _await_all(bed: ClusterBed, number: int) -> None:
    """Until a member sees that one may be stopped, as an operator waits for before the next one."""
    try:
        processes.wait_until(lambda: cluster_cli.state(bed.members[number])["may-stop-one"],
                             f"all members are in, as member {number} sees them", _SECONDS)
    except PenstockError as error:
        views = "\n".join(f"member {each} sees: {cluster_cli.state(bed.members[each])}" for each in NUMBERS)
        logs = "".join(processes.log_tail(bed.members[each].log_file, _LOG_LINES) for each in NUMBERS)
        raise PenstockError(f"{error}\n{views}{logs}") from error


def _leads(bed: ClusterBed) -> int:
    return bed.mastership()[0]


def _store(bed: ClusterBed, number: int) -> str:
    """Stores the leaf by a member; returns why it was refused."""
    try:
        bed.restconf(number, 20).replace(f"{configuration.NETWORK}/pool=upgraded", _POOL)
    except PenstockError as error:
        return str(error)
    return ""
