# SPDX-License-Identifier: Apache-2.0
"""Manual pages, made of the help texts of the programs: these are the one place for what a command does."""

import os
import pathlib
import re

from penstock_base.commands import run

_COMMAND = re.compile(r"^    ([a-z][a-z0-9-]*)(?: |$)", re.MULTILINE)
_WIDTH = "78"


def page(program: pathlib.Path, version: str, date: str) -> str:
    """The page, in roff, of a program. version: that of Penstock; date: of the page, as 2026-11-26."""
    text = _help(program)
    usage, description, rest = text.split("\n\n", 2)
    name = program.name
    first = re.split(r"[.:] |\.$", description.replace("\n", " "))[0]
    commands = [command for command in dict.fromkeys(_COMMAND.findall(text)) if command != "help"]
    parts = [f'.TH {_plain(name.upper())} 8 "{date}" "Penstock {_plain(version)}" "Penstock"',
             ".SH NAME", f"{_plain(name)} \\- {_plain(first[0].lower() + first[1:])}",
             ".SH SYNOPSIS", _verbatim(usage.removeprefix("usage: ")),
             ".SH DESCRIPTION", _plain(description), _verbatim(rest)]
    if commands:
        parts.append(".SH COMMANDS")
    for command in commands:
        parts += [f".SS {_plain(f'{name} {command}')}", _verbatim(_help(program, command).removeprefix("usage: "))]
    return "\n".join(parts) + "\n"


def _help(program: pathlib.Path, *command: str) -> str:
    return run(program, *command, "--help", environment=os.environ | {"COLUMNS": _WIDTH})


def _verbatim(text: str) -> str:
    return f".nf\n{_plain(text.rstrip())}\n.fi"


def _plain(text: str) -> str:
    """Text of which roff takes nothing for its own."""
    return re.sub(r"(?m)^([.'])", r"\\&\1", text.replace("\\", r"\e").replace("-", r"\-"))
