# SPDX-License-Identifier: Apache-2.0
"""Network namespaces, virtual Ethernet pairs, addresses. A namespace argument of None is the current namespace."""

import json
import os
import pathlib
import subprocess
import typing

from .commands import run, succeeds
from .errors import PenstockError


def _refuse_private_mounts() -> None:
    """Refuses to go on under `ip netns exec`, which gives its program a private copy of the mount table.

    A namespace added from there would be a name without content for everybody else. `nsenter --net` has no such trap.
    """
    for line in pathlib.Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        fields = line.split(" ")
        if fields[4] == "/run/netns":
            tags = {tag.partition(":")[0] for tag in fields[6:fields.index("-")]}
            if "shared" not in tags:
                raise PenstockError("the mount table here is private (started with 'ip netns exec'?); enter the "
                                    "namespace with 'nsenter --net=/run/netns/NAME' instead")


def _ip(namespace: str | None) -> tuple[str, ...]:
    return ("ip", "-n", namespace) if namespace else ("ip",)


def exists(name: str) -> bool:
    """Whether a usable network namespace of this name exists."""
    return pathlib.Path("/run/netns", name).exists() and succeeds("ip", "-n", name, "link", "show", "lo")


def create(name: str, owner: int | None = None) -> None:
    """Makes a namespace and switches its loopback on. A dead name that a crash left behind is replaced.

    owner: a user id. The namespace then belongs to a user namespace that has this user alone, so that its rights over
           networks end there: those in the initial one count in each namespace of the machine.
    """
    if pathlib.Path("/run/netns", name).exists():
        delete(name)
    _refuse_private_mounts()
    run("ip", "netns", "add", name)
    if owner is not None:
        _replace_by_owned(name, owner)
    run("ip", "-n", name, "link", "set", "lo", "up")


def _replace_by_owned(name: str, owner: int) -> None:
    with subprocess.Popen(["unshare", "--user", "--net", "--", "sh", "-c", "echo made && read end"], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as maker:
        if maker.stdout is None or maker.stdout.readline() != "made\n":
            raise PenstockError(f"namespace {name}: {maker.communicate()[1].strip()}")
        for kind in ("uid", "gid"):
            pathlib.Path(f"/proc/{maker.pid}/{kind}_map").write_text(f"{owner} {owner} 1\n", encoding="ascii")
        path = f"/run/netns/{name}"
        run("umount", path)
        run("mount", "--bind", f"/proc/{maker.pid}/ns/net", path)


def delete(name: str) -> None:
    """Removes the name. The namespace itself ends with its last process; its veth pairs then end too."""
    if pathlib.Path("/run/netns", name).exists():
        _refuse_private_mounts()
        run("ip", "netns", "delete", name)


def current_id() -> int:
    """A number that identifies the current network namespace while it lives."""
    return pathlib.Path("/proc/self/ns/net").stat().st_ino


def execute(namespace: str | None, *args: object, **options: typing.Any) -> str:
    """Runs a short command in a namespace and returns its output."""
    return run(*(("ip", "netns", "exec", namespace) if namespace else ()), *args, **options)


def link_exists(link: str, namespace: str | None = None) -> bool:
    """Whether a network device of this name is in the namespace."""
    return succeeds(*_ip(namespace), "link", "show", "dev", link)


def move_link(link: str, source: str | None, target: str | None) -> None:
    """Moves a network device. Its addresses are lost on the way: the kernel does that."""
    run(*_ip(source), "link", "set", "dev", link, "netns", target or os.getpid())


def set_up(link: str, namespace: str | None = None) -> None:
    """Switches a network device on."""
    run(*_ip(namespace), "link", "set", "dev", link, "up")


def delete_link(link: str, namespace: str | None = None) -> None:
    """Removes a network device if it is there; of a veth pair both ends go."""
    if link_exists(link, namespace):
        run(*_ip(namespace), "link", "delete", "dev", link)


def add_veth(link: str, namespace: str | None, peer: str, peer_namespace: str | None) -> None:
    """Makes a veth pair with its ends in two namespaces, both switched on, checksum offload off."""
    target = ("netns", peer_namespace) if peer_namespace else ("netns", os.getpid())
    run(*_ip(namespace), "link", "add", "name", link, "type", "veth", "peer", "name", peer, *target)
    for name, where in ((link, namespace), (peer, peer_namespace)):
        set_up(name, where)
        disable_checksum_offload(name, where)


def disable_checksum_offload(link: str, namespace: str | None = None) -> bool:
    """Makes the kernel fill in checksums. Without it TCP over a veth into the userspace datapath carries wrong ones.

    Needed at the end the packets are sent from. Devices that cannot be told (some physical ones) are left alone.
    """
    prefix = ("ip", "netns", "exec", namespace) if namespace else ()
    return succeeds(*prefix, "ethtool", "-K", link, "tx", "off")


def addresses(link: str, namespace: str | None = None) -> list[str]:
    """The IPv4 addresses of a device, without prefix length."""
    if not link_exists(link, namespace):
        return []
    listed = json.loads(run(*_ip(namespace), "-j", "-4", "address", "show", "dev", link) or "[]")
    return [info["local"] for entry in listed for info in entry.get("addr_info", [])]


def add_address(address: str, link: str, namespace: str | None = None) -> None:
    """Adds an IPv4 host address (/32) unless it is there."""
    if address not in addresses(link, namespace):
        run(*_ip(namespace), "address", "add", f"{address}/32", "dev", link)


def set_local_source(address: str, source: str) -> None:
    """Has programs of the current namespace connect from `source` to one of its own addresses, which is on `lo`."""
    if source in addresses("lo"):
        run("ip", "route", "replace", "local", address, "dev", "lo", "table", "local", "proto", "kernel", "scope",
            "host", "src", source)


def remove_address(address: str, link: str, namespace: str | None = None) -> None:
    """Removes an IPv4 host address if it is there."""
    if address in addresses(link, namespace):
        run(*_ip(namespace), "address", "delete", f"{address}/32", "dev", link)


def set_route(destination: str, link: str, source: str, namespace: str | None = None) -> None:
    """Sends packets to one IPv4 address through a device, from our address `source`."""
    run(*_ip(namespace), "route", "replace", f"{destination}/32", "dev", link, "src", source)


def routed_addresses(namespace: str | None = None) -> set[str]:
    """Destinations of all routes of the namespace, for finding a free address."""
    return {route["dst"] for route in routes(namespace)}


def routes(namespace: str | None = None) -> list[dict[str, typing.Any]]:
    """All IPv4 routes of the namespace, as `ip -j route` prints them."""
    found: list[dict[str, typing.Any]] = json.loads(run(*_ip(namespace), "-j", "-4", "route", "show") or "[]")
    return found
