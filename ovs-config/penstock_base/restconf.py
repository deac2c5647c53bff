# SPDX-License-Identifier: Apache-2.0
"""A RESTCONF client (RFC 8040, JSON) with the controller's words in its errors."""

import base64
import json
import typing
import urllib.error
import urllib.request

from .errors import PenstockError

_TYPE = "application/yang-data+json"
_ABSENT = "data-missing"


class RestconfError(PenstockError):
    """The controller refused, or did not answer. `status` is the HTTP status, None without an answer."""

    def __init__(self, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.status = status


class Restconf:
    """Talks to the RESTCONF root `url`, for example http://127.0.0.1:8181/rests."""

    def __init__(self, url: str, user: str, password: str, timeout_seconds: float = 60) -> None:
        self.url = url
        self._authorization = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self._timeout_seconds = timeout_seconds
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def read(self, path: str) -> typing.Any:
        """Stored configuration below /data; None if there is none."""
        try:
            return self._send("GET", f"data/{path}?content=config")
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

    def call(self, operation: str, argument: object = None) -> dict[str, typing.Any]:
        """Calls `module:rpc` and returns its output."""
        module, _, _ = operation.partition(":")
        answer = self._send("POST", f"operations/{operation}", {f"{module}:input": argument or {}})
        output: dict[str, typing.Any] = (answer or {}).get(f"{module}:output", {})
        return output

    def _send(self, method: str, path: str, document: object = None) -> typing.Any:
        body = None if document is None else json.dumps(document).encode()
        request = urllib.request.Request(  # noqa: S310  (always http, to the controller)
            f"{self.url}/{path}", data=body, method=method, headers={
            "Accept": _TYPE, "Content-Type": _TYPE, "Authorization": self._authorization})
        try:
            with self._opener.open(request, timeout=self._timeout_seconds) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                raise RestconfError(f"{method} /{path}: {refused.code} {reasons(refused.read().decode())}",
                                    refused.code) from None
        except OSError as error:
            raise RestconfError(f"{method} /{path}: no answer from {self.url} ({error})") from None
        return json.loads(text) if text.strip() else None


def reasons(body: str) -> str:
    """The messages of an error answer, or its beginning if it is none of RESTCONF's."""
    try:
        errors = json.loads(body)["errors"]["error"]
        return "; ".join(error.get("error-message") or error.get("error-tag", "") for error in errors) \
            + "".join(f" [{tag}]" for tag in sorted({error.get("error-tag", "") for error in errors}) if tag)
    except (ValueError, KeyError, TypeError, AttributeError):
        return body.strip()[:300]
