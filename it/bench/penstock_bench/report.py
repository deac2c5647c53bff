# SPDX-License-Identifier: Apache-2.0
"""Makes report.md and report.html of a directory with results.json, however far its run has come.

    python3 -m penstock_bench.report DIR
"""

import argparse
import json
import pathlib
import sys
from collections.abc import Sequence

from penstock_base.errors import PenstockError

from . import data_plane, plots, ratios, sections
from .document import Document
from .results import Results

RESULTS = "results.json"
MARKDOWN = "report.md"
PAGE = "report.html"


def write(directory: pathlib.Path, results: Results | None = None) -> tuple[pathlib.Path, pathlib.Path]:
    """Writes both forms of the report into `directory`. Returns their paths.

    results: as in results.json, which is read when they are not given. Ratios are made anew from the samples.
    """
    return write_document(directory, render(read(directory) if results is None else results))


def write_document(directory: pathlib.Path, document: Document) -> tuple[pathlib.Path, pathlib.Path]:
    """Writes both forms of a report into `directory`. Returns their paths."""
    directory = pathlib.Path(directory)
    paths = directory / MARKDOWN, directory / PAGE
    for path, text in zip(paths, (document.markdown(), document.html()), strict=True):
        temporary = path.with_name(path.name + ".new")
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    return paths


def save(directory: pathlib.Path, results: Results) -> None:
    """Writes the results of a run, however far it has come."""
    text = json.dumps(results, indent=1)
    (pathlib.Path(directory) / RESULTS).write_text(text + "\n", encoding="utf-8")


def read(directory: pathlib.Path) -> Results:
    """The results of a directory."""
    path = pathlib.Path(directory) / RESULTS
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PenstockError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise PenstockError(f"{path}: is not JSON: {error}") from None
    if not isinstance(results, dict) or results.get("version") != 1:
        raise PenstockError(f"{path}: is not a result of version 1")
    return results


def render(results: Results) -> Document:
    """The report of some results as a Document."""
    document = Document("Penstock benchmark", _subtitle(results))
    sections.sources(document, results)
    sections.summary(document, results, ratios.compute(results))
    for section in (data_plane.scale, data_plane.shape, sections.ovn, data_plane.rfc2544, sections.control,
                    sections.machine, sections.method):
        section(document, results)
    if not plots.available():
        document.text("Without drawings, because the Debian package python3-matplotlib was not installed.")
    return document


def main(arguments: Sequence[str] | None = None) -> int:
    """Renders the report of one directory again and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python3 -m penstock_bench.report", description="Makes the report of a "
                                     "benchmark's directory again from its results.json.")
    parser.add_argument("directory", metavar="DIR", type=pathlib.Path, help="directory with results.json")
    try:
        for path in write(parser.parse_args(arguments).directory):
            print(path)
    except PenstockError as error:
        print(f"penstock: {error}", file=sys.stderr)
        return 1
    return 0


def _subtitle(results: Results) -> str:
    parts = [f"{results.get('mode', 'unknown')} run"]
    if results.get("started"):
        parts.append(f"started {results['started'].replace('T', ' ')[:19]}")
    facts = results.get("machine") or {}
    parts += [facts[name] for name in ("cpu",) if facts.get(name)]
    if facts.get("cores"):
        parts.append(f"{facts['cores']} cores")
    parts += [f"{name} {facts['versions'][name]}" for name in ("Open vSwitch", "OVN")
              if name in facts.get("versions", {})]
    return ", ".join(parts) + ". Raw data: [results.json](results.json)."


if __name__ == "__main__":
    sys.exit(main())
