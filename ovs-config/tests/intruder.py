# SPDX-License-Identifier: Apache-2.0
"""Tries things with the rights of a running process, as code would that has taken it over: its user, groups,
capabilities, file system and network. The filter of system calls is not among them."""

import pathlib
import re
import subprocess

_PRELUDE = """
import os, socket, sys
def connect(path):
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(30)
    link.connect(path)
def write(path):
    with open(path, "w") as file:
        file.write("")
def read(path):
    with open(path, "rb") as file:
        file.read(1)
try:
    {action}
    print("done")
except Exception as error:
    print(type(error).__name__)
"""


def attempt(pid, action):
    """Runs a Python statement with the rights of process `pid`; "done", or the name of the exception it raised.

    The statement has `connect`, `read` and `write`, which take a path, and the modules os and socket.
    """
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    fields = dict(re.findall(r"(?m)^(\w+):[\t ]*(.*)$", status))
    kept = ",".join(["-all", *(f"+{name}" for name in capabilities(int(fields["CapEff"], 16)))])
    uid, gid = fields["Uid"].split()[0], fields["Gid"].split()[0]
    groups = ",".join(fields["Groups"].split())
    ambient = [f"--ambient-caps={kept}"] if int(uid) else []
    done = subprocess.run(
        ["nsenter", f"--target={pid}", "--mount", "--net", "setpriv", f"--reuid={uid}", f"--regid={gid}",
         *([f"--groups={groups}"] if groups else ["--clear-groups"]), f"--inh-caps={kept}", *ambient,
         f"--bounding-set={kept}", "--no-new-privs", "/usr/bin/python3", "-I", "-B", "-c",
         _PRELUDE.format(action=action)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{action}: {done.stderr}")
    return done.stdout.strip()


def capabilities(mask):
    """The names of the capabilities of a mask, as setpriv has them."""
    names = subprocess.run(["setpriv", "--list-caps"], capture_output=True, text=True, check=True).stdout.split()
    return [name for number, name in enumerate(names) if mask >> number & 1]
