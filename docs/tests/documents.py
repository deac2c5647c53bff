# SPDX-License-Identifier: Apache-2.0
"""The documents and their fenced blocks.

A block opens with its language and marks, for example ```sh test=name. Marks of sh: test=NAME (is run), always (is run
even after a failure), deep (too slow for the gate: is run in the deep tier `documents`), manual (is not run),
machine=NAME (manual, and run by karaf/tests/test_three_machines.py). Of text: answer=NAME (what that test prints). Of
json: put=PATH (is stored and removed again). Of yaml: profile (a node's profile).
"""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```(.*)$")
_SPAN = re.compile(r"`([^`\n]+)`")


@dataclasses.dataclass(frozen=True)
class Block:
    """A fenced block; `marks` maps each mark to its value, "" if it has none."""
    where: str
    language: str
    marks: dict
    text: str


@dataclasses.dataclass(frozen=True)
class Document:
    """A Markdown file. `path` is below `root`; `plain` is the text outside of fenced blocks."""
    root: pathlib.Path
    path: pathlib.Path
    blocks: tuple
    plain: str

    @property
    def spans(self):
        """The pieces of code inside sentences and tables."""
        return _SPAN.findall(self.plain)


def parse(root, path):
    """Reads a document. An open fence at its end is an error."""
    blocks, plain, lines = [], [], []
    opened: tuple[int, list[str]] | None = None
    for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.match(line)
        if fence and opened is None:
            opened, lines = (number, fence[1].split()), []
        elif fence and opened is not None:
            words = opened[1]
            marks = {name: value for name, _, value in (word.partition("=") for word in words[1:])}
            blocks.append(Block(f"{path}:{opened[0]}", words[0] if words else "", marks, "\n".join(lines) + "\n"))
            opened = None
        elif opened is None:
            plain.append(line)
        else:
            lines.append(line)
    if opened is not None:
        raise ValueError(f"{path}:{opened[0]}: the block is never closed")
    return Document(root, path, tuple(blocks), "\n".join(plain))


def ours(root=ROOT):
    """The documents whose commands are run: README.md and those in docs, in the order they are run."""
    names = ["README.md", "docs/getting-started.md"]
    found = sorted((root / "docs").glob("*.md"))
    paths = [pathlib.Path(name) for name in names] + [path.relative_to(root) for path in found]
    return [parse(root, path) for path in dict.fromkeys(paths)]


def everything(root=ROOT):
    """All documents: ours, the decisions, the guide for developers, and the READMEs of the folders."""
    more = [root / "CONTRIBUTING.md", *(root / "docs" / "adr").glob("*.md"), *root.glob("*/README.md"),
            *root.glob("odl-apps/*/README.md")]
    return ours(root) + [parse(root, path.relative_to(root)) for path in sorted(more)]
