# SPDX-License-Identifier: Apache-2.0
"""Starts and stops the program that sends records of a node's connections (docs/adr/0086)."""

import pathlib
from collections.abc import Collection

from . import side_program
from .profile import Profile

NAME = "records"
"""Of its service."""


def start(profile: Profile, cores: Collection[int]) -> bool:
    """Makes the program run as the profile says, and none without `connection-records`. Returns True if anything was
    done. cores: where it may run, empty for all."""
    directory = profile.directory.absolute()
    records = profile.records
    if records is None:
        return stop(directory)
    return side_program.keep(directory, NAME, "penstock_records.program", (
        directory, records.collector, records.interval_seconds, records.most_connections), cores)


def stop(directory: pathlib.Path) -> bool:
    """Ends the program. Returns True if it was there."""
    return side_program.stop(directory, NAME)


def process_of(directory: pathlib.Path) -> pathlib.Path:
    """The file that tells which process it is."""
    return side_program.process_of(directory, NAME)
