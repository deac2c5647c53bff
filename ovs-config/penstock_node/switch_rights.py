# SPDX-License-Identifier: Apache-2.0
"""The user of a node's switch, and what it may do and see (docs/adr/0093)."""

import os
import pathlib
import re
import shutil

from . import switch_program, user_ids
from .confined import Confinement
from .ovs import HOME, Ovs
from .profile import Port, Profile

_CAPABILITIES = ("dac_override", "net_admin", "net_raw")
"""For sockets and keys of others among the files that it sees; for devices of its bridges; for packets of system ports
and of drivers such as net_af_packet."""
_UMASK = 0o007
"""Programs of the node that have none of root's rights reach the sockets of the switch by its group."""
_PATH = re.compile(r"=(/[^,]*)")
_SHARED = set(map(pathlib.Path, ("/", "/etc", "/home", "/root", "/run", "/tmp", "/usr", "/var",  # noqa: S108
                                 "/var/lib", "/var/run", "/var/tmp")))  # noqa: S108


def home(directory: pathlib.Path) -> pathlib.Path:
    """The directory in which the switch of a node may write."""
    return directory.absolute() / HOME


def is_confined(profile: Profile) -> bool:
    """Whether the switch has a user of its own. Not one with devices of PCI, which DPDK takes as root."""
    return not any(port.pci_address for port in profile.ports)


def problems(profile: Profile) -> list[str]:
    """What is wrong with the directories that the switch would see, as of profile.machine_problems."""
    own = profile.directory.resolve()
    return [f"{profile.field_of_port[port.name]}.devargs: {place} has more than the switch may see and change; put the "
            "socket or file into a directory of its own"
            for port in (profile.ports if is_confined(profile) else ()) for place in sorted(_places(port))
            if place in _SHARED or own.is_relative_to(place)]


def directories(profile: Profile) -> list[str]:
    """The directories that the switch sees as long as it runs, beside those of the node itself."""
    return sorted(map(str, {*_keys(profile), *_devices(profile)}))


def make(profile: Profile, ovs: Ovs) -> list[str]:
    """Makes the user of the switch, and its directories. Returns the words before its program, none for one of root."""
    if not is_confined(profile):
        shutil.rmtree(home(profile.directory), ignore_errors=True)  # Of one that it was before a crash.
        return []
    place, functions = home(profile.directory), profile.directory.absolute() / "functions"
    for directory in (place, functions, ovs.database_directory, profile.vhost_user_directory):
        directory.mkdir(parents=True, exist_ok=True)
    user = user_ids.switch(profile.directory)
    place.chmod(0o750)
    os.chown(place, user, user)
    seen = [ovs.database_directory, functions, profile.vhost_user_directory, *sorted(_keys(profile))]
    if profile.switch_root not in (None, switch_program.MACHINE):
        seen.append(profile.switch_root)
    written = sorted({place, *_devices(profile)})
    return Confinement(user, writable=tuple((path, path) for path in written),
                       readable=tuple(dict.fromkeys(str(path.absolute()) for path in seen)), devices=("net/tun",),
                       capabilities=_CAPABILITIES, umask=_UMASK, huge_pages=True).words


def group(directory: pathlib.Path) -> int:
    """The group that reaches the sockets of a node's switch."""
    return user_ids.switch(directory)


def _keys(profile: Profile) -> set[pathlib.Path]:
    """The directories of keys and certificates, whose files others replace, and those to which links lead."""
    tls = profile.tls
    files = [] if tls is None else [pathlib.Path(path).absolute() for path in (tls.key, tls.certificate, tls.ca)]
    return {path.parent for file in files for path in (file, file.resolve())}


def _devices(profile: Profile) -> set[pathlib.Path]:
    """The directories of the sockets and files that are named in the arguments of devices."""
    return {place for port in profile.ports for place in _places(port)}


def _places(port: Port) -> set[pathlib.Path]:
    found = (pathlib.Path(path).parent for path in _PATH.findall(port.devargs or ""))
    return {place for place in found if place.is_dir() and pathlib.Path("/dev") not in (place, *place.parents)}
