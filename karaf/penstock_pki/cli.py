# SPDX-License-Identifier: Apache-2.0
"""The command line of ./penstock pki."""

from __future__ import annotations

import argparse
import datetime
import json
import pathlib
import sys
import typing
from collections.abc import Sequence

from penstock_base import failures, places
from penstock_base.errors import PenstockError

from . import authority, inspection, names
from .authority import Authority

_PROGRAM = "./penstock pki" if places.is_source_tree() else "penstock pki"
_EPILOG = f"""examples:
  {_PROGRAM} init
  {_PROGRAM} issue member ctl1 --address 192.0.2.1 --out ctl1
  {_PROGRAM} issue node edge1 --out edge1
  {_PROGRAM} renew node edge1 --out edge1     the certificate before stays good until its end
  {_PROGRAM} revoke node edge1                then copy crl.pem to each member
  {_PROGRAM} list --json
  {_PROGRAM} check edge1

Files of a machine: certificate.pem, key.pem, ca.pem, and crl.pem for a member.
Exit codes: 0 done, 1 could not be done or (check) not good, 2 wrong usage. docs/trust.md has the whole of it."""
_DAYS, _CA_DAYS, _MOST_DAYS = 365, 3650, 36500


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    options = _parser().parse_args(arguments)

    def work() -> int:
        code: int = options.run(options)
        return code
    return failures.exit_code(work)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_PROGRAM, description="Certificates of controller members and nodes.", epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--directory", type=pathlib.Path, default=places.state_directory() / "pki", metavar="DIR",
                        help="of the authority; may be on a medium that is kept offline (default %(default)s)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    made = _command(commands, "init", _init, "make an authority")
    made.add_argument("--name", default="Penstock CA", help="its name in certificates (default %(default)s)")
    _days(made, _CA_DAYS)
    issue = _command(commands, "issue", _issue, "issue a certificate with a new key")
    _owner(issue)
    issue.add_argument("--address", action="append", default=[], metavar="ADDRESS", help="IP address or host name by "
                       "which clients reach a member; may be repeated")
    _out(issue)
    renew = _command(commands, "renew", _renew, "issue the next certificate of the same owner")
    _owner(renew)
    _out(renew)
    renew.add_argument("--new-key", action="store_true", help="with a new key; by default the key stays")
    revoke = _command(commands, "revoke", _revoke, "revoke the certificates of an owner")
    _owner(revoke)
    revoke.add_argument("--serial", type=_hexadecimal, help="only this one, as 'list' shows it")
    _command(commands, "list", _list, "list what was issued")
    check = _command(commands, "check", _check, "check the files of a machine")
    check.add_argument("files", type=pathlib.Path, metavar="DIR", help="directory with certificate.pem, key.pem, "
                       "ca.pem, and crl.pem of a member")
    check.add_argument("--warn-days", type=int, default=inspection.WARN_DAYS, metavar="DAYS",
                       help="complain so many days before the end (default %(default)s)")
    return parser


def _command(commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str,
             run: typing.Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
    added = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    added.set_defaults(run=run)
    added.add_argument("--json", action="store_true", help="print one JSON object")
    return added


def _owner(command: argparse.ArgumentParser) -> None:
    command.add_argument("kind", choices=names.KINDS, help="what it is for")
    command.add_argument("name", help="name of the member or node")


def _out(command: argparse.ArgumentParser) -> None:
    _days(command, _DAYS)
    command.add_argument("--out", type=pathlib.Path, metavar="DIR", help="directory of the machine's files (default: "
                         "KIND-NAME below the authority's directory)")


def _days(command: argparse.ArgumentParser, default: int) -> None:
    command.add_argument("--days", type=_valid_days, default=default, help="days until it ends (default %(default)s)")


def _valid_days(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_DAYS:
        raise argparse.ArgumentTypeError(f"'{text}' is not in 1..{_MOST_DAYS}")
    return int(text)


def _hexadecimal(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no hexadecimal number") from None


def _init(options: argparse.Namespace) -> int:
    Authority(options.directory).init(options.name, options.days)
    _say(options, {"directory": str(options.directory)}, f"made {options.directory}; keep a backup of it, and ca.key "
         "from all who may not name nodes")
    return 0


def _issue(options: argparse.Namespace) -> int:
    owner = names.owner(options.kind, options.name, tuple(options.address))
    out = _folder(options)
    return _issued(options, Authority(options.directory).issue(owner, options.days, out), out)


def _renew(options: argparse.Namespace) -> int:
    out = _folder(options)
    return _issued(options, Authority(options.directory).renew(options.kind, options.name, options.days, out,
                                                               options.new_key), out)


def _folder(options: argparse.Namespace) -> pathlib.Path:
    out: pathlib.Path = options.out or options.directory / f"{options.kind}-{options.name}"
    return out


def _issued(options: argparse.Namespace, made: authority.Issued, out: pathlib.Path) -> int:
    _say(options, _shown(made) | {"files": str(out)}, f"{made.owner}: until {made.end:%Y-%m-%d}, files in {out}")
    return 0


def _revoke(options: argparse.Namespace) -> int:
    revoked = Authority(options.directory).revoke(options.kind, options.name, options.serial)
    crl = options.directory / authority.REVOKED
    _say(options, {"revoked": [_shown(one) for one in revoked], "crl": str(crl)},
         f"revoked {len(revoked)}; copy {crl} to each member")
    return 0


def _list(options: argparse.Namespace) -> int:
    entries = [_shown(one) for one in Authority(options.directory).issued()]
    lines = [f"{entry['kind']:6} {entry['name']:12} {entry['state']:8} until {entry['end'][:10]}, {entry['days']:5} "
             f"days, serial number {entry['serial']}" for entry in entries]
    _say(options, {"issued": entries}, "\n".join(lines) or "nothing is issued")
    return 0


def _check(options: argparse.Namespace) -> int:
    folder = options.files
    crl = folder / authority.REVOKED
    try:
        report = inspection.inspect(folder / authority.CERTIFICATE, folder / authority.KEY, folder / authority.CA,
                                    crl if crl.exists() else None, options.warn_days)
    except (OSError, ValueError, TypeError) as error:
        raise PenstockError(f"{folder}: cannot be read ({error}): copy the files of 'pki issue' again") from None
    _say(options, {"owner": report.owner, "serial": report.serial, "end": report.end.isoformat(), "days": report.days,
                   "problems": list(report.problems)},
         "\n".join(report.problems) or f"{report.owner}: good for {report.days} days")
    return 1 if report.problems else 0


def _shown(one: authority.Issued) -> dict[str, typing.Any]:
    now = datetime.datetime.now(datetime.UTC)
    return {"kind": one.owner.kind, "name": one.owner.name, "serial": f"{one.serial:x}", "state": one.state(now),
            "end": one.end.isoformat(), "days": one.days(now), "addresses": list(one.owner.addresses)}


def _say(options: argparse.Namespace, entry: dict[str, typing.Any], text: str) -> None:
    sys.stdout.write((json.dumps(entry, indent=2) if options.json else text) + "\n")
