# SPDX-License-Identifier: Apache-2.0
"""Lines for the console of Karaf, each carried out by itself: one that fails does not hide what the others print."""

from __future__ import annotations

import dataclasses
import re
import secrets

_CLASS = re.compile(r"^(?:[A-Za-z_$][\w$]*\.)+[A-Za-z_$][\w$]*: ")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclasses.dataclass(frozen=True)
class Printed:
    """What lines have printed, and an error for each that failed, with its number and text."""
    text: str
    errors: list[str]


class Script:
    """A script of Karaf's shell that carries out lines one after the other."""

    def __init__(self, commands: str) -> None:
        """commands: one a line; empty lines are left out."""
        self._lines = {number: line.strip() for number, line in enumerate(commands.split("\n"), 1) if line.strip()}
        # A command cannot print what is not known before.
        self._mark = f"penstock-{secrets.token_hex(16)}"

    @property
    def text(self) -> str:
        """The script. Each line is a text that is parsed by itself, so that one with a syntax error ends no other."""
        return "".join(f'try {{ eval "{_quoted(line)}" }} {{ echo "{self._mark} {number} $exception {self._mark}" }}\n'
                       for number, line in self._lines.items())

    def printed(self, output: str) -> Printed:
        """Takes what the script has printed apart."""
        errors = []

        def failed(found: re.Match[str]) -> str:
            number = int(found[1])
            reason = _CLASS.sub("", _COLOURS.sub("", found[2]).strip())
            errors.append(f"line {number}, {self._lines.get(number, '')}: {reason}")
            return ""
        mark = re.escape(self._mark)
        text = re.sub(rf"{mark} ([0-9]+) (.*?) {mark}\r?\n?", failed, output, flags=re.DOTALL)
        return Printed(text, errors)


def _quoted(line: str) -> str:
    return re.sub(r'([\\"$`])', r"\\\1", line)
