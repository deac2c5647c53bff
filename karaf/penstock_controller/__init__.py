# SPDX-License-Identifier: Apache-2.0
"""Builds, starts, watches and stops the OpenDaylight controller of Penstock.

But for the build, the settings file and the version it is the standard library alone: with options a controller is
started without any other package.
"""

from .controller import Controller, start
from .errors import ControllerError
from .settings import Ports, Settings

__all__ = ["Controller", "ControllerError", "Ports", "Settings", "start"]
