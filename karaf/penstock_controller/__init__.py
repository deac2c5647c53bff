# SPDX-License-Identifier: Apache-2.0
"""Starts, watches and stops the OpenDaylight controller of Penstock."""

from .controller import Controller, ControllerError, start
from .settings import Ports, Settings

__all__ = ["Controller", "ControllerError", "Ports", "Settings", "start"]
