# SPDX-License-Identifier: Apache-2.0
"""Runs playbook.yaml with the real Ansible against a running controller.

In karaf: python3 -m tests.playbook http://127.0.0.1:8181 PASSWORD-FILE PREFIX
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from penstock_base import places

_PLAYBOOK = pathlib.Path(__file__).with_suffix(".yaml")


def command(playbook, variables):
    """The words that run a playbook on this machine, with the modules of the tree."""
    return ["ansible-playbook", "--inventory", "localhost,", "--connection", "local", "--diff", "--extra-vars",
            json.dumps(variables | {"ansible_python_interpreter": places.PYTHON}), str(playbook)]


def environment(home):
    """That in which it runs. home: where Ansible may write"""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": places.python_path(), "LC_ALL": "C.UTF-8",
            "ANSIBLE_COLLECTIONS_PATH": str(places.ROOT / "karaf" / "ansible" / "collections"),
            "ANSIBLE_PIPELINING": "1", "ANSIBLE_LOCAL_TEMP": f"{home}/.ansible/tmp", "ANSIBLE_HOME": f"{home}/.ansible"}


def main(url, password_file, prefix):
    """Returns the exit code of Ansible."""
    password = pathlib.Path(password_file).read_text(encoding="ascii").strip()
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            command(_PLAYBOOK, {"controller": url, "user": "admin", "password": password, "prefix": prefix}),
            env=environment(home), capture_output=True, text=True, check=False)
    print(done.stdout.replace(password, "THE PASSWORD"), done.stderr.replace(password, "THE PASSWORD"))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
