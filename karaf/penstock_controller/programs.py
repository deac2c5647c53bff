# SPDX-License-Identifier: Apache-2.0
"""How the programs of a distribution are called: Karaf and its console client."""

from __future__ import annotations

import os
import pathlib
import shutil

from . import rights
from .errors import ControllerError
from .layout import Layout
from .settings import Settings

DEFAULT_OPTIONS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss512k", "-XX:+ExitOnOutOfMemoryError")
"""Chosen by measurement, see karaf/README.md."""


def inside(settings: Settings) -> list[str]:
    """The words that enter the network namespace of a controller."""
    return ["ip", "netns", "exec", settings.namespace] if settings.namespace else []


class Programs:
    """Those of one controller. system_user: runs them; None for the caller."""

    def __init__(self, layout: Layout, system_user: str | None) -> None:
        self._layout, self._user = layout, system_user

    def karaf(self, settings: Settings) -> list[str]:
        """The command of the Java process."""
        return [*inside(settings), *rights.words(self._user), str(self._layout.distribution / "bin" / "karaf"),
                "daemon"]

    def client(self, settings: Settings) -> list[str]:
        """The command of the console. It has no password: it finds the user too in etc/users.properties."""
        return [*inside(settings), *rights.words(self._user), str(self._layout.distribution / "bin" / "client")]

    def environment(self, settings: Settings, client: bool = False) -> dict[str, str]:
        """The environment of one of them. client: of the console."""
        kept = {key: value for key, value in os.environ.items()
                if not key.startswith("KARAF_") and key not in ("JAVA_OPTS", "EXTRA_JAVA_OPTS", "JAVA_MAX_MEM")}
        kept.setdefault("JAVA_HOME", str(pathlib.Path(java()).parent.parent))
        kept["KARAF_BASE"] = str(self._layout.run)
        if self._user:
            kept["HOME"] = str(self._layout.run)
        # Else all controllers of a distribution would write into its "instances".
        kept["KARAF_SYSTEM_OPTS"] = f"-Dkaraf.instances={self._layout.run}/instances"
        kept["CHECK_ROOT_INSTANCE_RUNNING"] = "false"
        if client:
            kept["TERM"] = _terminal_type(kept.get("TERM", ""))
        else:
            kept["EXTRA_JAVA_OPTS"] = " ".join((f"-Xmx{settings.heap}", *DEFAULT_OPTIONS, *settings.java_options))
        return kept


def java() -> str:
    """The path of Java: that of JAVA_HOME, or Debian's Java 17, or else one that is found."""
    ours = sorted(pathlib.Path("/usr/lib/jvm").glob("java-17-openjdk-*/bin/java"))
    home = os.environ.get("JAVA_HOME") or (ours and ours[0].parent.parent)
    found = shutil.which("java", path=str(pathlib.Path(home) / "bin") if home else None)
    if not found:
        raise ControllerError("no java: install a Java 17 runtime, or set JAVA_HOME")
    return os.path.realpath(found)


def _terminal_type(name: str) -> str:
    """The type of terminal for the console. From a dumb one JLine ignores a carriage return, which Enter sends
    (LineReaderImpl.readLine, 3.21), and for Karaf's client a missing TERM is that of a dumb one."""
    return "ansi" if name in ("", "dumb", "dumb-color") else name
