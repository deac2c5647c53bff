# SPDX-License-Identifier: Apache-2.0
"""Runs the marked blocks of the documents against a running network."""

import base64
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

_SECONDS = 1800
"""For all blocks of one document: a block that waits for ever is ended."""
_SLOW_SECONDS = 5
"""Blocks that take longer are named, with their time."""

_RESTCONF = "http://127.0.0.1:8181/rests/data/"
_LANGUAGE = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
"""The answers of documents are those of a machine without another one."""
_DEFAULTS = (("/var/lib/penstock", "PENSTOCK_STATE_DIR"), ("/run/penstock", "PENSTOCK_RUN_DIR"))

# Variables and functions of the documents live on from block to block, also into the one that cleans up.
_SAVE = 'trap \'{ declare -p; declare -f; } > "$__state" 2>/dev/null\' EXIT\n'
_LOAD = 'if [ -f "$__state" ]; then . "$__state" 2>/dev/null || true; fi\n'


class Failed(Exception):
    """A block did not do what the document says."""


def run(document, say, is_deep=False):
    """Runs what is to be run of one document. Returns the number of blocks; raises Failed with the first failure.

    is_deep: those that are marked deep, too
    """
    tests = [block for block in document.blocks if "test" in block.marks and (is_deep or "deep" not in block.marks)]
    puts = [block for block in document.blocks if "put" in block.marks]
    with tempfile.TemporaryDirectory(prefix="penstock-docs-") as name:
        directory = pathlib.Path(name)
        always = [block for block in tests if "always" in block.marks]
        try:
            _shell([block for block in tests if "always" not in block.marks], directory, document.root, say)
            check_answers(document, tests, directory, always=False)
        except BaseException:
            # The next run is to find the network as this one found it. The first failure is the one to report.
            with contextlib.suppress(Failed):
                _shell(always, directory, document.root, say)
            raise
        _shell(always, directory, document.root, say)
        check_answers(document, tests, directory, always=True)
    _store_and_remove(puts, say)
    return len(tests) + len(puts)


def _shell(blocks, directory, root, say):
    if not blocks:
        return
    script = [f"__state={directory}/state", _LOAD, _SAVE, "set -euo pipefail"]
    for block in blocks:
        name = block.marks["test"]
        script += [f"echo {name} > {directory}/current", f'echo "$EPOCHREALTIME {name}" >> {directory}/times',
                   f"exec > {directory}/{name}.out 2>&1", _adapted(block.text)]
    begun = time.monotonic()
    process = subprocess.Popen(["bash", "-c", "\n".join(script)], cwd=root, stdin=subprocess.DEVNULL,
                               start_new_session=True, env=os.environ | _LANGUAGE)
    try:
        code: int | str = process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        code = f"no end within {_SECONDS} s"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if code:
        current = (directory / "current").read_text(encoding="ascii").strip()
        block = next(each for each in blocks if each.marks["test"] == current)
        raise Failed(f"{block.where}: {current}: exit code {code}\n{_output(directory, current)}")
    say(f"{', '.join(block.marks['test'] for block in blocks)}: {time.monotonic() - begun:.1f} s{_slow(directory)}")


def _slow(directory):
    """The slow ones among the blocks that ran, in brackets."""
    path = directory / "times"
    begun = [line.split() for line in path.read_text(encoding="ascii").splitlines()]
    path.unlink()
    ends = [*(float(at) for at, _ in begun[1:]), time.time()]
    slow = [f"{name} {end - float(at):.0f} s" for (at, name), end in zip(begun, ends, strict=True)
            if end - float(at) > _SLOW_SECONDS]
    return f" ({', '.join(slow)})" if slow else ""


def _adapted(text):
    """The directories a running network really has."""
    for default, variable in _DEFAULTS:
        text = text.replace(default, os.environ.get(variable) or default)
    return text


def _output(directory, name):
    path = directory / f"{name}.out"
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def check_answers(document, ran, directory, always):
    """Holds what blocks have printed against the answers in the document. Raises Failed."""
    tests = {block.marks["test"]: block for block in ran}
    for block in document.blocks:
        name = block.marks.get("answer")
        if name in tests and ("always" in tests[name].marks) == always:
            missing = first_missing(_adapted(block.text), _output(directory, name))
            if missing:
                raise Failed(f"{block.where}: the answer has no line like: {missing}\n"
                             f"it is:\n{_output(directory, name)}")


def first_missing(expected, printed):
    """The first expected line that does not come in its turn, or None. "..." stands for anything, blanks for blanks."""
    lines = iter(printed.splitlines())
    for line in filter(None, map(str.strip, expected.splitlines())):
        pattern = re.compile(".*".join(r"\s+".join(map(re.escape, re.split(r"\s+", part)))
                                       for part in line.split("...")))
        if not any(pattern.search(each) for each in lines):
            return line
    return None


def _store_and_remove(blocks, say):
    stored = []
    try:
        for block in blocks:
            _request("PUT", block.marks["put"], json.loads(block.text), block.where)
            stored.append(block)
    finally:
        for block in reversed(stored):
            _request("DELETE", block.marks["put"], None, block.where)
    if blocks:
        say(f"{len(blocks)} JSON documents stored and removed")


def _request(method, path, document, where):
    state = pathlib.Path(os.environ.get("PENSTOCK_STATE_DIR") or "/var/lib/penstock")
    password = (state / "controller" / "password").read_text(encoding="ascii").strip()
    body = None if document is None else json.dumps(document).encode()
    request = urllib.request.Request(_RESTCONF + path, data=body, method=method, headers={
        "Content-Type": "application/yang-data+json",
        "Authorization": "Basic " + base64.b64encode(f"admin:{password}".encode()).decode()})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60):
            pass
    except urllib.error.HTTPError as refused:
        with refused:
            raise Failed(f"{where}: {method} {path}: {refused.code} {refused.read().decode()}") from None
    except OSError as error:
        raise Failed(f"{where}: {method} {path}: {error}") from None


@contextlib.contextmanager
def temporary_file(text):
    """A file with this content."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        yield pathlib.Path(file.name)
