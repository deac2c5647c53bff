# SPDX-License-Identifier: Apache-2.0
"""Network functions as the catalogue describes them."""

import pathlib
import typing
from collections.abc import Iterator, Mapping

from penstock_base import documents
from penstock_base.commands import run
from penstock_base.errors import PenstockError, ProfileError
from penstock_node.profile import online_cores

from . import firewall_nft, firewall_rules
from .forms import dpdk, ovs_filter, qemu
from .function import Function

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIRECTORY = ROOT / "catalogue"
SCHEMA = ROOT / "function.schema.json"
_KERNEL = ("netns", "vm")
_MEMORY_MB_OF_A_QUEUE = 32
"""For the packet buffers of a queue of two ports."""


def load(path: pathlib.Path | str) -> Function:
    """Reads and checks one catalogue file. Raises ProfileError with everything that is wrong."""
    path = pathlib.Path(path)
    content = documents.read_yaml(path)
    wrong = documents.problems(content, SCHEMA)
    if wrong:
        raise ProfileError(wrong, path)
    start = content["start"]
    rules = path.parent / start["rules"] if "rules" in start else None
    mode = content.get("mode", "transparent")
    outputs = content.get("outputs", 1)
    if content["name"] != path.stem:
        wrong.append(f"name: is {content['name']}; a function is named as its file, {path.stem}")
    if mode == "routed" and content["form"] != "vm":
        wrong.append(f"mode: is routed, which form {content['form']} cannot be; set form: vm")
    if mode == "routed" and content["shared"]:
        wrong.append("shared: is true; frames to a routed function have no tag that identifies the tenant: set false")
    if mode == "routed" and rules is not None and rules.name.endswith(firewall_rules.SUFFIX):
        wrong.append("start.rules: is a rule set, which is about frames with tags; mode routed takes nftables")
    if outputs != 1 and (content["form"] != "container" or rules is None or mode == "routed"):
        wrong.append(f"outputs: is {outputs}, which takes form container with a rule set and mode transparent: set "
                     "those, or outputs: 1")
    if content["form"] in _KERNEL and rules is None and mode != "routed":
        wrong.append(f"start.rules: is missing; form {content['form']} needs a rule set, *{firewall_rules.SUFFIX}, or "
                     "an nftables file")
    if rules is not None:
        wrong += (f"start.rules: {problem}" for problem in _problems_of_rules(content["form"], rules, outputs))
    wrong += _problems_of_start(content["form"], start, rules)
    if wrong:
        raise ProfileError(wrong, path)
    return Function(content["name"], " ".join(content["description"].split()), content["form"], mode,
                    outputs, content["shared"], content["fail-policy"], start["memory-mb"],
                    start.get("core", None if content["form"] == "vm" else 0), start.get("queues", 1),
                    start.get("scheduling", "idle"), rules)


def _problems_of_start(form: str, start: Mapping[str, typing.Any], rules: pathlib.Path | None) -> Iterator[str]:
    """What is wrong with the memory and the queues of a form, with rules or None."""
    memory, queues = start["memory-mb"], start.get("queues", 1)
    if form == "vm":
        if memory < qemu.LEAST_MEMORY_MB:
            yield f"start.memory-mb: is {memory}; form vm needs at least {qemu.LEAST_MEMORY_MB}"
        return
    with_rules = form == "container" and rules is not None
    if with_rules and memory < ovs_filter.LEAST_MEMORY_MB:
        yield f"start.memory-mb: is {memory}; form container with rules needs at least {ovs_filter.LEAST_MEMORY_MB}"
    if memory < queues * _MEMORY_MB_OF_A_QUEUE:
        yield f"start.memory-mb: is {memory}; {queues} queues need at least {queues * _MEMORY_MB_OF_A_QUEUE}"
    most = ovs_filter.MOST_QUEUES if with_rules else dpdk.MOST_QUEUES
    if queues > most:
        yield f"start.queues: is {queues}; form {form}{' with rules' if with_rules else ''} has {most} at most"


def _problems_of_rules(form: str, path: pathlib.Path, outputs: int) -> Iterator[str]:
    """What is wrong with a file of rules, for a form and a number of outputs."""
    if not path.is_file():
        yield f"there is no file {path}"
    elif firewall_rules.is_rule_set(path):
        try:
            firewall_rules.load(path, outputs)
        except ProfileError as error:
            yield from (f"{path.name}: {problem}" for problem in error.problems)
    elif form == "container":
        yield f"form container filters by a rule set, *{firewall_rules.SUFFIX}; write one, or set form: netns or vm"


def paths(directory: pathlib.Path = DIRECTORY) -> list[pathlib.Path]:
    """The files of a catalogue directory that describe functions, sorted by the name of the function."""
    files = (path for path in pathlib.Path(directory).glob("*.yaml") if not firewall_rules.is_rule_set(path))
    return sorted(files, key=lambda path: path.stem)


def load_all(directory: pathlib.Path = DIRECTORY) -> dict[str, Function]:
    """All entries of a catalogue directory by name."""
    loaded = [load(path) for path in paths(directory)]
    return {function.name: function for function in loaded}


def find(name: str, directory: pathlib.Path = DIRECTORY) -> Function:
    """One entry. Raises PenstockError that names the known ones."""
    path = pathlib.Path(directory) / f"{name}.yaml"
    if not path.is_file():
        known = ", ".join(entry.stem for entry in paths(directory))
        raise PenstockError(f"the catalogue has no function {name}; it has {known or 'none'}")
    return load(path)


def machine_problems(function: Function) -> list[str]:
    """What this machine lacks for a function: sentences that start with the field."""
    wrong = []
    if function.core is not None and function.core not in online_cores():
        wrong.append(f"start.core: this machine has no core {function.core}; it has {sorted(online_cores())}")
    if function.rules and function.form in _KERNEL:
        try:
            run("nft", "--check", "--file", "-", standard_input=firewall_nft.of_file(function.rules))
        except PenstockError as error:
            wrong.append(f"start.rules: {error}")
    if function.form == "vm":
        wrong += qemu.problems(function.memory_mb)
    return wrong
