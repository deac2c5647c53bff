# SPDX-License-Identifier: Apache-2.0
"""What needs no Karaf: settings, processes, the probe against a stand-in server, the command line."""

import contextlib
import http.server
import io
import itertools
import json
import pathlib
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
from collections.abc import Iterator

import pytest

from penstock_controller import Controller, ControllerError, Ports, Settings, probe
from penstock_controller.__main__ import main
from penstock_controller.process import Idleness, Process, put_before_others

from .test_layout import distribution

_CUT_OFF = 203
"""The status of an answer that ends before its end."""


class SettingsTest(unittest.TestCase):
    """Settings and Ports."""

    def test_bad_values_are_refused(self) -> None:
        for make in (lambda: Ports(openflow=0), lambda: Ports(ssh=65536), lambda: Ports(ssh=8181),
                     lambda: Settings("localhost"), lambda: Ports().shifted(60000)):
            with self.assertRaises(ValueError):
                make()

    def test_shifted_ports_meet_none_of_the_first(self) -> None:
        first, second = Ports(), Ports().shifted(1000)
        self.assertFalse(set(vars(first).values()) & set(vars(second).values()))


class ProcessTest(unittest.TestCase):
    """Process, on a Python that sleeps."""

    def start(self, code: str) -> Process:
        child = subprocess.Popen([sys.executable, "-c", code, "the-mark"], stdout=subprocess.PIPE)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        child.stdout.readline()
        return Process(child.pid, "the-mark")

    def test_comes_before_others(self) -> None:
        child = subprocess.Popen(["/bin/sh", "-c", "read go; nice; cat /proc/self/autogroup || true"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        put_before_others(child.pid)
        said = child.communicate("go\n", timeout=300)[0].split()
        self.assertEqual(said[0], "-5")
        self.assertTrue(len(said) == 1 or said[-1] == "-5", said)

    def test_ends_on_request(self) -> None:
        process = self.start("import time; print(flush=True); time.sleep(60)")
        self.assertTrue(process.alive())
        self.assertGreaterEqual(process.uptime(), 0)
        self.assertGreater(process.resident_bytes(), 1_000_000)
        process.end(patience=300)
        self.assertFalse(process.alive())

    def test_is_killed_when_it_does_not_listen(self) -> None:
        process = self.start("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
                             "print(flush=True); time.sleep(60)")
        process.end(patience=0.3)
        self.assertFalse(process.alive())

    def test_other_process_with_the_same_id_is_left_alone(self) -> None:
        process = self.start("import time; print(flush=True); time.sleep(60)")
        stranger = Process(process.pid, "another-mark")
        self.assertFalse(stranger.alive())
        stranger.kill()
        self.assertTrue(process.alive())


def diagstatus(engine: str = "OPERATIONAL", reason: str = "", system: str = "ACTIVE",
               openflow: str = "OPERATIONAL") -> dict[str, object]:
    """An answer of /diagstatus, as OpenDaylight writes it."""
    return {"timeStamp": "x", "isOperational": False, "systemReadyState": system, "statusSummary": [
        {"serviceName": "OPENFLOW", "effectiveStatus": openflow, "reportedStatusDescription": ""},
        {"serviceName": "PENSTOCK", "effectiveStatus": engine, "reportedStatusDescription": reason}]}


class ProbeTest(unittest.TestCase):
    """probe.ask, against a server that knows the paths it asks."""

    def setUp(self) -> None:
        answers = self.answers = {"/diagstatus": (200, diagstatus()),
                                  "/rests/data/ietf-yang-library:modules-state": (200, {"name": "penstock"})}

        class Handler(http.server.BaseHTTPRequestHandler):
            """Answers from the table."""

            def do_GET(self) -> None:
                status, body = answers[self.path.partition("?")[0]]
                if not self.headers["Authorization"].startswith("Basic "):
                    status = 401
                self.send_response(status)
                if status == _CUT_OFF:
                    self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            def log_message(self, *_: object) -> None:
                """Quiet."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.port = server.server_address[1]

    def progress(self, openflow: int, model: str = "") -> dict[str, bool]:
        return self.ask(openflow, model).done

    def ask(self, openflow: int, model: str = "") -> probe.Answer:
        return probe.ask(("127.0.0.1", openflow), ("127.0.0.1", self.port), "admin", "secret", model)

    def test_all_done(self) -> None:
        self.assertTrue(all(self.progress(self.port, "penstock").values()))

    def test_model_missing(self) -> None:
        self.assertEqual({**dict.fromkeys(probe.STEPS, True), "model": False}, self.progress(self.port, "other"))

    def test_refused_password_is_not_ready(self) -> None:
        self.answers["/rests/data/ietf-yang-library:modules-state"] = (401, {})
        self.assertFalse(self.progress(self.port)["restconf"])

    def test_answer_that_ends_in_the_middle_is_none(self) -> None:
        for path in self.answers:
            before, self.answers[path] = self.answers[path], (_CUT_OFF, {})
            self.assertFalse(self.progress(self.port)["restconf"])
            self.answers[path] = before

    def test_booting_system_is_asked_no_further(self) -> None:
        self.answers["/diagstatus"] = (503, diagstatus(system="BOOTING"))
        self.assertEqual({**dict.fromkeys(probe.STEPS, False), "web": True, "engine": True}, self.progress(self.port))

    def test_another_service_that_is_not_good(self) -> None:
        self.answers["/diagstatus"] = (503, diagstatus(openflow="STARTING"))
        self.assertFalse(self.progress(self.port)["system"])

    def test_engine_that_could_not_start_is_a_failure_with_its_reason(self) -> None:
        self.answers["/diagstatus"] = (503, diagstatus("ERROR", "line 3 is damaged", "BOOTING"))
        answer = self.ask(self.port)
        self.assertEqual((True, "line 3 is damaged"), (answer.failed, answer.reason))
        self.assertEqual({**dict.fromkeys(probe.STEPS, False), "web": True}, answer.done)

    def test_engine_that_is_impaired_is_ready_and_says_why(self) -> None:
        self.answers["/diagstatus"] = (503, diagstatus("SUSPECTED", "tenant t: chain: wrong"))
        answer = self.ask(self.port)
        self.assertTrue(all(answer.done.values()))
        self.assertEqual((False, "tenant t: chain: wrong"), (answer.failed, answer.reason))

    def test_engine_that_says_nothing_is_waited_for(self) -> None:
        for body in ({"systemReadyState": "ACTIVE", "statusSummary": []}, diagstatus("STARTING"), ["odd"], "odd"):
            self.answers["/diagstatus"] = (200, body)
            answer = self.ask(self.port)
            self.assertEqual({**dict.fromkeys(probe.STEPS, False), "web": True}, answer.done)
            self.assertFalse(answer.failed)

    def test_closed_openflow_port(self) -> None:
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            self.assertFalse(self.progress(bound.getsockname()[1])["openflow"])

    def test_nothing_listens(self) -> None:
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            done = probe.ask(("127.0.0.1", 1), bound.getsockname(), "admin", "secret", "").done
        self.assertFalse(any(done.values()))


class ControllerTest(unittest.TestCase):
    """A Controller that does not run."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.run = pathlib.Path(directory.name) / "run"
        self.controller = Controller("/nonexistent", self.run)

    def test_says_that_it_does_not_run(self) -> None:
        self.assertEqual((None, None, None),
                         (self.controller.pid, self.controller.uptime, self.controller.resident_bytes))
        self.controller.stop()
        self.controller.kill()
        with self.assertRaises(ControllerError):
            self.controller.console("version\n")

    def test_start_without_distribution(self) -> None:
        with self.assertRaises(FileNotFoundError):
            self.controller.start()

    def test_status_command(self) -> None:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = main(["--distribution", "/nonexistent", "--run-dir", str(self.run), "status"])
        self.assertEqual((3, {"running": False}), (code, json.loads(printed.getvalue())))


JAVA = """
import os, signal, sys, time
mode = open(os.environ["KARAF_BASE"] + "/mode").read()
if mode == "end":
    sys.exit()
dump = lambda *_: print("Full thread dump\\n\\"main\\" #1 waits\\n\\nJNI global refs: 1", flush=True)
signal.signal(signal.SIGQUIT, dump if mode != "deaf" else signal.SIG_IGN)
while True:
    if mode != "busy":
        time.sleep(60)
"""
"""Stands in for Java: answers SIGQUIT, and is as busy as the file "mode" says."""


class BootTest(unittest.TestCase):
    """Boots of a program that stands in for Java."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        root = pathlib.Path(directory.name)
        script = distribution(root / "distribution") / "bin" / "karaf"
        script.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{JAVA}' -Dkaraf.base=$KARAF_BASE\n", encoding="utf-8")
        script.chmod(0o755)
        self.controller = Controller(root / "distribution", root / "run")
        self.addCleanup(self.controller.kill)
        (root / "run").mkdir()
        self.said: list[str] = []
        self.engine: Iterator[str] = itertools.repeat("OPERATIONAL")
        seconds = {"HANG_SECONDS": 600.0, "POLL_SECONDS": 0.05,
                   "Idleness": lambda process: Idleness(process, window=0.3)}
        for patched in (unittest.mock.patch.multiple("penstock_controller.controller", **seconds),
                        unittest.mock.patch("penstock_controller.thread_dump.DUMP_SECONDS", 300.0)):
            patched.start()
            self.addCleanup(patched.stop)
        # The steps of a boot cannot be stood in for by one program: they are as the test says.
        steps = unittest.mock.patch.object(self.controller, "ask", self.answer)
        steps.start()
        self.addCleanup(steps.stop)

    def answer(self, _: str) -> probe.Answer:
        state = next(self.engine)
        done = self.mode() == "ready" and state == "OPERATIONAL"
        return probe.Answer(dict.fromkeys(probe.STEPS, done), state, "line 3 is damaged")

    def mode(self, new: str = "") -> str:
        path = self.controller.run_dir / "mode"
        if new:
            path.write_text(new, encoding="utf-8")
        return path.read_text(encoding="utf-8")

    def report(self, step: str, _: float) -> None:
        self.said.append(step)
        if step == "again":
            self.mode("ready")

    @staticmethod
    def hang_seconds(seconds: float) -> contextlib.AbstractContextManager:
        return unittest.mock.patch("penstock_controller.controller.HANG_SECONDS", seconds)

    def logs(self) -> list[str]:
        return [(self.controller.log_file.with_name(name)).read_text(encoding="utf-8")
                for name in ("karaf.log", "console.log")]

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_boot_that_hangs_is_started_again_and_leaves_a_thread_dump(self) -> None:
        self.mode("hang")
        with self.hang_seconds(1.5):
            self.controller.boot(Settings(), 900, self.report)
        self.assertEqual(["again", *probe.STEPS], self.said)
        dump, = self.controller.thread_dumps
        self.assertIn('"main" #1 waits', dump.read_text(encoding="utf-8"))
        self.assertEqual(0o600, stat.S_IMODE(dump.stat().st_mode))
        for log in self.logs():
            self.assertRegex(log, rf"\| WARN .*idle after .*missing: web.*thread dump: {dump}; starting again\n")

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_last_boot_that_hangs_says_so_too(self) -> None:
        self.mode("hang")
        with self.hang_seconds(3), self.assertRaisesRegex(ControllerError, "idle after"):
            self.controller.boot(Settings(), 5, self.report)
        self.assertEqual([], self.said)
        self.assertEqual(1, len(self.controller.thread_dumps))
        for log in self.logs():
            self.assertIn("; giving up\n", log)
        self.assertIsNone(self.controller.pid)

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_process_that_prints_nothing_is_ended_too(self) -> None:
        self.mode("deaf")
        with self.hang_seconds(1.5), unittest.mock.patch("penstock_controller.thread_dump.DUMP_SECONDS", 0.2):
            self.controller.boot(Settings(), 900, self.report)
        self.assertIn("No answer", self.controller.thread_dumps[0].read_text(encoding="utf-8"))

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_boot_that_works_is_not_ended_for_being_slow(self) -> None:
        self.mode("busy")
        with self.hang_seconds(2), self.assertRaisesRegex(ControllerError, "not ready after 4 s"):
            self.controller.boot(Settings(), 4, self.report)
        self.assertEqual([], self.said)

    def test_boot_whose_engine_fails_ends_at_once_with_the_reason(self) -> None:
        self.mode("hang")
        self.engine = itertools.repeat("ERROR")
        with self.hang_seconds(600), self.assertRaisesRegex(ControllerError, "cannot work: line 3 is damaged"):
            self.controller.boot(Settings(), 600, self.report)
        self.assertEqual(([], []), (self.said, self.controller.thread_dumps))
        self.assertIsNone(self.controller.pid)

    def test_engine_that_is_started_once_more_is_waited_for(self) -> None:
        self.mode("ready")
        self.engine = itertools.chain(["ERROR", "STARTING", "ERROR"], itertools.repeat("OPERATIONAL"))
        self.controller.boot(Settings(), 900, self.report)
        self.assertNotIn("again", self.said)

    def test_boot_that_ends_is_not_started_again(self) -> None:
        self.mode("end")
        with self.assertRaisesRegex(ControllerError, "ended while it started"):
            self.controller.boot(Settings(), 900, self.report)
        self.assertEqual(([], []), (self.said, self.controller.thread_dumps))


if __name__ == "__main__":
    unittest.main()
