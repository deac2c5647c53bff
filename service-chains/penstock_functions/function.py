# SPDX-License-Identifier: Apache-2.0
"""A network function, as an entry of the catalogue describes it."""

import dataclasses
import pathlib
import typing

from penstock_base.errors import PenstockError


@dataclasses.dataclass(frozen=True)
class Function:
    """One entry. `rules` is the path of a rule set or of an nftables file, None if it filters nothing; `core` None
    stands for any. `outputs` is 1, or 2 for an instance with a side alt."""
    name: str
    description: str
    form: str
    mode: str
    outputs: int
    shared: bool
    fail_policy: str
    memory_mb: int
    core: int | None
    queues: int
    scheduling: str
    rules: pathlib.Path | None

    @property
    def rule_file(self) -> pathlib.Path:
        """The file of the rules. Raises PenstockError for a function that filters nothing."""
        if self.rules is None:
            raise PenstockError(f"start.rules: function {self.name} has none")
        return self.rules

    @property
    def own_core(self) -> int:
        """The core. Raises PenstockError for a function that may use any."""
        if self.core is None:
            raise PenstockError(f"start.core: function {self.name} has none")
        return self.core

    def as_json(self) -> dict[str, typing.Any]:
        """The entry with the field names of the catalogue file."""
        return {"name": self.name, "description": self.description, "form": self.form, "mode": self.mode,
                "outputs": self.outputs, "shared": self.shared, "fail-policy": self.fail_policy,
                "start": {"memory-mb": self.memory_mb, "core": self.core, "queues": self.queues,
                          "scheduling": self.scheduling}
                | ({"rules": str(self.rules)} if self.rules else {})}
