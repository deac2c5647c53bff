# SPDX-License-Identifier: Apache-2.0
"""The module for tenants."""

from ansible_collections.penstock.edge.plugins.module_utils import entries

DOCUMENTATION = r"""
module: penstock_tenant
short_description: A tenant of a Penstock controller
description:
  - Stores, changes or deletes a tenant by RESTCONF.
  - "All of a tenant is one entry: attachments, subnets, routes, NAT and more."
author: Penstock developers
extends_documentation_fragment: penstock.edge.controller
"""

EXAMPLES = r"""
- name: The tenant mint
  penstock.edge.penstock_tenant:
    controller: https://192.0.2.1:8181
    user: olaf
    password: "{{ vault_penstock_password }}"
    ca: /etc/penstock/ca.pem
    name: mint
    config:
      attachment: [{name: office, node: edge1, port: acc0, vlan: 410}]
      subnet: [{name: lan, prefix: 10.0.0.0/24, gateway: 10.0.0.1}]
      nat: {pool: public}
"""

RETURN = r"""
entry:
  description: The tenant as it is stored, in check mode as it would be; absent if there is none.
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
    entries.run("tenant")


if __name__ == "__main__":
    main()
