# SPDX-License-Identifier: Apache-2.0
"""Instances that run beside a node without being ordered: those started by hand, and those of others."""

import pathlib

from penstock_base import locks

from . import instance, instance_files

_LISTENS = 0x10000  # __SO_ACCEPTCON


def found(run_directory: pathlib.Path, node: str, named: set[str]) -> list[str]:
    """Names of the instances that run and are not in `named`."""
    names, ours = set(), set()
    for path in (run_directory / node / "functions").glob("*/state.json"):
        name = path.parent.name
        ours.add(name)
        try:
            facts = instance.look(name, node, run_directory)
        except Exception:  # noqa: BLE001, S112  (it must not hide others; agent_instances tells of it)
            continue
        if facts.running and facts.order is None:
            names.add(name)
    # Sockets of those above belong to them, also while these come and go.
    return sorted((names | _of_others(_sockets(run_directory, node), named | ours)) - named)


def _sockets(run_directory: pathlib.Path, node: str) -> pathlib.Path:
    """Where the sockets are."""
    state = locks.read_json(run_directory / node / "state.json", {})
    return pathlib.Path(state.get("wanted", {}).get("vhost_user_directory") or run_directory / node / "vhost")


def _of_others(directory: pathlib.Path, known: set[str]) -> set[str]:
    """Names of those who listen at both sockets, but for the known ones."""
    candidates: dict[str, set[str]] = {}
    for path in directory.glob("*-in.sock"):
        name = path.name.removesuffix("-in.sock")
        pair = {str(directory / f"{name}-{side}.sock") for side in instance_files.SIDES}
        if name not in known and instance.NAME.fullmatch(name) and all(pathlib.Path(each).exists() for each in pair):
            candidates[name] = pair
    if not candidates:  # As it is nearly always: then nobody has to look through all processes.
        return set()
    listening = _listening()
    return {name for name, pair in candidates.items() if pair <= listening}


def _listening() -> set[str]:
    """Paths of the sockets that somebody listens at, in all network namespaces that have a process.

    A socket is listed where it was made, nowhere else. To connect to one would tell as well, but a function takes
    whoever connects for the switch.
    """
    paths: set[str] = set()
    seen: set[int] = set()
    for table in pathlib.Path("/proc").glob("[0-9]*/net/unix"):
        try:
            # One file a namespace, whichever process it is read by.
            number = table.stat().st_ino
            if number in seen:
                continue
            listed = instance_files.unix_sockets(table.read_bytes())
        except OSError:
            continue  # It has ended.
        seen.add(number)
        paths.update(path for flags, _, path in listed if flags & _LISTENS)
    return paths
