# SPDX-License-Identifier: Apache-2.0
"""A RESTCONF client (RFC 8040, JSON) with the controller's words in its errors."""

import base64
import errno
import http.client
import json
import pathlib
import socket
import ssl
import typing
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence

from .errors import PenstockError

_TYPE = "application/yang-data+json"
_ABSENT = "data-missing"
_NO_WAY = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN)


_PATCH_TYPE = "application/yang-patch+json"


class RestconfError(PenstockError):
    """The controller refused, or did not answer.

    status: the HTTP status, None without an answer
    errors: those of the answer, as RFC 8040 has them
    sent: whether the request may have reached the controller
    """

    def __init__(self, text: str, status: int | None = None, errors: Sequence[Mapping[str, typing.Any]] = (),
                 sent: bool = True) -> None:
        super().__init__(text)
        self.status = status
        self.errors = tuple(errors)
        self.sent = sent


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: the password is for the one that was asked."""

    def redirect_request(self, *_: object) -> None:
        """None leaves the answer to the handler of errors."""


class Restconf:
    """Talks to the RESTCONF root `url`, for example http://127.0.0.1:8181/rests.

    ca: the file with the certificate of the authority, for https; only servers of it are believed then
    """

    def __init__(self, url: str, user: str, password: str, timeout_seconds: float = 60,
                 ca: pathlib.Path | None = None) -> None:
        self.url = url
        self._authorization = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self._timeout_seconds = timeout_seconds
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), _NoRedirect(),
            urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=ca) if ca else None))

    def read(self, path: str, content: str = "config", fields: str = "") -> typing.Any:
        """Stored data below /data; None if there are none.

        content: config, or nonconfig for the state
        fields: the part that is wanted (RFC 8040, 4.8.3); all by default
        """
        try:
            return self._send("GET", f"data/{path}?content={content}" + (f"&fields={fields}" if fields else ""))
        except RestconfError as error:
            if error.status == 404 or _ABSENT in str(error):
                return None
            raise

    def merge(self, path: str, document: object) -> None:
        """Adds to what is stored (PATCH)."""
        self._send("PATCH", f"data/{path}", document)

    def replace(self, path: str, document: object) -> None:
        """Puts `document` in the place of what is stored (PUT)."""
        self._send("PUT", f"data/{path}", document)

    def edit(self, edits: Sequence[Mapping[str, typing.Any]]) -> None:
        """Carries out the edits of a YANG Patch (RFC 8072) on all data: every one, or none of them."""
        self._send("PATCH", "data", {"ietf-yang-patch:yang-patch": {"patch-id": "penstock", "edit": list(edits)}},
                   _PATCH_TYPE)

    def call(self, operation: str, argument: object = None) -> dict[str, typing.Any]:
        """Calls `module:rpc` and returns its output."""
        module, _, _ = operation.partition(":")
        answer = self._send("POST", f"operations/{operation}", {f"{module}:input": argument or {}})
        output: dict[str, typing.Any] = (answer or {}).get(f"{module}:output", {})
        return output

    def _send(self, method: str, path: str, document: object = None, media_type: str = _TYPE) -> typing.Any:
        body = None if document is None else json.dumps(document).encode()
        request = urllib.request.Request(  # noqa: S310  (always http or https, to the controller)
            f"{self.url}/{path}", data=body, method=method, headers={
            "Accept": _TYPE, "Content-Type": media_type, "Authorization": self._authorization})
        try:
            with self._opener.open(request, timeout=self._timeout_seconds) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                told = refused.read().decode(errors="replace")
                raise RestconfError(f"{method} /{path}: {refused.code} {reasons(told)}", refused.code,
                                    _errors(told)) from None
        except (OSError, http.client.HTTPException) as error:
            raise RestconfError(f"{method} /{path}: no answer from {self.url} ({error})",
                                sent=_was_sent(error)) from None
        try:
            return json.loads(text) if text.strip() else None
        except ValueError:
            raise RestconfError(f"{method} /{path}: the answer of {self.url} is no JSON: is it the controller?"
                                ) from None


def _was_sent(error: Exception) -> bool:
    """Whether a connection was there on which the request may have been sent."""
    reason = getattr(error, "reason", None)
    return not (isinstance(reason, (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError))
                or (isinstance(reason, OSError) and reason.errno in _NO_WAY))


def reasons(body: str) -> str:
    """The messages of an error answer, or its beginning if it is none of RESTCONF's."""
    errors = _errors(body)
    if not errors:
        return body.strip()[:300]
    return "; ".join(error.get("error-message") or error.get("error-tag", "") for error in errors) \
        + "".join(f" [{tag}]" for tag in sorted({error.get("error-tag", "") for error in errors}) if tag)


def _errors(body: str) -> list[dict[str, typing.Any]]:
    try:
        errors = json.loads(body)["errors"]["error"]
    except (ValueError, KeyError, TypeError):
        return []
    return [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []
