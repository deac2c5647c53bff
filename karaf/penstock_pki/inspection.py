# SPDX-License-Identifier: Apache-2.0
"""Whether the certificate files of a machine are good, and for how long. Needs no authority."""

from __future__ import annotations

import dataclasses
import datetime
import pathlib

from cryptography import x509

from . import certificates

WARN_DAYS = 30
"""The controller raises its first alarm so many days before the end. The same as in CertificateWatch.java."""


@dataclasses.dataclass(frozen=True)
class Report:
    """What was found. `problems` has one sentence each, with the remedy; empty for files that work."""
    owner: str
    serial: str
    end: datetime.datetime
    days: int
    problems: tuple[str, ...]


def inspect(certificate: pathlib.Path, key: pathlib.Path, ca: pathlib.Path, crl: pathlib.Path | None,
            warn_days: int = WARN_DAYS) -> Report:
    """Reads the files. Raises OSError and ValueError for those that cannot be read."""
    made = x509.load_pem_x509_certificate(certificate.read_bytes())
    authority = x509.load_pem_x509_certificate(ca.read_bytes())
    now = datetime.datetime.now(datetime.UTC)
    end = certificates.end_of(made)
    owner = certificates.owner_of(made)
    wrong = []
    if owner is None:
        wrong.append(f"{certificate}: is no certificate of a member or a node of Penstock: use 'pki issue'")
    if not certificates.same_key(made, certificates.key_of(key.read_bytes())):
        wrong.append(f"{key}: is not the key of {certificate}: copy both from the same directory, or use 'pki renew'")
    if key.stat().st_mode & 0o077:
        wrong.append(f"{key}: other users may read it: chmod 600 {key}")
    if not certificates.issued_by(made, authority):
        wrong.append(f"{certificate}: is not of the authority in {ca}")
    if now < made.not_valid_before.replace(tzinfo=datetime.UTC):
        wrong.append(f"{certificate}: is not valid yet: is the clock of this machine right?")
    days = (end - now) // datetime.timedelta(days=1)
    if now >= end:
        wrong.append(f"{certificate}: ended on {end:%Y-%m-%d}: use 'pki issue'")
    elif days < warn_days:
        wrong.append(f"{certificate}: ends on {end:%Y-%m-%d}, in {days} days: use 'pki renew'")
    if crl is not None:
        revoked = x509.load_pem_x509_crl(crl.read_bytes())
        key_of_authority = authority.public_key()
        if not revoked.is_signature_valid(key_of_authority):
            wrong.append(f"{crl}: is not of the authority in {ca}")
        if revoked.get_revoked_certificate_by_serial_number(made.serial_number) is not None:
            wrong.append(f"{certificate}: is revoked: use 'pki issue'")
    return Report(str(owner) if owner else "", f"{made.serial_number:x}", end, days, tuple(wrong))
