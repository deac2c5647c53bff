# SPDX-License-Identifier: Apache-2.0
"""Runs short commands and turns their failure into a readable error."""

import subprocess
from collections.abc import Mapping

from .errors import PenstockError


def run(*args: object, environment: Mapping[str, str] | None = None, timeout_seconds: float = 60,
        standard_input: str = "") -> str:
    """Runs a command and returns its standard output. Raises PenstockError with the command and what it said."""
    command = [str(arg) for arg in args]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment,
                              timeout=timeout_seconds, input=standard_input, check=False)
    except FileNotFoundError:
        raise PenstockError(f"the program {command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise PenstockError(f"no answer within {timeout_seconds} s: {' '.join(command)}") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()
        raise PenstockError(f"{' '.join(command)} failed: {said or f'exit code {done.returncode}'}")
    return done.stdout


def succeeds(*args: object) -> bool:
    """Whether the command ends with exit code 0; its output is thrown away."""
    return subprocess.run([str(arg) for arg in args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, check=False).returncode == 0
