# SPDX-License-Identifier: Apache-2.0
"""Instances of functions that may not run until a person releases them, because they have ended the switch.

Each has a file <node>/quarantine/<instance>.json, which is there before anything else is done, and stays when agents,
the node and the instance are started again. `ovs-config down` removes it with the node.
"""

import datetime
import pathlib

from penstock_base import locks
from penstock_base.errors import PenstockError

from .peers import Peers

_DAMAGED = {"reason": "its file in the directory quarantine cannot be read", "time": None, "function": None,
            "form": None}


def impose(directory: pathlib.Path, name: str, reason: str) -> None:
    """Puts an instance beside the node in `directory` into quarantine: it ends, and the switch cannot connect to it.

    When the file cannot be written it is ended all the same, and the error raised then.
    """
    facts = Peers(directory).facts(name)
    entry = {"reason": reason, "time": _now(), "function": facts.get("function"), "form": facts.get("form")}
    try:
        _directory(directory).mkdir(mode=0o755, exist_ok=True)
        locks.write_json(_path(directory, name), entry)
    finally:
        enforce(directory, name)


def enforce(directory: pathlib.Path, name: str) -> bool:
    """Ends what runs of an instance in quarantine. Returns True if anything did."""
    peers = Peers(directory)
    peers.sever(name)
    return peers.kill(name)


def of(directory: pathlib.Path, name: str) -> dict[str, str | None] | None:
    """The entry of an instance with `reason`, `time`, `function` and `form`; None when it is not in quarantine."""
    path = _path(directory, name)
    entry: dict[str, str | None] | None = locks.read_json(path, None)
    # A file that a crash has damaged is one all the same.
    return entry if isinstance(entry, dict) else _DAMAGED if path.exists() else None


def names(directory: pathlib.Path) -> list[str]:
    """Names of all instances in quarantine, sorted."""
    return sorted(path.stem for path in _directory(directory).glob("*.json"))


def text(directory: pathlib.Path, name: str) -> str | None:
    """One line about an instance in quarantine, and what to do; None when it is not."""
    entry = of(directory, name)
    if entry is None:
        return None
    when = f" at {entry.get('time')}" if entry.get("time") else ""
    return f"quarantined{when}: {entry.get('reason')}; to release it: functions release {name} --node {directory.name}"


def release(directory: pathlib.Path, name: str) -> bool:
    """Ends the quarantine. Returns False if there was none."""
    try:
        _path(directory, name).unlink()
    except FileNotFoundError:
        return False
    return True


def refuse(directory: pathlib.Path, name: str) -> None:
    """Raises PenstockError when an instance is in quarantine."""
    why = text(directory, name)
    if why:
        raise PenstockError(f"{name}: {why}")


def _directory(directory: pathlib.Path) -> pathlib.Path:
    return directory / "quarantine"


def _path(directory: pathlib.Path, name: str) -> pathlib.Path:
    return _directory(directory) / f"{name}.json"


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
