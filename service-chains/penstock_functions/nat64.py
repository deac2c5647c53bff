# SPDX-License-Identifier: Apache-2.0
"""A stateless translator between IPv6 and IPv4 (RFC 7915, by TAYGA) in the namespace of a box on a tenant's network.

It gives every IPv6 host that speaks to the prefix (RFC 6052) an IPv4 address of a pool. The pool is routed to the box
by the tenant, and so its hosts are subscribers of the tenant's NAT like all others: with blocks, journal and drops.
"""

import contextlib
import dataclasses
import ipaddress
import json
import os
import pathlib
import shutil
import typing
from collections.abc import Callable, Iterable

from penstock_base import locks, namespaces, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_base.steps import step
from penstock_node import user_ids, user_processes
from penstock_node.confined import Confinement

_Value = typing.TypeVar("_Value")

DEVICE = "nat64"
"""Name of the tunnel in the box's namespace."""
_LENGTHS = (32, 40, 48, 56, 64, 96)
_WELL_KNOWN = ipaddress.IPv6Network("64:ff9b::/96")
_START_SECONDS = 10
_LONGEST_MAP = 16 << 20
"""Bytes: a pool of 65,536 addresses needs a quarter of it."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a translator does.

    inside: IPv6 address of the box, with the length of the prefix that its hosts are in
    prefix: IPv6 prefix in which the whole of IPv4 is seen, /32 to /96 (RFC 6052)
    pool:   IPv4 prefix of which hosts get an address each; the first one is the translator's own
    maps:   pairs (IPv4 address, IPv6 address) of hosts that have a certain address
    device: network device of the box on which its hosts are
    """
    inside: ipaddress.IPv6Interface
    prefix: ipaddress.IPv6Network
    pool: ipaddress.IPv4Network
    maps: tuple[tuple[ipaddress.IPv4Address, ipaddress.IPv6Address], ...] = ()
    device: str = "eth0"

    @property
    def own4(self) -> ipaddress.IPv4Address:
        """The translator's IPv4 address: it sends ICMP errors."""
        return self.pool.network_address + 1

    @property
    def own6(self) -> ipaddress.IPv6Address:
        """The translator's IPv6 address: it sends ICMPv6 errors. No host has one of the last 128 (RFC 2526)."""
        return self.inside.network.broadcast_address


def parse(inside: str, prefix: str, pool: str, maps: Iterable[str] = (), device: str = "eth0") -> Settings:
    """Settings from texts. PenstockError names the option that is wrong."""
    box = _of(ipaddress.IPv6Interface, "--inside", inside)
    seen = _of(ipaddress.IPv6Network, "--prefix", prefix)
    given = _of(ipaddress.IPv4Network, "--pool", pool)
    if seen.prefixlen not in _LENGTHS:
        raise PenstockError(f"--prefix: /{seen.prefixlen} is none of {', '.join(f'/{each}' for each in _LENGTHS)} "
                            "(RFC 6052)")
    if box.network.prefixlen > 64:
        raise PenstockError(f"--inside: /{box.network.prefixlen} is longer than /64")
    if box.network.overlaps(seen):
        raise PenstockError(f"--prefix: {seen} overlaps --inside {box.network}")
    if given.prefixlen > 29:
        raise PenstockError(f"--pool: /{given.prefixlen} is too small: /29 or shorter")
    pairs = []
    for text in maps:
        four, separator, six = text.partition("=")
        if not separator:
            raise PenstockError(f"--map: '{text}' is not IPV4=IPV6")
        pairs.append((_of(ipaddress.IPv4Address, "--map", four), _of(ipaddress.IPv6Address, "--map", six)))
    for place in (0, 1):
        if len({pair[place] for pair in pairs}) < len(pairs):
            raise PenstockError("--map: an address occurs twice")
    return Settings(box, seen, given, tuple(pairs), device)


def _of(kind: Callable[[str], _Value], option: str, text: str) -> _Value:
    try:
        return kind(text)
    except ValueError as error:
        raise PenstockError(f"{option}: {error}") from None


class Translator:
    """The translator of one box.

    namespace:        of the box; it has a device on the tenant's network, with an IPv4 address and a default route
    run_directory:    where configuration, pid and log are: <run_directory>/nat64/<namespace>
    state_directory:  where TAYGA keeps who has which address: <state_directory>/nat64/<namespace>
    """

    def __init__(self, namespace: str, run_directory: pathlib.Path, state_directory: pathlib.Path) -> None:
        self.namespace = namespace
        self.directory = pathlib.Path(run_directory, "nat64", namespace)
        self.data = pathlib.Path(state_directory, "nat64", namespace)
        self.process = self.directory / "tayga.pid"
        self.log = self.directory / "tayga.log"
        self._settings = self.directory / "settings.json"
        self._configuration = self.directory / "tayga.conf"

    def start(self, settings: Settings) -> bool:
        """Starts it, with what the kernel needs to lead packets to it. Returns False if it runs already as asked."""
        if not namespaces.exists(self.namespace):
            raise PenstockError(f"there is no network namespace {self.namespace}; make it and its device first")
        if not namespaces.link_exists(settings.device, self.namespace):
            raise PenstockError(f"--device: namespace {self.namespace} has no device {settings.device}")
        with locks.held(f"nat64-{self.namespace}"):
            wanted = self._text(settings)
            if processes.is_running(self.process):
                if self._settings.read_text(encoding="utf-8") != wanted:
                    raise PenstockError(f"a translator with other settings runs in {self.namespace}; stop it first")
                return False
            self._clean()
            self.directory.mkdir(parents=True, exist_ok=True)
            self.data.mkdir(parents=True, exist_ok=True)
            user = user_ids.take(str(self.directory.absolute()))
            self._give_data(user)
            self._settings.write_text(wanted, encoding="utf-8")
            self._configuration.write_text(self._tayga(settings), encoding="utf-8")
            with step(f"translator in {self.namespace}: {settings.prefix} to {settings.pool}"):
                try:
                    self._lead(settings, user)
                    rights = Confinement(user, writable=((self.data.absolute(), self.data.absolute()),),
                                         readable=(str(self._configuration.absolute()),), devices=("net/tun",),
                                         namespace=self.namespace)
                    processes.start([*rights.words, "tayga", "--nodetach", "--config", self._configuration.absolute()],
                                    self.process, self.log)
                    processes.wait_until(self._works, "the translator", _START_SECONDS, self.process, self.log)
                except BaseException:
                    self._clean()
                    raise
        return True

    def stop(self, forget: bool = False) -> bool:
        """Ends it and takes its device away. Returns whether there was anything.

        forget: who has which address is forgotten too; else hosts get the same ones at the next start
        """
        with locks.held(f"nat64-{self.namespace}"):
            there = self.directory.exists() or (forget and self.data.exists())
            self._clean()
            if forget:
                _remove(self.data)
            return there

    def describe(self) -> dict[str, typing.Any]:
        """Its state, settings, and who has which address, as a dict."""
        settings = json.loads(self._settings.read_text(encoding="utf-8"))
        return {"namespace": self.namespace, "state": "running" if processes.is_running(self.process) else "failed",
                **settings, "hosts": self._hosts()}

    def _hosts(self) -> dict[str, str]:
        hosts: dict[str, str] = {}
        try:
            # Its user writes in this directory: a link, a pipe or any bytes may be there.
            with open(self.data / "dynamic.map", "rb", opener=_opener) as file:
                lines = file.read(_LONGEST_MAP).decode(errors="replace").splitlines()
        except OSError:
            return hosts
        for line in lines:
            words = line.split()
            if len(words) >= 2 and not line.startswith("#"):
                with contextlib.suppress(ValueError):
                    hosts[str(ipaddress.IPv6Address(words[1]))] = str(ipaddress.IPv4Address(words[0]))
        return hosts

    @staticmethod
    def _text(settings: Settings) -> str:
        return json.dumps({"inside": str(settings.inside), "prefix": str(settings.prefix), "pool": str(settings.pool),
                           "maps": {str(four): str(six) for four, six in settings.maps}, "device": settings.device})

    def _tayga(self, settings: Settings) -> str:
        lines = [f"tun-device {DEVICE}", f"ipv4-addr {settings.own4}", f"prefix {settings.prefix}",
                 f"dynamic-pool {settings.pool}", f"data-dir {self.data.absolute()}"]
        if settings.prefix == _WELL_KNOWN:
            lines.append(f"ipv6-addr {settings.own6}")  # It has none in the well-known prefix (RFC 6052, 3.1).
        lines += [f"map {four} {six}" for four, six in settings.maps]
        return "\n".join(lines) + "\n"

    def _give_data(self, user: int) -> None:
        """Makes the files of the data directory those of the user; they stay while translators come and go."""
        for path in (self.data, *self.data.iterdir()):
            os.chown(path, user, user, follow_symlinks=False)
        self.data.chmod(0o700)

    def _lead(self, settings: Settings, user: int) -> None:
        ip = ("ip", "-n", self.namespace)
        run("ip", "netns", "exec", self.namespace, "sysctl", "-qw", "net.ipv4.ip_forward=1",
            "net.ipv6.conf.all.disable_ipv6=0", "net.ipv6.conf.all.forwarding=1")
        run(*ip, "-6", "address", "replace", str(settings.inside), "dev", settings.device, "nodad")
        # Its user may open it, without a right of root's.
        run(*ip, "tuntap", "add", "dev", DEVICE, "mode", "tun", "user", user)
        run(*ip, "link", "set", DEVICE, "up")
        run(*ip, "-6", "route", "replace", str(settings.prefix), "dev", DEVICE)
        if settings.prefix == _WELL_KNOWN:
            run(*ip, "-6", "route", "replace", str(settings.own6), "dev", DEVICE)
        for destination in (settings.pool, *(four for four, _ in settings.maps if four not in settings.pool)):
            run(*ip, "route", "replace", str(destination), "dev", DEVICE)

    def _works(self) -> bool:
        """TAYGA says so when it has read its configuration and opened the device."""
        carrier = run("ip", "-n", self.namespace, "-o", "link", "show", "dev", DEVICE)
        return "LOWER_UP" in carrier

    def _clean(self) -> None:
        processes.stop(self.process)
        user = user_ids.of(str(self.directory.absolute()))
        user_processes.kill(() if user is None else (user,), f"translator in {self.namespace}")
        if namespaces.exists(self.namespace) and namespaces.link_exists(DEVICE, self.namespace):
            namespaces.delete_link(DEVICE, self.namespace)
        _remove(self.directory)
        user_ids.give_back(str(self.directory.absolute()))


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _remove(directory: pathlib.Path) -> None:
    """Removes it, and the directory of all translators if this was the last one."""
    shutil.rmtree(directory, ignore_errors=True)
    with contextlib.suppress(OSError):
        directory.parent.rmdir()


def everywhere(run_directory: pathlib.Path, state_directory: pathlib.Path) -> list[Translator]:
    """All translators that were started and not stopped, by namespace."""
    return [Translator(path.parent.name, run_directory, state_directory)
            for path in sorted(pathlib.Path(run_directory).glob("nat64/*/settings.json"))]
