# SPDX-License-Identifier: Apache-2.0
"""The model as clients need it, made of the YANG: names for the command line, and a tenant's leaves for the web page.

Run as a program, in docs, it writes the files: python3 -m tests.schema
"""

import json
import pathlib

from . import checks
from .documents import ROOT

FILE = pathlib.Path("karaf/penstock_client/model.json")
PAGE_FILE = pathlib.Path("odl-apps/page/src/main/web/api/tenant-model.json")


def text(root=ROOT):
    """The content of the file: what schema.py of penstock_client reads, where the form is explained."""
    return json.dumps(_form(checks.modules(root)["penstock"].nodes["network"]), separators=(",", ":")).replace(
        "},", "},\n") + "\n"


def page_text(root=ROOT):
    """The content of the page's file: schema.ts beside it explains the form."""
    tenant = checks.modules(root)["penstock"].nodes["network"].children["tenant"]
    return json.dumps(_help(tenant), separators=(",", ":")).replace("},", "},\n") + "\n"


def _help(node):
    facts = {"kind": node.kind, "type": node.type, "units": node.units, "default": node.default,
             "description": node.description, "keys": list(node.keys), "ordered": node.ordered,
             "below": {name: _help(child) for name, child in node.children.items()}}
    return {name: fact for name, fact in facts.items() if fact}


def _form(node):
    if node.kind in ("leaf", "leaf-list"):
        return "leaf" if node.kind == "leaf" else "ordered" if node.ordered else "values"
    found: dict = {"=": list(node.keys)} if node.kind == "list" else {}
    found |= {"<": True} if node.kind == "list" and node.ordered else {}
    found |= {"!": True} if node.presence else {}
    return found | {name: _form(child) for name, child in node.children.items()}


if __name__ == "__main__":
    (ROOT / FILE).write_text(text(), encoding="utf-8")
    (ROOT / PAGE_FILE).write_text(page_text(), encoding="utf-8")
