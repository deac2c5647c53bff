# SPDX-License-Identifier: Apache-2.0
"""A client of the controller over RESTCONF, for programs and for ./penstock: tenants, access lists, pools, functions,
chains and nodes, whole documents, state and RPCs. It needs nothing but the standard library and penstock_base.

    from penstock_client import Client, target

    client = Client.of(target.find())
    client.create("pool", {"name": "west", "prefix": ["203.0.113.64/29"]})

docs/command-line.md has more examples. Not for several threads: each makes a client of its own.
"""

from penstock_base.errors import PenstockError

from .client import Client
from .desired import Outcome, absent, present
from .edits import Edit
from .errors import Problem, Refused, Unreachable

__all__ = ["Client", "Edit", "Outcome", "PenstockError", "Problem", "Refused", "Unreachable", "absent", "present"]
