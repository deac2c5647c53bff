# SPDX-License-Identifier: Apache-2.0
"""Runs jobs side by side, each with a log of its own, and says in one stream how far each is."""

from __future__ import annotations

import collections.abc
import concurrent.futures
import contextlib
import dataclasses
import os
import pathlib
import subprocess
import threading
import time
import typing

from penstock_base.errors import PenstockError
from penstock_base.steps import say

_Process: typing.TypeAlias = "subprocess.Popen[typing.Any]"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a job ended: the error is None when it succeeded."""
    name: str
    seconds: float
    error: Exception | None


class Lane:
    """What a job is given: its name, a way to speak, and processes that end with the run. One thread uses it."""

    def __init__(self, name: str, lanes: Lanes) -> None:
        self.name = name
        self._lanes = lanes

    def say(self, text: str) -> None:
        """Prints a line under the name of the job."""
        self._lanes.say(f"{self.name}: {text.strip()}")

    def run(self, command: collections.abc.Sequence[str | pathlib.Path], log: pathlib.Path, cwd: pathlib.Path,
            environment: collections.abc.Mapping[str, str]) -> int:
        """Runs a command, with all that it prints in the log. Returns its exit code."""
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "wb") as output, self.process(
                [str(word) for word in command], cwd=cwd, env=dict(environment), stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT) as process:
            return process.wait()

    @contextlib.contextmanager
    def process(self, *arguments: typing.Any, **options: typing.Any) -> collections.abc.Iterator[_Process]:
        """subprocess.Popen for the body; the process is ended when the run is interrupted."""
        with subprocess.Popen(*arguments, **options) as process, self._lanes.known(process):
            yield process


Job = collections.abc.Callable[[Lane], None]


class Lanes:
    """Lanes that run at the same time. Make one for each run. `clock` is for tests."""

    def __init__(self, clock: collections.abc.Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun = clock()
        self._speaking = threading.Lock()
        self._processes: set[_Process] = set()
        self._ended = False

    def run(self, *lanes: collections.abc.Mapping[str, Job]) -> list[Outcome]:
        """Runs lanes side by side, and the jobs of each one after the other, to their ends, whichever fail.

        Returns the outcomes in the order of the arguments. Ends all processes when it is interrupted.
        """
        with concurrent.futures.ThreadPoolExecutor(max_workers=len(lanes)) as pool:
            running = [pool.submit(self._lane, jobs) for jobs in lanes]
            try:
                return [outcome for each in running for outcome in each.result()]
            except BaseException:
                self._end()
                raise

    def _lane(self, jobs: collections.abc.Mapping[str, Job]) -> list[Outcome]:
        return [self._job(name, job) for name, job in jobs.items()]

    def _job(self, name: str, job: Job) -> Outcome:
        begun, failure = self._clock(), None
        try:
            job(Lane(name, self))
        except Exception as error:  # noqa: BLE001  (whatever it is fails this job, not the others)
            failure = error
        seconds = self._clock() - begun
        self.say(f"{name}: {'failed after' if failure else 'done in'} {seconds:.0f} s")
        return Outcome(name, seconds, failure)

    def say(self, text: str) -> None:
        """Prints one line, whole, with the time since the begin."""
        minutes, seconds = divmod(int(self._clock() - self._begun), 60)
        with self._speaking:
            say(f"{minutes:2}:{seconds:02} {text}")

    @contextlib.contextmanager
    def known(self, process: _Process) -> collections.abc.Iterator[None]:
        """Has a process ended with the run while the body lasts."""
        self._processes.add(process)
        try:
            if self._ended:
                raise PenstockError("interrupted")
            yield
        except BaseException:
            process.terminate()
            raise
        finally:
            self._processes.discard(process)

    def _end(self) -> None:
        self._ended = True
        for process in tuple(self._processes):
            process.terminate()


def quiet_environment(names: collections.abc.Collection[str]) -> dict[str, str]:
    """Ours without some variables."""
    return {name: value for name, value in os.environ.items() if name not in names}
