# SPDX-License-Identifier: Apache-2.0
"""What may go wrong with a controller."""


class ControllerError(Exception):
    """The controller did not do as told; the message says where to look."""


class HungError(ControllerError):
    """The controller does nothing, and is not ready."""


class EngineError(ControllerError):
    """The engine of the controller could not start, and will not by itself; the message has its reason."""
