# SPDX-License-Identifier: Apache-2.0
"""The directory of a certificate authority. An operator may keep it on a machine without a network.

    ca.key      the authority's private key, mode 0600
    ca.pem      its certificate; written last by `init`: without it there is no authority
    crl.pem     what is revoked, signed; members get a copy
    index.json  all that was issued, by serial number

The index is written before a certificate is given out, and before a list of revoked ones: a crash between leaves a
serial number without a certificate, or a list that the same command, or the next, makes again. Never a certificate that
cannot be revoked.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import json
import pathlib
import typing
from collections.abc import Iterator, Mapping

from cryptography import x509

from penstock_base import files, locks
from penstock_base.errors import PenstockError

from . import certificates, names

CERTIFICATE, KEY, CA, REVOKED = "certificate.pem", "key.pem", "ca.pem", "crl.pem"
"""Files of a machine."""
_CA_KEY, _INDEX = "ca.key", "index.json"


@dataclasses.dataclass(frozen=True)
class Issued:
    """One certificate, as the index has it. `revoked` is the moment, or None."""
    serial: int
    owner: names.Owner
    begin: datetime.datetime
    end: datetime.datetime
    revoked: datetime.datetime | None = None

    def state(self, now: datetime.datetime) -> str:
        """valid, expired or revoked."""
        return "revoked" if self.revoked else "valid" if now < self.end else "expired"

    def days(self, now: datetime.datetime) -> int:
        """Whole days until the end; negative after it."""
        return (self.end - now) // datetime.timedelta(days=1)


class Authority:
    """One directory. Commands of several processes come one after the other."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory.absolute()

    def init(self, name: str, days: int) -> x509.Certificate:
        """Makes the authority. Raises PenstockError if there is one."""
        if not self.directory.exists():
            with files.explained(self.directory):
                self.directory.mkdir(mode=0o700, parents=True)
        with self._alone():
            if self._path(CA).exists():
                raise PenstockError(f"{self.directory} has an authority already; its certificates would all be "
                                    "worthless with another one: give another --directory")
            key = certificates.authority_key()
            ca = certificates.authority(name, key, _now() + datetime.timedelta(days=days))
            files.replace(self._path(_CA_KEY), certificates.key_text(key), 0o600)
            self._write([], ca, key)
            files.replace(self._path(CA), certificates.text(ca), 0o644)
            return ca

    def issue(self, owner: names.Owner, days: int, out: pathlib.Path) -> Issued:
        """A key and a certificate for a new owner, in a directory with all files that its machine needs."""
        with self._open() as (issued, ca, ca_key):
            known = _valid(issued, owner)
            if known:
                raise PenstockError(f"{owner} has a certificate until {known[-1].end:%Y-%m-%d}: use 'pki renew', or "
                                    "'pki revoke' first if its key is lost")
            if any(one.owner.name == owner.name and one.owner.kind != owner.kind for one in issued):
                raise PenstockError(f"{owner}: the name is one of the other kind, and members would take a node of it "
                                    "for one of them: choose another name")
            return self._issue(issued, owner, days, out, certificates.new_key(owner.kind), (ca, ca_key))

    def renew(self, kind: names.Kind, name: str, days: int, out: pathlib.Path, new_key: bool) -> Issued:
        """A new certificate for a known owner. The one before stays good until its end.

        By default the key in `out` stays: so key and certificate always belong together, also after a crash.
        """
        with self._open() as (issued, ca, ca_key):
            known = _valid(issued, names.Owner(kind, name))
            if not known:
                raise PenstockError(f"{kind} {name} has no certificate that is valid: use 'pki issue'")
            key = certificates.new_key(kind) if new_key else self._key_of(out, known)
            return self._issue(issued, known[-1].owner, days, out, key, (ca, ca_key))

    def revoke(self, kind: names.Kind, name: str, serial: int | None) -> list[Issued]:
        """Revokes all certificates of an owner, or one. Returns them. Those that are revoked already are no error: the
        list is written again, which an earlier command may not have come to."""
        with self._open() as (issued, ca, ca_key):
            chosen = [one for one in issued if (one.owner.kind, one.owner.name) == (kind, name)
                      and serial in (None, one.serial)]
            if not chosen:
                which = "" if serial is None else f" with serial number {serial:x}"
                raise PenstockError(f"{kind} {name} has no certificate{which}: see 'pki list'")
            now = _now()
            wanted = {one.serial for one in chosen}
            changed = [dataclasses.replace(one, revoked=one.revoked or now) if one.serial in wanted else one
                       for one in issued]
            self._write(changed, ca, ca_key)
            return [one for one in changed if one.serial in wanted]

    def issued(self) -> list[Issued]:
        """All that was issued, in order of time."""
        with self._open() as (issued, _, _):
            return issued

    def _issue(self, issued: list[Issued], owner: names.Owner, days: int, out: pathlib.Path,
               key: certificates.Key, by: tuple[x509.Certificate, certificates.Key]) -> Issued:
        ca, ca_key = by
        now = _now()
        end = now + datetime.timedelta(days=days)
        if end > certificates.end_of(ca):
            raise PenstockError(f"{owner}: the authority itself ends on {certificates.end_of(ca):%Y-%m-%d}: give fewer "
                                "--days, or make a new authority")
        made = Issued(x509.random_serial_number(), owner, now, end)
        certificate = certificates.of_owner(owner, made.serial, end, key, ca, ca_key)
        with files.explained(out):
            out.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._write([*issued, made], ca, ca_key)
        files.replace(out / CA, certificates.text(ca), 0o644)
        if owner.kind == "member":
            files.replace(out / REVOKED, self._path(REVOKED).read_text(encoding="ascii"), 0o644)
        # Open vSwitch reads both again when it finds the key changed, and then never again until the key changes
        # (stream_ssl_set_key_and_cert of lib/stream-ssl.c): so the key is last, and written also if it stays.
        files.replace(out / CERTIFICATE, certificates.text(certificate), 0o644)
        files.replace(out / KEY, certificates.key_text(key), 0o600)
        return made

    def _key_of(self, out: pathlib.Path, known: list[Issued]) -> certificates.Key:
        """The key of a machine, if the certificate beside it is one of its owner."""
        remedy = "give the directory of its files by --out, or --new-key to make a new one"
        try:
            certificate = x509.load_pem_x509_certificate((out / CERTIFICATE).read_bytes())
            key = certificates.key_of((out / KEY).read_bytes())
        except (OSError, ValueError, TypeError) as error:
            raise PenstockError(f"{known[-1].owner}: cannot read its key in {out} ({error}): {remedy}") from None
        if certificate.serial_number not in {one.serial for one in known} or not certificates.same_key(certificate,
                                                                                                       key):
            raise PenstockError(f"{known[-1].owner}: the key in {out} is not that of a valid certificate of it: "
                                f"{remedy}")
        return key

    @contextlib.contextmanager
    def _open(self) -> Iterator[tuple[list[Issued], x509.Certificate, certificates.Key]]:
        if not self._path(CA).exists():
            raise PenstockError(f"{self.directory} has no authority: make one by 'pki init'")
        with self._alone():
            ca = x509.load_pem_x509_certificate(self._read(CA))
            try:
                ca_key = certificates.key_of(self._read(_CA_KEY))
                issued = [_of_json(entry) for entry in json.loads(self._read(_INDEX))["issued"]]
                listed = x509.load_pem_x509_crl(self._read(REVOKED))
            except (ValueError, TypeError, KeyError) as error:
                raise PenstockError(f"{self.directory} is damaged ({error}): restore it from its backup") from None
            if {one.serial_number for one in listed} != {one.serial for one in issued if one.revoked}:
                self._write(issued, ca, ca_key)
            yield issued, ca, ca_key

    def _alone(self) -> contextlib.AbstractContextManager[None]:
        return locks.held("authority", self.directory)

    def _write(self, issued: list[Issued], ca: x509.Certificate, ca_key: certificates.Key) -> None:
        files.replace(self._path(_INDEX), json.dumps({"issued": [_to_json(one) for one in issued]}, indent=2) + "\n",
                      0o600)
        revoked = {one.serial: one.revoked for one in issued if one.revoked}
        files.replace(self._path(REVOKED), certificates.text(certificates.revocations(revoked, ca, ca_key)), 0o644)

    def _read(self, name: str) -> bytes:
        try:
            return self._path(name).read_bytes()
        except FileNotFoundError:
            raise PenstockError(f"{self._path(name)} is missing: restore it from the backup of the authority") from None

    def _path(self, name: str) -> pathlib.Path:
        return self.directory / name


def _valid(issued: list[Issued], owner: names.Owner) -> list[Issued]:
    now = _now()
    return [one for one in issued if (one.owner.kind, one.owner.name) == (owner.kind, owner.name)
            and one.state(now) == "valid"]


def _to_json(one: Issued) -> dict[str, typing.Any]:
    return {"serial": f"{one.serial:x}", "kind": one.owner.kind, "name": one.owner.name,
            "addresses": list(one.owner.addresses), "begin": one.begin.isoformat(), "end": one.end.isoformat(),
            "revoked": one.revoked and one.revoked.isoformat()}


def _of_json(entry: Mapping[str, typing.Any]) -> Issued:
    return Issued(int(entry["serial"], 16), names.Owner(entry["kind"], entry["name"], tuple(entry["addresses"])),
                  datetime.datetime.fromisoformat(entry["begin"]), datetime.datetime.fromisoformat(entry["end"]),
                  datetime.datetime.fromisoformat(entry["revoked"]) if entry["revoked"] else None)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC).replace(microsecond=0)
