# SPDX-License-Identifier: Apache-2.0
"""What a profile tells the switch, the controller, and the next `up`: settings and announcement in the database."""

import dataclasses
import json
import typing
import uuid

from . import node_agent, node_protocol, numa, switch_program, switch_rights
from .ovs import Ovs, dpdk_prefix
from .profile import Profile

_PROBE_MS = 10000
_MAX_BACKOFF_MS = 1000


def wanted(profile: Profile) -> dict[str, typing.Any]:
    """The profile as JSON values, for the comparison with a running node."""
    fields = {field.name: getattr(profile, field.name) for field in dataclasses.fields(profile)
              if field.name not in ("ports", "field_of_port")}
    fields["ports"] = profile.announced_ports()
    fields["dns"] = profile.dns and dataclasses.asdict(profile.dns)
    fields["tls"] = profile.tls and dataclasses.asdict(profile.tls)
    fields["metrics"] = profile.metrics and dataclasses.asdict(profile.metrics)
    fields["records"] = profile.records and dataclasses.asdict(profile.records)
    fields["device_arguments"] = _dpdk_arguments(profile)
    fields["switch_directories"] = switch_rights.directories(profile)
    values: dict[str, typing.Any] = json.loads(json.dumps(fields, default=str))
    return values


def _dpdk_arguments(profile: Profile) -> str:
    """Arguments for DPDK itself. Huge pages are taken anonymously: no hugetlbfs has to be mounted."""
    addresses = sorted(port.pci_address for port in profile.ports if port.pci_address)
    bus = " ".join(f"-a {address}" for address in addresses) if addresses else "--no-pci"
    return (f"{bus} --no-telemetry --in-memory --file-prefix={dpdk_prefix(profile.directory)}"
            f"{switch_program.arguments(profile.switch_root or switch_program.MACHINE)}")


def configure(ovs: Ovs, profile: Profile) -> None:
    """Sets the switch up as the profile says."""
    open_vswitch, _ = switch_program.version(profile.switch_root or switch_program.MACHINE)
    ovs.vsctl("--no-wait", "set", "Open_vSwitch", ".", f"ovs_version={open_vswitch}")  # The switch itself does not.
    ovs.set_map("external_ids", _accepted(profile))  # Before the switch begins: it is prepared by it.
    ovs.set_map("other_config", {
        "dpdk-init": "true",
        "dpdk-extra": _dpdk_arguments(profile),
        "dpdk-socket-mem": megabytes(profile, ","),
        # Without a limit the switch takes further huge pages for its ports, from the program that asked for them.
        "dpdk-socket-limit": _limits(profile),
        "pmd-cpu-mask": hex(sum(1 << core for core in profile.pmd_cores)),
        # A core that has a queue of its own goes on with other ports; only this plan lets it.
        "pmd-rxq-assign": "group",
        "pmd-rxq-isolate": "false",
        "pmd-auto-lb": str(profile.balance_queues).lower(),
        "pmd-maxsleep": profile.pmd_maxsleep_us,
        # One of so many packets that are not found there is put in; with 0 none is looked up. The switch's default is
        # 100.
        "emc-insert-inv-prob": 100 if profile.exact_match_cache else 0})


def megabytes(profile: Profile, between: str) -> str:
    """The huge page memory as text, that of several NUMA nodes parted by `between`."""
    memory = profile.hugepage_memory_mb
    return between.join(map(str, memory)) if isinstance(memory, tuple) else str(memory)


def _limits(profile: Profile) -> str:
    """The most of each NUMA node. No page fits into 1 MB; DPDK takes 0, or none, for no limit."""
    memory = profile.hugepage_memory_mb
    limits = memory if isinstance(memory, tuple) else (memory,)
    return ",".join(str(limits[node] or 1) if node < len(limits) else "1" for node in range(numa.MOST_NODES))


def announce(ovs: Ovs, profile: Profile) -> None:
    """Says who we are, then connects: the controller must never see a node without its name."""
    profile.vhost_user_directory.mkdir(parents=True, exist_ok=True)
    # An agent that runs may be of a former release: it says itself what it speaks.
    ovs.set_map("external_ids", announcement(profile, with_version=not node_agent.is_running(profile.directory)))
    kind = "ssl" if profile.tls else "tcp"
    files = ["--", "set-ssl", profile.tls.key, profile.tls.certificate, profile.tls.ca] if profile.tls else []
    words = ["--no-wait", "del-ssl", *files, "--", "del-manager"]
    for number, address in enumerate(profile.controller_addresses):
        words += ["--", f"--id=@manager{number}", "create", "Manager",
                  "target=" + json.dumps(f"{kind}:{address}:{profile.ovsdb_port}"), f"inactivity_probe={_PROBE_MS}",
                  f"max_backoff={_MAX_BACKOFF_MS}"]
    managers = ",".join(f"@manager{number}" for number in range(len(profile.controller_addresses)))
    ovs.vsctl(*words, "--", "set", "Open_vSwitch", ".", f"manager_options=[{managers}]")


def announcement(profile: Profile, with_version: bool) -> dict[str, object]:
    """Who we are, by the keys of the database."""
    version = {node_protocol.PROTOCOL: node_protocol.VERSION} if with_version else {}
    return {"system-id": uuid.uuid5(uuid.NAMESPACE_DNS, f"{profile.name}.penstock"),
            "hostname": profile.name,
            node_protocol.NODE: profile.name,
            node_protocol.PORTS: json.dumps(profile.announced_ports(), separators=(",", ":")),
            node_protocol.VHOST_DIR: profile.vhost_user_directory} | _accepted(profile) | version


def _accepted(profile: Profile) -> dict[str, object]:
    return {node_protocol.ACCEPTED_FAULTS: ",".join(profile.accepted_switch_faults)}
