# SPDX-License-Identifier: Apache-2.0
"""How instances of each form are started and watched: a module a program, `testpmd` (container, netns) and `qemu` (vm).

Each has
    lack(entry)             why its memory cannot be had now, or None: to ask all the same would harm others
    start(instance, entry)  starts its process; what has to be undone is saved before it is done
    is_ready(instance)      whether it does its work, once the switch is connected to both sockets
    facts(instance)         what only this form has to tell, while its process runs
    clean(instance)         removes what is left when its process is gone
"""

from . import qemu, testpmd

_MODULES = {"container": testpmd, "netns": testpmd, "vm": qemu}


def lack(entry):
    """Why the memory of a function cannot be had now, or None."""
    return _MODULES[entry.form].lack(entry)


def of(instance):
    """The module of an instance's form. One that died before it had written its form has nothing to undo."""
    return _MODULES[instance.state.get("form", "container")]
