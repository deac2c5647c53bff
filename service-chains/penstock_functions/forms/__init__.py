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

from . import ovs_filter, qemu, testpmd

_MODULES = {module.PROCESSES[0]: module for module in (ovs_filter, qemu, testpmd)}


def of_function(entry):
    """The module that starts a function of the catalogue."""
    if entry.form == "vm":
        return qemu
    return ovs_filter if entry.form == "container" and entry.rules else testpmd


def of(instance):
    """The module of what has been started. One that died before it had written what it is has nothing to undo."""
    return _MODULES[instance.process_names[0]]
