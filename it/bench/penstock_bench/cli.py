# SPDX-License-Identifier: Apache-2.0
"""The command line of ./penstock bench."""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import sys
from collections.abc import Sequence

import penstock_controller
from penstock_base import exclusive, failures, packages, places
from penstock_base.errors import PenstockError
from penstock_base.steps import say
from penstock_controller import build
from penstock_node import switch_root

from . import (
    baseline,
    cores,
    cores_report,
    functions,
    functions_report,
    interrupts,
    load,
    load_report,
    machine,
    measured,
    nat,
    nat_report,
    needs,
    plan,
    ratios,
    report,
    scale,
    scale_report,
    services,
    services_report,
    switches,
    switches_report,
)
from .results import Ratios, Results

REGRESSION = 4
"""Exit code: a ratio is worse than the baseline allows, or one of the baseline's was not measured."""

_INSIDE = "PENSTOCK_BENCH_INSIDE"
_BY_PARTS = {"services": (services, services_report), "chain": (functions, functions_report),
             "load": (load, load_report), "cores": (cores, cores_report), "scale": (scale, scale_report),
             "switches": (switches, switches_report)}
"""What has parts: the module that measures, and the one that tells."""
_DESCRIPTION = """Measures Penstock against bare forwarding and against OVN, on one switch and in one run, and compares
the ratios with the stored baseline. Needs the whole machine: stop other programs, also
the network of ./penstock up, before."""
_EPILOG = """The directory gets results.json (every sample), report.md and report.html.
Exit codes: 0 done, 1 could not be done, 2 wrong usage, 4 a ratio is worse than the baseline allows or missing."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark and returns the exit code."""
    options = options_parser().parse_args(arguments)

    def work() -> int:
        failures.need_root("bench")
        return measure(options)
    return failures.exit_code(work)


def options_parser() -> argparse.ArgumentParser:
    """What `./penstock bench` takes."""
    parser = argparse.ArgumentParser(prog="./penstock bench", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("what", nargs="?", choices=("edge", "nat", *_BY_PARTS), default="edge", help="edge: the "
                        "whole edge, compared with OVN; nat: carrier NAT by RFC 9693; services: DHCP, DNS and the "
                        "effect of a hostile tenant; chain: cost of functions and chains, and loss while they change "
                        "and fail; load: many tenants and connections, beside one conntrack flow and OVN; cores: two "
                        "polling threads, compared with one; scale: what many nodes and tenants cost the "
                        "controller; switches: the same loads on three versions of Open vSwitch and two of OVN; "
                        "default edge")
    parser.add_argument("--quick", action="store_true", help="measure only what the ratios need: at most 15 "
                        "minutes; of switches in fewer rounds, an hour")
    parser.add_argument("--parts", metavar="PARTS", type=_parts, help="parts to measure, with commas: of services "
                        f"{', '.join(services.PARTS)} (without dns and resolvers the node has no resolvers); of chain "
                        f"{', '.join(functions.PARTS)}; of load {', '.join(load.PARTS)}; of cores "
                        f"{', '.join(cores.PARTS)}; of scale {', '.join(scale.PARTS)}; of switches "
                        f"{', '.join(switches.PARTS)}. bench --parts load is the same "
                        "as bench load")
    parser.add_argument("--switch-nice", metavar="N", type=int, choices=range(-20, 20), help="niceness of the switch "
                        "in part neighbour of services, -20 to 19; default: that of the product")
    parser.add_argument("--json", metavar="FILE", help="write the ratios to FILE, as one JSON object")
    parser.add_argument("--directory", metavar="DIR", help="directory of the results; default "
                        "/var/log/penstock/bench/<date and time>")
    parser.add_argument("--noisy", action="store_true", help="measure on a busy machine; the report states it")
    parser.add_argument("--baseline", metavar="FILE", default=baseline.FILE, type=pathlib.Path,
                        help="compare the ratios with this file; default: the baseline in the sources")
    parser.add_argument("--update-baseline", action="store_true", help="make the ratios of this run the baseline")
    return parser


def is_inside() -> bool:
    """Whether this is the process that measures, in a network namespace of its own."""
    return _INSIDE in os.environ


def measure(options: argparse.Namespace) -> int:
    """Does what the options say; returns the exit code."""
    if options.what == "nat" and (options.quick or options.update_baseline):
        raise PenstockError("bench nat has no quick run and no baseline")
    if options.what == "edge" and options.parts == ("load",):
        options.what, options.parts = "load", None
    if options.parts:
        known = _BY_PARTS[options.what][0].PARTS if options.what in _BY_PARTS else ()
        if not known:
            raise PenstockError(f"only bench {', bench '.join(_BY_PARTS)} have parts")
        if set(options.parts) - set(known):
            raise PenstockError(f"bench {options.what} has the parts {', '.join(known)}")
    if options.switch_nice is not None and options.what != "services":
        raise PenstockError("only bench services takes --switch-nice")
    if not is_inside():
        return _again_inside(options.what)
    with exclusive.alone("bench", "./penstock bench"):
        return {"edge": _run, "nat": _run_nat}.get(options.what, _run_parts)(options)


def _parts(text: str) -> tuple[str, ...]:
    parts = tuple(text.split(","))
    known = [part for module, _ in _BY_PARTS.values() for part in module.PARTS] + ["load"]
    if set(parts) - set(known):
        raise argparse.ArgumentTypeError(f"'{text}' is not some of {', '.join(known)}")
    return parts


def _again_inside(what: str) -> int:
    """Runs the same command in a network namespace of its own, where all ports are free and nobody hears us."""
    _refuse_company()
    packages.install(needs.PACKAGES)
    switch_root.ensure()
    for root in needs.roots_of(what):
        root.ensure()
    inside = ["unshare", "--net", "--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, "-m",
              "penstock_bench", *sys.argv[1:]]
    return interrupts.run(inside, os.environ | {_INSIDE: "1"})


def _refuse_company() -> None:
    if penstock_controller.Controller(places.distribution(), places.controller_directory()).pid is not None:
        raise PenstockError("a network is up on this machine and would be measured too: ./penstock down first")


def _begin(options: argparse.Namespace, mode: str) -> tuple[pathlib.Path, Results]:
    """A directory for the results, and the results as far as they are known before anything is measured."""
    runs = places.log_directory() / "bench"
    for killed in runs.glob("*/work"):
        plan.end_leftovers(killed.parent)
    stamp, _ = build.ensure()
    now = datetime.datetime.now().replace(microsecond=0)  # noqa: DTZ005  (the clock on the wall, for a person)
    directory = pathlib.Path(
        options.directory or runs / now.strftime("%Y%m%d-%H%M%S")).absolute()
    directory.mkdir(parents=True, exist_ok=True)
    results = {"version": 1, "started": now.isoformat(), "mode": mode, "build": stamp,
               "measured": measured.sources(), "machine": machine.facts(), "noise": machine.check(options.noisy)}
    say(f"results: {directory}")
    return directory, results


def _run_nat(options: argparse.Namespace) -> int:
    directory, results = _begin(options, "nat")
    run = nat.Run(directory, places.ASSEMBLY, results, say)
    try:
        run.everything()
    finally:
        results["ratios"] = nat_report.compute(results)
        run.save()
        paths = report.write_document(directory, nat_report.render(results))
        plan.end_leftovers(directory)
    tell(results, paths, options.json)
    return 0


def _run_parts(options: argparse.Namespace) -> int:
    if not options.update_baseline:
        baseline.load(options.baseline)
    module, telling = _BY_PARTS[options.what]
    chosen = module.quick() if options.quick else module.full()
    if options.switch_nice is not None:
        chosen = dataclasses.replace(chosen, switch_nice=options.switch_nice)
    directory, results = _begin(options, chosen.mode)
    parts = options.parts or getattr(module, "USUAL", module.PARTS)
    run = module.Run(directory, places.ASSEMBLY, results, say, chosen, parts)
    try:
        run.everything()
    finally:
        found = results["ratios"] = telling.compute(results)
        run.save()
        paths = report.write_document(directory, telling.render(results))
        plan.end_leftovers(directory)
    tell(results, paths, options.json, telling.detail(results))
    return _judge_against(options, found, "partial" if options.parts else "quick" if options.quick else "full",
                          options.what)


def _run(options: argparse.Namespace) -> int:
    if not options.update_baseline:
        baseline.load(options.baseline)  # What is wrong with it is better known before an hour of work.
    chosen = plan.quick() if options.quick else plan.full()
    directory, results = _begin(options, chosen.mode)
    run = plan.Run(directory, places.ASSEMBLY, results, say, chosen)
    try:
        run.everything()
    finally:
        results["ratios"] = ratios.compute(results)
        run.save()
        paths = report.write(directory, results)
        plan.end_leftovers(directory)
    tell(results, paths, options.json)
    return _judge_against(options, results["ratios"], chosen.mode)


def _judge_against(options: argparse.Namespace, found: Ratios, mode: str, run: str = "edge") -> int:
    if options.update_baseline:
        baseline.update(found, options.baseline)
    return judge(found, options.baseline, mode, run)


def tell(results: Results, paths: Sequence[pathlib.Path], file: str | None, detail: Results | None = None) -> None:
    """Prints the ratios of a run and the line that belongs beside them in a document, and writes `file` for --json."""
    say(f"report: {paths[1]}")
    for name, entry in results["ratios"].items():
        target = "" if entry["met"] is None else "  met" if entry["met"] else "  NOT MET"
        worst = f"  flood: {entry['worst']}" if "worst" in entry else ""
        print(f"{name:28} {entry['value']:10.3f}{target}{worst}")
    print(measured.line(results))
    if file:
        content = ratios.values(results["ratios"]) | {"measured": results["measured"]} \
            | ({"detail": detail} if detail else {})
        pathlib.Path(file).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def judge(found: Ratios, path: pathlib.Path, mode: str, run: str = "edge") -> int:
    """Holds the ratios of a run against a baseline file, says what came out, and returns the exit code.

    mode: "full", "quick", or "partial": nobody misses anything
    run:  one of ratios.RUNS; nobody misses what the others measure
    """
    comparison = baseline.compare(found, baseline.load(path), mode, run)
    print(comparison)
    return REGRESSION if comparison.regressions or comparison.missing else 0
