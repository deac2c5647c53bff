# SPDX-License-Identifier: Apache-2.0
"""Starts and ends the agent of functions of a node, with no more rights than it needs."""

import importlib.util
import os
import pathlib
import typing

from penstock_base import processes
from penstock_base.errors import PenstockError
from penstock_node import node, supervision
from penstock_node.profile import online_cores

_RIGHTS = "-all,+chown,+dac_override,+kill,+mknod,+net_admin,+setgid,+setpcap,+setuid,+sys_admin"
"""To make network namespaces and their devices; to give the functions that it starts users, file systems and devices of
their own, and to reach and remove what belongs to them."""
NAME = "functions-agent"
"""Of its service."""
_HOME = pathlib.Path(__file__).resolve().parent.parent
_STOP_SECONDS = 60  # What it has begun it brings to an end: a function that does not start takes half a minute.


def start(node_name: str, run_directory: pathlib.Path, catalogue: pathlib.Path) -> bool:
    """Starts the agent in the background, and again when it ends, unless it runs. Returns True if it was started."""
    if processes.is_running(_process(node_name, run_directory)):
        return False
    directory = run_directory.absolute() / node_name
    supervision.Tree(directory).keep(supervision.Service(
        NAME, tuple(_command(node_name, run_directory, catalogue)), _process(node_name, run_directory.absolute()),
        directory / "functions-agent.log"))
    return True


def become(node_name: str, run_directory: pathlib.Path, catalogue: pathlib.Path) -> typing.NoReturn:
    """Turns this process into the agent, which writes its log to standard error. Does not return."""
    file = _process(node_name, run_directory)
    if processes.is_running(file):
        raise PenstockError(f"the agent of functions of node {node_name} runs already, as process "
                            f"{processes.pid_of(file)}; end it first: functions agent --stop --node {node_name}")
    command = _command(node_name, run_directory, catalogue)
    processes.record(os.getpid(), file)
    os.execvp(command[0], command)


def stop(node_name: str, run_directory: pathlib.Path) -> bool:
    """Ends the agent when it has finished what it does; its functions run on. Returns True if it was running."""
    return supervision.Tree(run_directory / node_name).remove(NAME, _process(node_name, run_directory), _STOP_SECONDS)


def _process(node_name: str, run_directory: pathlib.Path) -> pathlib.Path:
    return run_directory / node_name / "functions-agent.process"


def _command(node_name: str, run_directory: pathlib.Path, catalogue: pathlib.Path) -> list[str]:
    state = node.read_state(node_name, run_directory)
    if importlib.util.find_spec("ovs") is None:
        raise PenstockError("the agent needs the package python3-openvswitch; install it")
    cores = online_cores() - set(state["wanted"]["pmd_cores"])
    path = os.pathsep.join([str(_HOME), str(_HOME.parent / "ovs-config")])
    return [*(["taskset", "--cpu-list", ",".join(map(str, sorted(cores)))] if cores else []),
            "setpriv", "--clear-groups", f"--bounding-set={_RIGHTS}", "--inh-caps=-all", "--no-new-privs",
            "env", f"PYTHONPATH={path}", "/usr/bin/python3", "-B", "-m", "penstock_functions.agent",
            str(run_directory.absolute()), node_name, str(catalogue.absolute())]
