# SPDX-License-Identifier: Apache-2.0
"""The module for pools of public addresses."""

from ansible_collections.penstock.edge.plugins.module_utils import entries

DOCUMENTATION = r"""
module: penstock_pool
short_description: A pool of public addresses of a Penstock controller
description:
  - Stores, changes or deletes a pool of public addresses by RESTCONF.
  - "A pool that tenants use is not deleted: the controller refuses it."
author: Penstock developers
extends_documentation_fragment: penstock.edge.controller
"""

EXAMPLES = r"""
- name: Public addresses
  penstock.edge.penstock_pool:
    name: west
    config:
      prefix: [192.88.99.128/30]
"""

RETURN = r"""
entry:
  description: The pool of public addresses as it is stored, in check mode as it would be; absent if there is none.
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
    entries.run("pool")


if __name__ == "__main__":
    main()
