# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/model.md against the YANG: leaves exist, with the values, defaults and needs of the model.

A table with the columns leaf, type and default is about the part of the model that its heading names. A default or a
range that only the code knows is in no YANG statement and is not compared.
"""

import re

PLACES = {"node": "node", "backbone": "backbone", "pool": "pool", "function": "function", "chain": "chain",
          "tenant": "tenant", "Addresses for hosts": "tenant/dhcp", "Names": "tenant/dns", "IPv6": "tenant/ipv6",
          "Limits": "tenant/quota"}
"""Headings, and where in penstock:network their leaves are."""

_SPAN = re.compile(r"`([^`]+)`")
_BELOW = "subnet/router-advertisement/"  # Where the leaves of IPv6 are that the table names without a path.


def rows(document):
    """Heading and cells of each line of a table about leaves; cells by the first word of their column."""
    heading, columns = "", None
    for line in document.plain.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else None
        if cells is None:
            columns = None
        elif columns is None:
            columns = [cell.split(",")[0] for cell in cells]
        elif "leaf" in columns and "default" in columns and set(line) - set("|- "):
            yield heading, dict(zip(columns, cells, strict=True))


def faults(document, network):
    """What of the tables is not so in the model. `network` is the container of the module penstock."""
    found = []
    for heading, cells in rows(document):
        if heading not in PLACES:
            found.append(f"{document.path}: {heading}: no place in the model")
            continue
        for path in _paths(cells["leaf"]):
            node = _node(network, f"{PLACES[heading]}/{path}") or _node(network, f"{PLACES[heading]}/{_BELOW}{path}")
            where = f"{document.path}: {heading}: {path}"
            found += [f"{where}: {fault}" for fault in (_wrong(node, cells) if node else ["is not in the model"])]
    return found


def _paths(cell):
    """The leaves of a first cell; one without a path is beside the one before."""
    found = []
    for span in _SPAN.findall(cell):
        beside = found[0].rpartition("/")[0] if found and "/" not in span else ""
        found.append(f"{beside}/{span}" if beside else span)
    # "`a`, `b`: `leaf`" is about the leaf of both.
    if ": `" in cell:
        leaf = found.pop().rpartition("/")[2]
        return [f"{path}/{leaf}" for path in found]
    return found


def _node(network, path):
    node = network
    for name in path.split("/"):
        node = node and node.children.get(name)
    return node


def _wrong(node, cells):
    values = set(_SPAN.findall(cells.get("type", cells.get("range", ""))))
    default = cells["default"].replace("`", "").split()
    if node.values and not set(node.values) <= values:
        yield f"has the values {', '.join(node.values)}"
    if node.default and node.default not in default:
        yield f"is {node.default} unless configured"
    if node.mandatory and default != ["needed"]:
        yield "is needed"
