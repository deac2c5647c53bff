# SPDX-License-Identifier: Apache-2.0
"""Tells the controller how far the agent is with its orders: wait-applied waits for it (docs/adr/0043).

The controller writes a text, different each time, when it has written its orders. The answer has that text, so it is
about these orders or later ones: {"order": TEXT, "waiting": {"7": "the resolver starts"}, "failed": {}, "more": 0}.
io.penstock.southbound.ovsdb.OrdersReport reads it.
"""

import json

MOST_NAMED = 16
"""Tenants that the answer names of each kind; "more" counts the others."""
_LONGEST_REASON = 200


class Progress:
    """Not for several threads."""

    def __init__(self) -> None:
        self._order: str | None = None
        self._is_final = False
        self.report: str | None = None
        """What the database shall have."""

    def want(self, order: str | None, report: str | None) -> bool:
        """Takes what the controller wrote, and what the database has as the answer. Returns whether to look anew at
        what is carried out: the controller asks, and no agent has given it its last answer."""
        if order == self._order:
            return False
        self._order = order
        self._is_final = _is_final(order, report)
        self.report = report if self._is_final else None
        return order is not None and not self._is_final

    def is_asked(self) -> bool:
        """Whether the controller waits for an answer."""
        return self._order is not None and not self._is_final

    def tell(self, waiting: dict[int, str], failed: dict[int, str]) -> None:
        """Makes the answer of what is still to be done, and of what cannot be done now, by tenant."""
        named = [dict(sorted(reasons.items())[:MOST_NAMED]) for reasons in (waiting, failed)]
        content = {name: {str(zone): text[:_LONGEST_REASON] for zone, text in reasons.items()}
                   for name, reasons in zip(("waiting", "failed"), named, strict=True)}
        more = len(waiting) + len(failed) - sum(map(len, named))
        self.report = json.dumps({"order": self._order, **content, "more": more})
        self._is_final = not waiting


def _is_final(order: str | None, report: str | None) -> bool:
    try:
        content = json.loads(report or "")
    except ValueError:
        return False
    return isinstance(content, dict) and content.get("order") == order and not content.get("waiting")
