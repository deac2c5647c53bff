# SPDX-License-Identifier: Apache-2.0
"""How instances of each form are started and watched: a module a program. `testpmd` is for forms netns and container,
`ovs_filter` for a container with rules, `qemu` for vm.

Each has
    PROCESSES               names of its processes and their files, that of the forwarding one first
    LOG_KEEPS               what has to stay of a log that is emptied
    lack(entry)             why its memory cannot be had now, or None: to ask all the same would harm others
    start(instance, entry)  starts its processes; what has to be undone is saved before it is done
    is_ready(instance)      whether it does its work, once the switch is connected to all its sockets
    facts(instance)         what only this form has to tell, while its processes run; any error
                            becomes its `problem`
    clean(instance)         removes what is left when its processes are gone
"""

import typing

from ..function import Function
from ..instance_files import InstanceFiles
from . import ovs_filter, qemu, testpmd


class Form(typing.Protocol):
    """What a module of a form has; the package says what each does."""

    @property
    def PROCESSES(self) -> tuple[str, ...]: ...  # noqa: N802, D102
    @property
    def LOG_KEEPS(self) -> bytes: ...  # noqa: N802, D102
    def lack(self, entry: Function, /) -> str | None: ...  # noqa: D102
    def start(self, instance: InstanceFiles, entry: Function) -> None: ...  # noqa: D102
    def is_ready(self, instance: InstanceFiles, /) -> bool: ...  # noqa: D102
    def facts(self, instance: InstanceFiles) -> dict[str, object]: ...  # noqa: D102
    def clean(self, instance: InstanceFiles, /) -> None: ...  # noqa: D102


_MODULES: dict[str, Form] = {module.PROCESSES[0]: module for module in (ovs_filter, qemu, testpmd)}


def of_function(entry: Function) -> Form:
    """The module that starts a function of the catalogue."""
    if entry.form == "vm":
        return qemu
    return ovs_filter if entry.form == "container" and entry.rules else testpmd


def of(instance: InstanceFiles) -> Form:
    """The module of what has been started. One that died before it had written what it is has nothing to undo."""
    return _MODULES[instance.process_names[0]]
