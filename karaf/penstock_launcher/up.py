# SPDX-License-Identifier: Apache-2.0
"""./penstock up: from nothing to a proven edge, in steps that find their work done when it is."""

import dataclasses
import time
from collections.abc import Callable

from penstock_base import packages, places
from penstock_base.errors import PenstockError
from penstock_base.steps import say
from penstock_controller import build
from penstock_functions import agent_process, catalogue, instance
from penstock_node import node, profile, switch_root
from penstock_node.ovs import Ovs
from penstock_node.profile import Profile

from . import control, lab, members, metrics, proof, provision, sample, status, summary
from .progress import Note, Steps
from .sample import Sample

_REGISTRATION_SECONDS = 60
_SYNC_SECONDS = 120
_FUNCTIONS_SECONDS = 120
_POLL_SECONDS = 1.0

_LOOK = "look at './penstock logs'; './penstock down' and './penstock up' start with an empty state"


def run(controllers: int | None = None, with_metrics: bool = False) -> str:
    """Brings everything up and returns the summary. Raises StepFailed.

    controllers: how many, of members.COUNTS; None for as many as there are.
    with_metrics: starts a Prometheus, too, which stays until `down`.
    """
    begun = time.monotonic()
    steps = Steps(total=13 if with_metrics else 12)

    changed = _fetch(steps, with_metrics)
    with steps.step("build of the controller", "look at the log; without a network only the first build fails") as note:
        stamp, built = build.ensure()
        note.text = "built" if built else "sources unchanged"
    with steps.step("controller", "look at './penstock logs controller'; another program may have its ports: "
                    "ss -ltnp | grep -E ':(6640|6653|8101|8181) '") as note:
        started = control.ensure(stamp, controllers)
        note.text = "started" if started else "running already"
        changed += ["controller"] if started else []
    network = sample.load()
    wanted = _profile()
    with steps.step("sample hosts and cables", _LOOK) as note:
        cables = lab.lay_cables(network, wanted.namespace)
        _note(note, changed, cables, "made", "all there")
    with steps.step(f"node {wanted.name}", "correct what the text names in ovs-config/profiles/sample.yaml, or free "
                    "memory; see './penstock logs node'") as note:
        node_started = node.up(wanted)
        _note(note, changed, node_started, "started", "running already")
    with steps.step("sample customers' switch and web server", _LOOK) as note:
        connected = lab.connect_switch(network, Ovs(wanted.directory), cables)
        _note(note, changed, lab.start_server() or connected, "made", "all there")
    restconf = control.restconf()
    with steps.step(f"registration of node {wanted.name}", "look at './penstock logs controller' and './penstock logs "
                    "node': the node's database connects to the controller"):
        provision.bind_node(restconf, wanted.name, _address(wanted))
        _wait(_REGISTRATION_SECONDS, lambda: [] if provision.node_is_registered(
            restconf, wanted.name, (port.name for port in wanted.ports)) else ["the controller does not know it"])
        if cables and not node_started:
            # Ports were taken out of a running switch, perhaps the controller's too: have it look.
            restconf.call("penstock-operations:resync", {"node": wanted.name})
    with steps.step("provisioning of the sample network", "the controller's answer names the entry that is wrong; "
                    "if the stored configuration contradicts the sample, './penstock down' deletes it") as note:
        sent = provision.provision(restconf, network)
        note.text = f"sent {', '.join(sent)}" if sent else "stored already"
        changed += sent
    with steps.step("network functions", "look at './penstock logs functions'") as note:
        agent = agent_process.start(wanted.name, wanted.run_directory, catalogue.DIRECTORY)
        waiting = _not_attached(wanted, network)
        _wait(_FUNCTIONS_SECONDS, lambda: _not_attached(wanted, network))
        _note(note, changed, waiting or agent, "started", "running already")
    with steps.step("switch converged with the plan", "look at './penstock status', then at penstock:verify in "
                    "'./penstock console'"):
        _wait(_SYNC_SECONDS, lambda: status.not_ready(status.collect(restconf), network))
    with steps.step("proof with real traffic", "the drop counters above show the table and flow; penstock:flow-list in "
                    "'./penstock console' shows every flow"):
        proof.prove(network, restconf)
    if with_metrics:
        with steps.step("Prometheus", f"another program may have its port: ss -ltnp | grep :{metrics.server().port}; "
                        f"see {metrics.server().log}") as note:
            nodes = [f"{wanted.metrics.address}:{wanted.metrics.port}"] if wanted.metrics else []
            measured = metrics.ensure(restconf, [each.restconf_url for each in control.running().values()], nodes)
            _note(note, changed, measured, "started", "running already")
    return summary.render(status.collect(restconf), network, bool(changed), time.monotonic() - begun)


def _fetch(steps: Steps, with_metrics: bool) -> list[str]:
    """Installs what is missing. Returns the packages."""
    with steps.step("Debian packages", "check that apt-get works: the network, /etc/apt/sources.list") as note:
        installed = packages.install((*packages.RUN, *packages.METRICS) if with_metrics else packages.RUN)
        note.text = f"{len(installed)} installed" if installed else "all there"
    with steps.step("Open vSwitch", "check that apt-get works: the network, /etc/apt/sources.list") as note:
        switch = switch_root.ensure()
        note.text = f"{switch.open_vswitch} with DPDK {switch.dpdk}"
    return installed


def _note(note: Note, changed: list[str], done: object, yes: str, no: str) -> None:
    note.text = yes if done else no
    if done:
        changed.append(yes)


def _not_attached(wanted: Profile, network: Sample) -> list[str]:
    """Which functions of the sample the switch does not reach yet."""
    states = {entry["name"]: entry["state"] for entry in instance.status(wanted.run_directory, wanted.name)}
    return [f"function {name} is {states.get(name, 'not started')}" for name in network.functions
            if states.get(name) != "attached"]


def _profile() -> Profile:
    """The sample's profile, in the run directory of this run."""
    loaded = dataclasses.replace(profile.load(places.PROFILE),
                                 controller_addresses=tuple(map(members.southbound, members.present())))
    directory = places.run_directory()
    if loaded.run_directory == directory:
        return loaded
    return dataclasses.replace(loaded, run_directory=directory, vhost_user_directory=directory / loaded.name / "vhost")


def _address(wanted: Profile) -> str:
    """The address from which the node's database connects: it runs in the controller's network namespace."""
    return wanted.management_controller_address


def _wait(seconds: float, problems: Callable[[], list[str]]) -> None:
    """Waits until there are no problems; names a new one when it comes up."""
    deadline = time.monotonic() + seconds
    shown = None
    while True:
        found = problems()
        if not found:
            return
        if time.monotonic() > deadline:
            raise PenstockError(f"after {seconds} s: {'; '.join(found)}")
        if shown is not None and found != shown:
            say("; ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else ""))
        shown = found
        time.sleep(_POLL_SECONDS)
