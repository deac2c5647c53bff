# SPDX-License-Identifier: Apache-2.0
"""The types that all measurements share. Results are JSON: only those who write a part and those who report it know
its keys."""

from collections.abc import Callable
from typing import Any

Results = dict[str, Any]
"""results.json, or an object in it, or in what the controller and the generator take and answer."""
Ratios = dict[str, Results]
"""By name: `value`, `low`, `high`, `method` and more, see ratios.entry."""
Found = tuple[float, float, float, str]
"""A ratio, the bounds of its interval, and how it was found."""
Say = Callable[[str], object]
"""Tells the user a line."""
