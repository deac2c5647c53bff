# SPDX-License-Identifier: Apache-2.0
"""Starts and stops the program that serves a node's metrics (docs/adr/0082). It sees other processes: CPU time and
memory of functions are theirs."""

import dataclasses
import pathlib
from collections.abc import Collection

from . import side_program
from .profile import Profile

NAME = "exporter"
"""Of its service."""


def start(profile: Profile, cores: Collection[int]) -> bool:
    """Makes the exporter run as the profile says, and none without `metrics`. Returns True if anything was done.
    cores: where it may run, empty for all."""
    directory = profile.directory.absolute()
    metrics = profile.metrics
    if metrics is None:
        return stop(directory)
    files = list(dataclasses.asdict(profile.tls).values()) if profile.tls and not metrics.is_loopback else []
    # Files that are renewed are other files: the directories show them.
    folders = sorted({str(pathlib.Path(file).parent) for file in files})
    return side_program.keep(directory, NAME, "penstock_exporter.program", (
        directory, metrics.address, metrics.port, metrics.most_interfaces, *files), cores, folders)


def stop(directory: pathlib.Path) -> bool:
    """Ends the exporter. Returns True if it was there."""
    return side_program.stop(directory, NAME)


def process_of(directory: pathlib.Path) -> pathlib.Path:
    """The file that tells which process it is."""
    return side_program.process_of(directory, NAME)
