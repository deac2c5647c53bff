# SPDX-License-Identifier: Apache-2.0
"""How the programs of a distribution are called: Karaf, its console client, and the one that makes the first user."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

from . import rights
from .errors import ControllerError
from .layout import RESTCONF_USER, Layout
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
        if not client:
            kept["EXTRA_JAVA_OPTS"] = " ".join((f"-Xmx{settings.heap}", *DEFAULT_OPTIONS, *settings.java_options))
        return kept

    def make_first_user(self, password: str) -> None:
        """AAA makes admin/admin when it finds no user store: give it one, with this password alone."""
        tool, store = self._layout.distribution / "tools" / "first-user.jar", self._layout.user_store
        ran = subprocess.run([*rights.words(self._user), java(), "-XX:TieredStopAtLevel=1", "-jar", str(tool),
                              str(self._layout.data), RESTCONF_USER],
                             input=password + "\n", capture_output=True, text=True, check=False)
        if ran.returncode or not store.exists():
            store.unlink(missing_ok=True)
            raise ControllerError(f"no user store: {ran.stderr.strip()}")
        with rights.owner_of(self._layout.run):
            store.chmod(0o600)


def java() -> str:
    """The path of Java: that of JAVA_HOME, or else one that is found."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(pathlib.Path(home) / "bin") if home else None)
    if not found:
        raise ControllerError("no java: install a Java 17 runtime, or set JAVA_HOME")
    return os.path.realpath(found)
