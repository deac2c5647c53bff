# SPDX-License-Identifier: Apache-2.0
"""The user of a node's switch, and what it may do and see (docs/adr/0093)."""

import os
import pathlib
import re

from . import switch_program, user_ids
from .confined import Confinement
from .ovs import HOME, Ovs
from .profile import Profile

_CAPABILITIES = ("dac_override", "net_admin", "net_raw")
"""For sockets and keys of others among the files that it sees; for devices of its bridges; for packets of system ports
and of drivers such as net_af_packet."""
_UMASK = 0o007
"""Programs of the node that have none of root's rights reach the sockets of the switch by its group."""
_PATH = re.compile(r"=(/[^,]*)")


def home(directory: pathlib.Path) -> pathlib.Path:
    """The directory in which the switch of a node may write."""
    return directory.absolute() / HOME


def is_confined(profile: Profile) -> bool:
    """Whether the switch has a user of its own. Not one with devices of PCI, which DPDK takes as root."""
    return not any(port.pci_address for port in profile.ports)


def make(profile: Profile, ovs: Ovs) -> list[str]:
    """Makes the user of the switch, and its directories. Returns the words before its program."""
    place, functions = home(profile.directory), profile.directory.absolute() / "functions"
    for directory in (place, functions, ovs.database_directory, profile.vhost_user_directory):
        directory.mkdir(parents=True, exist_ok=True)
    user = user_ids.switch(profile.directory)
    place.chmod(0o750)
    os.chown(place, user, user)
    seen = [ovs.database_directory, functions, profile.vhost_user_directory, *_keys(profile)]
    if profile.switch_root not in (None, switch_program.MACHINE):
        seen.append(profile.switch_root)
    written = sorted({place, *_directories(profile)})
    return Confinement(user, writable=tuple((path, path) for path in written),
                       readable=tuple(dict.fromkeys(str(path.absolute()) for path in seen)), devices=("net/tun",),
                       capabilities=_CAPABILITIES, umask=_UMASK, huge_pages=True).words


def group(directory: pathlib.Path) -> int:
    """The group that reaches the sockets of a node's switch."""
    return user_ids.switch(directory)


def _keys(profile: Profile) -> list[pathlib.Path]:
    """The directories of keys and certificates: a new one takes the place of its file."""
    tls = profile.tls
    return [] if tls is None else [pathlib.Path(path).absolute().parent for path in (tls.key, tls.certificate, tls.ca)]


def _directories(profile: Profile) -> set[pathlib.Path]:
    """The directories of the sockets and files that are named in the arguments of devices."""
    found = (pathlib.Path(path) for port in profile.ports for path in _PATH.findall(port.devargs or ""))
    return {path.parent for path in found if path.parent.is_dir() and path.parent != pathlib.Path("/dev")}
