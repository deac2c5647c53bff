# SPDX-License-Identifier: Apache-2.0
"""Builds the controller's distribution with Maven, only when its sources have changed."""

from __future__ import annotations

import collections.abc
import contextlib
import hashlib
import os
import pathlib
import re
import subprocess
import time
import typing

from penstock_base import exclusive, places
from penstock_base.errors import PenstockError
from penstock_base.steps import say

# Everything the distribution is made of; what else is in the folder of Karaf is Python, and not in it.
_SOURCES = ("pom.xml", "odl-apps", "features", "karaf/pom.xml", "karaf/src")
_NOT_SOURCES = {"target", "tests", "node_modules", "__pycache__"}
_GENERATED = {".flattened-pom.xml"}
_MODULE = re.compile(r"^\[INFO\] Building (?P<name>.+?) \S+\s+\[(?P<number>\d+)/(?P<total>\d+)\]$")
_FETCHED = re.compile(r"^\[INFO\] Downloaded from .* \((?P<size>[\d.]+) (?P<unit>[kMG]?B)")
_LONG_TEST = re.compile(r"^\[INFO\] Running .*\.(?P<name>\w+IT)$")
_WARNING = re.compile(r"^\[WARNING\] (?!\S*/generated-sources/)(?P<text>\S+\.java:\[\d+,\d+\] .*)")
_FAILED_TEST = re.compile(r"^\[ERROR\] (?!Tests run)(?P<name>\S.*?) -- .*<<< (FAILURE|ERROR)!$")
_NOISE = re.compile(r"^\[ERROR\] *($|->|\[Help|To see the full|Re-run Maven|For more information|After correcting"
                    r"|  mvn )")
_UNITS = {"B": 1e-6, "kB": 1e-3, "MB": 1.0, "GB": 1e3}
_REPORT_SECONDS = 15
_REASON_LINES, _REASON_WIDTH = 6, 300
_ATTEMPTS, _RETRY_SECONDS = 4, 3
_WARNINGS_FAIL = "-Werror"
_NETWORK_FAILURE = "Could not transfer artifact"
_IGNORED = "Build failures were ignored."
"""Maven says so at its end, whose exit code is then 0 (--fail-never)."""

_Process: typing.TypeAlias = "contextlib.AbstractContextManager[subprocess.Popen[typing.Any]]"


class Speaker(typing.Protocol):
    """Speaks for a build that runs beside other jobs."""

    def say(self, text: str) -> None:
        """Prints a line under the name of the job."""

    def process(self, *arguments: typing.Any, **options: typing.Any) -> _Process:
        """subprocess.Popen for the body; the process is ended when the run is interrupted."""


def fingerprint(root: pathlib.Path = places.ROOT) -> str:
    """Changes when a source does: names and content, not times."""
    digest = hashlib.sha256()
    for path in _files(root):
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _files(root: pathlib.Path) -> collections.abc.Iterator[pathlib.Path]:
    for name in _SOURCES:
        path = root / name
        if path.is_file():
            yield path
        for directory, below, names in os.walk(path):
            # Test sources are compiled too, but they change nothing in the distribution.
            below[:] = sorted(entry for entry in below if entry not in _NOT_SOURCES
                              and not (entry == "test" and directory.endswith("src")))
            for entry in sorted(names):
                if entry not in _GENERATED and not entry.endswith(".md"):
                    yield pathlib.Path(directory, entry)


def is_current(stamp: str) -> bool:
    """Whether the distribution in the source tree was made of the sources as they are."""
    try:
        return (places.ASSEMBLY / "bin" / "karaf").exists() and \
            places.BUILD_STAMP.read_text(encoding="ascii").strip() == stamp
    except OSError:
        return False


def ensure() -> tuple[str, bool]:
    """Builds unless that was done. Returns the fingerprint of the sources and whether anything was built."""
    stamp = fingerprint()
    if is_current(stamp):
        return stamp, False
    with exclusive.alone("build", "a build", wait=True):
        stamp = fingerprint()
        if is_current(stamp):
            return stamp, False
        say("sources have changed since the last build" if places.ASSEMBLY.exists()
            else "the first build: where Maven has fetched nothing yet it fetches about 370 MB, some minutes")
        maven("build.log", "install", "-DskipTests", "-Dodlparent.checkstyle.skip", "--projects", "!it")
        record(stamp)
    return stamp, True


def record(stamp: str) -> None:
    """Notes that the distribution is made of the sources of this fingerprint."""
    if places.ASSEMBLY.is_dir():
        places.BUILD_STAMP.write_text(stamp + "\n", encoding="ascii")


def maven(log_name: str, *arguments: str, environment: collections.abc.Mapping[str, str] | None = None,
          lane: Speaker | None = None) -> None:
    """Runs Maven in the source tree, names every module as it comes, and writes all to a log file.

    lane: speaks for us when other jobs run beside this one; default is to speak for ourselves.
    Raises PenstockError with Maven's own words, also for failures that --fail-never has Maven ignore. Where nothing but
    a download failed, it is tried again, up to three times: one name that was not resolved in time ends Maven, whatever
    else it has fetched. A build first removes the mark of a complete build, so that one that is cut off leaves none.
    """
    home = places.java_home()
    if home is None:
        raise PenstockError("there is no Java 17 in /usr/lib/jvm: apt-get install openjdk-17-jdk-headless")
    if "install" in arguments:
        places.BUILD_STAMP.unlink(missing_ok=True)
    say_line: collections.abc.Callable[[str], None] = lane.say if lane else say
    start: collections.abc.Callable[..., _Process] = lane.process if lane else subprocess.Popen
    log = places.log_directory() / log_name
    log.parent.mkdir(parents=True, exist_ok=True)
    say_line(f"mvn {' '.join(arguments)} (log: {log})")
    environment = {**(environment or os.environ), "JAVA_HOME": str(home)}
    for attempt in range(_ATTEMPTS):
        # A download that failed is remembered as failed, unless -U is given.
        command = ["mvn", "--batch-mode", *(["--update-snapshots"] if attempt else []), *arguments]
        report = Report(say_line)
        with open(log, "a" if attempt else "w", buffering=1, encoding="utf-8") as output, start(
                command, cwd=places.ROOT, env=environment, stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, errors="replace") as process:
            try:
                for line in process.stdout or ():
                    output.write(line)
                    report.line(line.rstrip())
            except BaseException:
                process.terminate()
                raise
        failed = process.returncode or report.are_failures_ignored
        if not (failed and report.is_network_failure) or attempt + 1 == _ATTEMPTS:
            break
        say_line("a download failed; Maven keeps what it has and tries again")
        time.sleep(_RETRY_SECONDS)
    if failed:
        if report.failed_tests:
            said = "failed tests:\n" + "\n".join(report.failed_tests)
        else:
            said = "Maven: " + ("\n".join(report.reasons[:8]) or "no reason given")
        if process.returncode not in (0, 1):
            said += f"\nMaven did not finish: exit code {process.returncode}"
        raise PenstockError(f"{said}\nfull log: {log}")


class Report:
    """Reads Maven's output: a line for each module and each integration test, a sign of life while it fetches."""

    def __init__(self, say_line: collections.abc.Callable[[str], None],
                 clock: collections.abc.Callable[[], float] = time.monotonic) -> None:
        self.errors: list[str] = []
        self.failed_tests: list[str] = []
        self.are_failures_ignored = False
        """Whether Maven failed and ended as if it had not, because of --fail-never."""
        self._warnings: list[str] = []
        self._say = say_line
        self._clock = clock
        self._reason: list[str] | None = None
        """What the last failed test has said; None once that is known."""
        self._last = clock()
        self._files, self._reported, self._megabytes = 0, 0, 0.0

    def line(self, text: str) -> None:
        """Takes one line of output."""
        module, fetched, long_test = _MODULE.match(text), _FETCHED.match(text), _LONG_TEST.match(text)
        failed_test = _FAILED_TEST.match(text)
        if _IGNORED in text:
            # First: what a failed test says may have no end.
            self.are_failures_ignored = True
        elif module:
            # Its time is not known: modules are built side by side.
            self._say(f"[{module['number']:>2}/{module['total']}] {module['name']}")
        elif long_test:
            self._say(f"        {long_test['name']}")
        elif fetched:
            self._files += 1
            self._megabytes += float(fetched["size"]) * _UNITS[fetched["unit"]]
        elif failed_test:
            self.failed_tests.append(failed_test["name"])
            # At once: a run that is cut off never comes to its report.
            self._say(f"        failed: {failed_test['name']}")
            self._reason = []
        elif self._reason is not None:
            self._add_reason(text, self._reason)
        elif warning := _WARNING.match(text):
            self._warnings.append(warning["text"])
        elif text.startswith("[ERROR]") and not _NOISE.match(text):
            self.errors.append(text[7:].strip())
        if self._files > self._reported and self._clock() - self._last > _REPORT_SECONDS:
            self._last, self._reported = self._clock(), self._files
            self._say(f"fetched {self._files} files, {self._megabytes:.0f} MB")

    @property
    def reasons(self) -> list[str]:
        """Why Maven failed, in its own words. Where warnings fail the build, they come first: no error names them."""
        return [*(self._warnings if any(_WARNINGS_FAIL in error for error in self.errors) else []), *self.errors]

    @property
    def is_network_failure(self) -> bool:
        """Whether Maven ended because a file could not be fetched, and for no other reason that it told."""
        return not self.failed_tests and any(_NETWORK_FAILURE in error for error in self.errors)

    def _add_reason(self, text: str, reason: list[str]) -> None:
        """What an exception says stands between its line and the first frame of the stack."""
        if text.startswith("\tat "):
            self.failed_tests[-1] += "".join("\n  " + line for line in reason)
            self._reason = None
        elif text.strip() and len(reason) < _REASON_LINES:
            reason.append(text.strip()[:_REASON_WIDTH])
