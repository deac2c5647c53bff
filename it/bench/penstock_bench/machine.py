# SPDX-License-Identifier: Apache-2.0
"""What this machine is, and whether it is quiet enough for a figure to mean anything."""

import hashlib
import os
import pathlib
import platform
import re
import subprocess
import time
from collections.abc import Callable

from penstock_base.errors import PenstockError

from . import stats
from .results import Results

SAMPLE_SECONDS = 2.0
OTHERS_CORES = 0.10
"""CPU that other processes may use, in cores: a tenth of one is what the monitoring of an idle machine uses at most."""
STEAL_SHARE = 0.02
"""Share of time that the hypervisor may give to others."""
SPIN_SPREADS = {"reckoning": 1.25, "copying": 1.6}
"""Ninth decile over first decile of one and the same work, in the core and in memory. Copying feels the neighbours in
the shared cache, so it is never as even. A process that shares the core makes either about 3."""
SPIN_REPETITIONS = 200

_SPIN_SECONDS = 0.0015
_HASH_BYTES = 1 << 14  # Fits the first-level cache.
_COPY_BYTES = 8 << 20  # More than any second-level cache: neighbours who fill the shared cache show too.
_PACKAGES = ("openvswitch-switch-dpdk", "ovn-central", "ovn-host", "dpdk-dev", "librte-net-virtio23",
             "librte-net-vhost23", "openjdk-17-jre-headless")


class MachineTooNoisy(PenstockError):
    """`seen` is what check() found."""

    def __init__(self, seen: Results) -> None:
        self.seen = seen
        super().__init__("this machine is too noisy for a benchmark:\n  " + "\n  ".join(seen["problems"]) +
                         "\nEnd what disturbs it and try again, or run with --noisy: the report will be marked.")


def facts(proc: pathlib.Path | str = "/proc", sys: pathlib.Path | str = "/sys") -> Results:
    """What a reader must know about the machine to judge the figures. What cannot be found out is left out."""
    proc, sys = pathlib.Path(proc), pathlib.Path(sys)
    processor = _fields(proc / "cpuinfo")
    memory = _fields(proc / "meminfo")
    known = {
        "cpu": processor.get("model name"),
        "cores": len(os.sched_getaffinity(0)),
        "cpu_mhz": _number(processor.get("cpu MHz")),
        "caches": _caches(sys / "devices/system/cpu/cpu0/cache"),
        "threads_of_core_0": _line(sys / "devices/system/cpu/cpu0/topology/thread_siblings_list"),
        "governor": _line(sys / "devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "virtual": "hypervisor" in processor.get("flags", "").split(),
        "clock": _line(sys / "devices/system/clocksource/clocksource0/current_clocksource"),
        "memory_mb": _megabytes(memory.get("MemTotal")),
        "huge_pages": {"total": _number(memory.get("HugePages_Total")), "free": _number(memory.get("HugePages_Free")),
                       "size_kb": _number(memory.get("Hugepagesize"))},
        "kernel": _line(proc / "sys/kernel/osrelease"),
        "load": _line(proc / "loadavg"),
        "versions": _versions(),
    }
    return {name: value for name, value in known.items() if value not in (None, {}, [])}


def check(noisy: bool = False, seconds: float = SAMPLE_SECONDS, proc: pathlib.Path | str = "/proc",
          spin_spreads: Results | None = None) -> Results:
    """Refuses a machine too noisy to say anything, by MachineTooNoisy. Takes about 4 s on two cores.

    noisy: the user wants it all the same; nothing is refused. Returns what was seen, for "noise" of the results:
    `quiet`, `overridden`, `problems` as sentences, and the figures with the limits they were held against.
    proc, spin_spreads: for tests.
    """
    seen = watch(seconds, proc)
    seen["spin"] = spin_spreads or {str(core): spin(core) for core in sorted(os.sched_getaffinity(0))}
    seen["limits"] = {"others_cores": OTHERS_CORES, "steal": STEAL_SHARE, "spin": SPIN_SPREADS}
    seen["problems"] = _problems(seen)
    seen["quiet"] = not seen["problems"]
    seen["overridden"] = bool(noisy and seen["problems"])
    if seen["problems"] and not noisy:
        raise MachineTooNoisy(seen)
    return seen


def watch(seconds: float = SAMPLE_SECONDS, proc: pathlib.Path | str = "/proc") -> Results:
    """Who uses the CPU besides this process: `others_cores` in all, `users` as the greatest of them, `steal`."""
    proc = pathlib.Path(proc)
    before = _snapshot(proc)
    time.sleep(seconds)
    return difference(before, _snapshot(proc))


def difference(before: Results, after: Results) -> Results:
    """What happened between two snapshots. Time that no living process accounts for is a user of its own."""
    ticks = {name: after["cpu"][name] - before["cpu"][name] for name in after["cpu"]}
    whole = max(sum(ticks.values()), 1)
    cores = after["cores"] / whole
    users, own = [], 0
    for key, (name, used) in after["processes"].items():
        spent = used - before["processes"].get(key, (name, 0))[1]
        if key[0] == os.getpid():
            own = spent
        elif spent > 0:
            users.append({"process": name, "pid": key[0], "cores": round(spent * cores, 3)})
    busy = whole - ticks["idle"] - ticks["iowait"] - ticks["steal"] - own
    users.sort(key=lambda user: -user["cores"])
    rest = busy * cores - sum(user["cores"] for user in users)
    others = max(busy * cores, sum(user["cores"] for user in users))
    return {"others_cores": round(max(others, 0), 3), "users": users[:5], "unaccounted_cores": round(max(rest, 0), 3),
            "steal": round(ticks["steal"] / whole, 4)}


def spin(core: int, repetitions: int = SPIN_REPETITIONS) -> Results:
    """Repeats two kinds of work on a core: {kind: p10_us, p50_us, p90_us, and their `spread`, p90 over p10}."""
    allowed = os.sched_getaffinity(0)
    block, source, target = bytes(_HASH_BYTES), bytearray(_COPY_BYTES), bytearray(_COPY_BYTES)

    def copy() -> None:
        target[:] = source

    os.sched_setaffinity(0, {core})
    try:
        return {"reckoning": _repeat(lambda: hashlib.sha256(block).digest(), repetitions),
                "copying": _repeat(copy, repetitions)}
    finally:
        os.sched_setaffinity(0, allowed)


def _repeat(work: Callable[[], object], repetitions: int) -> dict[str, float]:
    def timed(count: int) -> float:
        started = time.perf_counter()
        for _ in range(count):
            work()
        return time.perf_counter() - started

    # Long enough to meet another process's turn, whatever the machine's speed.
    count = 1
    while min(timed(count) for _ in range(5)) < _SPIN_SECONDS:
        count = count * 5 // 4 + 1
    times = [timed(count) * 1e6 for _ in range(repetitions)]
    low, middle, high = (stats.percentile(times, percent) for percent in (10, 50, 90))
    return {"p10_us": round(low, 1), "p50_us": round(middle, 1), "p90_us": round(high, 1),
            "spread": round(high / low, 3)}


def _problems(seen: Results) -> list[str]:
    problems = []
    if seen["others_cores"] > OTHERS_CORES:
        named = [f"{user['process']} (process {user['pid']}, {user['cores']:.2f})" for user in seen["users"]
                 if user["cores"] >= 0.01]
        if seen["unaccounted_cores"] >= 0.01:
            named.append(f"the kernel and processes that have ended ({seen['unaccounted_cores']:.2f})")
        problems.append(f"others use {seen['others_cores']:.2f} cores, {OTHERS_CORES:.2f} are allowed: "
                        + ", ".join(named))
    if seen["steal"] > STEAL_SHARE:
        problems.append(f"the hypervisor takes {seen['steal']:.1%} of the time for others; {STEAL_SHARE:.0%} is "
                        "allowed")
    for core, kinds in seen["spin"].items():
        problems += [f"the same {kind} on core {core} takes from {found['p10_us']:.0f} to {found['p90_us']:.0f} us "
                     f"(p10, p90), {found['spread']:.2f} times as long; {SPIN_SPREADS[kind]} is allowed"
                     for kind, found in kinds.items() if found["spread"] > SPIN_SPREADS[kind]]
    return problems


def _snapshot(proc: pathlib.Path) -> Results:
    lines = (proc / "stat").read_text(encoding="ascii").splitlines()
    # user and nice include the guests' time, which comes after steal.
    names = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    cpu = dict(zip(names, map(int, lines[0].split()[1:9]), strict=True))
    cores = sum(1 for line in lines if re.match(r"cpu\d", line))
    processes = {}
    for path in proc.glob("[0-9]*/stat"):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # It has ended.
        name, _, rest = text.partition("(")[2].rpartition(")")
        fields = rest.split()
        # Start time is part of the key: a number may be given away again.
        processes[int(path.parent.name), fields[19]] = name, int(fields[11]) + int(fields[12])
    return {"cpu": cpu, "cores": cores, "processes": processes}


def _fields(path: pathlib.Path) -> dict[str, str]:
    """The first block of `name : value` lines of a file below /proc."""
    text = _text(path) or ""
    lines = (line.partition(":") for line in text.split("\n\n", maxsplit=1)[0].splitlines())
    return {name.strip(): value.strip() for name, _, value in lines}


def _caches(directory: pathlib.Path) -> list[str]:
    found = []
    for index in sorted(directory.glob("index*")):
        level, kind, size = (_line(index / name) for name in ("level", "type", "size"))
        if level and size:
            shared = _line(index / "shared_cpu_list")
            found.append(f"L{level} {(kind or '').lower()} {size}" + (f" (cores {shared})" if shared else ""))
    return found


def _versions() -> dict[str, str]:
    versions = {"Python": platform.python_version()}
    for name, command, pattern in (
            ("Open vSwitch", ("ovs-vswitchd", "--version"), r"\(Open vSwitch\) (\S+)"),
            ("DPDK", ("pkg-config", "--modversion", "libdpdk"), r"(\S+)"),
            ("Java", ("java", "-version"), r'version "(\S+)"'),
            ("gcc", ("gcc", "--version"), r"\) (\S+)")):
        said = _say(*command)
        match = re.search(pattern, said) if said else None
        if match:
            versions[name] = match.group(1)
    said = _say("dpkg-query", "--show", "--showformat=${Package}=${Version}=${db:Status-Status}\n", *_PACKAGES) or ""
    for line in said.splitlines():
        package, version, status = line.split("=")
        if status == "installed":
            versions[package] = version
    return versions


def _say(*command: str) -> str | None:
    """What a program prints, wherever it prints it, or None: it may well be missing."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              timeout=20, check=False, text=True, errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return None
    # dpkg-query fails if one package of several is unknown, and still answers for the others.
    return done.stdout if done.returncode == 0 or command[0] == "dpkg-query" else None


def _text(path: pathlib.Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _line(path: pathlib.Path) -> str | None:
    return (_text(path) or "").strip() or None


def _number(text: str | None) -> float | None:
    match = re.match(r"[\d.]+", text or "")
    return (float(match[0]) if "." in match[0] else int(match[0])) if match else None


def _megabytes(text: str | None) -> float | None:
    number = _number(text)
    return None if number is None else number // 1024
