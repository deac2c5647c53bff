# SPDX-License-Identifier: Apache-2.0
"""The ordered instances of a node: brings each to what is ordered, by child processes, so that none waits for another.

Nothing is kept that the files of the instances do not tell, but for how long to wait before the next start.
"""

from __future__ import annotations

import contextlib
import pathlib
import subprocess
import sys
import tempfile
import time
import typing
from collections.abc import Callable, Iterator, Mapping

from penstock_base import processes
from penstock_node import quarantine
from penstock_node.ovs import Ovs

from . import agent_orders, catalogue as _catalogue, instance, rings

_PROGRAM = _catalogue.ROOT / "functions"
_LONGEST_PAUSE_SECONDS = 60
_STEADY_SECONDS = 60  # What has run longer starts again after the shortest pause.
_AGAIN_SECONDS = 5  # A refused order is looked at again: the catalogue, or what runs by hand, may have changed.
_STOPPED_SECONDS = 2  # One that is stopped goes on after that time; when it is stopped again soon, it is ended.
_CONTINUED_SECONDS = 60
_ANSWER_SECONDS = 2  # Of the switch: meanwhile the agent does nothing else.
_LONGEST_REASON = 240


class Instances:
    """All instances of a node that are ordered, or were. alive: called between two of them, which may take long."""

    def __init__(self, run_directory: pathlib.Path, node: str, catalogue: pathlib.Path, log: Callable[[str], None],
                 now: Callable[[], float] = time.monotonic, alive: Callable[[], None] = lambda: None) -> None:
        self._place = _Place(run_directory, node, catalogue, now)
        self._log = log
        self._now = now
        self._alive = alive
        self._instances: dict[str, _Supervised] = {}
        self._texts: Mapping[str, str] | None = None

    def want(self, texts: Mapping[str, str]) -> bool:
        """Takes the texts of the orders by name. Returns whether they have changed."""
        if texts == self._texts:
            return False
        self._texts = texts
        for name, text in texts.items():
            self._of(name).want(text)
        for name in set(self._instances) - set(texts):
            self._instances[name].want(None)
        return True

    def run(self) -> None:
        """Looks at each instance and begins what is to be done. Does not wait for it."""
        self._place.rings.look()
        for name in self._place.names_on_disk():
            with self._apart(name):
                instance.limit_logs(name, self._place.node, self._place.directory)
                if name not in self._instances and instance.look(name, self._place.node, self._place.directory).order:
                    self._of(name)  # Its order went while no agent ran.
        for name, supervised in list(self._instances.items()):
            with self._apart(name):
                supervised.run()
                if supervised.is_over:
                    del self._instances[name]

    def finish(self) -> None:
        """Waits until what was begun has come to its end."""
        for supervised in self._instances.values():
            supervised.finish()

    @property
    def busy(self) -> bool:
        """Whether anything is under way, so that it is worth looking again soon."""
        return any(supervised.busy for supervised in self._instances.values())

    def states(self) -> dict[str, str]:
        """What to report, by name."""
        return {name: supervised.state for name, supervised in self._instances.items() if supervised.state}

    @contextlib.contextmanager
    def _apart(self, name: str) -> Iterator[None]:
        """What goes wrong in the body is told of this instance, and the others go on."""
        self._alive()
        try:
            yield
        except Exception as error:  # noqa: BLE001  (a fault of one instance must not end the agent of all)
            self._of(name).puzzled(error)

    def _of(self, name: str) -> _Supervised:
        if name not in self._instances:
            self._instances[name] = _Supervised(name, self._place, self._log, self._now)
        return self._instances[name]


class _Place:
    """Where the instances are, and how their command is called."""

    def __init__(self, directory: pathlib.Path, node: str, catalogue: pathlib.Path, now: Callable[[], float]) -> None:
        self.rings = rings.Rings(Ovs(directory / node, patience_seconds=_ANSWER_SECONDS), now)
        self.directory = directory
        self.node = node
        self.catalogue = catalogue

    def names_on_disk(self) -> list[str]:
        return [path.parent.name for path in (self.directory / self.node / "functions").glob("*/state.json")]

    def quarantined(self, name: str) -> str | None:
        """Why an instance may not run, None if it may."""
        return quarantine.text(self.directory / self.node, name)

    def begin(self, command: str, name: str, *options: object) -> tuple[str, subprocess.Popen[bytes], typing.IO[str]]:
        """Starts `functions start` or `stop`. Unlike a thread it may outlive this agent, and does no harm then."""
        output = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115  (of the process)
        process = subprocess.Popen(
            [sys.executable, "-B", _PROGRAM, command, name, "--ordered", "--node", self.node, "--run-directory",
             self.directory, *map(str, options)],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        return command, process, output


class _Supervised:
    """One instance. `state` is what to report, None for nothing."""

    def __init__(self, name: str, place: _Place, log: Callable[[str], None], now: Callable[[], float]) -> None:
        self.state: str | None = None
        self._name = name
        self._place = place
        self._log = log
        self._now = now
        self._text: str | None = None
        self._order: typing.Any = None  # An agent_orders.Order when the text was read.
        self._wrong: str | None = None
        self._check_due = 0.0
        self._work: typing.Any = None  # What is under way: command, process, output.
        self._since: float | None = None  # When it was first seen running, None while it does not.
        self._attached_since: float | None = None  # When the switch was first seen connected, None while it is not.
        self._stopped_since: float | None = None
        self._continued: float | None = None
        self._pause = 0
        self._due = 0.0  # When it may be started,
        self._stop_due = 0.0  # or stopped.
        self.is_over = False

    @property
    def busy(self) -> bool:
        """Whether something is under way or the switch is awaited."""
        return self._work is not None or self.state in ("starting", "waiting")

    def want(self, text: str | None) -> None:
        """Takes the text of the order, None when there is none any more."""
        if text == self._text:
            return
        self._text = text
        self._order = self._wrong = None
        # Who orders anew does not want to wait because of what was wrong before.
        self._check_due = self._due = self._stop_due = 0.0
        self._pause = 0

    def run(self) -> None:
        """Does the next thing, if there is one and nothing is under way."""
        self.is_over = False
        if self._work:
            if self._work[1].poll() is None:
                return
            self._end_work()
        refusal = self._check()
        # What is no name may be a path, to the files of another instance.
        facts = (instance.look(self._name, self._place.node, self._place.directory)
                 if instance.NAME.fullmatch(self._name) else instance.NOTHING)
        held = self._place.quarantined(self._name) if instance.NAME.fullmatch(self._name) else None
        if held and self._text is not None:
            self._run_quarantined(facts, held)
            return
        self._watch(facts)
        if self._text is None:
            self._run_without_order(facts)
        elif refusal:
            self._say(f"refused: {refusal}")
            if facts.order and not facts.running:
                self._stop()
        elif facts.running and facts.complete and facts.order is None:
            self._run_by_hand(facts)
        else:
            self._run_ordered(facts)

    def puzzled(self, error: Exception) -> None:
        """Says that it could not be looked at; that is tried again."""
        self._say(f"failed: unexpected error: {error!a}"[:_LONGEST_REASON])

    def finish(self) -> None:
        """Waits until what is under way has come to its end."""
        if self._work:
            self._work[1].wait()
            self._end_work()

    def _check(self) -> str | None:
        """Reads the order. Returns what is wrong with it, None if nothing is."""
        if self._text is None or self._order or self._now() < self._check_due:
            return self._wrong
        self._check_due = self._now() + _AGAIN_SECONDS
        try:
            self._order = agent_orders.parse(self._name, self._text, self._place.catalogue)
            self._wrong = None
        except agent_orders.OrderError as error:
            self._wrong = str(error).replace("\n", "; ")[:_LONGEST_REASON]
        return self._wrong

    def _watch(self, facts: instance.Facts) -> None:
        """Notices when the instance, if it is ours, began to run and when it ended."""
        if not facts.attached:
            self._attached_since = None
        if facts.order and facts.running:
            self._since = self._since or self._now()
        elif self._since is not None:
            steady = self._now() - self._since > _STEADY_SECONDS
            self._since = None
            self._fail("its process ended" + processes.log_tail(facts.log), steady)

    def _run_without_order(self, facts: instance.Facts) -> None:
        if not facts.order:
            self.state = None
            self.is_over = True
        else:
            self._stop()

    def _run_quarantined(self, facts: instance.Facts, why: str) -> None:
        self._say(f"failed: {why}")
        self._since = None
        self._pause = 0
        self._due = 0.0  # When it is released it starts at once.
        if facts.order:
            self._stop()

    def _run_by_hand(self, facts: instance.Facts) -> None:
        if facts.function != self._order.function:
            self._say(f"refused: function: {self._name} runs already, started by hand as {facts.function}; stop it, or "
                      "order that")
        else:
            self._say("running" if facts.attached else "waiting")

    def _run_ordered(self, facts: instance.Facts) -> None:
        fits = facts.order == vars(self._order)
        if facts.running and facts.complete and fits:
            if self._is_held(facts) or self._has_no_ring(facts):
                self._stop()
                return
            self._say("running" if facts.attached else "waiting")
            if self._since is not None and self._now() - self._since > _STEADY_SECONDS:
                self._pause = 0
        elif facts.order and facts.running and not fits:
            self._stop()
        elif self._now() >= self._due:
            # If a former agent has begun that too, this start waits for it and changes nothing.
            self._say("starting")
            self._begin("start", "--function", self._order.function, "--catalogue", self._place.catalogue,
                        *([] if self._order.core is None else ["--core", self._order.core]),
                        *([] if self._order.scheduling is None else ["--scheduling", self._order.scheduling]))
        elif facts.order and not facts.running:
            self._stop()  # Until its next start it keeps no memory and no namespace.

    def _is_held(self, facts: instance.Facts) -> bool:
        """Has an instance whose process is stopped go on. Returns True when that has not helped."""
        if not facts.stopped:
            self._stopped_since = None
            return False
        now = self._now()
        self._stopped_since = self._stopped_since or now
        if now - self._stopped_since < _STOPPED_SECONDS:
            return False
        self._stopped_since = None
        if self._continued is None or now - self._continued > _CONTINUED_SECONDS:
            self._continued = now
            self._log(f"{self._name}: its process was stopped, and goes on")
            instance.go_on(self._name, self._place.node, self._place.directory)
            return False
        self._continued = None
        self._fail(f"its process was stopped twice within {_CONTINUED_SECONDS} s, and is ended", steady=False)
        return True

    def _has_no_ring(self, facts: instance.Facts) -> bool:
        """Whether it carries nothing although the switch is connected. A guest may be without a ring while it boots."""
        if not facts.attached or facts.form == "vm":
            return False
        self._attached_since = self._attached_since or self._now()
        if not self._place.rings.dead(self._name, self._attached_since):
            return False
        self._attached_since = None
        self._fail("it has enabled no ring since the switch connected to it, and is ended", steady=False)
        return True

    def _stop(self) -> None:
        if self._now() >= self._stop_due:
            self._since = None  # That it ends is no failure.
            self._begin("stop")

    def _begin(self, command: str, *options: object) -> None:
        self._work = self._place.begin(command, self._name, *options)

    def _end_work(self) -> None:
        command, process, output = self._work
        self._work = None
        with output:
            output.seek(0)
            said = output.read().strip()
        for line in said.splitlines():
            self._log(f"{self._name}: {line}")
        if process.returncode:
            self._fail(_reason(said) or f"functions {command} ended with {process.returncode}", steady=False)
            if command == "stop":
                self._stop_due = self._due

    def _fail(self, why: str, steady: bool) -> None:
        self._pause = 1 if steady or not self._pause else min(2 * self._pause, _LONGEST_PAUSE_SECONDS)
        self._due = self._now() + self._pause
        self._say(f"failed: {_short(why)}; next try in {self._pause} s", why)

    def _say(self, state: str, in_log: str | None = None) -> None:
        if state != self.state:
            self.state = state
            self._log(f"{self._name}: {in_log or state}")


def _reason(said: str) -> str:
    """The error in the output of `functions`: what it says last, after its steps."""
    _, separator, error = said.rpartition("functions: ")
    return error if separator else said.rpartition("\n")[2]


def _short(text: str) -> str:
    """One line for the report: the first, and of a log that follows the last."""
    first, _, log = text.partition("; the end of ")
    lines = [line.strip() for line in log.splitlines()[1:] if line.strip()]
    words = [first.replace("\n", "; ").strip(), *([f"(its log ends: {lines[-1]})"] if lines else [])]
    return " ".join(words)[:_LONGEST_REASON]
