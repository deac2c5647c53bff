# SPDX-License-Identifier: Apache-2.0
"""Runs jobs side by side, each with a log of its own, and prints in one stream how far each is."""

from __future__ import annotations

import collections.abc
import contextlib
import dataclasses
import os
import pathlib
import signal
import subprocess
import threading
import time
import typing

from penstock_base.errors import PenstockError
from penstock_base.steps import say

from . import descendants

_Process: typing.TypeAlias = "subprocess.Popen[typing.Any]"
_STACKS_SECONDS = 5
"""Time in which programs write their stacks before they are ended."""
_LOOK_SECONDS = 5.0
"""Between two looks at the limit."""
_SILENCE_SECONDS = 15 * 60
"""More than any test takes on a slow machine. A run that is past its limit and says nothing for so long hangs."""


@dataclasses.dataclass(frozen=True)
class Job:
    """Work of a run.

    needs: names of jobs that have to be done before. Without them the job fails and does not begin; those that are no
    jobs of the run count as done.
    """
    name: str
    run: collections.abc.Callable[[Lane], None]
    needs: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a job ended: the error is None when it succeeded."""
    name: str
    seconds: float
    error: Exception | None


class Lane:
    """The place of a job: its name, a way to print, and processes that end with the run. One thread uses it."""

    def __init__(self, name: str, lanes: Lanes, prefix: tuple[str, ...] = ()) -> None:
        self.name = name
        self._lanes = lanes
        self._prefix = prefix

    def inside(self, *prefix: str) -> Lane:
        """The same place with words in front of each command, behind those that are there."""
        return Lane(self.name, self._lanes, (*self._prefix, *prefix))

    def named(self, name: str) -> Lane:
        """The same place under another name."""
        return Lane(name, self._lanes, self._prefix)

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
    def process(self, command: collections.abc.Sequence[str], **options: typing.Any
                ) -> collections.abc.Iterator[_Process]:
        """subprocess.Popen for the body; the process is ended when the run is."""
        with subprocess.Popen([*self._prefix, *command], **options) as process, self._lanes.known(process):
            yield process


class Lanes:
    """Some lanes, each of which runs one job at a time. Make one object for each run. `clock` is for tests.

    limit_seconds: a run that takes longer, and in which no job has said anything for _SILENCE_SECONDS, is ended: all
    programs write their stacks into their logs, and each job fails with that reason. A slow machine alone ends no run.
    None is no limit.
    """

    def __init__(self, number: int, limit_seconds: float | None = None,
                 clock: collections.abc.Callable[[], float] = time.monotonic) -> None:
        self._number = number
        self._limit = limit_seconds
        self._clock = clock
        self._begun = self._said = clock()
        self._speaking = threading.Lock()
        self._changed = threading.Condition()
        self._processes: set[_Process] = set()
        self._ended: str | None = None

    def run(self, *jobs: Job) -> list[Outcome]:
        """Runs all jobs to their ends, whichever fail, in their order: a free lane takes the first whose needs are met.

        Returns the outcomes in the order of the arguments. Ends all processes when it is interrupted.
        """
        waiting, outcomes = list(jobs), dict[str, Outcome]()
        # Daemons: an exception in this thread ends the run, whatever they wait for.
        threads = [threading.Thread(target=self._lane, args=(waiting, jobs, outcomes), daemon=True)
                   for _ in range(min(self._number, len(jobs)))]
        try:
            for thread in threads:
                thread.start()
            with self._changed:
                while len(outcomes) < len(jobs):
                    self._changed.wait(_LOOK_SECONDS)
                    if self._is_late():
                        self._end(f"not done after {self._limit:.0f} s: see the stacks in the logs", stacks=True)
        except BaseException:
            self._end("interrupted")
            raise
        return [outcomes[job.name] for job in jobs]

    def _is_late(self) -> bool:
        now = self._clock()
        return self._limit is not None and self._ended is None and now - self._begun > self._limit \
            and now - self._said > _SILENCE_SECONDS

    def _lane(self, waiting: list[Job], jobs: tuple[Job, ...], outcomes: dict[str, Outcome]) -> None:
        names = {job.name for job in jobs}

        def is_ready(job: Job) -> bool:
            return all(need in outcomes for need in job.needs if need in names)
        while True:
            with self._changed:
                while waiting and not any(map(is_ready, waiting)):
                    self._changed.wait()
                if not waiting:
                    return
                job = next(filter(is_ready, waiting))
                waiting.remove(job)
                failed = [need for need in job.needs if need in outcomes and outcomes[need].error]
            outcome = self._job(job) if not failed else Outcome(
                job.name, 0.0, PenstockError(f"did not run: {', '.join(failed)} failed"))
            with self._changed:
                outcomes[job.name] = outcome
                self._changed.notify_all()

    def _job(self, job: Job) -> Outcome:
        begun, failure = self._clock(), None
        try:
            if self._ended is not None:
                raise PenstockError(self._ended)
            job.run(self.lane(job.name))
        except Exception as error:  # noqa: BLE001  (whatever it is fails this job, not the others)
            failure = PenstockError(f"{self._ended}\n{error}") if self._ended else error
        seconds = self._clock() - begun
        self.say(f"{job.name}: {'failed after' if failure else 'done in'} {seconds:.0f} s")
        return Outcome(job.name, seconds, failure)

    def lane(self, name: str) -> Lane:
        """The place of a job of this name."""
        return Lane(name, self)

    def say(self, text: str) -> None:
        """Prints one line, whole, with the time since the begin."""
        self._said = self._clock()
        minutes, seconds = divmod(int(self._said - self._begun), 60)
        with self._speaking:
            say(f"{minutes:2}:{seconds:02} {text}")

    @contextlib.contextmanager
    def known(self, process: _Process) -> collections.abc.Iterator[None]:
        """Has a process ended with the run while the body lasts."""
        self._processes.add(process)
        try:
            if self._ended is not None:
                raise PenstockError(self._ended)
            yield
        except BaseException:
            process.terminate()
            raise
        finally:
            self._processes.discard(process)

    def _end(self, why: str, stacks: bool = False) -> None:
        self._ended = why
        processes = tuple(self._processes)
        if stacks:
            self.say(why)
            for process in processes:
                descendants.write_stacks(process.pid)
            time.sleep(_STACKS_SECONDS)
        for process in processes:
            # All below it: Maven leaves the JVMs of tests behind, and these their switches.
            descendants.signal_all(process.pid, signal.SIGKILL if stacks else signal.SIGTERM)


def quiet_environment(names: collections.abc.Collection[str]) -> dict[str, str]:
    """Ours without some variables."""
    return {name: value for name, value in os.environ.items() if name not in names}
