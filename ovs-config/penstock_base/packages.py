# SPDX-License-Identifier: Apache-2.0
"""Installs the Debian packages that are missing, by name."""

import contextlib
import os
import pathlib
import subprocess
from collections.abc import Iterable, Iterator

from . import places
from .errors import PenstockError
from .steps import step

RUN = ("openjdk-17-jdk-headless", "maven", "nodejs", "npm", "openvswitch-switch-dpdk", "dpdk-dev",
       "librte-net-virtio23", "librte-net-tap23", "qemu-system-x86", "nftables", "iproute2", "ethtool",
       "iputils-ping", "curl", "mmdebstrap", "procps", "python3-yaml", "python3-cryptography", "python3-jsonschema",
       "python3-openvswitch", "python3-prometheus-client", "python3-seccomp", "s6", "tcpdump", "unbound")
"""What `up` needs."""

METRICS = ("prometheus",)
"""What `up --with-metrics` needs beside."""

WHEEL = ("python3-pip", "python3-setuptools", "python3-wheel")
"""Needed by `package` for the Python package of the client."""

TEST = (*RUN, *METRICS, *WHEEL, "ansible-core", "bind9-dnsutils", "chromium", "gnupg", "iputils-arping",
        "isc-dhcp-client", "isc-dhcp-relay", "libfixbuf-tools", "librte-net-null23", "nfdump",
        "prometheus-alertmanager", "python3-pyftpdlib", "python3-pytest", "python3-pytest-timeout", "python3-venv",
        "socat", "systemd", "tayga", "traceroute", "udhcpc")
"""What `test` needs."""

LINT = ("libyang-tools", "maven", "openjdk-17-jdk-headless", "python3-venv", "shellcheck")
"""Needed by `lint`."""

PACKAGE = ("debhelper", "dh-python", "dpkg-dev")
"""Needed by `package`."""

TEST_PACKAGES = (*PACKAGE, "lintian", "systemd-container")
"""Needed by the tests of packages."""

_POLICY = pathlib.Path("/usr/sbin/policy-rc.d")
_NO_SERVICES = "#!/bin/sh\n# Made by Penstock for the time of one installation: start no services.\nexit 101\n"


def missing(names: Iterable[str]) -> list[str]:
    """Those of the packages that are not installed, in the same order.

    A package that another one provides is there: a nodejs that is not Debian's has npm in it, and Debian's npm
    conflicts with it.
    """
    answer = subprocess.run(["dpkg-query", "--show", "--showformat=${db:Status-Status}|${Package}, ${Provides}\n"],
                            capture_output=True, text=True, check=False)
    installed = {word.split()[0] for line in answer.stdout.splitlines() if line.startswith("installed|")
                 for word in line.partition("|")[2].split(",") if word.strip()}
    return [name for name in names if name not in installed]


def install(names: Iterable[str]) -> list[str]:
    """Installs what is missing. Returns the names it installed."""
    wanted = missing(names)
    if not wanted:
        return []
    log = places.log_directory() / "packages.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    with step(f"installing {' '.join(wanted)}"), _no_services():
        if not (_apt(log, "install", *wanted) or (_apt(log, "update") and _apt(log, "install", *wanted))):
            said = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines()
                    if line.startswith(("E:", "Err:"))]
            raise PenstockError("apt-get could not install them: " + "; ".join(said[-3:] or ["no reason given"])
                                + f"; see {log}")
    return wanted


def _apt(log: pathlib.Path, *arguments: str) -> bool:
    command = ["apt-get", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120", "-o",
               "Acquire::Retries=5", *arguments]
    with open(log, "ab") as output:
        output.write(f"$ {' '.join(command)}\n".encode())
        output.flush()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False,
                              env=dict(os.environ) | {"DEBIAN_FRONTEND": "noninteractive"})
    return done.returncode == 0


@contextlib.contextmanager
def _no_services() -> Iterator[None]:
    """Packages start their services when they are installed: the system's own Open vSwitch is not ours to start."""
    ours = not _POLICY.exists()
    if ours:
        _POLICY.write_text(_NO_SERVICES, encoding="ascii")
        _POLICY.chmod(0o755)
    try:
        yield
    finally:
        if ours:
            _POLICY.unlink(missing_ok=True)
