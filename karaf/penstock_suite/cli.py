# SPDX-License-Identifier: Apache-2.0
"""The options of ./penstock test, and what runs outside of the sandbox."""

from __future__ import annotations

import argparse
import json
import os

from penstock_base import exclusive, failures, places
from penstock_base.errors import PenstockError
from penstock_base.steps import say

from . import deep, flakes, prepare, sandbox, tiers

DESCRIPTION = """Runs the gate: all tests that a change has to pass. It takes 20 to 30 minutes on two cores, with or
without a running network, and leaves nothing behind. A class of real processes that fails runs once more, alone; if it
passes then, the run is green and prints FLAKY."""
_INSIDE = ("quick", "only", "deep", "changed", "burn", "times", "load", "no_repeat")
"""Options for what runs in the sandbox."""


def main(words: list[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    options = _parser().parse_args(words)
    return failures.exit_code(lambda: _run(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="./penstock test", description=DESCRIPTION)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--quick", action="store_true", help="only the tiers that need no core of their own: "
                      + ", ".join(tiers.QUICK))
    kind.add_argument("--only", action="append", choices=[tier.name for tier in tiers.GATE], default=[],
                      metavar="TIER", help="only this tier, with what was built before; one of "
                      f"{', '.join(tier.name for tier in tiers.GATE)}; may be repeated")
    kind.add_argument("--all", nargs="*", dest="deep", choices=tiers.DEEP_TIERS, metavar="TIER",
                      help="the deep suite, one tier after the other with nothing beside it; default those whose last "
                      f"result is older than their inputs; TIER is one of {', '.join(tiers.DEEP_TIERS)}")
    kind.add_argument("--status", action="store_true", help="the deep tiers, their last results, and whether these are "
                      "older than their inputs")
    kind.add_argument("--prepare", action="store_true", help="only fetch what all tests need: packages of Debian, "
                      "Maven, Python and npm, the kernel of guests")
    kind.add_argument("--changed", nargs="?", const="HEAD", metavar="COMMIT", help="only what depends on files that "
                      "differ from COMMIT, default the last one, and needs no core of its own")
    kind.add_argument("--burn", metavar="CLASS", help="one class again and again")
    parser.add_argument("--times", type=int, default=20, metavar="N", help="how often --burn runs it; default 20")
    parser.add_argument("--load", type=int, default=0, metavar="M", help="busy processes beside --burn; default 0")
    parser.add_argument("--no-repeat", action="store_true", help="a class that fails does not run once more")
    # What runs in the sandbox: these options as JSON.
    parser.add_argument("--inside", type=json.loads, help=argparse.SUPPRESS)
    return parser


def _run(options: argparse.Namespace) -> int:
    if options.inside is not None:
        return _inside(argparse.Namespace(**options.inside))
    if options.status:
        print(deep.status(), end="")
        return 0
    if os.geteuid() != 0:
        raise PenstockError("tests start switches in namespaces: run it as root")
    # A build of another run would replace what is tested.
    with exclusive.alone("build", "./penstock test", wait=True):
        if options.prepare:
            prepare.run_all()
            return 0
        prepare.run(deep=options.deep is not None)
        taken = flakes.take_over(flakes.LEDGER, flakes.machine_ledger())
        if taken:
            say(f"{taken} lines of earlier runs on this machine added to {flakes.LEDGER.relative_to(places.ROOT)}")
        return sandbox.run([places.PYTHON, "-B", "-X", "faulthandler", "-m", "penstock_suite", "--inside",
                            json.dumps({name: getattr(options, name) for name in _INSIDE})])


def _inside(options: argparse.Namespace) -> int:
    from . import burn, changed, gate, idle_functions, page_pool  # noqa: PLC0415  (not needed for the help text)
    if options.deep is not None:
        return 0 if deep.run(options.deep) else 1
    try:
        idle_functions.sleep()
    except PenstockError as error:
        say(f"functions of tests poll, and the run takes longer: {error}")
    with page_pool.filled():
        if options.burn:
            return 0 if burn.run(options.burn, options.times, options.load) else 1
        if options.changed:
            return 0 if changed.run(options.changed) else 1
        names = tiers.QUICK if options.quick else options.only
        chosen = [tier for tier in tiers.GATE if not names or tier.name in names]
        return 0 if gate.run(chosen, repeat=not options.no_repeat) else 1
