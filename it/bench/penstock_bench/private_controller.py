# SPDX-License-Identifier: Apache-2.0
"""The built controller, private, from nothing: what all that is measured of it needs."""

import dataclasses
import json
import pathlib
import re
import time

import penstock_controller
from penstock_base import commands
from penstock_base.errors import PenstockError
from penstock_base.restconf import Restconf

PORTS = penstock_controller.Ports().shifted(3000)
OPERATIONS = "penstock-operations"
READY_SECONDS = 120
WAIT_MILLISECONDS = 60_000
"""How long we let the controller wait for switches, at most."""


class Client(Restconf):
    """RESTCONF that can also take away."""

    def delete(self, path: str) -> None:
        """Removes what is stored."""
        self._send("DELETE", f"data/{path}")


class PrivateController:
    """A controller whose files are in `directory`, at PORTS. Who makes one boots it and kills it."""

    boot_seconds: float

    def __init__(self, directory: pathlib.Path, distribution: pathlib.Path, settings: penstock_controller.Settings
                 ) -> None:
        self.directory = pathlib.Path(directory)
        self._collections = self.directory / "collections.log"
        self._read = 0
        self.settings = dataclasses.replace(settings, java_options=(
            *settings.java_options, f"-Xlog:gc:file={self._collections}:time:filecount=0"))
        self.controller = penstock_controller.Controller(distribution, self.directory / "controller")

    def boot(self) -> None:
        """Starts it, and waits until it takes orders."""
        begun = time.monotonic()
        self._read = 0
        self.controller.boot(self.settings, seconds=300, model=OPERATIONS)
        self.boot_seconds = time.monotonic() - begun

    @property
    def restconf(self) -> Client:
        """A client. New for each use: the password is there only after the first start."""
        return Client(self.controller.restconf_url, self.controller.user, self.controller.password, 120)

    def states(self, node: str | None = None, milliseconds: int = WAIT_MILLISECONDS) -> dict[str, str]:
        """Waits until the switches of all connected nodes, or that of one, have confirmed all that was committed.

        Returns the state of each node in the words of the RPC wait-applied, after that time as it is then.
        """
        answer = self.restconf.call(f"{OPERATIONS}:wait-applied", {"timeout-milliseconds": milliseconds}
                                    | ({"node": node} if node else {}))
        return {entry["name"]: entry["state"] for entry in answer.get("node", ())}

    def is_applied(self, node: str | None = None) -> bool:
        """Whether all that was committed is confirmed by the switches, or by that of a node; waits for it."""
        states = self.states(node)
        return bool(states) and set(states.values()) == {"applied"}

    def applied(self, node: str | None = None) -> None:
        """Waits until all that was committed is confirmed by the switches, or by that of a node."""
        if not self.is_applied(node):
            raise PenstockError(f"not applied within {WAIT_MILLISECONDS / 1000:.0f} s")

    def verified(self, node: str | None = None) -> int:
        """Has all switches read and compared, or that of a node; returns the flows. Raises if anything differs."""
        flows = 0
        for found in self.restconf.call(f"{OPERATIONS}:verify", {"node": node} if node else {})["node"]:
            if not found["connected"] or found["missing"] or found["excess"] or found["wrong"]:
                raise PenstockError(f"the switch is not as planned: {json.dumps(found)[:2000]}")
            flows += found["planned"]
        return flows

    # Cost

    def heap(self) -> dict[str, int]:
        """Bytes: the peak of the heap since the last call, what is left after a collection, resident memory."""
        # Explicit collections are switched off; a histogram of live objects needs one, which is in the log.
        histogram = commands.run("jcmd", str(self.controller.pid), "GC.class_histogram")
        log = self._collections.read_text(encoding="utf-8")
        # A controller that was started again begins its log again.
        peak, self._read = heap_peak(log[self._read:] if len(log) >= self._read else log), len(log)
        return {"heap_after_gc": live_bytes(histogram), "heap_peak": peak,
                "resident": self.controller.resident_bytes or 0}


def live_bytes(histogram: str) -> int:
    """All bytes of a histogram of Java's objects."""
    total = re.search(r"(?m)^Total\s+\d+\s+(\d+)$", histogram)
    if not total:
        raise PenstockError(f"no histogram of objects: {histogram[-300:]}")
    return int(total[1])


def heap_peak(log: str) -> int:
    """The most bytes of the heap before a collection that a log of collections tells, in steps of a megabyte."""
    before = [int(megabytes) for megabytes in re.findall(r"Pause .* (\d+)M->\d+M\(", log)]
    if not before:
        raise PenstockError(f"no collection in the log of Java: {log[-300:]}")
    return max(before) << 20
