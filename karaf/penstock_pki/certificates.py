# SPDX-License-Identifier: Apache-2.0
"""Makes and reads certificates and lists of revoked ones (X.509, RFC 5280), as values.

Keys are on the curve P-256, but for those of members: Akka's reader of PEM files takes RSA alone (DERPrivateKeyLoader,
2.6.21).
"""

from __future__ import annotations

import datetime
import ipaddress
import typing
from collections.abc import Mapping

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from . import names

BACKDATED = datetime.timedelta(minutes=5)
"""A new certificate is good on machines whose clock is slow by this much."""


Key: typing.TypeAlias = "ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey"


def authority_key() -> ec.EllipticCurvePrivateKey:
    """A private key of an authority."""
    return ec.generate_private_key(ec.SECP256R1())


def new_key(kind: names.Kind) -> Key:
    """A private key of a member or a node."""
    key: Key = (rsa.generate_private_key(65537, 3072) if kind == "member"
                else ec.generate_private_key(ec.SECP256R1()))
    return key


def key_text(key: Key) -> str:
    """PEM, PKCS 8: what OpenSSL, Java and Akka read."""
    pem: bytes = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                   serialization.NoEncryption())
    return pem.decode("ascii")


def key_of(text: bytes) -> Key:
    """Reads what `key_text` wrote. Raises ValueError or TypeError for anything else."""
    key: Key = serialization.load_pem_private_key(text, None)
    if not isinstance(key, ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey):
        raise TypeError("a key neither on an elliptic curve nor of RSA")
    return key


def text(made: x509.Certificate | x509.CertificateRevocationList) -> str:
    """PEM."""
    pem: bytes = made.public_bytes(serialization.Encoding.PEM)
    return pem.decode("ascii")


def authority(name: str, key: ec.EllipticCurvePrivateKey, end: datetime.datetime) -> x509.Certificate:
    """The certificate of an authority, signed by itself. It signs no other authority."""
    subject = _subject(name)
    return _begin(subject, subject, key, x509.random_serial_number(), end).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True).add_extension(
        _usage(signs_certificates=True), critical=True).sign(key, hashes.SHA256())


def of_owner(owner: names.Owner, serial: int, end: datetime.datetime, key: Key,
             ca: x509.Certificate, ca_key: Key) -> x509.Certificate:
    """A certificate for a member, which serves and connects, or for a node, which only connects."""
    usages = [ExtendedKeyUsageOID.CLIENT_AUTH]
    if owner.kind == "member":
        usages.append(ExtendedKeyUsageOID.SERVER_AUTH)
    alternatives: list[x509.GeneralName] = [x509.UniformResourceIdentifier(owner.uri), x509.DNSName(owner.name)]
    if owner.kind == "member":
        alternatives.append(x509.DNSName(names.MEMBERS))
    alternatives += [x509.IPAddress(ipaddress.ip_address(address)) if names.is_ip(address) else x509.DNSName(address)
                     for address in owner.addresses if address != owner.name]
    return (_begin(_subject(owner.name), ca.subject, key, serial, end)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
            .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(
                ca.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value), critical=False)
            .sign(ca_key, hashes.SHA256()))


def revocations(revoked: Mapping[int, datetime.datetime], ca: x509.Certificate,
                ca_key: Key) -> x509.CertificateRevocationList:
    """The list of revoked serial numbers, with the moment of each. It is good as long as the authority: an authority
    that is kept offline does not sign a list each week, and a list that ends would end all connections."""
    now = _now()
    made = x509.CertificateRevocationListBuilder(ca.subject, now - BACKDATED, ca.not_valid_after).add_extension(
        x509.CRLNumber(int(now.timestamp() * 1000)), critical=False)
    for serial, moment in sorted(revoked.items()):
        made = made.add_revoked_certificate(x509.RevokedCertificateBuilder(
            serial, moment.astimezone(datetime.UTC).replace(tzinfo=None)).build())
    return made.sign(ca_key, hashes.SHA256())


def issued_by(certificate: x509.Certificate, ca: x509.Certificate) -> bool:
    """Whether the authority signed it."""
    key = ca.public_key()
    if certificate.issuer != ca.subject or not isinstance(key, ec.EllipticCurvePublicKey):
        return False
    algorithm = certificate.signature_hash_algorithm
    if algorithm is None:
        return False
    try:
        key.verify(certificate.signature, certificate.tbs_certificate_bytes, ec.ECDSA(algorithm))
    except InvalidSignature:
        return False
    return True


def owner_of(certificate: x509.Certificate) -> names.Owner | None:
    """Who it is for; None if it says no identity of ours, or several."""
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return None
    uris = [uri for uri in found.get_values_for_type(x509.UniformResourceIdentifier) if uri.startswith(names.URI)]
    if len(uris) != 1:
        return None
    kind, _, name = uris[0].removeprefix(names.URI).partition("/")
    addresses = [*map(str, found.get_values_for_type(x509.IPAddress)),
                 *(host for host in found.get_values_for_type(x509.DNSName) if host not in (name, names.MEMBERS))]
    return next((names.Owner(known, name, tuple(addresses)) for known in names.KINDS if known == kind), None)


def end_of(made: x509.Certificate) -> datetime.datetime:
    """When it ends."""
    end: datetime.datetime = made.not_valid_after.replace(tzinfo=datetime.UTC)
    return end


def same_key(certificate: x509.Certificate, key: Key) -> bool:
    """Whether a certificate is about this key."""
    form = (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return bool(certificate.public_key().public_bytes(*form) == key.public_key().public_bytes(*form))


def _begin(subject: x509.Name, issuer: x509.Name, key: Key, serial: int,
           end: datetime.datetime) -> x509.CertificateBuilder:
    return (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
            .serial_number(serial).not_valid_before(_now() - BACKDATED)
            .not_valid_after(end.astimezone(datetime.UTC).replace(tzinfo=None))
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False))


def _subject(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Penstock"),
                      x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _usage(signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(digital_signature=not signs_certificates, content_commitment=False, key_encipherment=False,
                         data_encipherment=False, key_agreement=False, key_cert_sign=signs_certificates,
                         crl_sign=signs_certificates, encipher_only=False, decipher_only=False)


def _now() -> datetime.datetime:
    """Without a zone, as the library of Debian 12 has it."""
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0)
