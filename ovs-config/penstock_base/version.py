# SPDX-License-Identifier: Apache-2.0
"""The version of Penstock. Its one place is the Maven version, in the pom.xml at the top of the tree."""

import pathlib
import xml.etree.ElementTree as ET

from . import places

_NAMESPACE = {"m": "http://maven.apache.org/POM/4.0.0"}


def version(root: pathlib.Path = places.ROOT) -> str:
    """The version of these programs: as packages have it, where they are installed, else that of the source tree."""
    try:
        return (root / "VERSION").read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return of_tree(root)


def of_tree(root: pathlib.Path = places.ROOT) -> str:
    """The Maven version."""
    found = ET.parse(root / "pom.xml").getroot().findtext("m:version", namespaces=_NAMESPACE)  # noqa: S314  (ours)
    if not found:
        raise ValueError(f"{root / 'pom.xml'}: there is no version")
    return found
