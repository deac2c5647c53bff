# SPDX-License-Identifier: Apache-2.0
"""Certificates of a private cluster."""

import dataclasses
import os
import pathlib

from penstock_base import places
from penstock_base.commands import run
from penstock_controller import Ports, Settings
from penstock_controller.settings import Tls


def issue(authority: pathlib.Path, kind: str, name: str, *addresses: str) -> dict[str, str]:
    """Files of one machine by name, of an authority that is made if it is not there."""
    words = [places.PYTHON, "-m", "penstock_pki", "--directory", authority]
    environment = os.environ | {"PYTHONPATH": places.python_path()}
    if not authority.is_dir():
        run(*words, "init", environment=environment)
    out = authority.with_name(f"{authority.name}-{name}")
    run(*words, "issue", kind, name, *(word for address in addresses for word in ("--address", address)), "--out", out,
        environment=environment)
    return {field: str(out / f"{file}.pem") for field, file in
            (("certificate", "certificate"), ("key", "key"), ("ca", "ca"), ("crl", "crl"))}


def settings(directory: pathlib.Path, number: int, plain: Settings) -> Settings:
    """Those of a member with certificates: HTTPS at the address of its nodes, plain text at a port of its own, because
    all members have one loopback address."""
    return dataclasses.replace(
        plain, northbound_address=plain.listen_address,
        ports=Ports(restconf=Ports.restconf + number, ssh=Ports.ssh + number),
        tls=Tls(**issue(directory / "authority", "member", plain.member, plain.listen_address)))


def node(directory: pathlib.Path, name: str) -> dict[str, str]:
    """The files of a node, as its profile has them."""
    files = issue(directory / "authority", "node", name)
    return {field: files[field] for field in ("certificate", "key", "ca")}
