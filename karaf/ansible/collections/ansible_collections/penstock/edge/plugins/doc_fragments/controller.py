# SPDX-License-Identifier: Apache-2.0
"""Options that all modules of the collection have; module_utils/entries.py reads them."""


class ModuleDocFragment:
    """Read by Ansible."""

    DOCUMENTATION = r"""
options:
  name:
    description: Name of the entry.
    type: str
    required: true
  config:
    description:
      - The whole entry, with the names of the model. The stored entry has exactly these leaves afterwards.
      - Numbers and booleans may be text, as templates make them.
    type: dict
    default: {}
  state:
    description: Whether the entry exists.
    type: str
    choices: [present, absent]
    default: present
  controller:
    description:
      - URL of the controller, or of the members of a cluster, of which the first that answers is used.
      - Without it the environment variable C(PENSTOCK_CONTROLLER) or the profile of the user names the controller.
    type: list
    elements: str
    default: []
  user:
    description: Name of the account.
    type: str
  password:
    description: Password of the account. It needs I(controller) and I(user).
    type: str
  password_file:
    description: File with the password, which no other user can read.
    type: path
  ca:
    description: Certificate of the authority of the network.
    type: path
requirements:
  - penstock-client
notes:
  - Check mode stores nothing. The controller judges the change, and its reasons are those of a change.
  - A change whose answer is lost is not repeated. The task fails, and the next run of the play finds what is stored.
"""
