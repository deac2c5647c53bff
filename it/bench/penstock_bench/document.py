# SPDX-License-Identifier: Apache-2.0
"""A report as a list of blocks, and its two forms: Markdown, and one HTML page that needs nothing else.

Texts may hold `code` and [links](where).
"""

import dataclasses
import html
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Cell:
    """A table cell that says something by its colour too. kind: good, bad, muted."""
    text: str
    kind: str


@dataclasses.dataclass(frozen=True)
class _Block:
    kind: str
    content: Any
    more: Any = None


class Document:
    """Blocks in the order of reading. Every method adds one."""

    def __init__(self, title: str, subtitle: str = "") -> None:
        self.title = title
        self.subtitle = subtitle
        self._blocks: list[_Block] = []

    def section(self, text: str) -> None:
        """A heading of the first rank below the title."""
        self._blocks.append(_Block("section", text))

    def subsection(self, text: str) -> None:
        """A heading of the second rank."""
        self._blocks.append(_Block("subsection", text))

    def text(self, text: str) -> None:
        """A paragraph."""
        self._blocks.append(_Block("text", text))

    def notice(self, title: str, text: str = "", kind: str = "bad") -> None:
        """A paragraph that must not be missed: a few words, and a text behind them. kind: good or bad."""
        self._blocks.append(_Block("notice", (title, text), kind))

    def points(self, texts: Iterable[str]) -> None:
        """A list with bullets."""
        self._blocks.append(_Block("points", list(texts)))

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str | Cell]], left: int = 1) -> None:
        """A table; `left` columns are set to the left, the others, which are numbers, to the right."""
        lines = [list(row) for row in rows]
        if any(len(row) != len(head) for row in lines):
            raise ValueError("a row has not as many cells as the head")
        self._blocks.append(_Block("table", (list(head), lines), left))

    def figure(self, svg: str | None, description: str) -> None:
        """A drawing, in the HTML page only; None is left out. Its figures must be in a table as well."""
        if svg is not None:
            self._blocks.append(_Block("figure", svg, description))

    def markdown(self) -> str:
        """The document as Markdown (with tables as on GitHub)."""
        parts = [f"# {self.title}"] + ([self.subtitle] if self.subtitle else [])
        for block in self._blocks:
            parts += _MARKDOWN[block.kind](block)
        return "\n\n".join(parts) + "\n"

    def html(self) -> str:
        """The document as an HTML page."""
        sections = [block.content for block in self._blocks if block.kind == "section"]
        links = "".join(f'<a href="#{_anchor(text)}">{_inline(text)}</a>' for text in sections)
        subtitle = f'<p class="subtitle">{_inline(self.subtitle)}</p>' if self.subtitle else ""
        body = "\n".join(_HTML[block.kind](block) for block in self._blocks)
        return _PAGE.format(title=html.escape(self.title), style=_STYLE, subtitle=subtitle, links=links, body=body)


def _cell_text(cell: str | Cell) -> str:
    return cell.text if isinstance(cell, Cell) else str(cell)


def _markdown_table(block: _Block) -> list[str]:
    head, rows = block.content
    rule = ["---"] * block.more + ["---:"] * (len(head) - block.more)
    lines = [head, rule, *rows]
    return ["\n".join("| " + " | ".join(_cell_text(cell).replace("|", "\\|") for cell in line) + " |"
                      for line in lines)]


_MARKDOWN: dict[str, Callable[[_Block], list[str]]] = {
    "section": lambda block: [f"## {block.content}"],
    "subsection": lambda block: [f"### {block.content}"],
    "text": lambda block: [block.content],
    "notice": lambda block: [f"> **{block.content[0]}** {block.content[1]}".rstrip()],
    "points": lambda block: ["\n".join(f"* {text}" for text in block.content)],
    "table": _markdown_table,
    "figure": lambda _: [],
}


def _anchor(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _inline(text: str) -> str:
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text)


def _html_table(block: _Block) -> str:
    head, rows = block.content

    def cell(tag: str, content: str | Cell, column: int) -> str:
        names = ([] if column < block.more else ["number"]) + ([content.kind] if isinstance(content, Cell) else [])
        attribute = f' class="{" ".join(names)}"' if names else ""
        return f"<{tag}{attribute}>{_inline(_cell_text(content))}</{tag}>"

    lines = ["<tr>" + "".join(cell("th", text, column) for column, text in enumerate(head)) + "</tr>"]
    first = [_cell_text(row[0]) for row in rows]
    grouped = len(set(first)) < len(first)
    for number, row in enumerate(rows):
        # A new group of rows begins where the first column says something new.
        group = ' class="group"' if grouped and number and first[number] != first[number - 1] else ""
        lines.append(f"<tr{group}>" + "".join(cell("td", text, column) for column, text in enumerate(row)) + "</tr>")
    return ('<div class="wide"><table><thead>' + lines[0] + "</thead>\n<tbody>\n" + "\n".join(lines[1:])
            + "\n</tbody></table></div>")


_HTML: dict[str, Callable[[_Block], str]] = {
    "section": lambda block: f'<h2 id="{_anchor(block.content)}">{_inline(block.content)}</h2>',
    "subsection": lambda block: f"<h3>{_inline(block.content)}</h3>",
    "text": lambda block: f"<p>{_inline(block.content)}</p>",
    "notice": lambda block: f'<p class="notice {block.more}"><strong>{_inline(block.content[0])}</strong> '
                            f"{_inline(block.content[1])}</p>",
    "points": lambda block: "<ul>" + "".join(f"<li>{_inline(text)}</li>" for text in block.content) + "</ul>",
    "table": _html_table,
    "figure": lambda block: f'<figure role="img" aria-label="{html.escape(block.more)}">{block.content}'
                            f"<figcaption>{_inline(block.more)}</figcaption></figure>",
}

_STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --ink: #1c2128; --soft: #5b6570; --line: #d5dae0; --band: #f4f6f8;
  --link: #0b5cad; --good: #1a7f37; --bad: #c02a2a; --good-page: #e9f6ec; --bad-page: #fdeceb;
  --edge: #1f6fd0; --bare: #6b7683; --ovn: #c9620a; --other: #8a4fbe; }
@media (prefers-color-scheme: dark) { :root { --page: #14181d; --ink: #e4e8ec; --soft: #9aa5b1; --line: #333b45;
  --band: #1c2229; --link: #7ab7ff; --good: #57c46f; --bad: #ff7b72; --good-page: #14281a; --bad-page: #331a1a;
  --edge: #66a9ff; --bare: #a5afba; --ovn: #f0954a; --other: #c299f0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p, ul { max-width: 46rem; margin: .5rem 0 1rem; }
li { margin: .2rem 0; }
a { color: var(--link); }
code { font: .9em ui-monospace, "DejaVu Sans Mono", monospace; background: var(--band); padding: .05em .3em;
  border-radius: 3px; }
.subtitle { color: var(--soft); margin: 0 0 1rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin: 1rem 0 0; font-size: .92rem; }
.notice { border-left: 4px solid var(--bad); background: var(--bad-page); padding: .6rem .9rem; max-width: none; }
.notice.good { border-color: var(--good); background: var(--good-page); }
.wide { overflow-x: auto; margin: .75rem 0 1.25rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .65rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; border-bottom-width: 2px; vertical-align: bottom; }
tr.group td { border-top: 2px solid var(--line); }
.number { text-align: right; }
td.number { white-space: nowrap; }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.notice.good, .notice.bad { color: var(--ink); font-weight: 400; }
.muted { color: var(--soft); }
figure { margin: 1rem 0 1.75rem; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .88rem; max-width: 46rem; margin-top: .25rem; }
@media print { main { max-width: none; } h2 { break-after: avoid; } figure, tr { break-inside: avoid; } }
"""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{subtitle}
<nav>{links}</nav>
{body}
</main>
</body>
</html>
"""
