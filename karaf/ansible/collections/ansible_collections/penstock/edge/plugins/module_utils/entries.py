# SPDX-License-Identifier: Apache-2.0
"""A module for entries of one kind: options, check mode, differences and errors. penstock_client does the work."""

from __future__ import annotations

import pathlib
import traceback
import typing

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

try:
    import penstock_client
    from penstock_client import target
    MISSING = None
except ImportError:
    MISSING = traceback.format_exc()

OPTIONS: dict[str, dict[str, typing.Any]] = {
    "name": {"type": "str", "required": True},
    "config": {"type": "dict", "default": {}},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "controller": {"type": "list", "elements": "str", "default": []},
    "user": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "password_file": {"type": "path", "no_log": False},
    "ca": {"type": "path"}}
"""Explained in doc_fragments/controller.py."""


def run(kind: str) -> None:
    """Does the work of the module for a kind, and ends the program."""
    module = AnsibleModule(argument_spec=OPTIONS, supports_check_mode=True,
                           mutually_exclusive=[("password", "password_file")],
                           required_by={"password": ("controller", "user")})
    if MISSING is not None:
        module.fail_json(msg=missing_required_lib("penstock-client"), exception=MISSING)
    try:
        outcome = _outcome(kind, module.params, module.check_mode)
    except penstock_client.PenstockError as error:
        problems = getattr(error, "problems", ())
        module.fail_json(msg=str(error), errors=[
            {"message": each.message, "path": each.path, "tag": each.tag} for each in problems])
    answer: dict[str, typing.Any] = {"changed": outcome.changed, "entry": outcome.after}
    if outcome.changed:
        before, after = ("".join(f"{line}\n" for line in outcome.lines(entry))
                         for entry in (outcome.before, outcome.after))
        header = f"{kind} {module.params['name']}"
        answer["diff"] = {"before": before, "after": after, "before_header": header, "after_header": header}
    module.exit_json(**answer)


def _outcome(kind: str, options: dict[str, typing.Any], check: bool) -> penstock_client.Outcome:
    name, config = options["name"], options["config"]
    if config.get("name", name) != name:
        raise penstock_client.PenstockError(f"config is the {kind} {config['name']}, and not {name}")
    client = penstock_client.Client.of(_target(options))
    if options["state"] == "absent":
        return penstock_client.absent(client, kind, name, check)
    return penstock_client.present(client, kind, config | {"name": name}, check)


def _target(options: dict[str, typing.Any]) -> target.Target:
    ca = pathlib.Path(options["ca"]) if options["ca"] else None
    if options["password"]:
        return target.of_values(options["controller"], options["user"], options["password"], ca)
    password_file = pathlib.Path(options["password_file"]) if options["password_file"] else None
    return target.find(target.Given(options["controller"], options["user"], password_file, ca))
