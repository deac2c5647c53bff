# SPDX-License-Identifier: Apache-2.0
"""Brings a node up and down. Its status: node_status.py.

Everything that has to be undone is written to <run-directory>/<node>/state.json before it is done, so that `down` can
clean up, and `up` can go on, whatever moment a crash chose.
"""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import shutil
import time
import typing
import uuid
from collections.abc import Collection, Mapping, Sequence

from penstock_base import locks, namespaces, places, processes
from penstock_base.errors import PenstockError, ProfileError
from penstock_base.steps import say, step
from penstock_base.version import version

from . import (
    controller_relay,
    management,
    node_agent,
    node_exporter,
    node_protocol,
    node_records,
    node_settings,
    node_watch,
    resolver_network,
    supervision,
    switch_faults,
    switch_program,
    switch_rights,
    switch_root,
)
from .hugepages import HugePages
from .ovs import DATABASE, SWITCH, Ovs, remove_dpdk_directory
from .profile import Profile, find_port, machine_problems, online_cores, switch_problems

_RESTART_SECONDS = 20
_POLL_SECONDS = 0.05
# What a running switch cannot change; the field names are those of the profile file.
_FIXED = {"hugepage_memory_mb": "hugepage-memory-mb", "namespace": "namespace",
          "vhost_user_directory": "vhost-user-directory", "switch_root": "switch-root",
          "accepted_switch_faults": "accepted-switch-faults",
          "management_controller_address": "management.controller-address",
          "management_node_address": "management.node-address", "device_arguments": "devargs of dpdk ports"}


def up(profile: Profile, fetch: bool = True) -> bool:
    """Makes the node run as the profile says. Returns True if anything had to be done. fetch: whether Open vSwitch may
    be fetched; without that switch_root.Absent is raised where none is there."""
    with _locked(profile.directory):
        return _up(profile, fetch)


def down(name: str, run_directory: pathlib.Path | None = None) -> bool:
    """Takes away all that `up` made, also what a crash left. Returns True if there was anything."""
    directory = (run_directory or places.run_directory()) / name
    with _locked(directory):
        return _down(name, directory)


def read_state(name: str, run_directory: pathlib.Path | None = None) -> dict[str, typing.Any]:
    """What is remembered of a node, for programs that attach to it. Raises PenstockError if the node is unknown."""
    path = (run_directory or places.run_directory()) / name / "state.json"
    state: dict[str, typing.Any] | None = locks.read_json(path, None)
    if state is None:
        raise PenstockError(f"node {name} is not up (no {path}); bring it up first: ovs-config up PROFILE")
    return state


def _locked(directory: pathlib.Path) -> contextlib.AbstractContextManager[None]:
    return locks.held("node-" + str(uuid.uuid5(uuid.NAMESPACE_URL, str(directory.absolute()))))


def _up(profile: Profile, fetch: bool) -> bool:
    directory = profile.directory
    ovs = Ovs(directory, switch_home=switch_rights.home(directory) if switch_rights.is_confined(profile) else None)
    state = locks.read_json(directory / "state.json", None)
    profile = _with_switch(profile, state, fetch)
    wanted = node_settings.wanted(profile)
    tree = supervision.Tree(directory)
    if state and namespaces.exists(profile.namespace):
        restarted = tree.ensure()
        if restarted:
            say(f"node {profile.name}: the supervision of its processes had ended and is started again")
        if _comes_back(ovs, tree):
            return _adjust(profile, ovs, state, wanted) or restarted
    wrong = machine_problems(profile) + switch_rights.problems(profile)
    if wrong:
        raise ProfileError(wrong)
    if state:
        say(f"node {profile.name}: cleaning up after a crash")
        _recover(ovs, tree, state, profile)
    directory.mkdir(parents=True, exist_ok=True)
    state = _State(directory, state or {})
    # Until the end: where this one is interrupted, the next one goes on as after a change.
    state.save(name=profile.name, wanted=wanted, controller_namespace=namespaces.current_id(), unfinished=True)

    with step(f"node {profile.name}: network namespace {profile.namespace} and management veth") as line:
        _connect(profile, state)
        line.note = state["node_address"]
    if profile.routed_controllers:
        with step(f"node {profile.name}: relay to {', '.join(profile.routed_controllers)}"):
            _start_relay(profile)
    rights = switch_rights.make(profile, ovs)
    with step(f"node {profile.name}: database server"):
        ovs.start_database(tree=tree, root=profile.switch_root or switch_program.MACHINE)
        node_settings.configure(ovs, profile)
    memory = node_settings.megabytes(profile, " + ")
    with step(f"node {profile.name}: {memory} MB of huge pages and the switch") as line:
        state.save(hugepage_owner=_user(directory))
        line.note = f"{_start_switch(profile, ovs, tree, rights)} huge pages added"
    controllers = ", ".join(f"{address}:{profile.ovsdb_port}" for address in profile.controller_addresses)
    with step(f"node {profile.name}: ports and announcement to {controllers}"):
        _take_ports(profile, state)
        _make_resolver_network(profile, state)
        node_settings.announce(ovs, profile)
        _start_programs(profile)
    state.save(unfinished=False, version=version())
    say(f"node {profile.name} is up: OVS_RUNDIR={directory}")
    return True


def _start_switch(profile: Profile, ovs: Ovs, tree: supervision.Tree, rights: Sequence[str]) -> int:
    """Starts the switch, and prepares its bridge. Returns the number of huge pages that were added."""
    owner = _user(profile.directory)
    with HugePages().reserve(owner, profile.hugepage_memory_mb) as added:
        ovs.start_switch(
            profile.namespace, online_cores() - set(profile.pmd_cores), rights,
            root=profile.switch_root or switch_program.MACHINE, tree=tree,
            before=(HugePages.claim_command(owner, profile.hugepage_memory_mb),),
            closed=switch_faults.FRAGMENTS in switch_faults.off(profile.accepted_switch_faults))
    ovs.prepare_bridge()
    return added


def _with_switch(profile: Profile, state: dict[str, typing.Any] | None, fetch: bool) -> Profile:
    """The profile with the switch that the node has, or gets: another one takes its place when the node is started.
    Raises ProfileError if it may not run. fetch: as of `up`."""
    had = (state or {}).get("wanted", {}).get("switch_root", "")
    # A node without any was started by a version that knew none but the machine's own.
    if profile.switch_root is None and had is not None:
        root = pathlib.Path(had) if had and switch_program.problem(pathlib.Path(had)) is None else None
        profile = dataclasses.replace(profile, switch_root=root or switch_root.ensure(fetch).directory)
    wrong = switch_problems(profile)
    if wrong:
        raise ProfileError(wrong)
    return profile


def _connect(profile: Profile, state: _State) -> None:
    if not namespaces.exists(profile.namespace):
        state.save(namespace_made=True, namespace=profile.namespace)
        namespaces.create(profile.namespace)
    state.save(namespace=profile.namespace, management_address=profile.management_controller_address)
    management.acquire_address(_user(profile.directory), profile.management_controller_address)
    address = management.connect(profile.name, profile.namespace, profile.management_controller_address,
                                 profile.management_node_address)
    for controller in profile.controller_addresses:
        if controller not in profile.routed_controllers:
            namespaces.set_route(controller, management.NODE_LINK, address, profile.namespace)
    state.save(node_address=address)


def _take_ports(profile: Profile, state: _State) -> None:
    for port in profile.ports:
        if port.type != node_protocol.TYPE_SYSTEM:
            continue
        place = find_port(profile, port)
        if place is None:
            raise ProfileError([f"{profile.field_of_port[port.name]}.name: the network device {port.name} has gone; "
                                "create it again"])
        if place == "here":
            state.save(moved_ports=sorted({*state.get("moved_ports", []), port.name}))
            namespaces.move_link(port.name, None, profile.namespace)
        namespaces.set_up(port.name, profile.namespace)
        namespaces.disable_checksum_offload(port.name, profile.namespace)


def _make_resolver_network(profile: Profile, state: _State) -> None:
    """Makes the resolvers' network unless it is there, complete: they go on while the switch is started again."""
    if profile.dns is None or (state.get("dns_complete") and resolver_network.is_there(profile.namespace)):
        return
    _remove_resolver_network(profile.directory, state)
    state.save(dns_device=profile.dns.device, dns_namespace=profile.namespace)
    resolver_network.make(profile.namespace, profile.dns)
    state.save(dns_complete=True)


def _remove_resolver_network(directory: pathlib.Path, state: _State) -> None:
    """Ends agent and resolvers, gives the device back to the current namespace, removes the resolvers' network."""
    if not state.get("dns_namespace"):
        return
    node_agent.stop(directory)  # Before their network goes.
    namespace = resolver_network.namespace_of(state["dns_namespace"])
    state.save(dns_complete=False)
    device = state.get("dns_device")
    if device and namespaces.exists(namespace) and namespaces.link_exists(device, namespace):
        namespaces.move_link(device, namespace, None)
    resolver_network.remove(state["dns_namespace"])
    state.save(dns_device=None, dns_namespace=None)


def _start_relay(profile: Profile) -> bool:
    """Starts the relay to controllers on other machines unless it runs, or ends it. Returns True if it changed."""
    return controller_relay.start(profile.directory, profile.namespace, profile.routed_controllers,
                                  profile.openflow_port, online_cores() - set(profile.pmd_cores))


def _start_programs(profile: Profile) -> bool:
    """Starts relay, agent, exporter, records and watch unless they run. Returns True if any was started."""
    relay = _start_relay(profile)
    agent = node_agent.start(profile.directory, profile.namespace, profile.dns is not None,
                             online_cores() - set(profile.pmd_cores))
    exporter = node_exporter.start(profile, online_cores() - set(profile.pmd_cores))
    records = node_records.start(profile, online_cores() - set(profile.pmd_cores))
    return node_watch.start(profile.directory) or agent or exporter or records or relay


def _comes_back(ovs: Ovs, tree: supervision.Tree) -> bool:
    """Whether database and switch work, or are being started again and work soon."""
    names = tree.services()
    deadline = time.monotonic() + _RESTART_SECONDS
    while not ovs.works():
        if not {DATABASE, SWITCH} <= set(names) or time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _adjust(profile: Profile, ovs: Ovs, state: dict[str, typing.Any], wanted: dict[str, typing.Any]) -> bool:
    """Applies what a running switch can take; says so when there is nothing to do."""
    # Former versions did not know these.
    old = {"accepted_switch_faults": [], "switch_directories": wanted["switch_directories"]} | state.get("wanted", {})
    changed = sorted(key for key in wanted if wanted[key] != old.get(key))
    fixed = [_FIXED[key] for key in changed if key in _FIXED]
    if fixed:
        raise ProfileError([f"{field}: differs from the running node {profile.name}; run down, then up, to change it"
                            for field in fixed])
    state = _State(profile.directory, state)
    connected = management.is_connected(profile.name, profile.namespace)
    if not connected:
        with step(f"node {profile.name}: management veth, which was removed"):
            _connect(profile, state)
    else:
        management.keep_closed(profile.management_controller_address)
    ovs.prepare_bridge()
    renewed = _renew(profile, state)
    if not changed and not state.get("unfinished"):
        started = _start_programs(profile)
        if started:
            say(f"node {profile.name}: relay, agent, exporter or watch were not there and are started")
        elif connected and not renewed:
            say(f"node {profile.name} is running already; nothing changed")
        return started or renewed or not connected
    wrong = machine_problems(profile, check_memory=False) + switch_rights.problems(profile)
    if wrong:
        raise ProfileError(wrong)
    further = sorted(set(wanted["switch_directories"]) - set(old["switch_directories"]))
    if further:
        with step(f"node {profile.name}: the switch is started again to see {', '.join(further)}"):
            state.save(unfinished=True)
            tree = supervision.Tree(profile.directory)
            tree.remove(SWITCH, ovs.switch_process)
            _start_switch(profile, ovs, tree, switch_rights.make(profile, ovs))
    with step(f"node {profile.name}: applying the change to the running switch") as line:
        state.save(unfinished=True)
        node_settings.configure(ovs, profile)
        if "controller_addresses" in changed:
            _connect(profile, state)
        _take_ports(profile, state)
        if "dns" in changed:
            node_agent.stop(profile.directory)
            _remove_resolver_network(profile.directory, state)
        _make_resolver_network(profile, state)
        node_settings.announce(ovs, profile)
        _start_programs(profile)
        _return_ports(state, keep={port.name for port in profile.ports})
        state.save(wanted=wanted, unfinished=False)
        line.note = ", ".join(changed) or "the rest of an interrupted up"
    return True


def _renew(profile: Profile, state: _State) -> bool:
    """Exchanges relay, agent and watch of another version, whose files have been replaced, for those of this one.
    Switch, database and resolvers run on. Returns True if they were of another one."""
    if state.get("version") == version():
        return False
    with step(f"node {profile.name}: relay, agent and watch of version {version()}"):
        controller_relay.stop(profile.directory, profile.namespace)
        node_watch.stop(profile.directory)
        node_exporter.stop(profile.directory)
        node_records.stop(profile.directory)
        node_agent.end(profile.directory)
        _start_programs(profile)
        state.save(version=version())
    return True


def _recover(ovs: Ovs, tree: supervision.Tree, state: dict[str, typing.Any], profile: Profile) -> None:
    """Puts a half-made node into a state from which `up` can go on. The database is kept."""
    for key in ("namespace", "management_address"):
        new = profile.namespace if key == "namespace" else profile.management_controller_address
        if state.get(key, new) != new:
            raise ProfileError([f"{key.replace('_', '-')}: differs from that of the crashed node; run down first"])
    node_watch.stop(profile.directory)
    controller_relay.stop(profile.directory, profile.namespace)  # Its sockets may be in a namespace that has gone.
    ovs.stop(tree)
    if state.get("hugepage_owner"):
        HugePages().give_back(state["hugepage_owner"])


def _down(name: str, directory: pathlib.Path) -> bool:
    stored = locks.read_json(directory / "state.json", None)
    if stored is None and not directory.exists():
        say(f"node {name} is not up; nothing to do")
        return False
    running = _running_functions(directory)
    if running:
        raise PenstockError(f"functions run on node {name}: {', '.join(running)}; stop them first: "
                            f"service-chains/functions agent --stop --node {name}, then "
                            f"service-chains/functions stop FUNCTION --node {name}")
    state = _State(directory, stored or {})
    with step(f"node {name}: processes"):
        node_watch.stop(directory)
        node_exporter.stop(directory)
        node_records.stop(directory)
        node_agent.stop(directory)
        if state.get("namespace"):
            controller_relay.stop(directory, state["namespace"])
        tree = supervision.Tree(directory)
        Ovs(directory).stop(tree)
        tree.end()
    with step(f"node {name}: network") as line:
        _remove_resolver_network(directory, state)
        _return_ports(state)
        management.disconnect(name)
        if state.get("management_address"):
            management.release_address(_user(directory), state["management_address"],
                                       state.get("controller_namespace"))
        if state.get("namespace_made"):
            namespaces.delete(state["namespace"])
            line.note = "namespace removed"
    with step(f"node {name}: huge pages and files") as line:
        if state.get("hugepage_owner"):
            line.note = f"{HugePages().give_back(state['hugepage_owner'])} huge pages released"
        remove_dpdk_directory(directory)
        _remove_sockets(state)
        shutil.rmtree(directory, ignore_errors=True)
    return True


def _return_ports(state: _State, keep: Collection[str] = ()) -> None:
    """Moves borrowed network devices back to where they were found, which is the current namespace."""
    for port in list(state.get("moved_ports", [])):
        if port in keep:
            continue
        if namespaces.exists(state["namespace"]) and namespaces.link_exists(port, state["namespace"]):
            namespaces.move_link(port, state["namespace"], None)
        state.save(moved_ports=[other for other in state["moved_ports"] if other != port])


def _remove_sockets(state: _State) -> None:
    """Removes the socket directory when it is elsewhere and nothing is left in it."""
    directory = state.get("wanted", {}).get("vhost_user_directory")
    if directory:
        with contextlib.suppress(OSError):
            pathlib.Path(directory).rmdir()


def _running_functions(directory: pathlib.Path) -> list[str]:
    return sorted(path.parent.name for path in directory.glob("functions/*/*.process")
                  if processes.is_running(path))


def _user(directory: pathlib.Path) -> str:
    return f"node {directory.absolute()}"


class _State(dict[str, typing.Any]):
    """The remembered facts; `save` writes changes through to the disk at once."""

    def __init__(self, directory: pathlib.Path, facts: Mapping[str, typing.Any]) -> None:
        super().__init__(facts)
        self._directory = directory

    def save(self, **changes: typing.Any) -> None:
        self.update(changes)
        if self._directory.exists():
            locks.write_json(self._directory / "state.json", self)
