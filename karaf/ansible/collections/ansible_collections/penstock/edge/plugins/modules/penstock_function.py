# SPDX-License-Identifier: Apache-2.0
"""The module for network functions."""

from ansible_collections.penstock.edge.plugins.module_utils import entries

DOCUMENTATION = r"""
module: penstock_function
short_description: A network function of a Penstock controller
description:
  - Stores, changes or deletes a network function by RESTCONF. The node starts it if the entry has start.
author: Penstock developers
extends_documentation_fragment: penstock.edge.controller
"""

EXAMPLES = r"""
- name: A firewall that the node edge1 starts
  penstock.edge.penstock_function:
    name: fw2
    config:
      node: edge1
      fail-policy: closed
      start: {function: packet-filter}
"""

RETURN = r"""
entry:
  description: The network function as it is stored, in check mode as it would be; absent if there is none.
  type: dict
  returned: success
errors:
  description: The reasons of the controller, each with message, path (RFC 8040) and tag.
  type: list
  elements: dict
  returned: failure
"""


def main() -> None:
    """Called by Ansible."""
    entries.run("function")


if __name__ == "__main__":
    main()
