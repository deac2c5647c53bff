# SPDX-License-Identifier: Apache-2.0
"""Rows of a table (CSV, RFC 4180) that fill a template: a document with {column} in its texts.

A cell becomes text inside one text of the document and never a part of its structure, whatever it has. A leaf, or a
value of a list, that is nothing but {column} is left out where the cell is empty, and so is the container or entry that
has nothing else. {{ and }} are braces.
"""

from __future__ import annotations

import csv
import io
import json
import pathlib
import re
import typing

from . import documents
from .errors import WrongUsage

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_LEFT_OUT = object()

Row = dict[str, str]


def rows(path: pathlib.Path) -> list[tuple[int, Row]]:
    """The rows of a table with their lines in the file. Raises WrongUsage if a row has not the columns of the first."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise WrongUsage(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise WrongUsage(f"{path}: is not UTF-8") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    found: list[tuple[int, Row]] = []
    try:
        columns = [name.strip() for name in next(reader, [])]
        if not columns or not all(columns) or len(set(columns)) < len(columns):
            raise WrongUsage(f"{path}: line 1: has to have the names of the columns, each once")
        for row in reader:
            if row and len(row) != len(columns):
                raise WrongUsage(f"{path}: line {reader.line_num}: has {len(row)} cells, and there are {len(columns)} "
                                    "columns; cells with commas are in quotation marks")
            if row:
                found.append((reader.line_num, dict(zip(columns, map(str.strip, row), strict=True))))
    except csv.Error as error:
        raise WrongUsage(f"{path}: line {reader.line_num}: is not CSV: {error}") from None
    if not found:
        raise WrongUsage(f"{path}: has no rows")
    return found


def units(table: pathlib.Path, template: pathlib.Path) -> list[documents.Unit]:
    """The units of all rows. One that several rows have alike is there once. Raises WrongUsage if they differ."""
    document = documents.read(template)
    found: dict[tuple[object, ...], documents.Unit] = {}
    for line, row in rows(table):
        try:
            filled = fill(document, row)
        except WrongUsage as error:
            raise WrongUsage(f"{table}: line {line}: {template}: {error}") from None
        if filled is _LEFT_OUT:
            raise WrongUsage(f"{table}: line {line}: nothing is left of the template: all of its cells are empty")
        for unit in documents.units(filled, f"{table}: line {line}"):
            before = found.setdefault((unit.tree, unit.steps), unit)
            if _plain(before.value) != _plain(unit.value):
                raise WrongUsage(f"{unit.origin}: {unit.where} differs from that of {before.origin}")
    return list(found.values())


def _plain(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def fill(content: typing.Any, row: Row) -> typing.Any:
    """A template with the cells of a row in it."""
    if isinstance(content, str):
        return _fill(content, row)
    if isinstance(content, dict):
        pairs = ((_fill(name, row), fill(value, row)) for name, value in content.items())
        filled = {name: value for name, value in pairs if value is not _LEFT_OUT}
        return filled if filled or not content else _LEFT_OUT
    if isinstance(content, list):
        entries = [each for each in (fill(value, row) for value in content) if each is not _LEFT_OUT]
        return entries if entries or not content else _LEFT_OUT
    return content


def _fill(text: str, row: Row) -> typing.Any:
    alone = re.fullmatch(r"\{([^{}]*)\}", text)
    if alone and not _cell(alone, row):
        return _LEFT_OUT
    return _PLACE.sub(lambda match: _cell(match, row), text)


def _cell(match: re.Match[str], row: Row) -> str:
    if match[0] in {"{{", "}}"}:
        return match[0][0]
    if match[0] in {"{", "}"}:
        raise WrongUsage(f"a brace by itself in '{match.string}': write {{{{ or }}}} for one")
    if match[1] not in row:
        raise WrongUsage(f"there is no column {match[1]}; the table has {', '.join(row)}")
    return row[match[1]]
