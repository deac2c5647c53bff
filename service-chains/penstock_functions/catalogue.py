# SPDX-License-Identifier: Apache-2.0
"""Network functions as the catalogue describes them."""

import dataclasses
import pathlib

from penstock_node import documents
from penstock_node.commands import run
from penstock_node.errors import PenstockError, ProfileError
from penstock_node.profile import online_cores

from .forms import qemu

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIRECTORY = ROOT / "catalogue"
SCHEMA = ROOT / "function.schema.json"
_FILTERS = ("netns", "vm")


@dataclasses.dataclass(frozen=True)
class Function:
    """One entry. `rules` is the path of the nftables file, None for form container; `core` None stands for any."""
    name: str
    description: str
    form: str
    shared: bool
    fail_policy: str
    memory_mb: int
    core: int | None
    scheduling: str
    rules: pathlib.Path | None

    def as_json(self):
        """The entry with the field names of the catalogue file."""
        return {"name": self.name, "description": self.description, "form": self.form, "shared": self.shared,
                "fail-policy": self.fail_policy,
                "start": {"memory-mb": self.memory_mb, "core": self.core, "scheduling": self.scheduling}
                | ({"rules": str(self.rules)} if self.rules else {})}


def load(path):
    """Reads and checks one catalogue file. Raises ProfileError with everything that is wrong."""
    path = pathlib.Path(path)
    content = documents.read_yaml(path)
    wrong = documents.problems(content, SCHEMA)
    if wrong:
        raise ProfileError(wrong, path)
    start = content["start"]
    rules = path.parent / start["rules"] if "rules" in start else None
    if content["name"] != path.stem:
        wrong.append(f"name: is {content['name']}; a function is named as its file, {path.stem}")
    if content["form"] in _FILTERS and rules is None:
        wrong.append(f"start.rules: is missing; form {content['form']} needs an nftables rule file")
    if content["form"] == "container" and rules is not None:
        wrong.append("start.rules: form container has no rules; remove it, or set form: netns or vm")
    if content["form"] == "vm" and start["memory-mb"] < qemu.LEAST_MEMORY_MB:
        wrong.append(f"start.memory-mb: is {start['memory-mb']}; form vm needs at least {qemu.LEAST_MEMORY_MB}")
    if rules is not None and not rules.is_file():
        wrong.append(f"start.rules: there is no file {rules}")
    if wrong:
        raise ProfileError(wrong, path)
    return Function(content["name"], " ".join(content["description"].split()), content["form"], content["shared"],
                    content["fail-policy"], start["memory-mb"],
                    start.get("core", None if content["form"] == "vm" else 0), start.get("scheduling", "idle"), rules)


def paths(directory=DIRECTORY):
    """The files of a catalogue directory, sorted by the name of the function."""
    return sorted(pathlib.Path(directory).glob("*.yaml"), key=lambda path: path.stem)


def load_all(directory=DIRECTORY):
    """All entries of a catalogue directory by name."""
    loaded = [load(path) for path in paths(directory)]
    return {function.name: function for function in loaded}


def find(name, directory=DIRECTORY):
    """One entry. Raises PenstockError that names the known ones."""
    path = pathlib.Path(directory) / f"{name}.yaml"
    if not path.is_file():
        known = ", ".join(entry.stem for entry in paths(directory))
        raise PenstockError(f"the catalogue has no function {name}; it has {known or 'none'}")
    return load(path)


def machine_problems(function):
    """What this machine lacks for a function: sentences that start with the field."""
    wrong = []
    if function.core is not None and function.core not in online_cores():
        wrong.append(f"start.core: this machine has no core {function.core}; it has {sorted(online_cores())}")
    if function.rules:
        try:
            run("nft", "--check", "--file", function.rules)
        except PenstockError as error:
            wrong.append(f"start.rules: {error}")
    if function.form == "vm":
        wrong += qemu.problems(function.memory_mb)
    return wrong
