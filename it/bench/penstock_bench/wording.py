# SPDX-License-Identifier: Apache-2.0
"""Figures and scenarios in words. What is not known is a dash."""

from collections.abc import Sequence
from typing import Any

from .results import Results

CONTENDERS = {"bare": "bare forwarding", "hand": "one ct flow by hand", "edge": "Penstock", "ovn": "OVN",
              "ovn-gateway": "OVN, gateway routers"}
"""In the order of the report."""


def number(value: float | None) -> str:
    """Three digits that count, no exponents."""
    if value is None:
        return "-"
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    magnitude = int(f"{abs(value):.2e}".split("e")[1])
    return f"{value:.{min(2 - magnitude, 6)}f}"


def count(value: float | None) -> str:
    """A whole number."""
    return "-" if value is None else f"{value:,.0f}"


def percent(value: float | None) -> str:
    """A share of one."""
    return "-" if value is None else f"{value:.1%}" if 0 < value < 0.1 else f"{value:.0%}"


def spread(values: Sequence[float]) -> str:
    """Smallest and largest; nothing when they look the same."""
    low, high = number(min(values)), number(max(values))
    return "" if low == high else f"{low} – {high}"


def fact(value: Any) -> str:
    """A fact about the machine: texts, numbers, and lists and mappings of them."""
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {fact(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(fact, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def direction(name: object) -> str:
    """one-way, both-ways."""
    return str(name).replace("-", " ")


def frame(size: object) -> str:
    """A frame size or mix."""
    if str(size).isdigit():
        return f"{size} bytes"
    return "EANTC's IMIX" if size == "imix-eantc" else str(size).upper()


def flows(entry: Results) -> str:
    """How many flows an entry of "forwarding" has."""
    if entry.get("kind") == "ten-each":
        return "10 flows a tenant"
    return f"{entry['flows']:,} flows in all" if entry.get("flows") else str(entry.get("kind"))


def contender(entry: Results) -> str:
    """Who an entry is about."""
    name = entry.get("contender") or ""
    return CONTENDERS.get(name, name or "Penstock")
