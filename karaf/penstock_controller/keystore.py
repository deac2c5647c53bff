# SPDX-License-Identifier: Apache-2.0
"""A key store for Jetty, which reads no PEM. Alone in its module: no other part of the package needs a library."""

from __future__ import annotations

import pathlib


def pkcs12(certificate: pathlib.Path, key: pathlib.Path, password: str) -> bytes:
    """Both as PKCS 12. Raises OSError and ValueError, with the file."""
    # Not before a controller has certificates: one in plain text starts without the library.
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
        BestAvailableEncryption,
        load_pem_private_key,
        pkcs12 as form,
    )
    try:
        made = x509.load_pem_x509_certificate(certificate.read_bytes())
        private = load_pem_private_key(key.read_bytes(), None)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{certificate}, {key}: cannot be used: {error}") from None
    stored: bytes = form.serialize_key_and_certificates(b"member", private, made, None,
                                                        BestAvailableEncryption(password.encode()))
    return stored
