# SPDX-License-Identifier: Apache-2.0
"""The words of the documents: no word that docs/glossary.md bans, and sentences with their subject first.

Each file becomes text of the same lines in which everything but prose is blank, so that a fault has its line.
"""

import dataclasses
import pathlib
import re

from . import checks
from .documents import ROOT

GLOSSARY = pathlib.Path("docs/glossary.md")
MODELS = pathlib.Path("odl-apps/model/src/main/yang")
_ROW = re.compile(r"^\|(.*)\|\s*$")
_SPAN = re.compile(r"`([^`\n]+)`")
# Order matters: a quotation mark inside code opens no quotation.
_NO_PROSE = (re.compile(r"^```.*?^```[^\n]*$", re.MULTILINE | re.DOTALL),
             re.compile(r"^(?: {4}|\t)[^\n]*$", re.MULTILINE),
             re.compile(r"`[^`\n]+`"), re.compile(r"(?<=\])\([^)\s]*\)"), re.compile(r"<!--.*?-->", re.DOTALL),
             # A quotation may go over the end of a line, not over that of a paragraph or a cell.
             re.compile(r'"(?:[^"\n|]|\n(?!\s*\n|\s*[-*|#]))*"'))
_TOOLS = ("penstock", "ovs-config/ovs-config", "service-chains/functions", "service-chains/nat64", "docs/run-docs",
          "karaf/penstock-controller")
_COMMAND = re.compile(r"^ {4}([a-z][a-z0-9-]*)(?= |$)", re.MULTILINE)
_HEADING = re.compile(r"^#[^\n]*$", re.MULTILINE)
# Where a sentence begins: a paragraph, an item, a cell, or after the end of another one.
_BEGIN = r"(?:(?:\A|\n[ \t]*\n|\|)\s*(?:(?:[-*]|\d+\.)\s+)?|\n[ \t]*(?:[-*]|\d+\.)\s+|[.!?:]\s+)(?:\*\*|\[)*"
_SUBJECT = re.compile(_BEGIN + r"(Who|Whom|Whose|What|Whatever|Whoever|Nobody|Somebody)\b")
_END = re.compile(r"[.!?](?=\s|\)|\]|\*|\Z)|\||\n[ \t]*\n")
_YANG = re.compile(r"\b(?:description|error-message|reference|contact|organization)\s+"
                   r"((?:\"(?:[^\"\\]|\\.)*\"|'[^']*')(?:\s*\+\s*(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'))*)", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Ban:
    """A word that is not used, and what is used instead."""
    word: str
    instead: str

    @property
    def pattern(self):
        """Finds the word in any case, one with a capital as it is written; also over the end of a line."""
        words = r"\s+".join(re.escape(part).replace(r"\*", r"\w*") for part in self.word.split())
        case = 0 if self.word != self.word.lower() else re.IGNORECASE
        return re.compile(rf"(?<![\w-]){words}(?![\w-])", case)


def rows(glossary):
    """The rows of the glossary's tables as lists of cells; a table without a last column "not" is an error."""
    found, header = [], None
    for line in glossary.splitlines():
        row = _ROW.match(line)
        cells = row and [cell.strip() for cell in row[1].split("|")]
        if not cells:
            header = None
        elif header is None:
            header = cells
            if header[-1] != "not":
                raise ValueError(f"the table of {header[0]} has no last column 'not'")
        elif not set(line) <= set("|-: "):
            found.append(cells)
    return found


def bans(glossary):
    """What the glossary bans: code in the last column, each with the first column of its row."""
    found = {}
    for cells in rows(glossary):
        for word in _SPAN.findall(cells[-1]):
            found.setdefault(word, []).append(cells[0])
    return [Ban(word, "; ".join(instead)) for word, instead in found.items()]


def terms(glossary):
    """The terms that the glossary defines, each by itself."""
    return [term.strip() for cells in rows(glossary) if len(cells) == 4 for term in cells[0].split(", ")]


def of_markdown(text):
    """The prose of a Markdown document."""
    for pattern in _NO_PROSE:
        text = pattern.sub(_blank, text)
    return text


def of_yang(text):
    """The prose of a YANG module: its descriptions, each like a cell of a table."""
    found, last = [], 0
    for match in _YANG.finditer(text):
        found.append(re.sub(r"[^\n]", " ", text[last:match.start(1)]))
        # A joined string goes on behind its "+"; the marks at both ends separate descriptions.
        inner = re.sub(r"([\"'])\s*\+\s*[\"']", _blank, match[1][1:-1])
        found.append("|" + inner.replace('\\"', ' "') + "|")
        last = match.end(1)
    found.append(re.sub(r"[^\n]", " ", text[last:]))
    text = "".join(found)
    for pattern in _NO_PROSE[2:]:
        text = pattern.sub(_blank, text)
    return text


def _blank(match):
    # Spaces would make the text behind look like the beginning of a sentence or cell.
    return re.sub(r"[^\n]", "\N{MIDDLE DOT}", match[0])


def faults(where, prose, banned):
    """Each banned word and each sentence that hides its subject, with file and line."""
    found = []
    for ban in banned:
        found += [(match.start(), f"\"{' '.join(match[0].split())}\": use {ban.instead}")
                  for match in ban.pattern.finditer(prose)]
    # Headings are no sentences, and other documents link to them.
    sentences = _HEADING.sub(lambda match: "\n" * match[0].count("\n") + " " * len(match[0]), prose)
    for match in _SUBJECT.finditer(sentences):
        end = _END.search(sentences, match.end())
        if not end or end[0] != "?":
            found.append((match.start(1), f"a sentence begins with \"{match[1]}\": subject first"))
    return [f"{where}:{prose.count(chr(10), 0, place) + 1}: {fault}" for place, fault in sorted(found)]


def markdown(root=ROOT):
    """The documents whose words are checked: all but the texts of decisions and the changelog."""
    return sorted(path for pattern in ("README.md", "CONTRIBUTING.md", "docs/*.md", "docs/adr/README.md", "*/README.md",
                                       "it/*/README.md", "odl-apps/*/README.md") for path in set(root.glob(pattern)))


def models(root=ROOT):
    """The YANG modules of the project."""
    return sorted((root / MODELS).glob("*.yang"))


def helps(root=ROOT):
    """The help texts of the tools and their commands, by the command line that prints them."""
    found = {}
    for tool in _TOOLS:
        text = _said(root, tool)
        found[f"{tool} --help"] = _paragraphs(text)
        commands = _COMMAND.findall(text.partition("commands:\n")[2].partition("\n\n")[0])
        found.update({f"{tool} {name} --help": _paragraphs(_said(root, tool, name)) for name in commands})
    return found


def _said(root, tool, *command):
    text = checks.help_of(root, tool, *command)
    if text is None:
        raise AssertionError(f"{tool} {' '.join(command)} --help fails")
    return text


def _paragraphs(text):
    """Options and commands stand in two columns: each begins a paragraph, as the text behind it does."""
    return re.sub(r"^( {2,4}-{0,2}\w[^\n]*?)(?: {2,}|$)", r"\n\1\n\n", text, flags=re.MULTILINE)
