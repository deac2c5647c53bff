# SPDX-License-Identifier: Apache-2.0
"""Instances of network functions beside a node: start, stop, state.

An instance owns the sockets <vhost-user-directory>/<instance>-in.sock and -out.sock, and -alt.sock if it has a second
output; the switch connects to them. They are symbolic links to those in the instance's own directory, which is all that
its processes may write to.
What has to be undone is written to <run-directory>/<node>/functions/<instance>/state.json before it is done. How its
process is started is the matter of its form: see `forms`.
"""

import contextlib
import dataclasses
import pathlib
import re
import shutil
import typing
import uuid
from collections.abc import Iterator, Mapping

from penstock_base import locks, places, processes
from penstock_base.errors import PenstockError, ProfileError
from penstock_base.steps import say, step
from penstock_node import node, quarantine
from penstock_node.ovs import Ovs
from penstock_node.peers import Peers

from . import catalogue, control_group, forms, rings
from .function import Function
from .instance_files import InstanceFiles

# An OpenFlow port name has 15 letters. Longer names work as long as their first 15 letters differ, so the last letters
# of <instance>-in, <instance>-out and <instance>-alt may be cut, but not these words.
NAME = re.compile(r"[a-z][a-z0-9-]{0,12}")
_HELD = ("reason", "time")
_LONGEST_PROBLEM = 200
_KILL_SECONDS = 30
NAME_RULE = "an instance name is a lower-case letter, then at most 12 of a-z, 0-9 and '-'"


def start(name: str, node_name: str, function: Function | str | None = None, run_directory: pathlib.Path | None = None,
          core: int | None = None, scheduling: str | None = None, wait_seconds: float = 0,
          ordered: bool = False) -> bool:
    """Starts instance `name` of a catalogue function (by default that of the same name).

    core, scheduling: replace what the catalogue says. wait_seconds: if not 0, wait that long for the switch to connect
    and to have a ring of each port, and for the guest of form vm to be ready. ordered: the node's agent starts it, and
    will end it with its order.
    Returns True if anything had to be done.
    """
    if not NAME.fullmatch(name):
        raise PenstockError(f"{name}: {NAME_RULE}")
    run_directory = pathlib.Path(run_directory or places.run_directory())
    entry = function if isinstance(function, Function) else catalogue.find(function or name)
    order = {"function": entry.name, "core": core, "scheduling": scheduling} if ordered else None
    entry = dataclasses.replace(entry, core=entry.core if core is None else core,
                                scheduling=scheduling or entry.scheduling)
    with _locked(name, node_name, run_directory) as instance:
        quarantine.refuse(run_directory / node_name, name)
        if instance.is_running() and instance.state.get("complete", True):
            if instance.state.get("function") != entry.name:
                raise PenstockError(f"{name} runs already, as {instance.state.get('function')}; stop it first")
            say(f"function {name} on {node_name} is running already; nothing changed")
            started = False
        else:
            _start(instance, entry, order)
            started = True
    if wait_seconds:
        with step(f"function {name}: packets pass all its ports"):
            processes.wait_until(lambda: _is_attached(instance) and _has_rings(instance), f"function {name}",
                                 wait_seconds, instance.process, instance.log)
    return started


def stop(name: str, node_name: str, run_directory: pathlib.Path | None = None, ordered: bool = False) -> bool:
    """Stops an instance and removes what belongs to it, also after a crash. Returns True if there was anything.

    ordered: only if the node's agent has started it
    """
    with _locked(name, node_name, pathlib.Path(run_directory or places.run_directory())) as instance:
        if ordered and instance.directory.exists() and not instance.state.get("order"):
            say(f"function {name} on {node_name} was started by hand; nothing changed")
            return False
        if not instance.directory.exists():
            say(f"function {name} on {node_name} is not running; nothing to do")
            return False
        with step(f"function {name} on {node_name}: stop"):
            _clean(instance)
        return True


def release(name: str, node_name: str, run_directory: pathlib.Path | None = None) -> bool:
    """Ends the quarantine of an instance, so that it may be started. Returns False if it was not in quarantine."""
    if not NAME.fullmatch(name):
        raise PenstockError(f"{name}: {NAME_RULE}")
    run_directory = pathlib.Path(run_directory or places.run_directory())
    node.read_state(node_name, run_directory)
    with _locked(name, node_name, run_directory):
        released = quarantine.release(run_directory / node_name, name)
    say(f"function {name} on {node_name} is released" if released else
        f"function {name} on {node_name} is not in quarantine; nothing to do")
    return released


def status(run_directory: pathlib.Path | None = None, node_name: str | None = None) -> list[dict[str, typing.Any]]:
    """One dict for each instance, sorted by node and name, also of those in quarantine that are not there any more."""
    root = pathlib.Path(run_directory or places.run_directory())
    nodes = node_name or "*"
    found = {(path.parents[2].name, path.parent.name) for path in root.glob(f"{nodes}/functions/*/state.json")}
    found |= {(path.parent.name, name) for path in root.glob(f"{nodes}/quarantine")
              for name in quarantine.names(path.parent)}
    return [_describe_whatever_it_is(name, on, root) for on, name in sorted(found)]


@dataclasses.dataclass(frozen=True)
class Facts:
    """What the node's agent has to know of an instance.

    order:     function, core and scheduling as ordered; None when it was started by hand, or is not there
    function:  name of the function, None when it is not there
    form:      its form, None when it is not there
    complete:  whether its start came to its end
    running:   whether its processes run, all of them
    stopped:   whether one of them is stopped, by SIGSTOP and the like
    attached:  whether the switch is connected to all its sockets, and the function does its work
    log:       path of what its process said
    """
    order: dict[str, object] | None
    function: str | None
    form: str | None
    complete: bool
    running: bool
    stopped: bool
    attached: bool
    log: pathlib.Path | None


NOTHING = Facts(order=None, function=None, form=None, complete=True, running=False, stopped=False, attached=False,
                log=None)
"""Of an instance that is not there."""


def look(name: str, node_name: str, run_directory: pathlib.Path) -> Facts:
    """The Facts of an instance at this moment."""
    instance = InstanceFiles(name, node_name, pathlib.Path(run_directory))
    running = instance.is_running()
    return Facts(instance.state.get("order"), instance.state.get("function"), instance.state.get("form"),
                 instance.state.get("complete", True), running, any(map(processes.is_stopped, instance.process_files)),
                 running and _is_attached(instance), instance.log)


def limit_logs(name: str, node_name: str, run_directory: pathlib.Path) -> None:
    """Empties those logs of its processes that take too much room."""
    files = InstanceFiles(name, node_name, pathlib.Path(run_directory))
    for program in files.process_names:
        processes.limit_log(files.directory / f"{program}.log", forms.of(files).LOG_KEEPS)


def go_on(name: str, node_name: str, run_directory: pathlib.Path) -> None:
    """Continues the processes of an instance that a signal has stopped."""
    files = InstanceFiles(name, node_name, pathlib.Path(run_directory)).process_files
    for pid in filter(None, map(processes.pid_of, files)):
        processes.go_on(pid)


def _start(instance: InstanceFiles, entry: Function, order: Mapping[str, object] | None) -> None:
    node_state = node.read_state(instance.node, instance.run_directory)
    wrong = catalogue.machine_problems(entry)
    if wrong:
        raise ProfileError(wrong, entry.name)
    if instance.directory.exists():
        _clean(instance)
    form = forms.of_function(entry)
    lack = form.lack(entry)
    if lack:
        raise PenstockError(f"start.memory-mb: {lack}")
    group = control_group.plan(instance.control_group_name, entry)
    instance.directory.mkdir(parents=True)
    instance.save(function=entry.name, form=entry.form, mode=entry.mode, outputs=entry.outputs,
                  processes=form.PROCESSES, core=entry.core, scheduling=entry.scheduling, order=order, complete=False,
                  vhost_user_directory=node_state["wanted"]["vhost_user_directory"],
                  switch_root=node_state["wanted"].get("switch_root"),
                  accepted_switch_faults=node_state["wanted"].get("accepted_switch_faults", []),
                  **{"control-group": group})
    control_group.make(group, entry.scheduling)
    instance.make_own()
    form.start(instance, entry)
    instance.save(complete=True)


def _clean(instance: InstanceFiles) -> None:
    # Nothing is lost with it, and while it waits for the switch it does not listen to a polite signal.
    for pidfile in instance.process_files:
        processes.stop(pidfile, timeout_seconds=1)
    # Its user will be that of another one. At scheduling idle processes may need long to end.
    Peers(instance.run_directory / instance.node).kill(instance.name, patience_seconds=_KILL_SECONDS)
    control_group.remove(instance.state.get("control-group", {}))
    forms.of(instance).clean(instance)
    instance.clean_own()
    shutil.rmtree(instance.directory, ignore_errors=True)
    instance.state.clear()


def _is_attached(instance: InstanceFiles) -> bool:
    """Whether the switch is connected to all its sockets, and the function does its work."""
    if not all(instance.connected().values()):
        return False
    try:
        return forms.of(instance).is_ready(instance)
    except Exception:  # noqa: BLE001  (its answer may be anything; without one it can be ended all the same)
        return False


def _has_rings(instance: InstanceFiles) -> bool:
    """Whether packets pass all its ports: a function that is connected may not have started its devices."""
    ports = {f"{instance.name}-{side}" for side in instance.sockets}
    try:
        answer = Ovs(instance.run_directory / instance.node).appctl("dpif-netdev/pmd-rxq-show")
    except PenstockError:
        return False  # It has ended, or starts.
    return ports <= rings.with_ring(answer)


def _describe_whatever_it_is(name: str, node_name: str, root: pathlib.Path) -> dict[str, typing.Any]:
    """Its facts. When they cannot be had, so much of them as the names tell, and why in `problem`."""
    try:
        return _describe(InstanceFiles(name, node_name, root))
    except Exception as error:  # noqa: BLE001  (one instance must not hide the others)
        unknown = ("function", "form", "mode", "quarantine", "pid", "core", "scheduling", "namespace", "control-group")
        return dict.fromkeys(unknown) | {
            "name": name, "node": node_name, "state": "failed", "ordered": False, "sockets": {}, "resident-mb": 0,
            "cpu-seconds": 0.0, "log": "", "problem": _problem(error)}


def _problem(error: Exception) -> str:
    """A short line, without signs that would control a terminal."""
    kind = "" if isinstance(error, PenstockError) else f"{type(error).__name__}: "
    return ascii(f"{kind}{error}")[1:-1][:_LONGEST_PROBLEM]


def _facts(instance: InstanceFiles) -> dict[str, object]:
    """All that its form tells; in `problem` why it does not."""
    try:
        return forms.of(instance).facts(instance)
    except Exception as error:  # noqa: BLE001  (its answer may be anything)
        return {"problem": _problem(error)}


def _describe(instance: InstanceFiles) -> dict[str, typing.Any]:
    """All facts of an instance for people and programs."""
    pids = [processes.pid_of(pidfile) for pidfile in instance.process_files]
    running = None not in pids
    connected = instance.connected()
    known = instance.state
    held = quarantine.of(instance.run_directory / instance.node, instance.name)
    known = (held or {}) | known
    state = ("quarantined" if held else "failed" if not running else "attached" if _is_attached(instance) else
             "waiting")
    return {"name": instance.name, "function": known.get("function"), "node": instance.node, "form": known.get("form"),
            "mode": known.get("mode"), "state": state, "quarantine": held and {key: held[key] for key in _HELD},
            "pid": pids[0], "core": known.get("core"),
            "scheduling": known.get("scheduling"), "ordered": bool(known.get("order")),
            "namespace": known.get("namespace"), "control-group": known.get("control-group"),
            "sockets": {side: {"path": str(path), "connected": connected[side]}
                        for side, path in instance.sockets.items()},
            "resident-mb": sum(processes.resident_megabytes(pid) for pid in filter(None, pids)),
            "cpu-seconds": sum((processes.cpu_seconds(pid) for pid in filter(None, pids)), 0.0),
            "log": str(instance.log)} | (_facts(instance) if running else {})


@contextlib.contextmanager
def _locked(name: str, node_name: str, run_directory: pathlib.Path) -> Iterator[InstanceFiles]:
    """Holds the lock of an instance. Yields it as it is then: who was waited for may have changed it."""
    directory = InstanceFiles(name, node_name, run_directory).directory
    with locks.held("function-" + str(uuid.uuid5(uuid.NAMESPACE_URL, str(directory.absolute())))):
        yield InstanceFiles(name, node_name, run_directory)
