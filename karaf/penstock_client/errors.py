# SPDX-License-Identifier: Apache-2.0
"""The ways in which a request ends badly."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Sequence

from penstock_base.errors import PenstockError
from penstock_base.restconf import RestconfError

# RESTCONF begins the message of a refused YANG Patch with the edits, which are all of one request.
_EDITS = re.compile(r"^edits? (?:[^:]+): ")


@dataclasses.dataclass(frozen=True)
class Problem:
    """One reason of a refusal.

    message: the controller's sentence, with entry, leaf and rule
    path: of the entry and leaf, as RFC 8040 has it in error-path; empty if there is none
    tag: the error-tag of RFC 8040
    """
    message: str
    path: str = ""
    tag: str = ""


class WrongUsage(PenstockError):
    """A path, name or file that is not of the model: nothing was sent."""


class Unreachable(PenstockError):
    """No controller has answered. Nothing was changed, unless the text says that it is not known."""


class Refused(PenstockError):
    """The controller has refused the request, and nothing was changed."""

    def __init__(self, problems: Sequence[Problem], status: int | None = None) -> None:
        super().__init__("\n".join(problem.message for problem in problems))
        self.problems = tuple(problems)
        self.status = status

    @classmethod
    def of(cls, error: RestconfError) -> Refused:
        """The same as RESTCONF told it."""
        problems = [Problem(_EDITS.sub("", _text(each, "error-message") or _text(each, "error-tag")),
                            _text(each, "error-path"), _text(each, "error-tag")) for each in error.errors]
        if error.status == 401:
            problems = [Problem("the controller does not know this account, or it has another password",
                                tag="access-denied")]
        return cls(problems or [Problem(str(error))], error.status)

    @property
    def is_absence(self) -> bool:
        """Whether an entry does not exist."""
        return any(problem.tag == "data-missing" for problem in self.problems)


def _text(error: typing.Any, name: str) -> str:
    return str(error.get(name) or "")
