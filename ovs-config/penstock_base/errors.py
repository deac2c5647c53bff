# SPDX-License-Identifier: Apache-2.0
"""The errors a user can do something about."""

from collections.abc import Iterable


class PenstockError(Exception):
    """An error whose text is complete enough to be shown without a stack trace."""


class ProfileError(PenstockError):
    """One or more fields are wrong. `problems` holds one sentence each, starting with the name of the field."""

    def __init__(self, problems: Iterable[str], source: object = None) -> None:
        self.problems = list(problems)
        where = f"{source}: " if source else ""
        super().__init__("\n".join(where + problem for problem in self.problems))
